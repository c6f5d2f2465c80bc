"""Who closes a matter: limits only where somebody agrees to an amount, results that supervisors enter."""

from __future__ import annotations

import pytest

from synthesis.procedural.business.author import compose
from synthesis.procedural.business.build import build
from synthesis.procedural.business.model import Business
from synthesis.procedural.business.plan import plan
from synthesis.procedural.business.policy_text import policy_text
from synthesis.procedural.business.source import tools_source
from synthesis.procedural.sentence.reader import parse

PERMITS = "A council issues permits to builders"
LEAKS = "A water company repairs leaks for households"
CRAFTS = "A firm inspects roofs, cleans gutters, surveys chimneys and measures rooms"


def _business(sentence: str, seed: int = 1) -> Business:
    return build(plan(parse(sentence)), sentence, seed)


def test_only_what_somebody_agrees_to_has_a_limit() -> None:
    permits, leaks = _business(PERMITS), _business(LEAKS)
    assert "permits.result" in permits.rules
    assert "permits.limit" not in permits.rules
    assert "leak_repairs.limit" in leaks.rules
    assert "leak_repairs.result" not in leaks.rules
    assert permits.processes[0].reserved == "refused"
    assert "refused" in permits.rules["permits.result"].text


def test_not_everything_that_a_business_does_is_kept_for_supervisors() -> None:
    kept = [[p for p in _business(CRAFTS, seed).processes if p.reserved] for seed in range(12)]
    assert all(kept), "something always is"
    assert len({len(each) for each in kept}) > 1
    assert any(len(each) < 4 for each in kept)


def test_a_handover_says_that_it_is_for_the_result() -> None:
    permits, leaks = _business(PERMITS), _business(LEAKS)
    assert "result" in permits.handover.column("reason").choices
    assert "result" not in leaks.handover.column("reason").choices
    assert 'reason: Literal["above_limit", "result", "complaint", "unclear"]' in tools_source(permits)
    assert "what only they may close" in policy_text(permits, "Ada Lund")
    assert "what only they may close" not in policy_text(leaks, "Ada Lund")


@pytest.mark.parametrize("seed", range(4))
def test_requests_to_close_end_as_the_result_asks_for(seed: int) -> None:
    environment = compose(PERMITS, seed=seed)
    tasks = [task for task in environment.tasks.tasks if "or_hand_over_permit" in task.id]
    for task in tasks:
        handed = [dict(call.arguments) for call in task.reference_solution if "reason" in call.arguments]
        assert ("refused" in task.instruction.lower()) is bool(handed)
        assert all(each["reason"] == "result" for each in handed)
        assert handed or task.answer_facts[0].name == "due date of the permit"
