"""Moments of derived rows: they fit the row's state and the rows that it refers to."""

from __future__ import annotations

from datetime import datetime

import pytest

from synthesis.documents.environment import Environment
from synthesis.procedural.derived.data_model import DataModel, read_data_model
from synthesis.procedural.derived.derive import derive
from synthesis.procedural.derived.moments import states_with
from tests.synthesis.procedural.derived.schemas import handed

STUDIO = """
CREATE TABLE clubs (id INTEGER PRIMARY KEY, name TEXT NOT NULL, opened_on DATE NOT NULL);
CREATE TABLE members (id INTEGER PRIMARY KEY, club_id INTEGER NOT NULL REFERENCES clubs (id),
    name TEXT NOT NULL, joined_on DATE NOT NULL);
CREATE TABLE memberships (id INTEGER PRIMARY KEY, member_id INTEGER NOT NULL REFERENCES members (id),
    state TEXT NOT NULL CHECK (state IN ('trial', 'active', 'frozen', 'expired')), starts_on DATE NOT NULL,
    ends_on DATE NOT NULL, frozen_until DATE);
CREATE TABLE lessons (id INTEGER PRIMARY KEY, club_id INTEGER NOT NULL REFERENCES clubs (id),
    title TEXT NOT NULL, starts_at DATETIME NOT NULL, minutes INTEGER NOT NULL, cancelled_at DATETIME);
CREATE TABLE bookings (id INTEGER PRIMARY KEY, lesson_id INTEGER NOT NULL REFERENCES lessons (id),
    member_id INTEGER NOT NULL REFERENCES members (id), booked_at DATETIME NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('booked', 'attended', 'no_show', 'cancelled')));
CREATE TABLE lockers (id INTEGER PRIMARY KEY, number INTEGER NOT NULL,
    rented_to INTEGER REFERENCES members (id), rented_until DATE);
CREATE TABLE incidents (id INTEGER PRIMARY KEY, club_id INTEGER NOT NULL REFERENCES clubs (id),
    description TEXT NOT NULL, reported_at DATETIME NOT NULL, resolved_at DATETIME);
"""


@pytest.fixture(scope="module")
def studio() -> Environment:
    return derive(handed(STUDIO), seed=3)


@pytest.fixture(scope="module")
def rows(studio: Environment) -> dict[str, tuple[dict[str, str], ...]]:
    return {name: tuple(map(dict, each)) for name, each in studio.seed_data.rows.items()}


@pytest.fixture(scope="module")
def read(studio: Environment) -> DataModel:
    return read_data_model(studio.schema)


def test_a_day_of_a_state_is_there_in_that_state_and_those_that_follow_it(rows, read):
    relation = read.relations["memberships"]
    assert states_with(relation, relation.field("frozen_until")) == {"frozen"}
    assert not states_with(relation, relation.field("ends_on"))
    for row in rows["memberships"]:
        assert (row["frozen_until"] is not None) == (row["state"] == "frozen")
        assert row["frozen_until"] is None or row["frozen_until"] <= row["ends_on"]


def test_nobody_joins_what_was_not_opened_yet_and_nothing_is_booked_after_it_began(rows):
    opened = {row["id"]: row["opened_on"] for row in rows["clubs"]}
    assert all(opened[row["club_id"]] <= row["joined_on"] for row in rows["members"])
    starts = {row["id"]: row["starts_at"] for row in rows["lessons"]}
    joined = {row["id"]: row["joined_on"] for row in rows["members"]}
    for row in rows["bookings"]:
        assert row["booked_at"] <= max(starts[row["lesson_id"]], joined[row["member_id"]] + "T23:59:59")
        assert joined[row["member_id"]] <= row["booked_at"]


def test_what_ends_ends_after_it_was_reported_and_is_called_off_before_it_starts(rows):
    assert all(
        row["resolved_at"] is None or row["reported_at"] < row["resolved_at"] for row in rows["incidents"]
    )
    assert all(
        row["cancelled_at"] is None or row["cancelled_at"] < row["starts_at"] for row in rows["lessons"]
    )
    assert any(row["cancelled_at"] for row in rows["lessons"])


def test_what_nobody_rents_is_rented_until_no_day(rows):
    assert all(row["rented_to"] is not None or row["rented_until"] is None for row in rows["lockers"])


def test_lessons_last_for_quarters_of_an_hour_and_hours_are_those_of_work(rows):
    assert all(row["minutes"] % 15 == 0 for row in rows["lessons"])
    hours = [datetime.fromisoformat(row["booked_at"]).hour for row in rows["bookings"]]
    assert sum(8 <= hour <= 17 for hour in hours) >= 0.8 * len(hours)


def test_who_came_and_who_did_not_are_two_ends_and_neither_becomes_the_other(read):
    flow = dict(read.relations["bookings"].flow)
    assert flow["attended"] == flow["no_show"] == ("booked",)


def test_numbers_by_which_things_are_called_are_not_added_up(studio):
    reports = [tool.description for tool in studio.tools.tools if tool.name.startswith("count_")]
    assert reports
    assert not [text for text in reports if "add up their number" in text]
