"""Seeding: rows load, differ where they must, and are the same every time."""

from __future__ import annotations

import random

import pytest

from synthesis.documents.seed_data import SeedData
from synthesis.procedural.derived.data_model import read_data_model
from synthesis.procedural.derived.seeding import Seeding, _earlier_first
from synthesis.worlds.database import seed_findings
from tests.synthesis.procedural.derived.schemas import CLOCK, ODD, SHOP, handed


def _seeded(sql, seed=4, rows=None):
    source = handed(sql)
    model = read_data_model(source.schema, rows)
    seeding = Seeding(model, source.schema, CLOCK, random.Random(seed), rows)
    return source.schema, seeding.rows_of_all(), seeding


@pytest.mark.parametrize("name", [*ODD, "shop"])
def test_every_table_gets_rows_that_load(name):
    schema, rows, seeding = _seeded({**ODD, "shop": SHOP}[name])
    assert seeding.unfilled == []
    assert all(len(result) >= 3 for result in rows.rows.values())
    assert seed_findings(schema, rows) == ()


def test_the_same_seed_gives_the_same_rows_and_another_one_others():
    assert _seeded(SHOP)[1].fingerprint == _seeded(SHOP)[1].fingerprint
    assert _seeded(SHOP)[1].fingerprint != _seeded(SHOP, seed=5)[1].fingerprint


def test_sample_rows_are_kept_and_topped_up():
    known = tuple({"CustomerID": f"K{i}", "CompanyName": f"Known {i}", "City": "Berlin"} for i in range(3))
    _, rows, _ = _seeded(SHOP, rows=SeedData(rows={"Customers": known}))
    assert rows.rows["Customers"][:3] == known
    assert len(rows.rows["Customers"]) > 3


def test_some_rows_are_referred_to_by_nothing_so_that_they_can_be_deleted():
    _, rows, _ = _seeded(SHOP)
    used = {row["CustomerID"] for row in rows.rows["Orders"]}
    assert {row["CustomerID"] for row in rows.rows["Customers"]} - used


def test_rows_that_no_check_lets_through_are_left_out_with_what_refers_to_them():
    impossible = """
    CREATE TABLE lock (id INTEGER PRIMARY KEY, name TEXT NOT NULL CHECK (hex(name) = '00FF'));
    CREATE TABLE door (id INTEGER PRIMARY KEY, title TEXT NOT NULL,
        lock_id INTEGER NOT NULL REFERENCES lock (id));
    CREATE TABLE house (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    """
    schema, rows, seeding = _seeded(impossible)
    assert seeding.unfilled == ["lock", "door"]
    assert seed_findings(schema, rows) == ()


def test_one_column_that_follows_another_comes_later(shop):
    for row in shop.seed_data.rows["Orders"]:
        if row["RequiredDate"] is not None:
            assert row["OrderDate"] < row["RequiredDate"]


UUIDS = "'________-____-____-____-____________'"
LIBRARY = f"""
CREATE TABLE member (id TEXT NOT NULL PRIMARY KEY CHECK (id LIKE {UUIDS}), full_name TEXT NOT NULL,
    email TEXT NOT NULL, born TEXT NOT NULL CHECK (born LIKE '____-__-__'), iban VARCHAR(34) NOT NULL);
CREATE TABLE loan (id INTEGER PRIMARY KEY, member_id TEXT NOT NULL CHECK (member_id LIKE {UUIDS})
    REFERENCES member (id), salary_cents INTEGER NOT NULL, renewals INTEGER NOT NULL,
    lent_on TEXT NOT NULL CHECK (lent_on LIKE '____-__-__'),
    returned_on TEXT CHECK (returned_on LIKE '____-__-__'));
"""


def test_keys_that_must_look_like_uuids_do_and_rows_make_sense():
    schema, rows, seeding = _seeded(LIBRARY)
    assert (seeding.unfilled, seed_findings(schema, rows)) == ([], ())
    for row in rows.rows["member"]:
        first, _, last = row["full_name"].lower().partition(" ")
        assert row["email"].startswith(f"{first}.{last.rpartition(' ')[2]}")
        assert row["born"] < "2010"
        assert row["iban"][:2] == "DE"
    for row in rows.rows["loan"]:
        assert row["returned_on"] is None or row["returned_on"] > row["lent_on"]
        assert row["renewals"] <= 4
        assert row["salary_cents"] >= 150_000


def test_a_joining_table_is_named_in_the_singular_and_a_plain_code_names_rows():
    model = read_data_model(
        handed(
            "CREATE TABLE projects (id INTEGER PRIMARY KEY, code TEXT NOT NULL, budget_cents INTEGER);"
            "CREATE TABLE tags (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
            "CREATE TABLE projects_tags (project_id INTEGER NOT NULL REFERENCES projects (id),"
            " tag_id INTEGER NOT NULL REFERENCES tags (id), PRIMARY KEY (project_id, tag_id));"
        ).schema
    )
    assert model.relations["projects_tags"].noun == "project tag"
    assert model.relations["projects"].label == ("code",)


@pytest.mark.parametrize("seed", range(6))
def test_a_row_is_created_before_it_is_closed(seed):
    sql = """CREATE TABLE tickets (
        id INTEGER PRIMARY KEY, title TEXT NOT NULL,
        closed_on DATETIME NOT NULL, created_on DATETIME NOT NULL
    );"""
    _, rows, _ = _seeded(sql, seed=seed)
    assert all(row["created_on"] < row["closed_on"] for row in rows.rows["tickets"])


@pytest.mark.parametrize("seed", range(12))
def test_what_has_ended_did_so_after_all_that_came_before_and_not_in_time_to_come(seed):
    """Columns against the order of time, in a chain of checks."""
    sql = """CREATE TABLE parcels (
        id INTEGER PRIMARY KEY, title TEXT NOT NULL,
        collected_at DATETIME NOT NULL, arrived_at DATETIME NOT NULL, sent_at DATETIME NOT NULL,
        CHECK (sent_at < arrived_at), CHECK (arrived_at < collected_at)
    );"""
    _, rows, seeding = _seeded(sql, seed=seed)
    assert seeding.unfilled == []
    for row in rows.rows["parcels"]:
        assert row["sent_at"] < row["arrived_at"] < row["collected_at"]
        assert row["collected_at"] <= CLOCK.isoformat(sep=row["collected_at"][10])


@pytest.mark.parametrize("columns", ["cba", "bca", "acb"])
def test_fields_are_drawn_after_all_that_come_before_them(columns):
    sql = f"""CREATE TABLE steps (id INTEGER PRIMARY KEY, title TEXT NOT NULL,
        {", ".join(f"{each}_at DATETIME NOT NULL" for each in columns)},
        CHECK (a_at < b_at), CHECK (b_at < c_at));"""
    (relation,) = read_data_model(handed(sql).schema).relations.values()
    drawn = [field.column for field in _earlier_first(relation)]
    assert [each for each in drawn if each.endswith("_at")] == ["a_at", "b_at", "c_at"]
    assert sorted(drawn) == sorted(field.column for field in relation.fields)
