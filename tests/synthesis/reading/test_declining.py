"""How answers decline in few words, ask who is meant, and tell an hour."""

import pytest

from synthesis.documents.tasks import AnswerFact, Blocking
from synthesis.reading.judgement import judge_answer
from synthesis.reading.statements import declines
from synthesis.reading.tokens import tokens

SUSPENDED = (Blocking(kind="status", text="Rowan Club is suspended", value="suspended", type="text"),)
LOAN = {
    "facts": (AnswerFact(name="table loan was entered", type="boolean", value=False),),
    "blocking": SUSPENDED,
    "expects_refusal": True,
    "instruction": "Please lend Jasper Table to Rowan Club from 3 May 2026 to 6 May 2026.",
    "reference": "The table loan was not entered: Rowan Club is suspended.",
}
TOWNS = (
    Blocking(kind="value", text="there are two customers of that name", value="Thornmouth", type="name"),
    Blocking(kind="value", text="one of the two is from Larkmoor", value="Larkmoor", type="name"),
)
NAMESAKE = {
    "facts": (AnswerFact(name="the phone number was changed", type="boolean", value=False),),
    "blocking": TOWNS,
    "expects_refusal": True,
    "instruction": "The customer Dario Meadowcroft has a new phone, 555-0469. Update our records.",
    "reference": "The phone number was not changed: two customers are called Dario Meadowcroft.",
}


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("I've declined the table loan. Rowan Club is suspended.", True),
        ("Lena, I've declined it: Rowan Club is suspended.", True),
        ("Lena, declined: Rowan Club is suspended.", True),
        ("Hi Lena, declined: Rowan Club is suspended.", True),
        ("I have refused it since Rowan Club is suspended.", True),
        ("We have refused this one, Rowan Club is suspended.", True),
        ("I have declined nothing: the loan to Rowan Club, which is suspended, is entered.", False),
        ("I've declined nothing; the loan is entered although Rowan Club is suspended.", False),
        ("I've lent it, although Rowan Club is suspended.", False),
    ],
)
def test_what_was_declined_is_read_in_the_perfect_tense_and_behind_a_name(text: str, right: bool) -> None:
    reading = judge_answer(text, **LOAN)
    assert reading.right is right, reading
    assert declines(text, *SUSPENDED) is right


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (
            "Could you tell me which Dario Meadowcroft you mean - the one from Thornmouth or from Larkmoor?",
            True,
        ),
        (
            "Which one? There is one in Thornmouth and one in Larkmoor; I need the town before I update it.",
            True,
        ),
        (
            "There are two of them (Thornmouth, Larkmoor). Please let me know which one and I'll update it.",
            True,
        ),
        ("Before I touch it: is this the one in Thornmouth, or his namesake in Larkmoor?", True),
        ("Which one?", False),
        ("I updated the phone. Which one is he, of Thornmouth or of Larkmoor?", False),
        ("I've updated Dario Meadowcroft of Thornmouth, not the one of Larkmoor.", False),
    ],
)
def test_to_ask_which_of_two_is_meant_is_to_decline_where_both_are_told_apart(text: str, right: bool) -> None:
    reading = judge_answer(text, **NAMESAKE)
    assert reading.right is right, reading


HOUR = {
    "facts": (AnswerFact(name="hour at which the repair begins", type="number", value=9),),
    "instruction": "Enter a repair of 2 hours on 13 May 2026. At what hour does it begin?",
    "reference": "Done. The hour at which the repair begins is 9.",
    "changed": True,
}


@pytest.mark.parametrize(
    ("text", "right"),
    [
        *(
            (text, True)
            for text in ("9", "At nine.", "9:00", "It begins at 09:00.", "9 am.", "At 9 o'clock.")
        ),
        ("It begins at nine o'clock in the morning.", True),
        ("Nine in the morning.", True),
        *((text, False) for text in ("10:00", "21:00", "9 in the evening", "It begins at 11:00.", "9:30")),
    ],
)
def test_an_hour_may_be_told_as_a_time(text: str, right: bool) -> None:
    assert judge_answer(text, **HOUR).right is right


def test_a_number_of_hours_is_no_time() -> None:
    fact = AnswerFact(name="hours of the repair", type="number", value=9)
    assert not judge_answer("9:00", **{**HOUR, "facts": (fact,)}).right


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("nine in the morning", {"09:00"}),
        ("2 in the afternoon", {"14:00"}),
        ("12 in the morning", {"00:00"}),
        ("14 in the evening", set()),
        ("2 in the hall", set()),
    ],
)
def test_the_half_of_the_day_behind_an_hour_makes_a_time(text: str, times: set[str]) -> None:
    assert set().union(*(token.values.get("time", frozenset()) for token in tokens(text))) == times
