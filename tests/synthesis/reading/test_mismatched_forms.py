"""Weekdays, currencies and addresses are right or wrong by their form, whatever sentence they stand in."""

from __future__ import annotations

from datetime import date

import pytest

from synthesis.reading.document import ParsedText
from synthesis.reading.effects import effects_from
from synthesis.reading.judgement import judge_answer
from synthesis.reading.mismatched_forms import mismatched_weekday, other_currency, unknown_contact
from synthesis.reading.observations import Observations

SHOWN, TODAY = {"2025-08-07"}, date(2026, 5, 12)


@pytest.mark.parametrize(
    ("text", "weekday"),
    [
        ("The first due date was Thursday, 7 August 2026.", "thursday"),
        ("It is on 2026-08-07 (a Monday).", "monday"),
        ("It is on Fri 8 August 2026.", "friday"),
        ("It is on Wed, Aug 6, 2026; the other on Friday, Aug 6, 2026.", "wednesday"),
        ("Until 13 May, a Tuesday, it is free.", "tuesday"),
        ("It was due on Friday, 7 August.", "friday"),
        ("It is on Friday, 7 August 2026.", ""),
        ("It is on Fri, 2026-08-07.", ""),
        ("Until 13 May, a Wednesday, it is free.", ""),
        ("It was due on Thursday, 7 August.", ""),
        ("On 7 August 2026, Monday's class was called off.", ""),
        ("Mondays from 10:00, next on 7 August 2026.", ""),
        ("Not on Monday, but it is on 7 August 2026.", ""),
        ("It is on Friday, 31 February 2026.", ""),
    ],
)
def test_a_weekday_is_that_of_the_day_beside_it(text: str, weekday: str) -> None:
    assert mismatched_weekday(ParsedText(text), SHOWN, TODAY) == weekday


@pytest.mark.parametrize(
    ("texts", "answer", "currency"),
    [
        ("Fees are in euros: \u20ac5.00 a day.", "She owes $9.00.", "USD"),
        ("Fees are 5.00 EUR a day.", "She owes CHF 9.00.", "CHF"),
        ("Fees are 5.00 CHF a day.", "She owes 9.00 francs.", ""),
        ("Fees are \u00a35.00 a day.", "She owes 9.00 pounds, or \u00a39.00.", ""),
        ("Fees are \u00a35.00 a day.", "She owes 9.00.", ""),
        ("Fees are \u00a35.00 or \u20ac6.00 a day.", "She owes $9.00.", ""),
        ("No fee is named.", "She owes $9.00.", ""),
    ],
)
def test_amounts_are_in_the_currency_of_the_world(texts: str, answer: str, currency: str) -> None:
    assert other_currency(ParsedText(answer), ParsedText(texts)) == currency


@pytest.mark.parametrize(
    ("answer", "contact"),
    [
        ("Her number is 555-0167.", "555-0167"),
        ("Write to Anna.Berg2@example.org.", "anna.berg2@example.org"),
        ("Her number is 555-0166, her address anna.berg1@example.org.", ""),
        ("It is II-9718, of 2026-05-12, 10-12 pieces.", ""),
    ],
)
def test_who_is_reached_was_shown(answer: str, contact: str) -> None:
    assert unknown_contact(ParsedText(answer), ["Call 555-0166", "ANNA.BERG1@example.org"]) == contact


def test_an_answer_with_one_of_them_is_untrue() -> None:
    effects = effects_from(
        {"tools": {}, "tables": {}, **dict.fromkeys(("names", "own", "words", "options", "amounts"), ())}
    )
    observed = Observations(
        ["When does she begin, and what does she pay? She pays in \u20ac, as \u20ac5.00."],
        [({}, {"begins": "2026-08-07", "email": "anna.berg1@example.org", "pays_cents": 900})],
    )
    for text, right in (
        ("She begins on Friday, 7 August 2026, and pays \u20ac9.00.", True),
        ("She begins on Thursday, 7 August 2026, and pays \u20ac9.00.", False),
        ("She begins on 7 August 2026 and pays $9.00.", False),
        ("She begins on 7 August 2026: anna.berg1@example.com.", False),
    ):
        assert judge_answer(text, effects=effects, observed=observed).right is right, text
