"""The rows in which two end states of one world differ, where both are known by their changes."""

from __future__ import annotations

from synthesis.documents.seed_data import Scalar
from synthesis.documents.state_diff import RowChange, StateDiff


def between(right: StateDiff, other: StateDiff) -> StateDiff:
    """The rows in which another end differs from the right one, where both are known by their changes."""
    rights = {(change.table, change.key): change for change in right.changes}
    others = {(change.table, change.key): change for change in other.changes}
    row_changes = []
    for place in dict.fromkeys((*rights, *others)):
        one, two = rights.get(place), others.get(place)
        known = one or two
        if known is None:
            continue
        was = one.after if one else known.before
        now = two.after if two else known.before
        if was != now:
            row_changes.append(_changed(known, was, now))
    return StateDiff(changes=tuple(row_changes))


def _changed(place: RowChange, was: dict[str, Scalar] | None, now: dict[str, Scalar] | None) -> RowChange:
    columns = tuple(was or now or ())
    if was is not None and now is not None:
        columns = tuple(
            column
            for column in columns
            if was.get(column) != now.get(column) or type(was.get(column)) is not type(now.get(column))
        )
    return RowChange(
        table=place.table,
        key=place.key,
        kind="inserted" if was is None else "deleted" if now is None else "updated",
        before=was,
        after=now,
        columns=columns,
    )
