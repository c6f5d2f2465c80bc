"""Kinds of work and things: categories of the trade, prices and target days by them, and where people are."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

import pytest

from synthesis.procedural.business.build import build
from synthesis.procedural.business.categories import categories_of, is_ordered
from synthesis.procedural.business.deadlines import due_after
from synthesis.procedural.business.labels import labels, rank_of
from synthesis.procedural.business.model import Business, Row
from synthesis.procedural.business.plan import plan
from synthesis.procedural.business.rows import seed_data
from synthesis.procedural.sentence.reader import parse

PERMITS = "A council issues permits to builders"
TICKETS = "A funfair sells tickets to visitors"


def _business(sentence: str, seed: int = 1) -> Business:
    return build(plan(parse(sentence)), sentence, seed)


@pytest.mark.parametrize(
    ("noun", "value"),
    [
        ("bicycle", "child"),
        ("narrowboat", "four_person"),
        ("violin", "student"),
        ("stray dog", "senior"),
        ("leak", "minor"),
    ],
)
def test_things_are_sorted_as_people_of_the_trade_sort_them(noun: str, value: str) -> None:
    values = {each for seed in range(8) for each in categories_of(noun, _business(PERMITS).random(seed))}
    assert value in values


def test_what_the_sentence_names_is_not_mixed_with_sizes() -> None:
    process = _business("My wife does alterations: hems, zips and waists").processes[0]
    assert process.subject.column("category").choices == ("hem", "zip", "waist")


@pytest.mark.parametrize("sentence", [PERMITS, TICKETS, "A club lends violins to pupils"])
@pytest.mark.parametrize("seed", range(4))
def test_a_higher_category_costs_more(sentence: str, seed: int) -> None:
    business = _business(sentence, seed)
    table = business.processes[0].subject
    categories = table.column("category").choices
    assert is_ordered(categories)
    money = next(c.name for c in table.columns if c.kind == "money")
    rows = seed_data(business).rows[table.name]
    prices = [[row[money] for row in rows if row["category"] == each] for each in categories]
    assert all(max(lower) <= min(higher) for lower, higher in pairwise(filter(None, prices)))


def test_names_promise_no_other_category() -> None:
    business = _business(PERMITS)
    table = business.processes[0].subject
    rows, categories = seed_data(business).rows[table.name], table.column("category").choices
    ranks = {row["name"]: rank_of(table.noun, "lookup", str(row["name"])) for row in rows}
    assert None not in ranks.values()
    ordered = sorted(rows, key=lambda row: ranks[row["name"]] or 0)
    places = [categories.index(str(row["category"])) for row in ordered]
    assert places == sorted(places)


def test_work_is_due_after_the_target_days_of_its_kind() -> None:
    business = _business(PERMITS)
    process = business.processes[0]
    rows = seed_data(business).rows
    kinds = {row["id"]: row for row in rows[process.subject.name]}
    assert {due_after(business, process, kind, "normal") for kind in kinds.values()} == {
        kind["target_days"] for kind in kinds.values()
    }
    assert "target days" in business.rules["permits.deadline"].text
    urgent = business.rules["permits.deadline"].values["urgent"]
    for row in rows[process.record.name]:
        kind: Row = kinds[row[process.subject.key]]
        days = urgent if row["priority"] == "urgent" else kind["target_days"]
        assert _ordinal(row["due_on"]) - _ordinal(row["opened_on"]) == days


def test_where_the_sentence_says_when_work_is_due_kinds_have_no_target_days() -> None:
    process = _business("A water company repairs leaks for households within two days").processes[0]
    assert not process.subject.has("target_days")


def test_places_of_which_nothing_is_said_are_no_table_and_others_are_where_people_work() -> None:
    plain = _business(PERMITS)
    assert plain.place.name not in plain.tables
    named = _business("A vet in the old town treats dogs")
    assert named.staff.has(named.place.key)
    rows = seed_data(named).rows
    keys = {row["id"] for row in rows[named.place.name]}
    assert {row[named.place.key] for row in rows[named.staff.name]} <= keys


@pytest.mark.parametrize(
    ("noun", "shape", "wrong"),
    [
        ("permit type", "lookup", "Follow-Up"),
        ("complaint type", "lookup", "First"),
        ("battery", "lookup", "Battery "),
        ("currency", "supply", "Currency"),
    ],
)
def test_kinds_are_called_as_people_call_them(noun: str, shape: str, wrong: str) -> None:
    names = [name for seed in range(5) for name in labels(noun, shape, 7, _business(PERMITS).random(seed))]
    assert not any(name.startswith(wrong) for name in names)


def _ordinal(day: object) -> int:
    return date.fromisoformat(str(day)).toordinal()


def test_parents_are_billed_and_not_their_children() -> None:
    business = _business("A kindergarten enrols children, assigns carers and bills parents")
    assert business.party.noun == "parent"
    assert business.charge.has("parent_id")
    assert not business.charge.has("child_id")
    assert _business("A kindergarten enrols children").party.noun == "child", "where nobody else is served"


@pytest.mark.parametrize(
    ("noun", "value"), [("register", "members"), ("duty", "weekend"), ("destination", "regional")]
)
def test_what_is_chosen_from_a_list_has_categories_of_its_own(noun: str, value: str) -> None:
    assert value in categories_of(noun, _business(PERMITS).random("categories"), unknown="record")
