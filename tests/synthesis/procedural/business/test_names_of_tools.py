"""Names of tools and words of rules: as people of the trade would say them."""

from __future__ import annotations

import re

import pytest

from synthesis.procedural.business.build import build
from synthesis.procedural.business.model import Business
from synthesis.procedural.business.plan import plan
from synthesis.procedural.business.policy_text import policy_text
from synthesis.procedural.sentence.reader import parse


def _business(sentence: str, seed: int = 1) -> Business:
    return build(plan(parse(sentence)), sentence, seed)


@pytest.mark.parametrize(
    "sentence",
    [
        "A water company reads meters, sends bills and repairs leaks in the street",
        "A puppet theatre stages shows, builds puppets and tours schools",
        "A tour operator sells trips and refunds travellers if a flight is cancelled",
        "Small place, we repair bicycles and sell helmets",
    ],
)
@pytest.mark.parametrize("seed", range(6))
def test_no_tool_has_a_number_in_its_name(sentence: str, seed: int) -> None:
    business = _business(sentence, seed)
    named = [*business.tool.values(), *(name for p in business.processes for name in p.names.values())]
    assert len(set(named)) == len(named)
    assert not [name for name in named if re.search(r"_\d+$", name)]


def test_what_the_noun_says_is_not_said_of_it() -> None:
    text = policy_text(_business("An orchestra rehearses symphonies"), "Ada Lund")
    assert "We rehearse" not in text
    assert "We run" in policy_text(_business("A school runs swimming lessons for pupils"), "Ada Lund")


def test_what_has_no_plural_is_ordered_in_packs() -> None:
    texts = [
        rule.text
        for seed in range(8)
        for key, rule in _business("A mill spins yarn for knitters", seed).rules.items()
        if key.endswith(".packs")
    ]
    assert any("Yarn is ordered" in text for text in texts)
    assert not any("Yarn are" in text for text in texts)
