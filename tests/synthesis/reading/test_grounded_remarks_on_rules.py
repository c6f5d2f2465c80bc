"""Limits, contacts and what is said of all or none of some rows, beside what was asked."""

from __future__ import annotations

from typing import Any

import pytest

from tests.synthesis.reading.desk_world import CALLS, CUSTOMERS, WRITING, judged, shown

RIGHT = "RF-501 went to Ada Brook."
PEOPLE_SHOWN = [[{"name": row["name"]}, shown(row, "customer")] for row in CUSTOMERS]
LETTER = {"letter_id": 71, "customer_id": 31, "customer": "Greta Stone", "reference": "RF-501"}
SENT: dict[str, Any] = {
    "calls": [*CALLS, *PEOPLE_SHOWN, WRITING, [{"customer_id": 31, "reference": "RF-501"}, LETTER]],
    "tools": {"assign_refund": 1, "send_letter": 1, "waive_bill": 0},
    "marks": {"RF-501": "refund", "Ada Brook": "clerk", "Greta Stone": "customer"},
}


@pytest.mark.parametrize(
    "remark",
    [
        "The limit is 5 open refunds each.",
        "Nobody may have more than 5 open refunds.",
        "Nobody else has fewer.",
        "Bo Hale is on duty as well.",
        "No refund is closed.",
    ],
)
def test_rules_and_rows_bear_these_out(remark: str) -> None:
    reading = judged(f"{RIGHT} {remark}")
    assert reading.right, (reading.untrue, reading.ungrounded)


@pytest.mark.parametrize(
    "remark",
    [
        "Cleo Marsh is at the limit of 2.",
        "Nobody may have more than 4 open refunds.",
        "The maximum is 14 open refunds.",
        "Nobody else is on duty.",
        "No other clerk is on duty.",
        "No refund is assigned.",
        "All refunds are opened.",
        "None of the refunds is overdue.",
        "All of them are overdue.",
        "Bo Hale was told by mail.",
        "She has been informed.",
        "Greta Stone was notified.",
    ],
)
def test_rules_and_rows_contradict_these(remark: str) -> None:
    calls = [*CALLS, *PEOPLE_SHOWN, WRITING]
    late = [{**shown(row, "refund"), "due_on": due} for row, due in zip(REFUNDS_OF_VALE, DUE, strict=True)]
    calls.insert(-1, [{"customer_id": 32}, {"total": 2, "items": late}])
    reading = judged(f"{RIGHT} {remark}", calls=calls, instruction=ASKED_OF_VALE)
    assert reading.ungrounded or reading.untrue


ASKED_OF_VALE = (
    "Assign refund RF-501 to the clerk who should have it, and say who; look at Hugo Vale's refunds."
)
REFUNDS_OF_VALE = [
    {"id": 502, "number": "RF-502", "customer_id": 32, "clerk_id": 2, "status": "assigned"},
    {"id": 504, "number": "RF-504", "customer_id": 32, "clerk_id": 3, "status": "assigned"},
]
DUE = ("2026-05-20", "2026-05-29")


@pytest.mark.parametrize(
    ("remark", "right"),
    [
        ("Greta Stone was notified.", True),
        ("Greta Stone has been informed of it.", True),
        ("Hugo Vale was notified.", False),
        ("Bo Hale was informed.", False),
        ("Hugo Vale would be notified later.", True),
    ],
)
def test_who_got_a_letter_was_told_and_nobody_else(remark: str, right: bool) -> None:
    reading = judged(f"{RIGHT} {remark}", **SENT)
    assert reading.right is right, (reading.untrue, reading.ungrounded)
