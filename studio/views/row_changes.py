"""Row changes as they are shown: every column with its value before and after, differences marked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from synthesis.documents.state_diff import RowChange, StateDiff

SIGNS = {"inserted": "+", "updated": "~", "deleted": "−"}
WORDS = {"inserted": "added", "updated": "changed", "deleted": "removed"}


@dataclass(frozen=True)
class Cell:
    """One column of a changed row."""

    column: str
    before: Any
    after: Any
    differs: bool


@dataclass(frozen=True)
class Change:
    """One changed row."""

    table: str
    key: str
    kind: str
    sign: str
    word: str
    cells: tuple[Cell, ...]

    @property
    def differing(self) -> tuple[Cell, ...]:
        """The columns whose value is another."""
        return tuple(cell for cell in self.cells if cell.differs)


def shown_changes(diff: StateDiff) -> list[Change]:
    """A diff's rows, ready to be shown."""
    return [_shown(change) for change in diff.changes]


def net_changes(diffs: Iterable[StateDiff]) -> list[Change]:
    """What several diffs in a row come to: a row that was changed back is not there."""
    first: dict[tuple[str, str], Any] = {}
    last: dict[tuple[str, str], RowChange] = {}
    for diff in diffs:
        for change in diff.changes:
            place = change.table, key_text(change.key)
            first.setdefault(place, change.before)
            last[place] = change
    found = []
    for place, change in last.items():
        before, after = first[place], change.after
        if before == after:
            continue
        kind = "inserted" if before is None else ("deleted" if after is None else "updated")
        found.append(
            _shown(RowChange(table=change.table, key=change.key, kind=kind, before=before, after=after))
        )
    return found


def key_text(key: Any) -> str:
    """A primary key in one line."""
    return ", ".join(str(part) for part in key) if isinstance(key, tuple | list) else str(key)


def _shown(change: RowChange) -> Change:
    before, after = change.before or {}, change.after or {}
    columns = list(dict.fromkeys([*before, *after]))
    cells = tuple(
        Cell(
            name,
            before.get(name),
            after.get(name),
            change.kind != "updated" or before.get(name) != after.get(name),
        )
        for name in columns
    )
    return Change(
        change.table, key_text(change.key), change.kind, SIGNS[change.kind], WORDS[change.kind], cells
    )
