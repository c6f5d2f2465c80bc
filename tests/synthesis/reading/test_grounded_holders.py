"""Who a row went to, came from and is for, as answers tell it beside what they were asked."""

from __future__ import annotations

from typing import Any

import pytest

from synthesis.reading.judgement import AnswerReading
from tests.synthesis.reading.desk_world import CALLS, CUSTOMERS, REFUNDS, judged, shown

# Cleo Marsh's refunds are passed on: RF-504 to Ada Brook, then RF-503 to Bo Hale.
FIRST, LAST = {**REFUNDS[3], "clerk_id": 1}, {**REFUNDS[2], "clerk_id": 2}
GIVEN: dict[str, Any] = {
    "facts": [],
    "instruction": "Pass on Cleo Marsh's refunds. Who got the first one and who the last one?",
    "reference": "Both were passed on.",
    "calls": [
        *CALLS[1:],
        [{}, {"total": 2, "items": [shown(row, "customer") for row in CUSTOMERS]}],
        [{"refund_id": 504, "clerk_id": 1}, shown(FIRST, "refund")],
        [{"refund_id": 503, "clerk_id": 2}, shown(LAST, "refund")],
    ],
    "written": [[{}, LAST], [{}, FIRST]],
    "touched": {("refunds", 503), ("refunds", 504)},
    "tools": {"assign_refund": 2, "close_refund": 0},
    "marks": {
        "RF-503": "refund",
        "RF-504": "refund",
        "Ada Brook": "clerk",
        "Bo Hale": "clerk",
        "Cleo Marsh": "clerk",
    },
}


def read(text: str) -> AnswerReading:
    return judged(text, **GIVEN)


@pytest.mark.parametrize(
    "text",
    [
        "The last refund went to Bo Hale.",
        "The first refund went to Ada Brook.",
        "The last one, RF-503, is with Bo Hale.",
        "RF-503, the last one, went to Bo Hale.",
        "RF-504 was taken over from Cleo Marsh.",
        "RF-504 had been given to Cleo Marsh before.",
        "RF-503, for Greta Stone, went to Bo Hale.",
        "RF-504, which is for Hugo Vale, went to Ada Brook.",
        "Both refunds came from Cleo Marsh.",
    ],
)
def test_whom_rows_show_may_be_named(text: str) -> None:
    reading = read(text)
    assert reading.right, (reading.untrue, reading.ungrounded)


@pytest.mark.parametrize(
    "text",
    [
        "The last refund went to Ada Brook, as Bo Hale had already got the first.",
        "The last refund went to Cleo Marsh.",
        "The first refund went to Bo Hale.",
        "Both refunds went to Bo Hale.",
        "The last one, RF-504, is with Ada Brook.",
        "RF-504, the last one, went to Ada Brook.",
        "Bo Hale has the last refund. It is RF-504.",
        "RF-504 is with Bo Hale.",
        "RF-504 was taken over from Bo Hale.",
        "RF-503, for Hugo Vale, went to Bo Hale.",
        "RF-504, which is for Greta Stone, went to Ada Brook.",
    ],
)
def test_another_than_rows_show_is_not_borne_out(text: str) -> None:
    reading = read(text)
    assert reading.ungrounded or reading.untrue


@pytest.mark.parametrize(
    ("remark", "right"),
    [("had one", True), ("now has two", True), ("had none", False), ("now has three", False)],
)
def test_calls_only_add_to_the_rows_that_a_list_lacks(remark: str, right: bool) -> None:
    assert read(f"The last refund went to Bo Hale. Bo Hale {remark}.").right is right


LETTERS: dict[str, Any] = {
    **GIVEN,
    "calls": [
        *GIVEN["calls"],
        *(
            [{"customer_id": customer}, {"letter_id": letter, "customer_id": customer, "kind": "change"}]
            for letter, customer in ((81, 31), (82, 32))
        ),
    ],
    "written": [
        *GIVEN["written"],
        [{}, {"letter_id": 81, "customer_id": 31, "kind": "change"}],
        [{}, {"letter_id": 82, "customer_id": 32, "kind": "change"}],
    ],
    "tools": {**GIVEN["tools"], "send_letter": 2},
    "marks": {**GIVEN["marks"], "Greta Stone": "customer", "Hugo Vale": "customer"},
}


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("One letter each went to Greta Stone and Hugo Vale.", True),
        ("A letter went to Hugo Vale.", True),
        ("A letter went to Cleo Marsh.", False),
        ("Both letters went to Hugo Vale.", False),
    ],
)
def test_letters_went_to_those_for_whom_they_were_written(text: str, *, is_so: bool) -> None:
    reading = judged(f"The last refund went to Bo Hale. {text}", **LETTERS)
    assert reading.right is is_so, (reading.untrue, reading.ungrounded)
