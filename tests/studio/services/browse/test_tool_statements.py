"""The SQL of a tool is read from its source and laid out; nothing is run, nothing breaks the page."""

from __future__ import annotations

import pytest

from studio.services.browse.tool_statements import LONGEST, formatted, tool_statements

SOURCE = '''
VIEW = "SELECT t.id, t.name FROM things t JOIN shelves s ON s.id = t.shelf_id"


def _row(db, table, key):
    return db.one(f"SELECT * FROM {table} WHERE id = ?", key)


def move_thing(db, thing_id: int, shelf_id: int) -> dict:
    """Move it."""
    thing = _row(db, "things", thing_id)
    sql = "UPDATE things SET shelf_id = ?"
    db.execute(sql + " WHERE id = ?", shelf_id, thing_id)
    where = ""
    where += " AND 1"
    db.query("SELECT id FROM things WHERE shelf_id = ?" + where, shelf_id)
    print("SELECT nothing")
    return db.one(VIEW + " WHERE t.id = ?", thing_id)


def other(db) -> dict:
    db.execute("DELETE FROM things")
    return {}
'''


def test_the_statements_of_a_tool_and_its_helpers_are_shown_each_once():
    texts = [" ".join(each.split()) for each in tool_statements(SOURCE, "move_thing")]
    assert texts == [
        "SELECT * FROM … WHERE id = ?",
        "UPDATE things SET shelf_id = ? WHERE id = ?",
        "SELECT id FROM things WHERE shelf_id = ?…",
        "SELECT t.id, t.name FROM things t JOIN shelves s ON s.id = t.shelf_id WHERE t.id = ?",
    ]


def test_each_clause_has_a_line_of_its_own():
    shown = formatted("select id, name from things where shelf_id = 3 order by name")
    assert shown.splitlines()[0] == "SELECT id,"
    assert "\nFROM things\n" in shown
    assert "\nWHERE shelf_id = 3\n" in shown


@pytest.mark.parametrize(
    "source",
    [
        "def move_thing(db:",
        "",
        "def move_thing(db):\n    x = x2 = y\n    return db.one(x)",
        "def move_thing(db):\n    sql = sql\n    return db.one(sql)",
        "def move_thing(db):\n    return db.one(" + "-" * 3_000 + "1)",
        "def move_thing(db):\n    return db.one()",
    ],
)
def test_what_cannot_be_read_has_no_statements(source):
    assert tool_statements(source, "move_thing") == ()


def test_hostile_statements_are_shown_as_they_are():
    nested = "SELECT " + "(" * 2_000 + "1" + ")" * 2_000
    assert formatted(nested) == nested
    long = "SELECT " + "1, " * LONGEST
    assert formatted(long) == long
