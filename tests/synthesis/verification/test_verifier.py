import pytest

from synthesis.documents.verdict import Scored, Unscored
from synthesis.errors import UnknownName
from synthesis.verification.reference_run import play
from synthesis.verification.rewards import RewardTable
from synthesis.verification.verifier import verify
from synthesis.worlds.world import World

MOVE = "move_cardiology_follow_up"


def end_of(world, task_id, *, calls=None):
    task = world.environment.task(task_id)
    _, state, _ = play(world, task.reference_solution[:calls])
    return task, state


def test_every_reference_solution_is_completed(clinic_world):
    for task in clinic_world.environment.tasks.tasks:
        _, state = end_of(clinic_world, task.id)
        verdict = verify(clinic_world, task.id, clinic_world.base, state, task.reference_answer)
        assert isinstance(verdict, Scored)
        assert (verdict.label, verdict.reward, verdict.share) == ("completed", 1.0, 1.0), verdict


def test_an_idle_agent_earns_nothing(clinic_world):
    for task in clinic_world.environment.tasks.tasks:
        verdict = verify(clinic_world, task.id, clinic_world.base, clinic_world.base, "")
        assert isinstance(verdict, Scored)
        assert (verdict.label, verdict.share) == ("agent_error", 0.0)


def test_words_alone_are_no_share_of_a_deed(clinic_world):
    task = clinic_world.environment.task(MOVE)
    verdict = verify(clinic_world, MOVE, clinic_world.base, clinic_world.base, task.reference_answer)
    assert verdict.label == "agent_error"


def test_a_part_of_the_goals_earns_its_share(clinic_world):
    task, state = end_of(clinic_world, MOVE, calls=5)
    verdict = verify(clinic_world, MOVE, clinic_world.base, state, task.reference_answer)
    assert isinstance(verdict, Scored)
    assert verdict.label == "partially_completed"
    assert verdict.reward == 0.1
    assert verdict.share == pytest.approx(5 / 6)
    assert "one message says that it moved" in verdict.explanation


def test_the_right_state_with_a_wrong_answer_is_not_completed(clinic_world):
    _, state = end_of(clinic_world, MOVE)
    verdict = verify(clinic_world, MOVE, clinic_world.base, state, "It is now on 19 March at 10:00.")
    assert verdict.label == "partially_completed"


def test_goals_that_held_before_count_towards_no_share(clinic_world):
    task_id = "book_or_put_on_waiting_list"
    with clinic_world.instance() as instance:
        instance.call("update_patient_contact", {"patient_id": 13, "phone": "555-0999"})
        state = instance.snapshot()
    verdict = verify(clinic_world, task_id, clinic_world.base, state, "")
    assert isinstance(verdict, Scored)
    assert any(outcome.name == "nothing was booked" and outcome.passed for outcome in verdict.outcomes)
    assert (verdict.label, verdict.share) == ("agent_error", 0.0)


def test_a_failed_call_makes_an_open_task_an_environment_error_that_is_not_for_training(clinic_world):
    task, state = end_of(clinic_world, MOVE, calls=5)
    verdict = verify(clinic_world, MOVE, clinic_world.base, state, task.reference_answer, failed_calls=1)
    assert isinstance(verdict, Scored)
    assert (verdict.label, verdict.trainable) == ("environment_error", False)


@pytest.mark.parametrize(("failed", "calls"), [(1, "a tool call"), (2, "2 tool calls"), (3, "3 tool calls")])
def test_the_explanation_counts_the_calls_that_failed(clinic_world, failed, calls):
    task, state = end_of(clinic_world, MOVE, calls=5)
    verdict = verify(clinic_world, MOVE, clinic_world.base, state, task.reference_answer, failed_calls=failed)
    assert verdict.explanation.startswith(f"The environment failed in {calls}; failed checks: ")


def test_a_failed_call_does_not_spoil_a_completed_task(clinic_world):
    task, state = end_of(clinic_world, MOVE)
    verdict = verify(clinic_world, MOVE, clinic_world.base, state, task.reference_answer, failed_calls=2)
    assert (verdict.label, verdict.trainable) == ("completed", True)


def test_the_rewards_are_a_setting(clinic_world):
    task, state = end_of(clinic_world, MOVE)
    table = RewardTable(completed=5.0)
    verdict = verify(clinic_world, MOVE, clinic_world.base, state, task.reference_answer, rewards=table)
    assert verdict.reward == 5.0


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def verify(before, after, changes, answer):\n    raise KeyError('x')\n", "KeyError"),
        ("def verify(before, after, changes, answer):\n    yield from ()\n", "no check"),
        ("def verify(before, after, changes, answer:\n", "SyntaxError"),
    ],
)
def test_a_verifier_that_gives_up_leaves_the_episode_unscored(clinic, source, words):
    verifiers = clinic.verifiers
    broken = tuple(v if v.task_id != MOVE else v.replace(source=source) for v in verifiers.verifiers)
    with World(clinic.replace(verifiers=verifiers.replace(verifiers=broken))) as world:
        verdict = verify(world, MOVE, world.base, world.base, "")
    assert isinstance(verdict, Unscored)
    assert words in verdict.error
    assert verdict.reward is None


def test_it_refuses_an_unknown_task(clinic_world):
    with pytest.raises(UnknownName, match="task"):
        verify(clinic_world, "fly_to_the_moon", clinic_world.base, clinic_world.base, "")
