"""Units that are booked for hours of a day: rows, tools and goals."""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from synthesis.documents.environment import Environment
from synthesis.procedural.business import goals_slot
from synthesis.procedural.business.author import Size, _business, compose, trial_world
from synthesis.procedural.business.model import FIRST_HOUR, LAST_HOUR, Business, Process
from synthesis.procedural.business.play import TaskBuilder, TaskDraft
from synthesis.procedural.composing.playing import Abandoned, Playable
from synthesis.verification.checks import check_environment

SENTENCE = "A tennis club rents courts by the hour and strings rackets"


@pytest.fixture(scope="module")
def environment() -> Environment:
    return compose(SENTENCE, seed=2)


@pytest.fixture(scope="module")
def world(environment: Environment) -> Iterator[tuple[Business, Process, Playable]]:
    business = _business(SENTENCE, 2)
    with trial_world(environment) as trial, trial.instance() as instance:
        yield business, business.processes[0], instance


def test_a_world_of_hours_passes_every_check(environment: Environment) -> None:
    report = check_environment(environment)
    assert [finding.message for finding in report.findings if finding.blocks] == []
    assert report.passed


@pytest.mark.parametrize("seed", range(4))
def test_nobody_has_more_hours_than_allowed_and_no_court_is_taken_twice(seed: int) -> None:
    business = _business(SENTENCE, seed)
    process = business.processes[0]
    rows = compose(SENTENCE, seed=seed, size=Size(tasks=3)).seed_data.rows[process.record.name]
    hours: Counter[tuple[int, str]] = Counter()
    taken: Counter[tuple[int, str, int]] = Counter()
    for row in rows:
        if row["status"] not in process.open_states:
            continue
        assert FIRST_HOUR <= row["from_hour"] < row["from_hour"] + row["hours"] <= LAST_HOUR
        hours[row[process.party.key], row["starts_on"]] += row["hours"]
        for hour in range(row["from_hour"], row["from_hour"] + row["hours"]):
            taken[row[process.subject.key], row["starts_on"], hour] += 1
    assert max(hours.values()) <= business.value(f"{process.record.name}.hours")
    assert max(taken.values()) == 1


def test_taken_hours_are_refused_and_those_before_and_after_are_not(world) -> None:
    _, process, instance = world
    instance.reset()
    record, unit = process.record, process.subject
    row = instance.query(
        f"SELECT * FROM {record.name} WHERE status = 'booked' AND hours = 1 ORDER BY starts_on DESC, id"
    )[0]
    party = row[process.party.key]

    def book(hour: int, hours: int) -> str:
        arguments = {process.party.key: party, unit.key: row[unit.key], "starts_on": row["starts_on"]}
        instance.reset()
        return instance.call(
            process.names["create"], {**arguments, "from_hour": hour, "hours": hours}
        ).message

    assert "is taken by" in book(row["from_hour"], 1)
    assert "is taken by" in book(row["from_hour"] - 1, 2) or row["from_hour"] == FIRST_HOUR
    assert "whole hours" in book(LAST_HOUR - 1, 2)
    assert "whole hours" in book(FIRST_HOUR - 1, 1)


@pytest.mark.parametrize("goal", [goals_slot.choose_hours, goals_slot.earliest_hour, goals_slot.refuse_hours])
def test_goals_of_hours_are_played_and_speak_of_hours(
    world, goal: Callable[[TaskBuilder, Process], TaskDraft]
) -> None:
    business, process, instance = world
    drafts = []
    for seed in range(8):
        instance.reset()
        with contextlib.suppress(Abandoned):
            drafts.append(goal(TaskBuilder(business, instance, random.Random(seed)), process))
    assert drafts
    assert all(":00" in draft.text or "hour" in draft.text for draft in drafts)
    assert not [draft.text for draft in drafts if "last day" in draft.text or "per day" in draft.text]
