"""Constraints: what CREATE statements demand is read from their tokens."""

from __future__ import annotations

from synthesis.procedural.derived.constraints import read_constraints


def _one(body: str, more: str = ""):
    return read_constraints(f"CREATE TABLE t ({body}); {more}")["t"]


def test_members_bounds_lengths_and_patterns_are_understood():
    rules = _one(
        "a TEXT CHECK (a IN ('x', 'it''s')), b REAL CHECK (b >= 0 AND b < 10),"
        " c TEXT CHECK (length(c) BETWEEN 2 AND 5),"
        " d INT CHECK ((d BETWEEN -5 AND 10)), e TEXT CHECK (e LIKE '____-__-__'), f INT CHECK (0 < f),"
        " g INT CHECK (g >= (9)), h TEXT CHECK (json_valid(h))"
    )
    assert rules.members == {"a": ("x", "it's")}
    assert (rules.low["b"], rules.high["b"]) == (0, 9)
    assert (rules.shortest["c"], rules.longest["c"]) == (2, 5)
    assert (rules.low["d"], rules.high["d"]) == (-5, 10)
    assert rules.patterns == {"e": "____-__-__"}
    assert (rules.low["f"], rules.low["g"]) == (1, 9)
    assert rules.json == {"h"}
    assert not rules.checked


def test_null_in_a_check_changes_nothing_about_the_rest():
    rules = _one("a INT CHECK (a IS NULL OR a IN (1, 2)), b DATE, c DATE, CHECK (c IS NULL OR c > b)")
    assert rules.members == {"a": (1, 2)}
    assert rules.before == [("b", "c")]


def test_unique_columns_are_found_in_columns_constraints_and_indexes():
    rules = _one(
        'a TEXT UNIQUE, "b c" TEXT, d INT, UNIQUE ("b c", d)',
        "CREATE UNIQUE INDEX i ON t (d); CREATE INDEX j ON t (a)",
    )
    assert rules.uniques == [("a",), ("b c", "d"), ("d",)]


def test_what_is_not_understood_is_remembered_with_its_literals():
    rules = _one("a TEXT, b INT, CHECK (a = 'x' OR b % 7 = 3)")
    assert rules.checked == {"a", "b"}
    assert set(rules.literals["b"]) == {"x", 7, 3}
    assert not rules.low


def test_the_key_that_sqlite_counts_is_known():
    assert _one("id INTEGER PRIMARY KEY, a TEXT").auto
    assert not _one("id INT PRIMARY KEY, a TEXT").auto


def test_names_in_a_foreign_script_do_no_harm():
    rules = read_constraints('CREATE TABLE "a ""b""" ("CHECK" TEXT CHECK ("CHECK" IN (\'(\', \')\')))')
    assert rules['a "b"'].members == {"check": ("(", ")")}


def test_lengths_and_bounds_that_no_machine_can_hold_are_read():
    rules = _one(
        f"a TEXT CHECK (length(a) = 2000000000), b TEXT CHECK (length(b) > 1e999999999),"
        f" c INT CHECK (c < {10**400}), d VARCHAR({10**400})"
    )
    assert rules.shortest == {"a": 2_000_000_000, "b": 2**31 + 1}
    assert rules.high["c"] == 2.0**63
