# ruff: noqa: E501 - tables of cases read better in one line
"""A call is a transaction; time, ids and chance come from the world; refusals are results."""

from __future__ import annotations

from typing import Any

import pytest

from synthesis.documents.seed_data import Actor
from synthesis.worlds.world import World

from .conftest import CLOCK, MakeWorld, tool


def test_a_tool_answers_and_tells_which_rows_it_changed(notes: World) -> None:
    with notes.instance() as instance:
        result = instance.call("add_note", {"folder_id": 1, "text": "eggs"})
        assert result.value == {"note_id": 3}
        (change,) = result.changes.inserted
        assert (change.table, change.key, change.before) == ("notes", 3, None)
        assert change.after == {
            "id": 3, "folder_id": 1, "text": "eggs", "stars": 0, "made_at": "2026-03-11 08:30:00",
        }  # fmt: skip


def test_a_refusal_is_a_result_that_the_agent_sees(notes: World) -> None:
    with notes.instance() as instance:
        result = instance.call("add_note", {"folder_id": 9, "text": "x"})
        assert (result.status, result.message) == ("refused", "Folder 9 does not exist.")
        assert result.observation() == {"error": "Folder 9 does not exist."}


def test_an_unknown_tool_names_those_there_are(notes: World) -> None:
    with notes.instance() as instance:
        result = instance.call("destroy", {})
        assert result.status == "unknown_tool"
        assert "list_notes, add_note, delete_note" in result.message


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "folder_id is missing (an integer)"),
        ({"folder_id": "1", "text": "x"}, "folder_id must be an integer, not '1'"),
        ({"folder_id": True, "text": "x"}, "folder_id must be an integer, not true"),
        ({"folder_id": 1.0, "text": "x"}, "folder_id must be an integer, not 1.0"),
        ({"folder_id": 2**63, "text": "x"}, "folder_id"),
        ({"folder_id": None, "text": "x"}, "folder_id must be an integer, not null"),
        ({"folder_id": 1, "text": "x", "color": "red"}, "'color' is not a parameter of this tool"),
        ({"folder_id": 1, "text": "x" * 30_000}, "text must have at most 20000 characters"),
        ({"folder_id": 1, "text": ["x"]}, "text must be a text"),
    ],
)
def test_bad_arguments_are_refused_before_the_tool_sees_them(
    notes: World, arguments: dict[str, Any], says: str
) -> None:
    with notes.instance() as instance:
        result = instance.call("add_note", arguments)
        assert result.status == "invalid_arguments", result
        assert says in result.message
        assert not instance.diff()


@pytest.mark.parametrize("value", ["\ud800", float("nan"), {1: 2}, {"deep": None}, b"x", 2**70], ids=repr)
def test_arguments_that_are_no_json_are_refused(notes: World, value: Any) -> None:
    with notes.instance() as instance:
        result = instance.call("add_note", {"folder_id": 1, "text": value})
        assert result.status == "invalid_arguments", result
        assert instance.call("list_notes").ok


@pytest.mark.parametrize("arguments", [[], "x", 5, [("folder_id", 1)]], ids=repr)
def test_arguments_that_are_no_object_are_refused(notes: World, arguments: Any) -> None:
    with notes.instance() as instance:
        assert instance.call("add_note", arguments).status == "invalid_arguments"
        statuses = [r.status for r in instance.call_many([("list_notes", {}), ("add_note", arguments)])]
        assert statuses == ["ok", "invalid_arguments"]
        assert instance.calls == 3


@pytest.mark.parametrize(
    "name", ["", "__init__", "_page", "add_note\x00", "x" * 100_000, "\ud800", 5, None, []]
)
def test_a_name_that_is_no_tool_is_a_result(notes: World, name: Any) -> None:
    with notes.instance() as instance:
        result = instance.call(name, {})
        assert result.status in ("unknown_tool", "invalid_arguments")
        assert len(result.message) < 3_000
        assert instance.call("list_notes").ok


