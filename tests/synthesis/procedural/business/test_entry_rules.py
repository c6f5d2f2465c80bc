"""Rules that sentences state of new records: in the policy, obeyed by rows, and what tasks rest on."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from synthesis.documents.environment import Environment
from synthesis.procedural.business.author import compose
from synthesis.procedural.business.build import build
from synthesis.procedural.business.entry_rules import ENTRY_KINDS, verdict
from synthesis.procedural.business.model import Business, Process
from synthesis.procedural.business.plan import plan
from synthesis.procedural.sentence.reader import parse
from synthesis.verification.checks import CHECKS
from synthesis.verification.proof_context import ProofContext

LONGEST = "A tool library lends tools to members and allows loans of up to 21 days."
SHORTEST = "A pet hotel boards cats for owners, with a minimum stay of two nights."
AHEAD = "A kennel boards dogs, and owners must book at least three days ahead."
WAIT = "A community kitchen lends mixers to bakers, who must wait 10 days between loans."
WEEKLY = "A sports club lets members book courts by the hour, at most two bookings a week per member."
MONTHLY = "A repair workshop repairs radios for visitors, no more than two repairs per visitor a month."
ONLY = "A co-op sells bread to shoppers; only members may order."
AGE = "A scooter hire rents scooters to riders; no one under 16 may rent."
AGAIN = "A blood bank collects blood from donors; donors may give again after 56 days."


def _business(text: str) -> tuple[Business, Process]:
    business = build(plan(parse(text)), text, 1)
    return business, business.processes[0]


def _refused(environment: Environment) -> list[Any]:
    return [task for task in environment.tasks.tasks if task.id.endswith("against_the_rule")]


@pytest.mark.parametrize(
    "text",
    [
        *(LONGEST, ONLY),
        *(
            pytest.param(each, marks=pytest.mark.slow)
            for each in (SHORTEST, AHEAD, WAIT, WEEKLY, MONTHLY, AGE, AGAIN)
        ),
    ],
)
def test_a_world_with_a_stated_rule_is_proved_and_its_tasks_rest_on_it(text: str) -> None:
    environment = compose(text, seed=8)
    assert _refused(environment)
    with ProofContext(environment) as context:
        results = {name: check(context) for name, check in CHECKS.items()}
    assert {name: result.findings for name, result in results.items() if not result.passed} == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (LONGEST, "21 days"),
        (SHORTEST, "2 nights"),
        (AHEAD, "3 days"),
        (WAIT, "10 days"),
        (WEEKLY, "calendar week, Monday to Sunday"),
        (MONTHLY, "2 radio repairs within 30 days, today included"),
        (ONLY, "member"),
        (AGE, "16 years"),
        (AGAIN, "56 days"),
    ],
)
def test_a_stated_rule_is_in_the_policy_and_counts_as_represented(text: str, words: str) -> None:
    environment = compose(text, seed=3)
    assert words in environment.policy.text
    assert environment.scenario.reading is not None
    assert environment.scenario.reading.unkept == ()
    assert environment.scenario.reading.fidelity == 1


def test_a_sentence_without_such_a_rule_has_neither_rule_nor_task_of_it() -> None:
    plain = compose("A tool library lends tools to members.", seed=3)
    stated = compose(LONGEST, seed=3)
    assert {rule.name.rpartition(".")[2] for rule in stated.policy.row_rules} & set(ENTRY_KINDS)
    assert not {rule.name.rpartition(".")[2] for rule in plain.policy.row_rules} & set(ENTRY_KINDS)
    assert not _refused(plain)


def test_of_lengths_that_exclude_each_other_one_is_the_rule_and_the_other_reported() -> None:
    text = "A firm rents vans to builders for at least ten days and at most three days."
    environment = compose(text, seed=40)
    assert environment.scenario.reading is not None
    assert environment.scenario.reading.unkept == ("at least ten days",)
    assert environment.scenario.reading.summary.endswith(
        "of the words are represented, not all of its rules."
    )
    with ProofContext(environment) as context:
        result = CHECKS["rows_obey_the_policy"](context)
    assert result.passed, result.findings


def test_rows_that_break_a_stated_rule_are_found() -> None:
    environment = compose(LONGEST, seed=3)
    rule = next(rule for rule in environment.policy.row_rules if rule.name.endswith(".longest"))
    with ProofContext(environment) as context:
        instance = context.world.instance()
        assert instance.query(rule.breaches) == []
        instance.close()
    rows = environment.seed_data.rows["tool_loans"]
    row = next(row for row in rows if row["extensions"] == 0 and row["status"] == "returned")
    row["starts_on"] = "2020-01-01"
    with ProofContext(environment) as context:
        result = CHECKS["rows_obey_the_policy"](context)
    assert not result.passed


@pytest.mark.parametrize(
    ("text", "kind", "wanted", "allowed"),
    [
        (LONGEST, "longest", (5, 26), True),
        (LONGEST, "longest", (5, 27), False),
        (SHORTEST, "shortest", (5, 7), True),
        (SHORTEST, "shortest", (5, 6), False),
        (AHEAD, "ahead", (3, 6), True),
        (AHEAD, "ahead", (2, 6), False),
    ],
)
def test_lengths_and_days_ahead_are_exact(
    text: str, kind: str, wanted: tuple[int, int], allowed: bool
) -> None:
    b, p = _business(text)
    days = {"starts_on": b.day(wanted[0]), "ends_on": b.day(wanted[1])}
    assert verdict(b, p, kind, {}, [], days) is allowed


@pytest.mark.parametrize(
    ("ends", "status", "allowed"),
    [
        (-11, "returned", True),
        (-9, "returned", None),
        (-5, "returned", False),
        (-5, "cancelled", True),
        (2, "on_loan", False),
    ],
)
def test_a_wait_runs_from_the_last_day_of_the_one_before(
    ends: int, status: str, allowed: bool | None
) -> None:
    b, p = _business(WAIT)
    closed = b.day(ends) if status == "returned" else None
    row = {"starts_on": b.day(ends - 4), "ends_on": b.day(ends), "status": status, "closed_on": closed}
    wanted = {"starts_on": b.day(1), "ends_on": b.day(4)}
    assert verdict(b, p, "wait", {}, [row], wanted) is allowed


def test_a_wait_of_what_begins_today_counts_from_the_last_one() -> None:
    b, p = _business(AGAIN)

    def opened(days: int, status: str = "closed") -> dict[str, Any]:
        return {"opened_on": b.day(-days), "status": status}

    assert verdict(b, p, "wait", {}, [opened(56)], {}) is True
    assert verdict(b, p, "wait", {}, [opened(55)], {}) is False
    assert verdict(b, p, "wait", {}, [opened(5, "cancelled"), opened(90)], {}) is True


def test_a_rate_counts_a_calendar_week_or_the_days_before_today() -> None:
    b, p = _business(WEEKLY)
    monday = next(day for day in range(14) if b.today.toordinal() % 7 == (1 - day) % 7)

    def booked(*days: int) -> list[dict[str, Any]]:
        return [{"starts_on": b.day(monday + day), "status": "booked"} for day in days]

    assert verdict(b, p, "rate", {}, booked(0, 6), {"starts_on": b.day(monday + 3)}) is False
    assert verdict(b, p, "rate", {}, booked(-1, 6), {"starts_on": b.day(monday + 3)}) is True
    b, p = _business(MONTHLY)

    def opened(*days: int) -> list[dict[str, Any]]:
        return [{"opened_on": b.day(-day), "status": "closed"} for day in days]

    assert verdict(b, p, "rate", {}, opened(3, 20), {}) is False
    assert verdict(b, p, "rate", {}, opened(3, 29), {}) is None
    assert verdict(b, p, "rate", {}, opened(3, 40), {}) is True


def test_only_those_of_whom_the_sentence_says_so_get_something_new() -> None:
    b, p = _business(ONLY)
    assert b.tiers == ("no_member", "member")
    assert verdict(b, p, "only", {"tier": "member"}, [], {}) is True
    assert verdict(b, p, "only", {"tier": "no_member"}, [], {}) is False
    b, _ = _business("A nursery treats plants for customers, and only gardeners may prune.")
    assert "gardener" not in b.tiers


def test_somebody_is_old_enough_from_the_birthday_on() -> None:
    b, p = _business(AGE)
    day = b.today
    assert verdict(b, p, "age", {"born_on": day.replace(year=day.year - 16).isoformat()}, [], {}) is True
    tomorrow = (day + timedelta(days=1)).replace(year=day.year - 16)
    assert verdict(b, p, "age", {"born_on": tomorrow.isoformat()}, [], {}) is False
    ages = [row["born_on"] for row in compose(AGE, seed=2).seed_data.rows["riders"]]
    assert any(str(born) > b.day(-16 * 365) for born in ages)
    assert "born_on" not in {c.name for t in compose(ONLY, seed=2).schema.tables for c in t.columns}


@pytest.mark.parametrize(
    ("text", "last"),
    [(LONGEST, 21), (SHORTEST, 2)],
)
def test_as_long_or_as_short_as_allowed_is_the_number_of_the_rule(text: str, last: int) -> None:
    environment = compose(text, seed=7)
    task = next(task for task in environment.tasks.tasks if task.id.endswith("as_allowed"))
    arguments = task.reference_solution[-1].arguments
    days = _ordinal(arguments["ends_on"]) - _ordinal(arguments["starts_on"])
    assert days == last


def _ordinal(day: Any) -> int:
    return date.fromisoformat(day).toordinal()
