"""The card of a task: what the answer has to say is said once, with its value."""

from __future__ import annotations

from typing import Any

from studio.models import EnvironmentRecord
from studio.presentation import task_card
from studio.presentation.plain_language import PlainLanguage
from studio.services.review.demonstrations import Demonstration
from synthesis.documents.verdict import CheckOutcome


def test_a_check_of_the_answer_has_the_value_and_says_it_alone(
    stored: EnvironmentRecord, monkeypatch: Any
) -> None:
    checks = (CheckOutcome(name="the answer says: loans", passed=True),)
    monkeypatch.setattr(task_card, "demonstration", lambda *_: Demonstration((), checks))
    plain = PlainLanguage(stored)
    (task,) = (each for each in plain.design.tasks.tasks if each.id == "count_the_loans")
    card = task_card.task_card(stored, task, plain)
    assert card.checks == (("check-1", "The answer says: loans, 1", True),)
    assert card.facts == (("Loans", "1"),)
    assert card.facts_alone == ()
