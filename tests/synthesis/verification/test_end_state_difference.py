"""What several changes come to is the difference between the first state and the last one."""

from synthesis.documents.state_diff import RowChange, StateDiff
from synthesis.verification.end_state_difference import followed_by
from synthesis.worlds.database import read_schema

SCHEMA = read_schema(
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT);\nCREATE TABLE tags (name TEXT PRIMARY KEY);"
)


def note(key, before, after):
    """A change of the text of one note; None where it is not there."""
    was = None if before is None else {"id": key, "text": before}
    now = None if after is None else {"id": key, "text": after}
    kind = "inserted" if was is None else "deleted" if now is None else "updated"
    columns = ("text",) if kind == "updated" else ("id", "text")
    return RowChange(table="notes", key=key, kind=kind, before=was, after=now, columns=columns)


def diff(*changes):
    return StateDiff(changes=changes)


def test_changes_of_one_row_become_one_change():
    first = diff(note(1, "a", "b"), note(3, None, "new"))
    result = followed_by(first, [diff(note(1, "b", "c")), diff(note(3, "new", "newer"))], SCHEMA)
    assert result == diff(note(1, "a", "c"), note(3, None, "newer"))


def test_what_is_taken_back_is_no_change():
    first = diff(note(1, "a", "b"), note(3, None, "new"), note(4, "d", None))
    later = [diff(note(1, "b", "a")), diff(note(3, "new", None)), diff(note(4, None, "d"))]
    assert followed_by(first, later, SCHEMA) == diff()


def test_changes_are_in_the_order_of_tables_and_keys():
    tag = RowChange(table="tags", key="x", kind="inserted", after={"name": "x"}, columns=("name",))
    result = followed_by(diff(tag), [diff(note(10, "a", "b")), diff(note(9, "a", "b"))], SCHEMA)
    assert [(one.table, one.key) for one in result.changes] == [("notes", 9), ("notes", 10), ("tags", "x")]
