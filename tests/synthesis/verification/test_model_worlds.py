"""What verifiers by models do rightly and the proof once refused: a row of two keys removed, own words."""

from __future__ import annotations

from typing import Any

import pytest

from synthesis.documents.environment import Environment
from synthesis.documents.seed_data import SeedData
from synthesis.documents.tasks import Task, Tasks
from synthesis.documents.tools import ToolCall
from synthesis.documents.verifiers import Verifier, Verifiers
from synthesis.verification.checks import CHECKS
from synthesis.verification.proof_context import ProofContext
from synthesis.worlds.database import read_schema
from synthesis.worlds.toolset import read_toolset

SCHEMA = """
CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE pet_allergies (
    pet_id INTEGER NOT NULL REFERENCES pets (id), substance_id INTEGER NOT NULL,
    PRIMARY KEY (pet_id, substance_id)
);
CREATE TABLE referrals (
    id INTEGER PRIMARY KEY, pet_id INTEGER NOT NULL REFERENCES pets (id), reason TEXT NOT NULL
);
"""
ROWS = {
    "pets": [{"id": 201, "name": "Coco"}, {"id": 202, "name": "Pepper"}, {"id": 203, "name": "Luna"}],
    "pet_allergies": [
        {"pet_id": pet, "substance_id": substance} for pet in (201, 202, 203) for substance in (256, 257, 258)
    ],
    "referrals": [{"id": 751, "pet_id": 203, "reason": "Heart murmur grade 1, check-up of the whole animal"}],
}
TOOLS = '''
def find_pets(db, name: str) -> dict:
    """Find pets.

    Args:
        name: Of the pet.
    """
    return {"items": db.query("SELECT id, name FROM pets WHERE name = ? ORDER BY id LIMIT 20", name)}


def remove_allergy(db, pet_id: int, substance_id: int) -> dict:
    """Remove an allergy.

    Args:
        pet_id: Of the pet.
        substance_id: The substance.
    """
    statement = "DELETE FROM pet_allergies WHERE pet_id = ? AND substance_id = ?"
    if not db.execute(statement, pet_id, substance_id):
        raise ToolError("It is not recorded.")
    return {"pet_id": pet_id, "substance_id": substance_id}


def create_referral(db, pet_id: int, reason: str) -> dict:
    """Refer a pet.

    Args:
        pet_id: The pet.
        reason: Why, in your own words.
    """
    if not reason.strip() or db.one("SELECT id FROM pets WHERE id = ?", pet_id) is None:
        raise ToolError("There is no such pet, or no reason.")
    return {"referral_id": db.insert("referrals", pet_id=pet_id, reason=reason), "reason": reason}
'''
REASON = "Heart murmur, grade 3, found at the visit on 8 May 2026"


def world(clinic: Environment, call: ToolCall, verifier: str) -> Environment:
    """One task in a small world: find a pet, then make that call."""
    task = Task(
        id="look_after_pet",
        kind="write",
        difficulty="easy",
        min_calls=2,
        instruction="Do for the pet what its owner asked for, because of the heart murmur of 8 May.",
        reference_solution=(ToolCall(name="find_pets", arguments={"name": "Pepper"}), call),
        reference_answer="It is done.",
    )
    return clinic.replace(
        policy=None,
        invariants=None,
        schema=read_schema(SCHEMA),
        seed_data=SeedData.model_validate({"rows": ROWS}),
        tools=read_toolset(TOOLS),
        tasks=Tasks(tasks=(task,)),
        verifiers=Verifiers(verifiers=(Verifier(task_id=task.id, source=verifier),)),
    )


def findings(environment: Environment, claim: str) -> list[str]:
    with ProofContext(environment) as context:
        return [finding.message for finding in CHECKS[claim](context).findings]


REMOVED = """
def verify(before, after, changes, answer):
    gone = removed(before, after, "pet_allergies")
    yield check("the allergy is removed", holds(gone, pet_id=202, substance_id=257))
    yield check("nothing else changed", changes.only({places}), guard=True)
"""
RIGHT_PLACE = '("pet_allergies", (202, 257))'
ANY_PLACE = '*[("pet_allergies", (row["pet_id"], row["substance_id"])) for row in gone]'
REMOVE = ToolCall(name="remove_allergy", arguments={"pet_id": 202, "substance_id": 257})


@pytest.mark.parametrize("places", [RIGHT_PLACE, ANY_PLACE])
def test_the_check_of_a_removed_row_is_known_to_be_needed(clinic: Environment, places: str) -> None:
    environment = world(clinic, REMOVE, REMOVED.replace("{places}", places))
    assert findings(environment, "weaker_verifiers_would_be_noticed") == []
    assert findings(environment, "near_misses_are_refused") == []


@pytest.mark.parametrize("demand", ["pet_id=202", "substance_id=257"])
def test_another_row_that_is_removed_instead_is_a_near_miss(clinic: Environment, demand: str) -> None:
    source = REMOVED.replace("{places}", ANY_PLACE).replace("pet_id=202, substance_id=257", demand)
    assert findings(world(clinic, REMOVE, source), "near_misses_are_refused")


REFERRED = """
def verify(before, after, changes, answer):
    rows = added(before, after, "referrals")
    yield check("one referral", len(rows) == 1 and rows[0]["pet_id"] == 202 and WHY)
    yield check("nothing else changed", changes.only(*[("referrals", row["id"]) for row in rows]), guard=True)
"""


@pytest.mark.parametrize("why", ['"murmur" in rows[0]["reason"].lower()', 'bool(rows[0]["reason"])'])
def test_the_agents_own_words_are_not_demanded_although_a_call_shows_them_again(
    clinic: Environment, why: str
) -> None:
    call = ToolCall(name="create_referral", arguments={"pet_id": 202, "reason": REASON})
    environment = world(clinic, call, REFERRED.replace("WHY", why))
    assert findings(environment, "near_misses_are_refused") == []


def test_words_that_the_agent_was_shown_are_demanded(clinic: Environment) -> None:
    call = ToolCall(name="create_referral", arguments={"pet_id": 202, "reason": REASON})
    environment = world(clinic, call, REFERRED.replace("WHY", "True"))
    task = environment.tasks.tasks[0].replace(instruction=f'Refer Pepper to cardiology, reason: "{REASON}".')
    found = findings(environment.replace(tasks=Tasks(tasks=(task,))), "near_misses_are_refused")
    assert any("reason" in message for message in found)


def test_all_that_one_hole_lets_through_is_told_at_once(clinic: Environment) -> None:
    call = ToolCall(name="create_referral", arguments={"pet_id": 202, "reason": "Murmur"})
    environment = world(clinic, call, REFERRED.replace("WHY", "True"))
    with ProofContext(environment) as context:
        (finding,) = CHECKS["near_misses_are_refused"](context).findings
    evidence: Any = finding.evidence
    (difference,) = evidence["differs_from_the_right_end"]
    assert [*difference["before"]] == [*difference["after"]] == ["reason"]
    more = evidence["more_like_it"]
    assert f"({len(more)} more like it" in finding.message
    assert len(set(more)) == len(more) > 1
