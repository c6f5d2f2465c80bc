"""What answers say became of rows, and what they say that somebody has, beside a right answer."""

from typing import Any

import pytest

from synthesis.documents.tasks import AnswerFact
from synthesis.reading.judgement import AnswerReading
from tests.synthesis.reading.desk_world import ASSIGNED, CALLS, WRITING, judged

RIGHT = "RF-501 went to Ada Brook."
BILLS = {
    "total": 2,
    "items": [
        {"bill_id": 71, "number": "BI-71", "customer_id": 31, "amount_cents": 900, "due_on": "2026-05-20"},
        {"bill_id": 72, "number": "BI-72", "customer_id": 31, "amount_cents": 700, "due_on": "2026-05-28"},
    ],
}
GRETA = {"customer_id": 31, "name": "Greta Stone", "tier": "plain", "standing": "good"}
MARKS = {"RF-501": "refund", "Ada Brook": "clerk", "Greta Stone": "customer"}
LETTERS = [
    {
        "letter_id": number,
        "customer_id": customer,
        "reference": code,
        "kind": "change",
        "sent_on": "2026-05-23",
    }
    for number, customer, code in ((91, 31, "RF-501"), (92, 31, "RF-503"))
]


def read(remark: str, *more: Any, written: Any = ()) -> AnswerReading:
    """What is read of a right answer with a remark; `more` are further results."""
    calls = [*CALLS, WRITING, *([{}, each] for each in (GRETA, *more))]
    rows = [[{}, ASSIGNED], *([{}, each] for each in written)]
    return judged(f"{RIGHT} {remark}", calls=calls, written=rows, marks=MARKS)


@pytest.mark.parametrize(
    ("remark", "is_right"),
    [
        ("BI-71 is overdue.", True),
        ("BI-72 is not due yet.", True),
        ("BI-72 is not overdue.", True),
        ("BI-71 is not due yet.", False),
        ("BI-71 is not overdue.", False),
        ("The oldest of her bills is BI-71.", True),
        ("The oldest of her bills is BI-72.", False),
    ],
)
def test_whether_something_is_over_or_first_is_held_against_its_day(remark: str, *, is_right: bool) -> None:
    assert read(remark, BILLS).right is is_right


@pytest.mark.parametrize(
    ("remark", "is_right"),
    [
        ("Its amount is 520.00.", True),
        ("Its amount is 305.00.", False),
        ("The amount of 520.00 is within the 5 open ones.", True),
    ],
)
def test_its_amount_is_that_of_what_was_written(remark: str, *, is_right: bool) -> None:
    assert read(remark).right is is_right


@pytest.mark.parametrize(
    ("remark", "is_right"),
    [
        ("One letter was sent to Greta Stone for each refund.", True),
        ("Two letters were sent to Greta Stone.", True),
        ("One letter was sent to Greta Stone.", False),
    ],
)
def test_one_message_is_no_more_than_one(remark: str, *, is_right: bool) -> None:
    reading = judged(
        f"{RIGHT} {remark}",
        calls=[*CALLS, WRITING, *([{}, each] for each in (GRETA, *LETTERS))],
        marks=MARKS,
        written=[[{}, ASSIGNED], *([{}, each] for each in LETTERS)],
        tools={"assign_refund": 1, "send_letter": 2},
    )
    assert reading.right is is_right, (reading.untrue, reading.ungrounded)


@pytest.mark.parametrize(
    ("remark", "is_right"),
    [
        ("Greta Stone has two refunds.", True),
        ("RF-503 is Greta Stone's second refund.", True),
        ("RF-503 is Greta Stone's fourth refund.", False),
        ("It was opened yesterday.", False),
        ("It was closed as a duplicate.", False),
    ],
)
def test_what_nothing_shows_of_somebody_is_not_borne_out(remark: str, *, is_right: bool) -> None:
    assert read(remark).right is is_right


def test_a_limit_is_that_of_the_rule_on_what_is_spoken_of() -> None:
    rules = "A clerk may waive a bill of up to 40.00.\nTo close a refund above 600.00 is for a lead."
    for limit, is_right in (("600.00", True), ("40.00", False)):
        text = f"{RIGHT} The refund's amount of 520.00 is within the {limit} we may close ourselves."
        assert judged(text, rules=rules).right is is_right, limit


@pytest.mark.parametrize(
    ("remark", "is_right"),
    [
        ("Greta Stone's BI-71 and BI-72 are open. Both are for Greta Stone.", True),
        ("Cleo Marsh has RF-503 and RF-504. All of them are for Greta Stone.", False),
        ("BI-71 is 3 days past its due date.", True),
        ("BI-71 is 9 days past its due date.", False),
        ("RF-504 had to be opened.", False),
        ("Greta Stone was written to, and she has since paid.", False),
        ("Cleo Marsh has a third refund open.", False),
        ("The 520.00 are 480.00 above the limit of 40.00.", True),
        ("The 520.00 are 400.00 above the limit of 40.00.", False),
    ],
)
def test_further_remarks_are_held_against_rows_and_rules(remark: str, *, is_right: bool) -> None:
    reading = read(remark, BILLS)
    assert reading.right is is_right, (reading.untrue, reading.ungrounded)


def test_what_rows_are_called_is_no_remark_on_them() -> None:
    charge = {"overdue_charge_id": 81, "number": "OC-81", "customer_id": 31, "due_on": "2026-05-28"}
    assert read("Greta Stone has one overdue charge, OC-81.", charge).right


def test_handing_a_matter_over_is_no_handing_over_of_things() -> None:
    referral = {
        "referral_id": 61,
        "reference": "RF-501",
        "clerk_id": 4,
        "clerk": "Dan Orr",
        "reason": "above_limit",
    }
    reading = judged(
        "Dan Orr decides. I handed it over to him.",
        facts=[AnswerFact(name="one who decides", type="name", value="Dan Orr")],
        instruction="Close refund RF-501 if customer rules allow it, else hand it over. Who decides?",
        reference="Done. The one who decides is Dan Orr.",
        calls=[*CALLS, [{"reference": "RF-501", "clerk_id": 4}, referral]],
        touched={("referrals", 61)},
        written=[[{}, referral]],
        tools={"open_referral": 1, "customer_hand_over": 0},
        marks={"RF-501": "refund", "Dan Orr": "clerk"},
    )
    assert reading.right, (reading.untrue, reading.ungrounded)
