"""Row changes as they are shown: every column with its value before and after, differences marked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from synthesis.documents.state_diff import RowChange, StateDiff

SIGNS = {"inserted": "+", "updated": "~", "deleted": "−"}
WORDS = {"inserted": "added", "updated": "changed", "deleted": "removed"}


MOST_INNER = 50
"""Inner changes of one cell that are shown."""
LONGEST_INNER = 200_000
"""Characters up to which a cell's text is read as JSON."""


@dataclass(frozen=True)
class Inner:
    """One place inside a JSON value that differs."""

    path: str
    sign: str
    word: str
    before: Any
    after: Any


@dataclass(frozen=True)
class Cell:
    """One column of a changed row."""

    column: str
    before: Any
    after: Any
    differs: bool

    @property
    def inner(self) -> tuple[Inner, ...]:
        """What differs inside, where both values are JSON objects or lists."""
        if not self.differs:
            return ()
        before, after = _nested(self.before), _nested(self.after)
        if before is None or after is None:
            return ()
        return tuple(result for result, _ in zip(_inside("", before, after), range(MOST_INNER), strict=False))


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


def shown_changes(diff: StateDiff, most: int | None = None) -> list[Change]:
    """A diff's rows, ready to be shown; the first `most` of them."""
    return [_shown(change) for change in diff.changes[:most]]


def net_changes(diffs: Iterable[StateDiff]) -> list[Change]:
    """What several diffs in a row come to: a row that was changed back is not there."""
    first: dict[tuple[str, str], Any] = {}
    last: dict[tuple[str, str], RowChange] = {}
    for diff in diffs:
        for change in diff.changes:
            place = change.table, key_text(change.key)
            first.setdefault(place, change.before)
            last[place] = change
    changes = []
    for place, change in last.items():
        before, after = first[place], change.after
        if before == after:
            continue
        kind = "inserted" if before is None else ("deleted" if after is None else "updated")
        changes.append(
            _shown(RowChange(table=change.table, key=change.key, kind=kind, before=before, after=after))
        )
    return changes


def key_text(key: Any) -> str:
    """A primary key in one line."""
    return ", ".join(str(part) for part in key) if isinstance(key, tuple | list) else str(key)


def _shown(change: RowChange) -> Change:
    return shown_row(change.table, change.key, change.kind, change.before or {}, change.after or {})


def shown_row(
    table: str,
    key: Any,
    kind: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    *,
    only_differing: bool = False,
) -> Change:
    """One row, ready to be shown.

    Args:
        table: Its table.
        key: Its primary key.
        kind: "inserted", "updated" or "deleted".
        before: Columns with their values; empty for an inserted row.
        after: The same afterwards; empty for a deleted row.
        only_differing: Whether nothing but columns that differ is given.
    """
    cells = tuple(
        Cell(
            name,
            before.get(name),
            after.get(name),
            only_differing or kind != "updated" or before.get(name) != after.get(name),
        )
        for name in dict.fromkeys([*before, *after])
    )
    return Change(table, key_text(key), kind, SIGNS[kind], WORDS[kind], cells)


def _nested(value: Any) -> dict[str, Any] | list[Any] | None:
    """A cell's text as the JSON object or list it holds, or None."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")) or len(value) > LONGEST_INNER:
        return None
    try:
        results = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return results if isinstance(results, dict | list) else None


_ABSENT = object()


def _inside(path: str, before: Any, after: Any) -> Iterator[Inner]:
    """The innermost places where two JSON values differ, in reading order."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in dict.fromkeys([*before, *after]):
            step = f"{path}.{name}" if path else str(name)
            yield from _inside(step, before.get(name, _ABSENT), after.get(name, _ABSENT))
    elif isinstance(before, list) and isinstance(after, list):
        for place in range(max(len(before), len(after))):
            one = before[place] if place < len(before) else _ABSENT
            two = after[place] if place < len(after) else _ABSENT
            yield from _inside(f"{path}[{place}]", one, two)
    elif before is _ABSENT or after is _ABSENT or before != after or type(before) is not type(after):
        kind = "inserted" if before is _ABSENT else ("deleted" if after is _ABSENT else "updated")
        yield Inner(path, SIGNS[kind], WORDS[kind], _value_text(before), _value_text(after))


def _value_text(value: Any) -> str | None:
    """An inner value as JSON text; None where it is not there."""
    return None if value is _ABSENT else json.dumps(value, ensure_ascii=False)
