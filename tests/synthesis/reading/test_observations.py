"""What an episode showed its agent, and what an answer tells beyond it."""

from __future__ import annotations

from typing import Any

import pytest

from synthesis.reading.document import ParsedText
from synthesis.reading.effects import Effects, effects_from
from synthesis.reading.observations import Observations, unsupported

GIVEN: dict[str, Any] = {
    "tools": {"order_cancel": 1, "order_ship": 0},
    "tables": ["orders", "clients"],
    "names": ["Ada Brook", "Ida Marsh", "OR-2001", "OR-2002", "Berth D61", "Berth D62"],
    "own": ["Ada Brook", "OR-2001", "Cancel OR-2001 of Ada Brook."],
    "words": ["OR-2001"],
    "options": [],
    "amounts": [12_000],
}
RESULT = {
    "number": "OR-2001",
    "total_cents": 12_000,
    "fee_cents": 1_500,
    "due_on": "2026-03-20",
    "berth": "Berth D61",
}
TOLD = (
    "Cancel OR-2001 of Ada Brook.",
    "Orders are cancelled within 14 days; a late one costs 10%.",
    "2026-03-11",
)


@pytest.fixture(name="effects")
def _effects() -> Effects:
    return effects_from(GIVEN)


@pytest.fixture(name="observed")
def _observed() -> Observations:
    return Observations(TOLD, [[{"number": "OR-2001"}, RESULT]])


@pytest.mark.parametrize(
    "text",
    [
        "I cancelled OR-2001 of Ada Brook, due on 20 March 2026.",
        "OR-2001 is cancelled; 135.00 in all, of which the fee is 15.00.",
        "The difference is 105.00 and 10% of it were 12.00.",
        "It can be sent back until 25 March 2026.",
        "It lay at Berth D61. Shall I look at OR-2002 of Ida Marsh as well?",
        "Done.",
    ],
)
def test_what_was_shown_or_follows_from_it_is_supported(
    text: str, effects: Effects, observed: Observations
) -> None:
    assert not unsupported(ParsedText(text), effects, observed)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("I cancelled OR-2001 of Ada Brook and told Ida Marsh.", "ida marsh"),
        ("OR-2001 and OR-2002 are cancelled.", "or 2002"),
        ("OR-2010 is cancelled.", "or 2010"),
        ("It lay at Berth D16.", "berth d16"),
        ("It was due on 3 May 2026.", "a day"),
        ("It was cancelled on 25 March 2026.", "a day"),
        ("OR-2001 is cancelled for 77.70 EUR.", "an amount"),
    ],
)
def test_what_nothing_shows_is_not(text: str, problem: str, effects: Effects, observed: Observations) -> None:
    assert problem in unsupported(ParsedText(text), effects, observed)


def test_a_code_that_only_a_result_has_is_supported(effects: Effects) -> None:
    text = ParsedText("The new one is OR-2010.")
    assert unsupported(text, effects, Observations(TOLD, [RESULT]))
    assert not unsupported(text, effects, Observations(TOLD, [{"order_id": 2010}]))


@pytest.mark.parametrize(
    ("result", "is_known"),
    [
        ({"order_id": 2010}, True),
        ({"order_ids": [2009, 2010]}, True),
        ({"note": "as order 2010 was"}, True),
        ({"note": "no. 2010"}, True),
        ({"quantity": 2010}, False),
        ({"total_cents": 2010}, False),
        ({"number": "DE-2010"}, False),
    ],
)
def test_a_number_shows_a_code_only_where_it_may_be_one(
    result: dict[str, Any], is_known: bool, effects: Effects
) -> None:
    text = ParsedText("The new one is OR-2010.")
    assert bool(unsupported(text, effects, Observations(TOLD, [result]))) is not is_known


def test_results_that_are_too_long_to_be_read_support_everything(effects: Effects) -> None:
    text = ParsedText("OR-2002 of Ida Marsh, 77.70 EUR, 3 May 2026.")
    assert not unsupported(text, effects, Observations(TOLD, ["x" * 500_000]))


@pytest.mark.parametrize(
    ("text", "is_known"),
    [
        ("It was due on 20 March.", True),
        ("It was due on 20 March 2026.", True),
        ("It was due on 20 March 1987.", False),
        ("It was due on 21 March.", False),
    ],
)
def test_a_shown_day_of_another_year_was_not_shown(
    text: str, is_known: bool, effects: Effects, observed: Observations
) -> None:
    assert bool(unsupported(ParsedText(text), effects, observed)) is not is_known


@pytest.mark.parametrize(("text", "read"), [("", False), ("Done.", False), ("OR-2001 is cancelled.", True)])
def test_rows_are_read_only_for_an_answer_that_names_one(
    text: str, read: bool, effects: Effects, observed: Observations
) -> None:
    assert not unsupported(ParsedText(text), effects, observed)
    assert ("rows" in vars(observed)) is read
