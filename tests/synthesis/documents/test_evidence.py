"""Evidence: calls with results, what was said, and rows touched, the same however it is recorded."""

from __future__ import annotations

from synthesis.documents.conversation import Conversation, Message
from synthesis.documents.evidence import evidence_of, evidence_of_calls
from synthesis.documents.state_diff import RowChange, StateDiff
from synthesis.documents.tools import ToolCall, ToolResult
from synthesis.documents.trajectory import FinalAnswer, Malformed, Step

ROW = RowChange(table="slots", key=(1, "a"), kind="updated", before={"n": 1}, after={"n": 2}, columns=("n",))
BACK = ROW.replace(before={"n": 2}, after={"n": 1})
THERE, AGAIN = (ToolCall(name="move", arguments={"to": n}) for n in (2, 1))
RESULTS = [ToolResult(status="ok", value=1, changes=StateDiff(changes=(row,))) for row in (ROW, BACK)]
STEPS = (
    Step(index=1, action=THERE, status="ok", observation=1, changes=RESULTS[0].changes, thought="I move it."),
    Step(index=2, action=AGAIN, status="ok", observation=1, changes=RESULTS[1].changes),
    Step(index=3, action=FinalAnswer(text="Back."), status="answered"),
)


def test_steps_and_results_are_evidence_of_the_same() -> None:
    by_steps = evidence_of(STEPS, instruction="Move it.")
    by_calls = evidence_of_calls([THERE, AGAIN], RESULTS, instruction="Move it.", answer="Back.")
    assert by_steps.calls == by_calls.calls
    assert by_steps.touched == by_calls.touched == (("slots", (1, "a")),)
    assert [said.text for said in by_steps.conversation] == ["Move it.", "I move it.", "Back."]


def test_a_recorded_conversation_is_what_was_said() -> None:
    messages = (
        Message(role="system", text="Rules."),
        Message(role="user", text="Move it."),
        Message(role="assistant", text="Shall I?"),
        Message(role="user", text="Yes."),
        Message(role="tool", text="1", tool_call_id="c"),
        Message(role="assistant", text=""),
    )
    evidence = evidence_of(STEPS, Conversation(messages=messages))
    assert [said.model_dump() for said in evidence.conversation] == [
        {"role": "user", "text": "Move it."},
        {"role": "assistant", "text": "Shall I?"},
        {"role": "user", "text": "Yes."},
    ]


def test_what_was_no_call_is_no_call() -> None:
    broken = Step(index=1, action=Malformed(text="{", error="no JSON"), status="malformed")
    assert not evidence_of([broken]).calls
