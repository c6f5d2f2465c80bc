"""What a sentence requires of people, or of what they bring: a flag, a rule of the policy, refusals."""

from __future__ import annotations

import pytest

from synthesis.procedural.business.author import compose, understand
from synthesis.verification.checks import CHECKS
from synthesis.verification.proof_context import ProofContext

REFERRED = "A food bank collects donations and hands out parcels to families who have been referred"
VACCINATED = "A kennel boards dogs while their owners are on holiday; dogs must be vaccinated"
CERTIFICATE = "A sailing school runs courses for pupils; pupils must have a medical certificate"
REGISTERED = "A library lends books; readers must be registered"
TESTED = "A nail bar books appointments; a new client must have a patch test first"
PASSED = "A kayak club hires out kayaks to members who have passed a capsize test"


@pytest.mark.parametrize(
    "text",
    [
        *(REFERRED, VACCINATED),
        *(pytest.param(text, marks=pytest.mark.slow) for text in (CERTIFICATE, REGISTERED, TESTED, PASSED)),
    ],
)
@pytest.mark.parametrize("seed", [9, pytest.param(21, marks=pytest.mark.slow)])
def test_a_world_with_a_requirement_is_proved_and_tasks_rest_on_it(text: str, seed: int) -> None:
    environment = compose(text, seed=seed)
    assert any(task.id.endswith("against_the_rule") for task in environment.tasks.tasks)
    with ProofContext(environment) as context:
        results = {name: check(context) for name, check in CHECKS.items()}
    assert {name: result.findings for name, result in results.items() if not result.passed} == {}


@pytest.mark.parametrize(
    ("text", "table", "flag", "record"),
    [
        (REFERRED, "families", "referred", "parcel_issues"),
        (VACCINATED, "dogs", "vaccinated", "dog_stays"),
        (CERTIFICATE, "pupils", "has_medical_certificate", "course_registrations"),
        (TESTED, "clients", "has_patch_test", "appointments"),
    ],
)
def test_some_lack_what_is_required_and_no_record_is_theirs(
    text: str, table: str, flag: str, record: str
) -> None:
    environment = compose(text, seed=3)
    rows = environment.seed_data.rows
    lacking = {row["id"] for row in rows[table] if not row[flag]}
    key = next(name for name in rows[record][0] if name.endswith("_id") and name[:3] == table[:3])
    assert lacking
    assert len(lacking) < len(rows[table]) / 2
    assert lacking.isdisjoint(row[key] for row in rows[record])
    assert f"under {flag} decides" in environment.policy.text
    assert f"{record}.proof" in {rule.name for rule in environment.policy.row_rules}


def test_those_who_may_not_are_refused_by_name_and_by_what_they_lack() -> None:
    environment = compose(VACCINATED, seed=9)
    task = next(task for task in environment.tasks.tasks if task.id.endswith("against_the_rule"))
    dogs = {row["name"]: row["vaccinated"] for row in environment.seed_data.rows["dogs"]}
    named = [name for name in dogs if f"the dog {name} is not vaccinated" in task.reference_answer]
    assert [dogs[name] for name in named] == [0]


@pytest.mark.parametrize("text", [REFERRED, VACCINATED, CERTIFICATE, REGISTERED, TESTED, PASSED])
def test_a_requirement_counts_as_represented(text: str) -> None:
    reading = understand(text, seed=3).reading
    assert reading is not None
    assert reading.unkept == ()
    assert reading.fidelity == 1


def test_a_requirement_of_nobody_who_is_served_is_reported() -> None:
    reading = understand(
        "Carers visit clients, and each visit must be signed for by a relative", seed=3
    ).reading
    assert reading is not None
    assert reading.unkept == ("each visit must be signed for by a relative",)


def test_how_a_requirement_is_met_is_not_required_for_itself() -> None:
    text = "A school nurse signs forms of parents and gives medicine only when parents have signed a form"
    reading = understand(text, seed=3).reading
    assert reading is not None
    assert not any(rule.startswith("forms.") for rule in reading.homes.values())
