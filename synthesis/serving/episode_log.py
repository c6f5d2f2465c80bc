"""EpisodeLog: what a served instance's episode was until now, as far as its verdict may need it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from synthesis.documents.evidence import (
    MOST_WRITTEN,
    Evidence,
    RecordedCall,
    Utterance,
    recorded_call,
    written_in,
)
from synthesis.documents.state_diff import Key, RowChange
from synthesis.documents.tools import ToolCall, ToolResult
from synthesis.documents.trajectory import FinalAnswer

MOST_TOUCHED = 10_000
"""Rows that are remembered as touched."""
MOST_CALL_BYTES = 4 * 2**20
"""Results that are remembered, about; later calls are remembered without theirs."""


class EpisodeLog:
    """The calls since the last reset.

    Args:
        keeps_calls: Whether some verifier asks for them; without one, only touched rows are remembered.
    """

    def __init__(self, *, keeps_calls: bool) -> None:
        self._keeps_calls = keeps_calls
        self.clear()

    def clear(self) -> None:
        """A new episode begins."""
        self.calls = 0
        self.submitted: FinalAnswer | None = None
        self._calls: list[RecordedCall] = []
        self._bytes = 0
        self._touched: dict[tuple[str, Key], None] = {}
        self._written: list[RowChange] = []

    def note(self, call: ToolCall, result: ToolResult) -> None:
        """A call was made."""
        self.calls += 1
        for row in result.changes.changes:
            if len(self._touched) < MOST_TOUCHED:
                self._touched[row.table, row.key] = None
        if not self._keeps_calls:
            return
        for change in written_in([result.changes])[: MOST_WRITTEN - len(self._written)]:
            self._bytes += sum(len(str(cell)) for cell in (change.after or {}).values())
            if self._bytes <= MOST_CALL_BYTES:
                self._written.append(change)
        record = recorded_call(call, result)
        self._bytes += len(record.model_dump_json())
        self._calls.append(record if self._bytes <= MOST_CALL_BYTES else record.replace(result=None))

    def evidence(self, conversation: Sequence[Utterance] = ()) -> Evidence:
        """All of it.

        Args:
            conversation: What was said; a server does not hear it.
        """
        return Evidence(
            calls=tuple(self._calls),
            conversation=tuple(conversation),
            touched=tuple(self._touched),
            written=tuple(self._written),
        )


def ask_for_calls(sources: Iterable[str]) -> bool:
    """Whether some verifier may ask for calls."""
    return any("calls" in source for source in sources)