def test_arguments_with_too_much_in_them_are_refused(make_world: MakeWorld) -> None:
    source = tool('return {"n": len(ids)}', parameters=", ids: list[int]", described="        ids: Many.\n")
    with make_world(source).instance() as instance:
        assert instance.call("act", {"ids": list(range(1_000))}).ok
        assert "is too large" in instance.call("act", {"ids": [1] * 300_000}).message


def test_deeply_nested_arguments_are_refused(notes: World) -> None:
    deep: Any = "x"
    for _ in range(5_000):
        deep = [deep]
    with notes.instance() as instance:
        assert instance.call("add_note", {"folder_id": 1, "text": deep}).status == "invalid_arguments"
        assert instance.call("list_notes").ok


def test_a_refusal_after_a_write_leaves_nothing(make_world: MakeWorld) -> None:
    source = tool('db.execute("DELETE FROM notes")\nraise ToolError("no")')
    with make_world(source).instance() as instance:
        before = instance.state_hash()
        result = instance.call("act")
        assert (result.status, result.changes) == ("refused", type(result.changes)())
        assert instance.state_hash() == before


def test_an_exception_after_a_write_is_an_environment_error_and_leaves_nothing(make_world: MakeWorld) -> None:
    source = tool('db.execute("DELETE FROM notes")\nreturn {"x": 1 // 0}')
    with make_world(source).instance() as instance:
        result = instance.call("act")
        assert result.status == "error"
        assert "ZeroDivisionError" in result.message
        assert not instance.diff()


def test_a_constraint_that_leaks_is_an_error_with_sqlites_words(notes: World) -> None:
    with notes.instance() as instance:
        result = instance.call("add_note", {"folder_id": 1, "text": ""})
        assert result.status == "error"
        assert "CHECK constraint failed" in result.message


def test_a_deferred_foreign_key_that_fails_at_the_end_is_an_error(make_world: MakeWorld) -> None:
    schema = (
        "CREATE TABLE a (id INTEGER PRIMARY KEY, b INTEGER REFERENCES a (id) DEFERRABLE INITIALLY DEFERRED);"
    )
    source = tool('return {"id": db.insert("a", b=99)}')
    with make_world(source, schema=schema, rows={}).instance() as instance:
        result = instance.call("act")
        assert result.status == "error"
        assert "FOREIGN KEY" in result.message
        assert not instance.diff()


def test_the_first_call_sees_the_scenarios_clock_and_each_further_call_one_second_more(
    make_world: MakeWorld,
) -> None:
    source = tool(
        "sql = db.one(\"SELECT datetime('now') AS a, CURRENT_TIMESTAMP AS b, date() AS c, "
        "strftime('%s') AS d, datetime('now', '-3 days', 'localtime') AS e\")\n"
        'return {"now": db.now().isoformat(), "again": db.now().isoformat(), **sql}'
    )
    with make_world(source).instance() as instance:
        first, second = instance.call("act").value, instance.call("act").value
        assert isinstance(first, dict)
        assert isinstance(second, dict)
        assert first["now"] == first["again"] == CLOCK.isoformat()
        assert (first["a"], first["b"], first["c"]) == (
            "2026-03-11 08:30:00",
            "2026-03-11 08:30:00",
            "2026-03-11",
        )
        assert first["e"] == "2026-03-08 08:30:00"
        assert second["now"] == "2026-03-11T08:30:01"
        assert int(str(second["d"])) - int(str(first["d"])) == 1


def test_a_refused_call_moves_the_clock_too(make_world: MakeWorld) -> None:
    source = tool('return {"now": db.now().isoformat()}') + tool('raise ToolError("no")', name="refuse")
    with make_world(source).instance() as instance:
        instance.call_many([("refuse", {}), ("nothing", {}), ("act", {"x": 1})])
        assert instance.call("act").value == {"now": "2026-03-11T08:30:03"}
        assert instance.calls == 4


