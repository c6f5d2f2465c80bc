import pytest

from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.state_diff import RowChange, StateDiff
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import FinalAnswer, Malformed, Step, Trajectory
from synthesis.documents.verdict import Scored, Unscored
from synthesis.rollouts.failures import FAILURE_TITLES, failures
from synthesis.rollouts.faulty import MISTAKES
from synthesis.rollouts.registry import make_agent
from synthesis.rollouts.rollout import roll_out
from synthesis.verification.verifier import task_of

CALL = ToolCall(name="get", arguments={"id": 1})
OTHER = ToolCall(name="set", arguments={"id": 1})
NOTHING = StateDiff()
CHANGE = StateDiff(changes=(RowChange(table="t", key=1, kind="deleted", before={"id": 1}),))


def judged(*steps, stop="answered", label="agent_error"):
    numbered = tuple(
        Step(index=number, action=action, status=status, changes=changes)
        for number, (action, status, changes) in enumerate(steps, start=1)
    )
    trajectory = Trajectory(
        environment="f" * 64,
        environment_name="clinic",
        task_id="t",
        agent="a",
        steps=numbered,
        stop_reason=stop,
    )
    verdict = Scored(label=label, reward=0.0, basis="verifier", share=0.0)
    return JudgedTrajectory(trajectory=trajectory, verdicts=(verdict,))


def did(action, status="ok", changes=NOTHING):
    return action, status, changes


ANSWER = did(FinalAnswer(text="x"), "answered")


def test_they_count_refusals_and_repetitions_and_name_the_first_wrong_step():
    result = failures(judged(did(CALL), did(CALL, "refused"), did(CALL, "refused"), ANSWER))
    assert (result.refused, result.repeated, result.first_wrong_step) == (2, 2, 2)


@pytest.mark.parametrize(
    ("kind", "rollout"),
    [
        ("format", judged(did(Malformed(text="{", error="no JSON"), "malformed"), stop="format_violation")),
        ("loop", judged(*[did(CALL)] * 4, stop="step_limit")),
        ("limit", judged(did(CALL), did(OTHER), stop="step_limit")),
        ("gave_up", judged(did(CALL), stop="agent_stopped")),
        ("bad_arguments", judged(did(CALL), did(OTHER, "invalid_arguments"), ANSWER)),
        ("after_refusal", judged(did(CALL, "refused"), ANSWER)),
        ("wrong_change", judged(did(OTHER, changes=CHANGE), ANSWER)),
        ("wrong_answer", judged(did(CALL), ANSWER)),
    ],
)
def test_every_failure_has_a_kind(kind, rollout):
    assert failures(rollout).kind == kind
    assert kind in FAILURE_TITLES


def test_a_call_that_went_through_in_the_end_is_no_failure_of_its_arguments():
    mended = judged(did(OTHER, "invalid_arguments"), did(OTHER, changes=CHANGE), ANSWER)
    assert failures(mended).kind == "wrong_change"


def test_success_and_what_says_nothing_about_the_agent_have_no_kind():
    assert failures(judged(ANSWER, label="completed")).kind == ""
    unmeasured = judged(ANSWER).replace(verdicts=(Unscored(error="the endpoint was down"),))
    assert failures(unmeasured).kind == ""


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_planted_mistake_is_told_by_a_kind_of_its_own(clinic_world, mistake):
    expected = {
        "wrong_row": {"wrong_change", "after_refusal", "bad_arguments"},
        "stops_early": {"wrong_change", "claimed_without_acting", "wrong_answer"},
        "repeats": {"wrong_change", "after_refusal", "loop"},
        "bad_arguments": {"bad_arguments"},
        "ignores_a_refusal": {"after_refusal"},
        "claims_without_acting": {"claimed_without_acting"},
    }
    task = task_of(clinic_world, "hand_freed_slot_to_waiting_list")
    played = roll_out(clinic_world, task.id, make_agent(f"faulty:{mistake}"))
    assert played.verdicts[0].label != "completed"
    assert failures(played, task).kind in expected[mistake]
