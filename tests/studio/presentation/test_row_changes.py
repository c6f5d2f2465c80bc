"""Row changes: every kind with sign and word, and what several come to."""

from __future__ import annotations

from studio.presentation.row_changes import net_changes, shown_changes
from synthesis.documents.state_diff import RowChange, StateDiff


def updated(before: int, after: int) -> StateDiff:
    change = RowChange(
        table="slots",
        key=1,
        kind="updated",
        before={"id": 1, "n": before},
        after={"id": 1, "n": after},
        columns=("n",),
    )
    return StateDiff(changes=(change,))


INSERTED = StateDiff(changes=(RowChange(table="slots", key=2, kind="inserted", after={"id": 2, "n": 5}),))
DELETED = StateDiff(changes=(RowChange(table="slots", key=2, kind="deleted", before={"id": 2, "n": 5}),))


def test_each_kind_has_a_sign_and_a_word() -> None:
    shown = [change for diff in (INSERTED, updated(1, 2), DELETED) for change in shown_changes(diff)]
    assert [(change.sign, change.word) for change in shown] == [
        ("+", "added"),
        ("~", "changed"),
        ("−", "removed"),
    ]


def test_only_the_columns_that_differ_are_marked() -> None:
    (change,) = shown_changes(updated(1, 2))
    assert [(cell.column, cell.before, cell.after) for cell in change.differing] == [("n", 1, 2)]


def test_what_was_changed_back_is_no_change() -> None:
    assert net_changes([updated(1, 2), updated(2, 1), INSERTED, DELETED]) == []


def test_several_changes_of_a_row_are_one() -> None:
    (change,) = net_changes([updated(1, 2), updated(2, 3)])
    assert [(cell.before, cell.after) for cell in change.differing] == [(1, 3)]
