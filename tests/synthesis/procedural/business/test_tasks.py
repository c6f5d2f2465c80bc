"""The tasks of a composed world differ in what they change."""

from __future__ import annotations

import pytest

from synthesis.procedural.business.author import _business as business_of
from synthesis.procedural.business.author import compose
from synthesis.procedural.business.rows import seed_data

SENTENCE = "A translation agency assigns documents to certified translators by language and deadline."


def test_no_two_tasks_change_the_same() -> None:
    environment = compose(SENTENCE, seed=5)  # whose first ten tasks had two that pass on the same work
    writing = {tool.name for tool in environment.tools.tools if tool.mutates_state}
    changes = [
        [(call.name, call.arguments) for call in task.reference_solution if call.name in writing]
        for task in environment.tasks.tasks
    ]
    changing = [each for each in changes if each]
    assert len(changing) > 1
    assert all(each not in changing[:number] for number, each in enumerate(changing))


TRADES = (
    SENTENCE,
    "A boatyard stores yachts over winter and services engines",
    "A bakery bakes bread, supplies cafes and repairs ovens",
    "A county court schedules hearings and fines drivers",
    "A garden centre sells plants and rents tools",
    "A vet treats pets and sells feed",
)


@pytest.mark.parametrize("sentence", TRADES)
def test_a_clerk_may_waive_about_half_of_what_is_open(sentence: str) -> None:
    business = business_of(sentence, 4)
    charges = seed_data(business).rows[business.charge.name]
    amounts = [row["amount_cents"] for row in charges if row["status"] == "open"]
    most = business.value("waive", "cents")
    assert 0.3 <= sum(amount <= most for amount in amounts) / len(amounts) <= 0.7
    assert business.money(most) in business.rules["waive"].text


def test_neither_doing_nor_handing_over_is_always_right() -> None:
    handed = [
        any(call.arguments.get("reason") in ("above_limit", "result") for call in task.reference_solution)
        for number, sentence in enumerate(3 * TRADES)
        for task in compose(sentence, seed=number).tasks.tasks
        if "or_hand_over" in task.id
    ]
    assert len(handed) >= 18
    assert 0.25 <= sum(handed) / len(handed) <= 0.75
