from datetime import timedelta

from synthesis.verification.reference_run import play, run_reference
from synthesis.verification.replayer import Replayer


def test_a_play_equals_one_in_a_process_of_its_own_time_after_time(clinic_world, clinic):
    calls = clinic.task("cancel_late_and_waive_fee").reference_solution
    results, state, changes = play(clinic_world, calls)
    with Replayer(clinic_world) as replayer:
        for _ in range(3):
            again, differ = replayer.play(calls)
            assert [one.observation() for one in again] == [one.observation() for one in results]
            assert differ == changes
            assert replayer.state() == state
            replayer.play(calls[:1])


def test_a_play_from_the_middle_of_a_run_ends_as_the_whole_run_does(clinic_world, clinic):
    run = run_reference(clinic_world, clinic.task("hand_freed_slot_to_waiting_list"))
    calls = run.task.reference_solution
    with Replayer(clinic_world) as replayer:
        for at in range(len(calls)):
            results, changes = replayer.play(calls[at:], start=run.before_call(at))
            assert [one.observation() for one in results] == [one.observation() for one in run.results[at:]]
            assert changes == run.changes
            assert replayer.state().hash == run.after.hash


def test_a_play_that_is_to_stop_at_a_failure_stops_there(clinic_world, clinic):
    calls = clinic.task("cancel_late_and_waive_fee").reference_solution
    cancel = next(call for call in calls if call.name.startswith("cancel"))
    with Replayer(clinic_world) as replayer:
        results, _ = replayer.play([*calls, cancel, *calls], until_failure=True)
        assert len(results) == len(calls) + 1
        assert results[-1].status == "refused"


def test_a_play_may_begin_some_calls_and_as_many_seconds_later(clinic_world):
    with Replayer(clinic_world) as replayer:
        later = replayer.later(5)
        assert later == clinic_world.base
        assert later.calls == clinic_world.base.calls + 5
        assert later.clock == clinic_world.base.clock + timedelta(seconds=5)
        assert replayer.state() == clinic_world.base
        results, changes = replayer.play([], start=later)
        assert not results
        assert not changes
        assert replayer.state().clock == later.clock
