"""Those who pay nothing by the sentence: no charge is theirs, and calling off late costs them nothing."""

from __future__ import annotations

import pytest

from synthesis.documents.environment import Environment
from synthesis.procedural.business.author import compose, understand
from synthesis.verification.checks import CHECKS
from synthesis.verification.proof_context import ProofContext

COURTS = "A leisure centre books courts at £8 an hour, free for members"
HALL = "A village hall committee hires out the hall at £45 a day and waives the charge for charities"
CANOES = "A boat club rents canoes to families at £25 a day, free of charge for members"


@pytest.mark.parametrize("text", [COURTS, *(pytest.param(t, marks=pytest.mark.slow) for t in (HALL, CANOES))])
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_world_with_an_exemption_is_proved(text: str, seed: int) -> None:
    environment = compose(text, seed=seed)
    with ProofContext(environment) as context:
        results = {name: check(context) for name, check in CHECKS.items()}
    assert {name: result.findings for name, result in results.items() if not result.passed} == {}


def _tables(environment: Environment) -> tuple[str, str]:
    names = [table.name for table in environment.schema.tables if table.name in _PARTIES]
    charges = [table.name for table in environment.schema.tables if table.name in _CHARGES]
    return names[0], charges[0]


_PARTIES = frozenset(("customers", "hirers", "clients", "families"))
_CHARGES = frozenset(("charges", "fees", "bills", "invoices"))


@pytest.mark.parametrize(("text", "tier"), [(COURTS, "member"), (HALL, "charity"), (CANOES, "member")])
def test_who_pays_nothing_has_no_charge_but_for_what_is_lost(text: str, tier: str) -> None:
    environment = compose(text, seed=3)
    party, charge = _tables(environment)
    rows = environment.seed_data.rows
    free = {row["id"] for row in rows[party] if row["tier"] == tier}
    key = next(name for name in rows[charge][0] if name.endswith("_id"))
    assert free
    assert {row["kind"] for row in rows[charge] if row[key] in free} <= {"replacement", "damage"}
    assert "exempt" in {rule.name for rule in environment.policy.row_rules}
    reading = understand(text, seed=3).reading
    assert reading is not None
    assert reading.unkept == ()


def test_calling_off_late_costs_those_nothing() -> None:
    amounts = []
    for seed in range(1, 6):
        environment = compose(HALL, seed=seed)
        free = {row["id"] for row in environment.seed_data.rows["hirers"] if row["tier"] == "charity"}
        tasks = [task for task in environment.tasks.tasks if task.id.startswith("cancel")]
        amounts += [
            task.answer_facts[0].value
            for task in tasks
            if any(call.arguments.get("hirer_id") in free for call in task.reference_solution)
        ]
    assert amounts
    assert set(amounts) == {0}


def test_an_exemption_from_nothing_that_is_charged_is_reported() -> None:
    reading = understand("A museum sells tickets for guided tours; members go free", seed=3).reading
    assert reading is not None
    assert reading.unkept == ("members go free",)


@pytest.mark.parametrize(
    "text",
    [
        "A club books courts at £8 an hour, free for members, and rents rackets at £5 a day to players",
        "A centre rents bikes at £9 a day to visitors and books courts at £8 an hour, free for members",
    ],
)
def test_only_what_an_exemption_is_said_of_is_free(text: str) -> None:
    policy = compose(text, seed=3).policy
    assert policy is not None
    assert "member pays nothing for court bookings, late" in policy.text
