"""Answers that tell the opposite of the choice, or another extent, than was asked for."""

from __future__ import annotations

import pytest

from synthesis.reading.judgement import judge_answer

CHEAPEST = "Enter a rental of whichever room is free at the lowest daily price. Which one is it?"
RENEWED = "Please renew the loan of Ada Brook by 3 days."


def _untrue(text: str, instruction: str, reference: str) -> str:
    return judge_answer(text, changed=True, instruction=instruction, reference=reference).untrue


@pytest.mark.parametrize(
    "text",
    [
        "I entered the rental of Room D77, the most expensive one that was free.",
        "I entered the rental of the dearest room, Room D77.",
        "I entered a rental of Room D77, which has the highest daily price.",
    ],
)
def test_the_other_end_of_the_scale_is_untrue(text: str) -> None:
    assert "opposite" in _untrue(text, CHEAPEST, "I entered the rental of Room D77.")


@pytest.mark.parametrize(
    "text",
    [
        "I entered the rental of Room D77, the cheapest one that was free.",
        "I entered the rental of Room D77, the least expensive of the free ones.",
        "I entered the rental of Room D77, the lowest price; the highest was Room D12.",
        "I entered the rental of Room D77, not the most expensive one.",
        "I entered the rental of Room D77, which is also the largest.",
        "I entered the rental of Room D77.",
    ],
)
def test_the_end_that_was_asked_for_and_other_scales_are_not(text: str) -> None:
    assert not _untrue(text, CHEAPEST, "I entered the rental of Room D77.")


def test_a_deadline_is_no_choice() -> None:
    instruction = "Settle the earliest debit of Ada Brook."
    text = "I settled the debit; the money arrives on 3 May at the latest."
    assert not _untrue(text, instruction, "I settled the debit.")


@pytest.mark.parametrize(
    ("text", "is_untrue"),
    [
        ("I renewed the loan by 4 days.", True),
        ("The loan was renewed by four days.", True),
        ("I renewed the loan by 3 days.", False),
        ("I renewed the loan by three days.", False),
        ("I renewed the loan by 3 days; it had been late by 5 days before.", False),
        ("I renewed the loan.", False),
    ],
)
def test_another_extent_is_untrue(text: str, is_untrue: bool) -> None:
    assert bool(_untrue(text, RENEWED, "I renewed the loan.")) is is_untrue
