"""What requests, rules and errors say is so in the rows and in what the verifiers want."""

from __future__ import annotations

import contextlib
import itertools
import random
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from synthesis.documents.environment import Environment
from synthesis.procedural.business import goals_money, goals_open, goals_work
from synthesis.procedural.business.author import Size, _business, compose, trial_world
from synthesis.procedural.business.ddl import number_of
from synthesis.procedural.business.model import Business
from synthesis.procedural.business.play import TaskBuilder, TaskDraft
from synthesis.procedural.business.qualification import is_qualified
from synthesis.procedural.business.request_grammar import worded
from synthesis.procedural.business.rows import seed_data
from synthesis.procedural.composing.playing import Abandoned, Playable

BEEKEEPERS = (
    "A beekeepers' association lends honey extractors to its members, sends inspectors to sick hives and"
    " sells jars and frames"
)
HOTEL = "A hotel takes bookings, checks in guests and bills companies"
LOCKERS = "A parcel locker operator keeps parcels for residents, fixes jammed lockers and sells packing boxes"
KAYAKS = (
    "A kayak rental at a lake hires out kayaks and paddleboards by the day, repairs leaking boats and runs"
    " guided sunset tours"
)


class _FieldsByName(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return name


@pytest.fixture(scope="module", params=(BEEKEEPERS, KAYAKS), ids=["beekeepers", "kayaks"])
def world(request: pytest.FixtureRequest) -> Iterator[tuple[Business, Environment, Playable]]:
    environment = compose(request.param, seed=1, size=Size(tasks=3))
    with trial_world(environment) as trial, trial.instance() as instance:
        yield _business(request.param, 1), environment, instance


def _played(
    world: tuple[Business, Environment, Playable], goal: Callable[..., TaskDraft], shape: str = ""
) -> list[tuple[TaskBuilder, TaskDraft]]:
    """A goal played with different choices, of each process of a shape or of the business."""
    business, _, instance = world
    played = []
    for process in [p for p in business.processes if p.shape == shape] if shape else [None]:
        for seed in range(8):
            instance.reset()
            play = TaskBuilder(business, instance, random.Random(seed))
            with contextlib.suppress(Abandoned):
                played.append((play, goal(play, process) if process else goal(play)))
    assert played
    return played


@pytest.mark.parametrize("goal", ["stand_in", "clear_unit", "clear_event"])
def test_a_notice_per_record_is_never_asked_for_as_one_per_person(goal: str) -> None:
    for seed in range(60):
        text = worded(goal, "notice", _FieldsByName(), random.Random(seed))
        assert "record" in text.lower(), text


def test_a_matter_is_handed_over_under_every_number_that_the_tools_show(world) -> None:
    business, environment, instance = world
    rows = environment.seed_data.rows
    tables = [table for table in business.tables.values() if table.has("number")]
    assert business.charge in tables
    instance.reset()
    for table in tables:
        number = number_of(table, rows[table.name][0])
        staff = rows[business.staff.name][1]["id"]
        arguments = {"reference": number, business.staff.key: staff, "reason": "unclear"}
        result = instance.call(business.tool["hand over"], arguments)
        assert result.ok, (number, result.message)


def test_what_is_to_be_waived_is_handed_over_under_the_number_that_the_request_gives(world) -> None:
    over = world[0].tool["hand over"]
    played = _played(world, goals_money.waive_or_hand_over)
    given = [(call, draft) for play, draft in played for call in play.calls if call.name == over]
    assert given
    for call, draft in given:
        assert str(call.arguments["reference"]) == re.findall(r"\b[A-Z]{2,3}-\d+", draft.text)[0]


def test_overdue_notices_are_sent_and_kept_under_the_numbers_of_charges(world) -> None:
    business, environment, _ = world
    rows = environment.seed_data.rows
    charges = {number_of(business.charge, row) for row in rows[business.charge.name]}
    for play, _ in _played(world, goals_open.follow_up):
        sent = [call.arguments for call in play.calls if call.name == business.tool["notify"]]
        assert sent
        assert {arguments["reference"] for arguments in sent} <= charges
    assert {row["reference"] for row in rows[business.notice.name]} <= charges


def test_whoever_is_said_to_be_away_is_off_duty_and_never_whom_the_agent_acts_for(world) -> None:
    business, environment, _ = world
    staff, actor = environment.seed_data.rows[business.staff.name], environment.seed_data.actor
    for _, draft in _played(world, goals_work.stand_in, "work"):
        away = next(row for row in staff if str(row["name"]) in draft.text)
        assert away["on_duty"] == 0, draft.text
        assert actor is not None
        assert away["id"] != actor.key


@pytest.mark.parametrize("seed", range(6))
def test_those_who_may_take_a_matter_have_different_numbers_of_them(seed: int) -> None:
    business = _business(LOCKERS, seed)
    rows = seed_data(business).rows
    for process in business.processes:
        if process.shape != "work":
            continue
        counts = Counter(
            row[business.staff.key]
            for row in rows[process.record.name]
            if row["status"] in process.open_states
        )
        able = [row for row in rows[business.staff.name] if row["on_duty"] and is_qualified(process, row)]
        assert len(able) >= 3
        assert sorted(counts[row["id"]] for row in able)[:2] == [0, 1]


def test_a_second_overdue_notice_is_declined_in_the_words_of_the_rule(world) -> None:
    gap = world[0].value("remind", "gap")
    for _, draft in _played(world, goals_open.refuse_follow_up):
        assert f"within the last {gap} days" in draft.answer


@pytest.mark.parametrize("seed", range(8))
def test_nothing_is_at_two_places_at_once(seed: int) -> None:
    business = _business(LOCKERS, seed)
    rows, today = seed_data(business).rows, business.day(0)
    process = next(process for process in business.processes if process.item is not None)
    assert process.item is not None
    kept = [row for row in rows[process.record.name] if row["status"] in process.open_states]
    assert kept
    for one, other in itertools.combinations(kept, 2):
        if one[process.item.key] == other[process.item.key]:
            last = [max(str(row["ends_on"]), today) for row in (one, other)]
            assert str(one["starts_on"]) > last[1] or str(other["starts_on"]) > last[0], (one, other)


def test_the_rules_for_rows_find_what_is_at_two_places_at_once() -> None:
    environment = compose(LOCKERS, seed=4114, size=Size(tasks=3))
    process = next(p for p in _business(LOCKERS, 4114).processes if p.item is not None)
    policy = environment.policy
    assert policy is not None
    assert process.item is not None
    rule = next(rule for rule in policy.row_rules if rule.name.endswith(f"one_{process.item.var}_at_a_time"))
    kept = [row for row in environment.seed_data.rows[process.record.name] if row["status"] == "in_storage"]
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(environment.schema.sql)
        connection.execute("PRAGMA foreign_keys = OFF")
        for row in kept:
            marks = ", ".join(f":{name}" for name in row)
            connection.execute(f"INSERT INTO {process.record.name} ({', '.join(row)}) VALUES ({marks})", row)
        assert connection.execute(rule.breaches).fetchall() == []
        connection.execute(
            f"UPDATE {process.record.name} SET {process.item.key} = ?", (kept[0][process.item.key],)
        )
        assert len(connection.execute(rule.breaches).fetchall()) >= len(kept) - 1


def test_what_is_kept_already_is_refused_a_second_place() -> None:
    business = _business(LOCKERS, 4114)
    environment = compose(LOCKERS, seed=4114, size=Size(tasks=3))
    process = next(p for p in business.processes if p.item is not None)
    assert process.item is not None
    rows = environment.seed_data.rows
    there = [row for row in rows[process.record.name] if row["status"] == "in_storage"]
    kept = next(row for row in there if str(row["ends_on"]) >= business.day(0))
    with trial_world(environment) as world, world.instance() as instance:
        arguments = {
            process.party.key: kept[process.party.key],
            process.item.key: kept[process.item.key],
            process.subject.key: rows[process.subject.name][0]["id"],
            "starts_on": business.day(0),
            "ends_on": business.day(0),
        }
        result = instance.call(process.names["create"], arguments)
    name = next(row["name"] for row in rows[process.item.name] if row["id"] == kept[process.item.key])
    assert result.status == "refused"
    assert f"{name} is taken by" in result.message


@pytest.mark.parametrize(
    ("sentence", "seed"),
    [
        ("A letting agency lets flats, inspects inventories and refunds deposits for families", 490),
        ("An allotment society leases plots, keeps a waiting list and inspects sheds near the station", 655),
        (BEEKEEPERS, 3),
    ],
)
def test_nobody_joined_after_anything_that_is_recorded_of_them(sentence: str, seed: int) -> None:
    business = _business(sentence, seed)
    rows = seed_data(business).rows
    checked = 0
    for party in (table for table in business.tables.values() if table.role == "party"):
        joined = {row["id"]: str(row["joined_on"]) for row in rows[party.name]}
        for table in (each for each in business.tables.values() if each.has(party.key)):
            days = [column.name for column in table.columns if column.kind == "day"]
            for row in (row for row in rows[table.name] if row[party.key] is not None):
                checked += 1
                assert all(str(row[day]) >= joined[row[party.key]] for day in days if row[day])
    assert checked


def test_nobody_is_said_to_have_stayed_away_before_they_were_to_come() -> None:
    composed = (compose(HOTEL, seed=seed) for seed in range(30))
    environment, task = next(
        (world, each) for world in composed for each in world.tasks.tasks if "no_show" in each.id
    )
    today = environment.scenario.clock.date().isoformat()
    keys = {value for call in task.reference_solution for value in call.arguments.values()}
    awaited = [
        row
        for rows in environment.seed_data.rows.values()
        for row in rows
        if row["id"] in keys and "starts_on" in row and row["closed_on"] is None
    ]
    assert [row["starts_on"] <= today for row in awaited] == [True]


def test_a_request_says_once_what_somebody_is(world) -> None:
    noun = world[0].party.noun
    texts = [draft.text for _, draft in _played(world, goals_money.waive_or_hand_over)]
    twice = [text for text in texts if len(re.findall(rf"\b(?:our|the) {noun} [A-Z]", text)) > 1]
    assert texts
    assert not twice


def test_materials_have_grades_and_no_sizes() -> None:
    environment = compose("A scrap dealer sells copper to foundries", seed=3)
    grades = {str(row["category"]) for row in environment.seed_data.rows["copper"]}
    assert grades
    assert not grades & {"small", "medium", "large", "compact", "heavy_duty", "basic", "mid_range"}
