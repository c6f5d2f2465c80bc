"""Rules for some alone, thresholds and deposits: reported, kept, or no rule that is lacking."""

from __future__ import annotations

import pytest

from synthesis.procedural.business.author import understand
from synthesis.procedural.business.build import build
from synthesis.procedural.business.plan import plan
from synthesis.procedural.business.policy_text import policy_text
from synthesis.procedural.sentence.reader import parse
from synthesis.procedural.sentence.stated_rules import rules_of
from synthesis.procedural.sentence.tokens import tokens_of


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("a council lets plots to residents only", ["to residents only"]),
        ("a house whose firearms are only hired to productions", ["only hired to productions"]),
        ("a firm cancels lifts when gusts top 38 km", ["top 38 km"]),
        ("a gang shears sheep and the minimum is 40 ewes", ["minimum is 40 ewes"]),
        ("wet sheep don't get shorn", ["don't get shorn"]),
        ("it has only two boats", []),
    ],
)
def test_the_words_of_a_rule_for_some_or_from_a_number_on_are_read(text: str, rules: list[str]) -> None:
    assert [" ".join(token.text for token in each) for each in rules_of(tokens_of(text))] == rules


def test_sheep_that_do_not_get_shorn_are_not_shorn() -> None:
    planned = plan(parse("A gang mends fences for farmers, wet sheep don't get shorn"))
    assert [process.verb for process in planned.processes] == ["mend"]


def test_what_is_to_be_booked_days_ahead_of_a_trip_is_a_rule_of_its_places() -> None:
    ferry = "A ferry company carries cars for drivers; drivers must book at least two days ahead"
    planned = plan(parse(ferry))
    assert [process.record for process in planned.processes] == ["car booking"]
    reading = understand(ferry).reading
    assert reading is not None
    assert reading.unkept == ()
    text = policy_text(build(planned, ferry, 1), "Ada Lund")
    assert "No car booking is entered later than 2 days before the trip begins" in text


@pytest.mark.parametrize("deposit", ["a deposit of £50", "a £50 deposit", "a deposit of 50 pounds"])
def test_a_deposit_on_record_is_no_rule_that_is_lacking(deposit: str) -> None:
    sentence = f"A shop rents bikes against {deposit}"
    reading = understand(sentence).reading
    assert reading is not None
    assert reading.unkept == ()
    assert reading.homes["deposit"] == "column bike_rentals.deposit_cents"
    assert plan(parse(sentence)).processes[0].deposit == 5000
