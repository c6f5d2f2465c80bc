# ruff: noqa: E501 - tables of cases read better in one line
"""Schemas and seed rows: everything that does not work is reported, with the place and SQLite's words."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from synthesis.documents.environment import Environment
from synthesis.documents.seed_data import Actor, SeedData
from synthesis.errors import BrokenEnvironment
from synthesis.worlds.database import build, read_schema, schema_findings, seed_findings

CLOCK = datetime(2026, 3, 11, 8, 30)
TWO = """
CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, n INTEGER DEFAULT 7 CHECK (n < 10));
CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER NOT NULL REFERENCES a (id));
"""


def test_a_schema_tells_its_columns_keys_and_statements() -> None:
    schema = read_schema(
        "-- two tables\nCREATE TABLE p (x TEXT NOT NULL, y INT NOT NULL, z AS (y + 1), PRIMARY KEY (y, x));\n"
        "CREATE TABLE [q r] (id INTEGER PRIMARY KEY, y INT, x TEXT DEFAULT 'a;b', "
        "FOREIGN KEY (y, x) REFERENCES p (y, x) ON DELETE CASCADE);"
    )
    p, q = schema.tables
    assert (p.name, p.primary_key) == ("p", ("y", "x"))
    assert [column.generated for column in p.columns] == [False, False, True]
    (key,) = q.foreign_keys
    assert (key.columns, key.table, key.references, key.on_delete) == (("y", "x"), "p", ("y", "x"), "CASCADE")
    assert q.columns[2].default == "'a;b'"
    assert q.sql.startswith("CREATE TABLE [q r]")
    assert "AUTOINCREMENT" not in q.sql


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("", "empty"),
        ("-- nothing", "declares no table"),
        ("CREATE TABLE a (id INTEGER PRIMARY KEY", "Line 1: incomplete input"),
        ("CREATE TABLE é (id INTEGER PRIMARY KEY,, b);", 'Line 1, column 40: near ",": syntax error'),
        (";\nCREATE TABLE a (\n  id INTEGER PRIMARY KEY,\n  , b);", 'Line 4, column 3: near ","'),
        ("CREATE TABLE a (id);", "Table a has no primary key"),
        ("CREATE VIEW v AS SELECT 1", "a schema may only contain CREATE TABLE and CREATE INDEX"),
        ("CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; SELECT 2; END;", "a schema may only contain CREATE TABLE and CREATE INDEX"),
        ("CREATE TEMP TABLE a (id INTEGER PRIMARY KEY)", "only contain CREATE TABLE"),
        ("CREATE VIRTUAL TABLE a USING fts5(x)", "only contain CREATE TABLE"),
        ("CREATE TABLE a AS SELECT 1 AS id", "AS SELECT"),
        ("INSERT INTO a VALUES (1)", "INSERT INTO"),
        ("PRAGMA journal_mode = WAL", "PRAGMA"),
        ("DROP TABLE a", "DROP TABLE"),
        ("CREATE TABLE a (id INTEGER PRIMARY KEY, b REFERENCES missing (id))", "refers to table missing"),
        ("CREATE TABLE a (id INTEGER PRIMARY KEY, x INT, y REFERENCES a (x))", "foreign key mismatch"),
        ("CREATE TABLE a (id INTEGER PRIMARY KEY, t TEXT); CREATE INDEX i ON a (t) WHERE t > date('now')", "clock"),
        ("CREATE TABLE sqlite_x (id INTEGER PRIMARY KEY)", "reserved for internal use"),
    ],
)  # fmt: skip
def test_what_may_not_stand_in_a_schema_is_named(sql: str, says: str) -> None:
    findings = schema_findings(sql)
    assert any(says in finding.message for finding in findings), findings
    assert all(finding.part == "schema" and finding.blocks for finding in findings)
    if sql:
        with pytest.raises(BrokenEnvironment) as raised:
            read_schema(sql)
        assert raised.value.part == "schema"


def test_every_bad_statement_is_reported_with_its_line() -> None:
    findings = schema_findings(
        "CREATE TABLE a (id INTEGER PRIMARY KEY);\n\nCREATE TABLE b (;\nCREATE TABLE c (id INTEGER PRIMARY KEY);\n"
        "CREATE TABEL d (id);\n"
    )
    assert [finding.message.partition(":")[0] for finding in findings] == ["Line 3", "Line 5"]


def test_a_sound_schema_has_no_finding(clinic: Environment) -> None:
    assert schema_findings(clinic.schema.sql) == ()
    assert read_schema(clinic.schema.sql) == clinic.schema


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ({"a": [{"id": 1}]}, "a, row 1: NOT NULL constraint failed: a.name"),
        ({"a": [{"name": "x"}, {"name": "x"}]}, "a, row 2: UNIQUE constraint failed: a.name"),
        ({"a": [{"name": "x", "n": 10}]}, "a, row 1: CHECK constraint failed: n < 10"),
        ({"a": [{"name": "x", "color": 1}]}, "a, row 1: table a has no column named color"),
        ({"b": [{"a_id": 5}]}, "b, row 1: FOREIGN KEY constraint failed: a_id names no row of a"),
        ({"c": [{"x": 1}]}, "There is no table 'c'. Tables: a, b"),
        ({"a": [{"name": "x", "id": 2**70}]}, "a, row 1:"),
    ],
)
def test_a_row_that_does_not_load_is_named(rows: Any, says: str) -> None:
    schema = read_schema(TWO)
    findings = seed_findings(schema, SeedData.model_construct(rows=rows, actor=None))
    assert any(says in finding.message for finding in findings), findings
    with pytest.raises(BrokenEnvironment) as raised:
        build(schema, SeedData.model_construct(rows=rows, actor=None), clock=CLOCK)
    assert raised.value.part == "seed_data"


def test_every_bad_row_is_reported() -> None:
    rows: Any = {
        "a": [{"name": None}, {"name": "ok"}, {"name": "ok"}],
        "b": [{"a_id": 8}, {"a_id": 2}, {"a_id": 9}],
    }
    texts = [finding.message for finding in seed_findings(read_schema(TWO), SeedData(rows=rows))]
    assert len(texts) == 5  # row 1 of a did not load, so "ok" is number 1 and no a has the id 2
    assert [message[:8] for message in texts] == ["a, row 1", "a, row 3", "b, row 1", "b, row 2", "b, row 3"]


def test_a_row_that_refers_to_one_that_did_not_load_is_not_the_one_to_mend() -> None:
    schema = read_schema(
        "CREATE TABLE bills (id INTEGER PRIMARY KEY, paid INTEGER NOT NULL);\n"
        "CREATE TABLE bill_lines (bill_id INTEGER NOT NULL REFERENCES bills (id), line INTEGER NOT NULL, "
        "PRIMARY KEY (bill_id, line));\n"
    )
    rows: Any = {
        "bills": [{"id": 801, "paid": 1}, {"id": 803, "paid": None}],
        "bill_lines": [{"bill_id": 803, "line": 1}, {"bill_id": 801, "line": 1}, {"bill_id": 899, "line": 1}],
    }
    findings = seed_findings(schema, SeedData(rows=rows))
    assert [finding.message.partition(":")[0] for finding in findings] == [
        "bills, row 2",
        "bill_lines, row 3",
    ]
    assert findings[1].evidence == {"row": 3, "columns": ["bill_id"], "values": [899], "parent": "bills"}


def test_an_actor_must_be_a_row() -> None:
    schema = read_schema(TWO)
    rows: Any = {"a": [{"id": 1, "name": "x"}]}
    assert not seed_findings(schema, SeedData(rows=rows, actor=Actor(table="a", key=1)))
    (finding,) = seed_findings(schema, SeedData(rows=rows, actor=Actor(table="a", key=2)))
    assert finding.check == "the_actor_exists"


def test_tables_load_in_an_order_that_satisfies_foreign_keys_even_around_a_cycle() -> None:
    schema = read_schema(
        "CREATE TABLE chair (id INTEGER PRIMARY KEY, club INTEGER NOT NULL REFERENCES club (id));"
        "CREATE TABLE club (id INTEGER PRIMARY KEY, lead INTEGER NOT NULL REFERENCES chair (id));"
    )
    rows: Any = {"club": [{"id": 1, "lead": 2}], "chair": [{"id": 2, "club": 1}]}
    assert not seed_findings(schema, SeedData(rows=rows))
    assert build(schema, SeedData(rows=rows), clock=CLOCK).hash


def test_omitted_columns_take_their_defaults_at_the_worlds_clock() -> None:
    schema = read_schema(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, at TEXT DEFAULT CURRENT_TIMESTAMP, r INTEGER DEFAULT (random()), "
        "d TEXT DEFAULT (date('now', '+1 day')));"
    )
    rows: Any = {"t": [{}, {}]}
    first = build(schema, SeedData(rows=rows), clock=CLOCK)
    assert first == build(schema, SeedData(rows=rows), clock=CLOCK)
    assert first != build(schema, SeedData(rows=rows), clock=datetime(2026, 3, 12))


def test_the_order_of_rows_with_keys_of_their_own_does_not_change_the_hash(clinic: Environment) -> None:
    turned: Any = {name: tuple(reversed(rows)) for name, rows in clinic.seed_data.rows.items()}
    one = build(clinic.schema, clinic.seed_data, clock=CLOCK)
    assert one == build(clinic.schema, clinic.seed_data.replace(rows=turned), clock=CLOCK)


def test_hostile_ddl_ends_in_time() -> None:
    bomb = "CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT DEFAULT (hex(zeroblob(1000000000))));"
    schema = read_schema(bomb)
    assert "too big" in seed_findings(schema, SeedData(rows={"t": ({},)}))[0].message
