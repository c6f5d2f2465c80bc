import threading

import pytest

from synthesis.documents.trajectory import FinalAnswer
from synthesis.errors import InvalidInput
from synthesis.rollouts.agent import AgentDecision
from synthesis.rollouts.batch import RolloutJob, jobs, roll_out_all, roll_out_groups
from synthesis.rollouts.registry import make_agent


def reference():
    return make_agent("reference")


def no_op():
    return make_agent("no-op")


def test_jobs_are_every_task_with_every_agent_and_sample(clinic_world):
    rollout_jobs = list(
        jobs([clinic_world], [reference, no_op], samples=3, tasks=["read_total_owed", "empty_a_leaking_room"])
    )
    assert len(rollout_jobs) == 2 * 2 * 3
    assert [job.seed for job in rollout_jobs[:3]] == [0, 1, 2]


def test_all_rollouts_are_made_and_told_with_their_place(clinic_world):
    done = list(roll_out_all(jobs([clinic_world], [reference, no_op], samples=1), at_once=3))
    assert sorted(one.number for one in done) == list(range(20))
    assert {one.judged.verdicts[0].label for one in done if one.judged.trajectory.agent == "reference"} == {
        "completed"
    }
    assert clinic_world.live == 0


def test_a_rollout_that_cannot_be_made_stops_no_other(clinic_world):
    wanted = [
        RolloutJob(clinic_world, "fly_to_the_moon", reference),
        RolloutJob(clinic_world, "read_total_owed", reference),
    ]
    first, second = sorted(roll_out_all(wanted, at_once=1), key=lambda one: one.number)
    assert first.judged is None
    assert "fly_to_the_moon" in str(first.error)
    assert second.judged.verdicts[0].label == "completed"


def test_nothing_further_is_begun_after_cancelling(clinic_world):
    cancel = threading.Event()
    done = []
    for one in roll_out_all(jobs([clinic_world], [reference], samples=50), at_once=2, cancel=cancel):
        done.append(one)
        cancel.set()
    assert len(done) <= 4
    assert clinic_world.live == 0


def test_jobs_are_taken_only_when_there_is_room(clinic_world):
    taken = []

    def endless():
        while True:
            taken.append(1)
            yield RolloutJob(clinic_world, "read_total_owed", no_op)

    results = roll_out_all(endless(), at_once=2)
    next(results)
    assert len(taken) <= 3
    results.close()
    assert clinic_world.live == 0


def test_it_refuses_a_pool_without_threads(clinic_world):
    with pytest.raises(InvalidInput, match="At least 1"):
        next(roll_out_all([], at_once=0))


class Waiting:
    """Answers only when it is let go."""

    name, model = "waiting", None

    def __init__(self, go: threading.Event) -> None:
        self._go = go

    def begin(self, context) -> None:
        """Nothing to remember."""

    def act(self, observation):
        self._go.wait(20)
        return AgentDecision(action=FinalAnswer(text="Done."))


def test_the_caller_looks_around_while_nothing_comes_in(clinic_world):
    go = threading.Event()
    wanted = [RolloutJob(clinic_world, "read_total_owed", lambda: Waiting(go))]
    looks = 0
    for group in roll_out_groups(wanted, at_once=2, every=0.01):
        looks += 1
        if looks == 3:
            go.set()
        if group:
            assert group[0].judged.trajectory.stop_reason == "answered"
            break
    assert looks >= 3


def test_rollouts_that_came_in_together_are_told_together(clinic_world):
    groups = roll_out_groups(jobs([clinic_world], [no_op], samples=4), at_once=4)
    assert sum(len(group) for group in groups) == 40


def test_a_batch_that_is_cancelled_while_agents_wait_leaves_nothing_running(clinic_world):
    go, cancel = threading.Event(), threading.Event()
    wanted = (RolloutJob(clinic_world, "read_total_owed", lambda: Waiting(go), seed) for seed in range(50))
    finisheds = []
    for group in roll_out_groups(wanted, at_once=8, cancel=cancel, every=0.01):
        cancel.set()
        go.set()
        finisheds += group
    assert len(finisheds) == 8
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("rollout")]
    assert clinic_world.live == 0
