from __future__ import annotations

from synthesis.documents.environment import Environment
from synthesis.verification.claims.claim import ClaimOutcome
from synthesis.verification.claims.invariants import declared_invariants_hold
from synthesis.verification.claims.tools import no_tool_fails
from synthesis.verification.proof_context import ProofContext
from synthesis.worlds.invariants import read_invariants
from tests.synthesis.worlds.conftest import make_environment

LEAST = '''
def notes_remain(db) -> bool:
    """At least {least} notes are kept."""
    return db.one("SELECT count(*) AS n FROM notes")["n"] >= {least}
'''


def declaring(least: int) -> Environment:
    return make_environment().replace(invariants=read_invariants(LEAST.format(least=least)))


def outcome_of(environment: Environment) -> tuple[ClaimOutcome, ClaimOutcome]:
    answer, tools = ClaimOutcome("declared_invariants_hold"), ClaimOutcome("no_tool_fails")
    with ProofContext(environment) as context:
        declared_invariants_hold(context, answer)
        no_tool_fails(context, tools)
    return answer, tools


def test_what_holds_everywhere_is_counted() -> None:
    answer, _ = outcome_of(declaring(0))
    assert answer.holds
    assert answer.figures["invariants"] == 1
    assert answer.figures["breaches"] == 0


def test_a_breach_by_a_tool_is_blamed_on_the_tool_once() -> None:
    answer, tools = outcome_of(declaring(2))
    assert [(each.part, each.where) for each in answer.findings] == [("tools", "delete_note")]
    assert "delete_note was undone: the invariant notes_remain would be broken" in answer.findings[0].message
    assert answer.findings[0].evidence["call"]["name"] == "delete_note"
    assert answer.figures["breaches"] > 1
    assert not [each for each in tools.findings if each.where == "delete_note"]


def test_a_breach_by_the_seed_rows_is_blamed_on_them_alone() -> None:
    answer, _ = outcome_of(declaring(3))
    assert [(each.part, each.where) for each in answer.findings] == [("seed_data", "notes_remain")]
    assert answer.findings[0].message == (
        "The seed rows break the invariant notes_remain (At least 3 notes are kept.): correct the rows."
    )
