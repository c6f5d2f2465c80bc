"""Trajectories: what they answer from their steps, and that they survive being written."""

from __future__ import annotations

from typing import Any

import pytest

from synthesis.documents.state_diff import RowChange, StateDiff
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import FinalAnswer, Malformed, Step, Trajectory, Usage
from synthesis.documents.verdict import Scored, Unscored

CHANGE = RowChange(
    table="slots", key=(1, "a"), kind="updated", before={"n": 1}, after={"n": 2}, columns=("n",)
)


def _trajectory(*steps: Step, **fields: Any) -> Trajectory:
    defaults: dict[str, Any] = {"environment": "f", "environment_name": "e", "task_id": "t", "agent": "a"}
    return Trajectory(**{**defaults, "stop_reason": "answered", **fields}, steps=steps)


CALL = Step(
    index=1,
    action=ToolCall(name="move", arguments={"to": 2}),
    status="ok",
    changes=StateDiff(changes=(CHANGE,)),
)
ANSWER = Step(index=2, action=FinalAnswer(text="Moved."), status="answered")
BROKEN = Step(index=2, action=Malformed(text="{", error="not JSON"), status="malformed")


def test_the_answer_is_the_last_steps_text_and_empty_without_one() -> None:
    assert _trajectory(CALL, ANSWER).answer == "Moved."
    assert _trajectory(CALL).answer == ""
    assert _trajectory(CALL, BROKEN).answer == ""


def test_calls_are_the_tool_calls_in_order() -> None:
    assert [call.name for call in _trajectory(CALL, ANSWER).calls] == ["move"]


@pytest.mark.parametrize("last", [ANSWER, BROKEN])
def test_it_reads_back_what_was_written(last: Step) -> None:
    trajectory = _trajectory(CALL, last)
    again = Trajectory.model_validate_json(trajectory.model_dump_json(by_alias=True))
    assert again == trajectory
    assert again.fingerprint == trajectory.fingerprint
    assert again.steps[0].changes.updated[0].key == (1, "a")


def test_an_answer_of_text_alone_keeps_its_form_and_fingerprint() -> None:
    trajectory = _trajectory(ANSWER.replace(index=1))
    assert trajectory.model_dump(mode="json")["steps"][0]["action"] == {"text": "Moved."}
    assert trajectory.fingerprint == "0490931d4f1e814ffa054e1bc40bff4d511c7d4a0ab2798c7068c9918091bb81"


def test_an_answer_in_fields_reads_back() -> None:
    answer = FinalAnswer(
        text="It is too late.", outcome="declined", reason="48 hours are over", values={"hours": 50}
    )
    trajectory = _trajectory(CALL, Step(index=2, action=answer, status="answered"))
    again = Trajectory.model_validate_json(trajectory.model_dump_json(by_alias=True))
    assert again == trajectory
    assert again.final_answer == answer
    assert _trajectory(CALL).final_answer == FinalAnswer()


def test_a_limit_truncates_and_an_answer_terminates() -> None:
    assert _trajectory(CALL, ANSWER).terminated
    assert not _trajectory(CALL, stop_reason="step_limit").terminated


def test_usage_adds_up_and_unknown_prices_do_not_become_zero() -> None:
    known, unknown = Usage(input_tokens=10, output_tokens=2, cost=0.5), Usage(input_tokens=1)
    assert (known + unknown).cost == 0.5
    assert (unknown + unknown).cost is None
    assert (known + known).input_tokens == 20


def test_unscored_has_no_reward_and_is_not_for_training() -> None:
    verdict = Unscored(error="the verifier raised KeyError")
    assert verdict.reward is None
    assert verdict.label == "unscored"
    assert not verdict.trainable
    assert Scored(label="completed", reward=1.0, basis="verifier", share=1.0).trainable