def test_random_numbers_follow_from_the_seed(make_world: MakeWorld) -> None:
    source = tool('return {"n": db.random.randrange(10**9), "sql": db.one("SELECT random() AS r")["r"]}')
    world = make_world(source)
    with world.instance(seed=1) as one, world.instance(seed=1) as same, world.instance(seed=2) as other:
        drawn = [one.call("act").value for _ in range(3)]
        assert [same.call("act").value for _ in range(3)] == drawn
        assert other.call("act").value != drawn[0]
        assert len({str(value) for value in drawn}) == 3


def test_an_id_is_never_used_twice(make_world: MakeWorld) -> None:
    source = tool(
        'db.execute("DELETE FROM notes")\n'
        "db.execute(\"INSERT INTO notes (folder_id, text) VALUES (1, 'raw')\")\n"
        'return {"id": db.one("SELECT max(id) AS id FROM notes")["id"]}'
    )
    with make_world(source).instance() as instance:
        assert instance.call("act").value == {"id": 3}
        snapshot = instance.snapshot()
        assert instance.call("act").value == {"id": 4}
        instance.restore(snapshot)
        assert instance.call("act").value == {"id": 4}


def test_ids_are_not_used_twice_for_any_way_to_write_the_key(make_world: MakeWorld) -> None:
    schema = """
        CREATE TABLE a (
            x TEXT, "the id" INTEGER NOT NULL PRIMARY KEY ASC ON CONFLICT ABORT CHECK ("the id" > 0)
        );
        CREATE TABLE b (id integer, PRIMARY KEY (id));
        CREATE TABLE c (id INTEGER PRIMARY KEY /* key, */ AUTOINCREMENT, x);
        CREATE TABLE d (x, id INTEGER CONSTRAINT pk PRIMARY KEY) STRICT;
    """.replace("(x, id INTEGER CONSTRAINT", "(x TEXT, id INTEGER CONSTRAINT")
    source = tool(
        'made = [db.insert(t) for t in ("a", "b", "c", "d")]\n'
        'for t in ("a", "b", "c", "d"):\n    db.execute(f"DELETE FROM {t}")\nreturn {"made": made}'
    )
    with make_world(source, schema=schema, rows={}).instance() as instance:
        assert instance.call("act").value == {"made": [1, 1, 1, 1]}
        assert instance.call("act").value == {"made": [2, 2, 2, 2]}


def test_tools_know_who_acts(make_world: MakeWorld) -> None:
    source = tool('return {"actor": db.actor}')
    with make_world(source, actor=Actor(table="folders", key=2)).instance() as instance:
        assert instance.call("act").value == {"actor": 2}


def test_text_keys_composite_keys_and_tables_without_row_id_work(make_world: MakeWorld) -> None:
    schema = """
        CREATE TABLE codes (code TEXT NOT NULL PRIMARY KEY, n INTEGER) WITHOUT ROWID;
        CREATE TABLE pairs (a INTEGER NOT NULL, b TEXT NOT NULL, n REAL, PRIMARY KEY (a, b));
        CREATE TABLE strict_one (id TEXT PRIMARY KEY, n ANY, twice INT AS (n * 2)) STRICT;
    """
    source = tool(
        'one = db.insert("codes", code="x", n=1)\ntwo = db.insert("pairs", a=1, b="y", n=1)\n'
        'three = db.insert("strict_one", id="s", n=4)\n'
        'db.execute("UPDATE codes SET n = 5")\ndb.execute("UPDATE pairs SET b = \'z\'")\n'
        'return {"keys": [one, two, three]}'
    )
    with make_world(source, schema=schema, rows={"codes": [{"code": "old", "n": 0}]}).instance() as instance:
        result = instance.call("act")
        assert result.value == {"keys": ["x", [1, "y"], "s"]}
        assert [(c.table, c.key, c.kind, c.columns) for c in result.changes.changes] == [
            ("codes", "old", "updated", ("n",)),
            ("codes", "x", "inserted", ("code", "n")),
            ("pairs", (1, "z"), "inserted", ("a", "b", "n")),
            ("strict_one", "s", "inserted", ("id", "n")),
        ]
        assert result.changes == instance.diff()


