"""Evidence: what an episode was besides its end: the calls made, what was said, the rows touched."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Literal, cast

from pydantic import Field, JsonValue

from synthesis.documents.conversation import Conversation
from synthesis.documents.document import Document, Identifier
from synthesis.documents.state_diff import Key, RowChange, StateDiff
from synthesis.documents.tools import ResultStatus, ToolCall, ToolResult
from synthesis.documents.trajectory import FinalAnswer, Step, Trajectory

MOST_WRITTEN = 200
"""Rows that calls wrote of which evidence says what they hold."""


class RecordedCall(Document):
    """One call with what came of it, as a verifier sees it."""

    name: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    status: ResultStatus
    result: JsonValue = None
    """What the agent saw: the value, or an object with the key "error"."""


class Utterance(Document):
    """One thing that was said, as a verifier sees it."""

    role: Literal["user", "assistant"]
    text: str


class Evidence(Document):
    """What a verifier may look at besides the two states and the answer."""

    calls: tuple[RecordedCall, ...] = ()
    conversation: tuple[Utterance, ...] = ()
    touched: tuple[tuple[Identifier, Key], ...] = ()
    """Rows that some call changed, by table and key, also where a later call put them back."""
    written: tuple[RowChange, ...] = ()
    """What calls wrote, in order; at most `MOST_WRITTEN` rows."""


def evidence_of(
    steps: Iterable[Step], conversation: Conversation | None = None, *, instruction: str = ""
) -> Evidence:
    """What recorded steps are evidence of.

    Args:
        steps: Of the episode.
        conversation: As an agent recorded it; without one, the instruction and what the steps add to it.
        instruction: What was asked.
    """
    listed = tuple(steps)
    calls = tuple(
        RecordedCall.of_valid_parts(  # its parts are a step's, which were validated
            name=step.action.name,
            arguments=step.action.arguments,
            status=cast("ResultStatus", step.status),
            result=step.observation,
        )
        for step in listed
        if isinstance(step.action, ToolCall) and step.status not in ("answered", "malformed")
    )
    utterances = _recorded(conversation) if conversation is not None else _beside(listed, instruction)
    return Evidence(
        calls=calls,
        conversation=utterances,
        touched=touched_in(step.changes for step in listed),
        written=written_in(step.changes for step in listed),
    )


def evidence_of_trajectory(trajectory: Trajectory, instruction: str = "") -> Evidence:
    """What a recorded trajectory is evidence of; the same as when it was measured first."""
    return evidence_of(trajectory.steps, trajectory.conversation, instruction=instruction)


def evidence_of_calls(
    calls: Iterable[ToolCall], results: Iterable[ToolResult], *, instruction: str = "", answer: str = ""
) -> Evidence:
    """What calls and their results are evidence of, with the instruction and the answer around them."""
    pairs = list(zip(calls, results, strict=False))
    utterances = (Utterance(role="user", text=instruction), Utterance(role="assistant", text=answer))
    return Evidence(
        calls=tuple(recorded_call(call, result) for call, result in pairs),
        conversation=tuple(each for each in utterances if each.text),
        touched=touched_in(result.changes for _, result in pairs),
        written=written_in(result.changes for _, result in pairs),
    )


def recorded_call(call: ToolCall, result: ToolResult) -> RecordedCall:
    """A call with its result."""
    return RecordedCall(
        name=call.name, arguments=call.arguments, status=result.status, result=result.observation()
    )


def touched_in(diffs: Iterable[StateDiff]) -> tuple[tuple[Identifier, Key], ...]:
    """The rows that some of the diffs hold, each once, in the order in which they were touched."""
    return tuple(dict.fromkeys((row.table, row.key) for diff in diffs for row in diff.changes))


def written_in(diffs: Iterable[StateDiff]) -> tuple[RowChange, ...]:
    """The rows that the diffs insert or update, in order; the first of them."""
    changes = (change for diff in diffs for change in diff.changes if change.after is not None)
    return tuple(islice(changes, MOST_WRITTEN))


def _recorded(conversation: Conversation) -> tuple[Utterance, ...]:
    return tuple(
        Utterance(role=message.role, text=message.text)
        for message in conversation.messages
        if message.role in ("user", "assistant") and message.text
    )


def _beside(steps: tuple[Step, ...], instruction: str) -> tuple[Utterance, ...]:
    utterances = [Utterance(role="user", text=instruction)] if instruction else []
    for step in steps:
        texts = [step.thought, step.action.text if isinstance(step.action, FinalAnswer) else ""]
        utterances += [Utterance(role="assistant", text=text) for text in texts if text]
    return tuple(utterances)
