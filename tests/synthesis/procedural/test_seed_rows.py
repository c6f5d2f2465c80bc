"""Seed rows: they load, keep the rules and are the same for the same seed."""

from __future__ import annotations

import pytest

from synthesis.procedural.composer import blueprint
from synthesis.procedural.ddl import schema_sql
from synthesis.procedural.seed_rows import SeedRows, seed_data
from synthesis.worlds.database import read_schema, schema_findings, seed_findings

SENTENCES = (
    "courier firm",
    "dental practice",
    "sports club with courts",
    "insurance claims",
    "farm shop",
    "city hall",
)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_every_row_loads_into_the_schema(sentence):
    made = blueprint(sentence, 4)
    sql = schema_sql(made)
    assert schema_findings(sql) == ()
    assert seed_findings(read_schema(sql), seed_data(made)) == ()


def test_another_salt_draws_other_rows():
    made = blueprint("courier firm", 1)
    assert seed_data(made).fingerprint == seed_data(made).fingerprint
    assert seed_data(made, 1).fingerprint != seed_data(made).fingerprint


def test_keys_of_different_tables_never_meet():
    made = blueprint("courier firm", 1)
    keys = [row["id"] for rows in seed_data(made).rows.values() for row in rows]
    assert len(keys) == len(set(keys))


def test_two_people_share_a_name_and_not_a_birthday():
    made = blueprint("dental practice", 2)
    people = SeedRows(made).all()[made.entity("party").table]
    names = [(row["first_name"], row["last_name"]) for row in people]
    twice = [name for name in names if names.count(name) == 2]
    assert twice
    assert len({row["birth_date"] for row in people if (row["first_name"], row["last_name"]) in twice}) == 2


def test_totals_are_the_sums_of_their_lines():
    made = blueprint("online bookshop orders and returns", 3)
    assert "orders" in made.fragments
    rows = seed_data(made).rows
    order, line = made.entities["order"], made.entities["order_line"]
    own = line.column("order").name
    for row in rows[order.table]:
        lines = [each for each in rows[line.table] if each[own] == row["id"]]
        assert row["total_cents"] == sum(each["quantity"] * each["unit_price_cents"] for each in lines)


def test_the_actor_is_active():
    made = blueprint("courier firm", 5)
    data = seed_data(made)
    assert data.actor is not None
    actor = next(row for row in data.rows[data.actor.table] if row["id"] == data.actor.key)
    assert actor["active"] == 1