def test_a_null_in_a_primary_key_is_refused(make_world: MakeWorld) -> None:
    schema = "CREATE TABLE t (k TEXT PRIMARY KEY, n INTEGER);"
    with make_world(tool('db.insert("t", n=1)\nreturn {}'), schema=schema, rows={}).instance() as instance:
        result = instance.call("act")
        assert result.status == "error"
        assert "NULL in its primary key" in result.message
        assert not instance.diff()


def test_cascades_are_part_of_what_a_call_changed(make_world: MakeWorld) -> None:
    source = tool('return {"n": db.execute("DELETE FROM folders WHERE id = 1")}')
    with make_world(source).instance() as instance:
        result = instance.call("act")
        assert result.value == {"n": 1}
        assert [(c.table, c.key, c.kind) for c in result.changes.changes] == [
            ("folders", 1, "deleted"),
            ("notes", 1, "deleted"),
        ]


@pytest.mark.parametrize(
    "sql",
    [
        "COMMIT", "ROLLBACK", "SAVEPOINT s", "BEGIN", "ATTACH 'x' AS y", "PRAGMA foreign_keys = OFF", "VACUUM",
        "CREATE TABLE z (id INTEGER PRIMARY KEY)", "DROP TABLE notes", "ALTER TABLE notes ADD COLUMN z",
        "CREATE TEMP TABLE z (id)", "CREATE TRIGGER z AFTER INSERT ON notes BEGIN SELECT 1; END",
        "DELETE FROM sqlite_sequence", "UPDATE sqlite_schema SET sql = ''", "SELECT load_extension('x')",
        "PRAGMA writable_schema = 1", "ANALYZE", "REINDEX",
    ],
)  # fmt: skip
def test_sql_that_leaves_the_data_alone_is_refused(make_world: MakeWorld, sql: str) -> None:
    with make_world(tool(f"db.execute({sql!r})\nreturn {{}}")).instance() as instance:
        assert instance.call("act").status == "error"
        assert not instance.diff()
        assert instance.query("SELECT count(*) AS n FROM notes") == [{"n": 2}]


def test_insert_or_rollback_does_not_let_a_call_write_outside_its_transaction(make_world: MakeWorld) -> None:
    source = tool(
        'db.execute("DELETE FROM notes WHERE id = 2")\n'
        "try:\n    db.execute(\"INSERT OR ROLLBACK INTO folders (id, name) VALUES (1, 'x')\")\n"
        "except Exception:\n    pass\n"
        'db.execute("DELETE FROM notes")\nreturn {}'
    )
    with make_world(source).instance() as instance:
        assert instance.call("act").status == "error"
        assert not instance.diff()


def test_sqls_own_counters_do_not_outlive_a_call(make_world: MakeWorld) -> None:
    source = tool('return {"id": db.one("SELECT last_insert_rowid() AS id")["id"]}') + tool(
        'return {"id": db.insert("folders", name="new")}', name="add"
    )
    with make_world(source).instance() as instance:
        instance.call("add")
        assert instance.call("act").value == {"id": 0}


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("place", [lambda number: number, lambda number: [{"deep": number}]])
def test_a_number_that_json_has_no_word_for_is_refused_and_no_null(
    notes: World, number: float, place: Any
) -> None:
    arguments = {"folder_id": 1, "text": place(number)}
    with notes.instance() as instance:
        before = instance.state_hash()
        for result in (
            instance.call("add_note", arguments),
            *instance.call_many([("add_note", arguments), ("add_note", arguments)]),
        ):
            assert result.status == "invalid_arguments"
            assert "without NaN or infinite numbers" in result.message
        assert instance.state_hash() == before
