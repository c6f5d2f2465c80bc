"""Amounts in words, worked sums, labels of refusals, and numbers of the rules that they are told of."""

from __future__ import annotations

from typing import Any

import pytest

from synthesis.documents.tasks import AnswerFact
from synthesis.reading.document import ParsedText
from synthesis.reading.judgement import judge_answer
from tests.synthesis.reading.desk_world import CALLS, CUSTOMERS, WRITING, judged, shown

OWED = AnswerFact(name="total owed", type="money_cents", value=19_780)
LEFT = AnswerFact(name="number of places left", type="number", value=3)


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("one hundred and ninety-seven euros eighty is owed", 19_780),
        ("three hundred and seventy-nine pounds fifty.", 37_950),
        ("one thousand two hundred and ninety-two Swiss francs.", 129_200),
        ("twenty-five pounds", 2_500),
        ("six pounds ten minutes ago", 600),
    ],
)
def test_amounts_in_words_have_their_currency(text: str, cents: int) -> None:
    tokens = [token for token in ParsedText(text).tokens if token.unit == "money"]
    assert [set(token.values["money_cents"]) for token in tokens] == [{cents}]


@pytest.mark.parametrize(
    ("text", "fact", "right"),
    [
        ("One hundred and ninety-seven euros eighty is owed.", OWED, True),
        ("One hundred and ninety-seven euros eighteen is owed.", OWED, False),
        ("Places left: 12 - (3 + 3 + 1 + 2) = 3", LEFT, True),
        ("Places left: 12 - (3 + 3 + 1) = 5", LEFT, False),
        ("9 of 12 places are taken, so 3 are left.", LEFT, True),
        ("3 of 12 places are taken, so 9 are left.", LEFT, False),
    ],
)
def test_sums_and_what_is_taken_are_told_apart_from_what_is_asked(
    text: str, fact: AnswerFact, right: bool
) -> None:
    assert judge_answer(text, facts=(fact,), commits=True).right is right


REFUSED: dict[str, Any] = {
    "expects_refusal": True,
    "touched": None,
    "calls": CALLS,
    "tools": {"assign_refund": 0},
    "facts": [AnswerFact(name="RF-501 was assigned", type="boolean", value=False)],
    "instruction": "Assign refund RF-501 to Eva Flint.",
    "reference": "I had to decline, and RF-501 was not assigned: Eva Flint is a driver.",
}


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("RF-501 was left without a clerk: Eva Flint is a driver, which the rules do not allow.", True),
        (
            "Request declined\nProposed: Eva Flint\nWhy: she is a driver, none of the clerks\nChanges: none",
            True,
        ),
        ("Assigned: Eva Flint\nWhy: she is a driver, none of the clerks", False),
        ("RF-501 is with Eva Flint now. She is a driver.", False),
    ],
)
def test_labels_and_what_is_left_without_decline(text: str, right: bool) -> None:
    assert judged(text, **REFUSED).right is right


RULES = """
- A refund goes to a clerk who is on duty. Nobody gets more than 5 open ones.
- A delivery whose declared value is above 30.00 is for a lead.
- A clerk may waive a refund of up to 40.00.
- Send a letter for every bill that is more than 14 days past its due date. Leave out whoever got an overdue
  letter within the last 7 days.
- A refund is due 10 days after it is opened.
"""
RIGHT = "RF-501 went to Ada Brook."
SHOWN = [*CALLS, *([{"name": row["name"]}, shown(row, "customer")] for row in CUSTOMERS), WRITING]


@pytest.mark.parametrize(
    ("remark", "right"),
    [
        ("A delivery may be at most 30.00.", True),
        ("A refund may be at most 30.00.", False),
        ("There must be 7 days between two letters.", True),
        ("There must be 14 days between two letters.", False),
        ("There must be 10 days between two letters.", False),
    ],
)
def test_numbers_are_those_of_the_rule_that_is_told(remark: str, right: bool) -> None:
    reading = judged(f"{RIGHT} {remark}", calls=SHOWN, rules=RULES)
    assert reading.right is right, (reading.untrue, reading.ungrounded)


CITIES = [
    [{"name": row["name"]}, {**shown(row, "customer"), "city": city}]
    for row, city in zip(CUSTOMERS, ("Millhaven", "Ironbridge"), strict=True)
]


@pytest.mark.parametrize(
    ("remark", "right"),
    [
        ("It is for Greta Stone from Millhaven.", True),
        ("It is for Greta Stone from Ironbridge.", False),
        ("RF-502 is another one; that one, RF-502, is with Bo Hale.", True),
        ("There is another one; that one, RF-502, is with Cleo Marsh.", False),
    ],
)
def test_towns_and_holders_are_those_of_the_row(remark: str, right: bool) -> None:
    reading = judged(f"{RIGHT} {remark}", calls=[*CALLS, *CITIES, WRITING])
    assert reading.right is right, (reading.untrue, reading.ungrounded)
