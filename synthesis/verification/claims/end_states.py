"""Ends as records: what a verifier was shown, how it differs from the right end, and what it said."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from synthesis.documents.check_report import MOST_ROWS_SHOWN, RowDifference, Trial
from synthesis.documents.state_diff import RowChange, StateDiff
from synthesis.documents.tasks import Task
from synthesis.documents.tools import ToolCall
from synthesis.verification.measurements import Measured
from synthesis.worlds.verifier_trial import Rejection

_LONGEST_ANSWER = 1_000


def refused(
    task: Task,
    kind: str,
    description: str,
    measured: Measured | Rejection,
    *,
    changes: StateDiff | None = None,
    answer: str | None = None,
    calls: tuple[str, ...] = (),
) -> Trial:
    """A near-miss, with the rows by which it differs from the right one."""
    return Trial(
        subject=task.id,
        kind=kind,
        description=description,
        expected="refused",
        outcome=_outcome(measured),
        open=_open(measured),
        rows=differences(changes.changes if changes else ()),
        calls=calls,
        answer=_short(answer),
    )


def accepted(
    task: Task, kind: str, description: str, measured: Measured, *, calls: Iterable[ToolCall], answer: str
) -> Trial:
    """An end that is as right as the reference solution's, with the calls that lead there."""
    return Trial(
        subject=task.id,
        kind=kind,
        description=description,
        expected="accepted",
        outcome=_outcome(measured),
        open=_open(measured),
        calls=tuple(call.name for call in calls),
        answer=None if answer == task.reference_answer else _short(answer),
    )


def differences(changes: Iterable[RowChange]) -> tuple[RowDifference, ...]:
    """Changed rows with the cells that differ and nothing else, at most `MOST_ROWS_SHOWN`."""
    return tuple(
        RowDifference(
            table=change.table,
            key=list(change.key) if isinstance(change.key, tuple) else change.key,
            kind=change.kind,
            cells={
                column: ((change.before or {}).get(column), (change.after or {}).get(column))
                for column in change.columns
            },
        )
        for change in list(changes)[:MOST_ROWS_SHOWN]
    )


def _outcome(measured: Measured | Rejection) -> Literal["refused", "accepted", "failed"]:
    if measured.error:
        return "failed"
    return "refused" if measured.open else "accepted"


def _open(measured: Measured | Rejection) -> tuple[str, ...]:
    return (measured.error,) if measured.error else tuple(measured.open)


def _short(text: str | None) -> str | None:
    if text is None or len(text) <= _LONGEST_ANSWER:
        return text
    return f"{text[:_LONGEST_ANSWER]}... ({len(text)} characters)"
