"""Rows of units and events: the lost are gone, the overdue not free, and nobody waits beside free places."""

from __future__ import annotations

from collections import Counter

import pytest

from synthesis.procedural.business.author import compose, trial_world
from synthesis.procedural.business.build import build
from synthesis.procedural.business.goals_hold import is_taken
from synthesis.procedural.business.model import Business, Row
from synthesis.procedural.business.plan import plan
from synthesis.procedural.business.rows import seed_data
from synthesis.procedural.sentence.reader import parse

BIKES = "A bike shop rents bikes to tourists"
ROOMS = "A boarding house hires out rooms to guests"
TOURS = "A guide runs tours for visitors"
LESSONS = "A school runs swimming lessons for pupils"


def _business(sentence: str, seed: int = 1) -> Business:
    return build(plan(parse(sentence)), sentence, seed)


def _rows(business: Business) -> dict[str, list[Row]]:
    return {name: [dict(row) for row in rows] for name, rows in seed_data(business).rows.items()}


@pytest.mark.parametrize("seed", range(6))
def test_what_was_lost_is_out_of_use_and_was_lent_to_nobody_after_that(seed: int) -> None:
    business = _business(BIKES, seed)
    rows, process = _rows(business), business.processes[0]
    units = {row["id"]: row for row in rows[process.subject.name]}
    lost = [row for row in rows[process.record.name] if row["status"] == "lost"]
    assert lost
    for record in lost:
        later = [row for row in rows[process.record.name] if row["starts_on"] > record["starts_on"]]
        assert not any(row[process.subject.key] == record[process.subject.key] for row in later)
        assert units[record[process.subject.key]]["active"] == 0


@pytest.mark.parametrize("seed", range(6))
def test_nobody_pays_for_a_room_as_if_it_were_lost(seed: int) -> None:
    business = _business(ROOMS, seed)
    rows, process = _rows(business), business.processes[0]
    assert not process.is_losable
    assert not process.subject.has("replacement_cents")
    assert "replacement" not in business.charge.column("kind").choices
    failed = [row for row in rows[process.record.name] if row["status"] == process.states[4]]
    assert all(row["closed_on"] == row["starts_on"] for row in failed), "who does not come is known at once"


def test_what_has_to_be_replaced_costs_what_such_a_thing_is_worth() -> None:
    business = _business(BIKES)
    bikes = _rows(business)[business.processes[0].subject.name]
    assert all(20_000 <= bike["replacement_cents"] <= 400_000 for bike in bikes)
    dearest = max(bikes, key=lambda bike: bike[business.processes[0].price])
    cheapest = min(bikes, key=lambda bike: bike[business.processes[0].price])
    assert dearest["replacement_cents"] > cheapest["replacement_cents"]


def test_what_is_overdue_is_not_free_on_any_day() -> None:
    business = _business(BIKES)
    process = business.processes[0]
    out = {"status": process.states[1], "starts_on": business.day(-9), "ends_on": business.day(-2)}
    assert is_taken(business, process, [out], business.day(5), business.day(8))
    assert not is_taken(
        business, process, [{**out, "ends_on": business.day(2)}], business.day(5), business.day(8)
    )
    environment = compose(BIKES, seed=2)
    rentals = environment.seed_data.rows["bike_rentals"]
    today = environment.scenario.clock.date().isoformat()
    late = next(row for row in rentals if row["status"] == "out" and str(row["ends_on"]) < today)
    tourist = next(row for row in environment.seed_data.rows["tourists"] if row["standing"] == "good")
    required = {"bike_id", "tourist_id", "starts_on"}
    tool = next(t.name for t in environment.tools.tools if required <= {*t.input_schema["required"]})
    with trial_world(environment) as world, world.instance() as instance:
        days = {"starts_on": "2027-01-04", "ends_on": "2027-01-06"}
        answer = instance.call(tool, {"bike_id": late["bike_id"], "tourist_id": tourist["id"], **days})
    assert not answer.ok
    assert "overdue" in str(answer)


@pytest.mark.parametrize("sentence", [TOURS, LESSONS])
@pytest.mark.parametrize("seed", range(4))
def test_nobody_waits_for_places_that_are_free(sentence: str, seed: int) -> None:
    business = _business(sentence, seed)
    rows, process = _rows(business), business.processes[0]
    for event in rows[process.subject.name]:
        own = [row for row in rows[process.record.name] if row[process.subject.key] == event["id"]]
        left = event["capacity"] - sum(row["places"] for row in own if row["status"] == process.states[1])
        waiting = [row["places"] for row in own if row["status"] == process.states[0]]
        assert all(places > left for places in waiting)
        there = Counter(row[process.party.key] for row in own if row["status"] in process.states[:2])
        assert max(there.values(), default=1) == 1


def test_pupils_have_one_place_each_and_visitors_several() -> None:
    pupils, visitors = _business(LESSONS), _business(TOURS)
    assert {row["places"] for row in _rows(pupils)[pupils.processes[0].record.name]} == {1}
    assert len({row["places"] for row in _rows(visitors)[visitors.processes[0].record.name]}) > 1
    name = pupils.processes[0].record.name
    assert "covers one place, and no more" in pupils.rules[f"{name}.places"].text


@pytest.mark.parametrize("seed", range(8))
def test_no_name_of_what_is_brought_finds_another(seed: int) -> None:
    business = _business("A seed bank stores seeds for researchers and tests germination", seed)
    process = next(p for p in business.processes if p.item is not None)
    assert process.item is not None
    ends = [str(row["name"])[-2:] for row in _rows(business)[process.item.name]]
    assert len(set(ends)) == len(ends)
