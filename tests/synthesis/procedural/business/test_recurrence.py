"""Work that recurs: each closed record is followed by the next one, due after the interval."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from synthesis.procedural.business.author import compose, understand
from synthesis.verification.checks import CHECKS
from synthesis.verification.proof_context import ProofContext

YEARLY = "A chimney sweep visits houses once a year"
MONTHLY = "A pest control firm visits restaurants every month"
OWN = "A climbing wall rents harnesses and ropes; every rope is inspected every three months"
SERVICED = "A boiler engineer services boilers once a year"


@pytest.mark.parametrize(
    "text", [YEARLY, *(pytest.param(each, marks=pytest.mark.slow) for each in (MONTHLY, OWN, SERVICED))]
)
@pytest.mark.parametrize("seed", [1, pytest.param(7, marks=pytest.mark.slow)])
def test_a_world_of_recurring_work_is_proved_and_tasks_rest_on_its_interval(text: str, seed: int) -> None:
    environment = compose(text, seed=seed)
    assert any("enter_next" in task.id for task in environment.tasks.tasks)
    with ProofContext(environment) as context:
        results = {name: check(context) for name, check in CHECKS.items()}
    assert {name: result.findings for name, result in results.items() if not result.passed} == {}


@pytest.mark.parametrize(
    ("text", "record", "thing", "days"),
    [
        (YEARLY, "house_visits", "house_id", 365),
        (MONTHLY, "visits", "restaurant_id", 30),
        (OWN, "rope_inspections", "rope_id", 90),
    ],
)
def test_every_closed_record_is_followed_by_one_due_after_the_interval(
    text: str, record: str, thing: str, days: int
) -> None:
    environment = compose(text, seed=3)
    rows = environment.seed_data.rows[record]
    for row in rows:
        later = [each for each in rows if each[thing] == row[thing] and each["opened_on"] == row["closed_on"]]
        due = date.fromisoformat(row["closed_on"]) + timedelta(days=days) if row["closed_on"] else None
        assert [each["due_on"] for each in later] == ([] if due is None else [due.isoformat()])
    waiting = [row[thing] for row in rows if row["closed_on"] is None]
    assert len(waiting) == len(set(waiting)) == len({row[thing] for row in rows})
    assert f"{record}.recur" in {rule.name for rule in environment.policy.row_rules}
    assert "interval" not in rows[0]


def test_the_next_one_is_due_by_the_interval_and_not_by_the_usual_rule() -> None:
    environment = compose(YEARLY, seed=1)
    task = next(task for task in environment.tasks.tasks if "enter_next" in task.id)
    close, follow = task.reference_solution[-2:]
    assert environment.scenario.clock.date() + timedelta(days=365) == date.fromisoformat(
        str(follow.arguments["due_on"])
    )
    assert "result" in close.arguments
    assert {temptation.weakness for temptation in task.temptations} >= {"ignores_policy", "forgets_condition"}


def test_an_interval_is_only_that_of_the_work_it_is_said_of() -> None:
    text = "A laundry mends linen for hospitals and delivers it every week"
    environment = compose(text, seed=3)
    assert not any(rule.name.endswith(".recur") for rule in environment.policy.row_rules)
    reading = understand(
        "A crane firm rents cranes; each crane must be certified once a year", seed=3
    ).reading
    assert reading is not None
    assert reading.unkept == ("each crane must be certified once a year",)


@pytest.mark.parametrize(
    ("text", "record", "party"),
    [
        (YEARLY, "house_visits", "customers"),
        ("A mobile hairdresser visits care homes", "visits", "care_homes"),
    ],
)
def test_who_is_visited_has_visits(text: str, record: str, party: str) -> None:
    assert {record, party} <= {table.name for table in compose(text, seed=2).schema.tables}
