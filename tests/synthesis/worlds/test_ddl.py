# ruff: noqa: E501 - tables of cases read better in one line
"""A schema script is cut where SQLite would cut it."""

from __future__ import annotations

import pytest

from synthesis.worlds.ddl import refusal, statements, with_autoincrement


def test_semicolons_in_strings_names_and_comments_do_not_end_a_statement() -> None:
    script = """-- one; two
    CREATE TABLE "a;b" (x TEXT DEFAULT 'it''s; fine', [c;d] INT, `e;``f` INT); /* ; */
    ;;
    CREATE INDEX i ON t (x) -- no semicolon at the end"""
    one, two = statements(script)
    assert (one.line, one.table_name) == (2, "a;b")
    assert one.sql.endswith("`e;``f` INT)")
    assert (two.line, two.sql) == (4, "CREATE INDEX i ON t (x)")


def test_a_trigger_is_one_statement() -> None:
    (only,) = statements("CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; SELECT 2; END;")
    assert refusal(only) is not None


@pytest.mark.parametrize(
    ("sql", "name"),
    [
        ("CREATE TABLE a (id INT)", "a"),
        ("create table if not exists main.[b c] (id INT)", "b c"),
        ('CREATE /* x */ TABLE "d""e" (id INT)', 'd"e'),
        ("CREATE INDEX i ON t (x)", ""),
        ("CREATE TABLE", ""),
    ],
)
def test_the_name_of_a_table_is_read(sql: str, name: str) -> None:
    assert statements(sql)[0].table_name == name


@pytest.mark.parametrize(
    ("sql", "changed"),
    [
        ("CREATE TABLE t (id INTEGER PRIMARY KEY)", "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT)"),
        (
            "CREATE TABLE t (x INT CHECK (x IN (1, 2)), id INTEGER PRIMARY KEY ASC ON CONFLICT FAIL NOT NULL)",
            "CREATE TABLE t (x INT CHECK (x IN (1, 2)), id INTEGER PRIMARY KEY ASC ON CONFLICT FAIL AUTOINCREMENT NOT NULL)",
        ),
        (
            "CREATE TABLE t (id INTEGER, CONSTRAINT pk PRIMARY KEY (ID))",
            "CREATE TABLE t (id INTEGER, CONSTRAINT pk PRIMARY KEY (ID AUTOINCREMENT))",
        ),
        ("CREATE TABLE t (id INTEGER PRIMARY KEY DESC)", None),
        ("CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT)", None),
        ("CREATE TABLE t (a INT, b INT, PRIMARY KEY (a, b))", None),
    ],
)
def test_autoincrement_is_written_where_sqlite_takes_it(sql: str, changed: str | None) -> None:
    assert with_autoincrement(statements(sql)[0], "id") == (changed or sql)
