"""One of two like rows that calls wrote, values with the name of their column, and who is on a row."""

from __future__ import annotations

from typing import Any

import pytest

from tests.synthesis.reading.desk_world import CALLS, CUSTOMERS, PEOPLE, REFUNDS, WRITING, judged, shown

PAYMENTS = [
    {
        "id": number,
        "customer_id": 31,
        "amount_cents": 8_000,
        "method": method,
        "paid_on": day,
        "status": "received",
    }
    for number, method, day in ((61, "cash", "2026-05-11"), (62, "transfer", "2026-05-13"))
]
VOIDED = {**PAYMENTS[1], "status": "voided"}
LISTED = [{"customer_id": 31}, {"total": 2, "items": [shown(row, "payment") for row in PAYMENTS]}]
VOIDING: dict[str, Any] = {
    "instruction": "A bill of Greta Stone was paid twice. Void the payment that should go.",
    "reference": "Done. The payment of 13 May 2026 was voided.",
    "facts": [],
    "tools": {"void_payment": 1, "assign_refund": 0},
    "calls": [LISTED, [{"payment_id": 62}, shown(VOIDED, "payment")]],
    "written": [[{}, shown(VOIDED, "payment")]],
    "touched": {("payments", 62)},
    "marks": {"Greta Stone": "customer"},
}


@pytest.mark.parametrize(
    "text",
    [
        "I voided the payment of 13 May 2026. The other one, of 11 May, is kept.",
        "I voided the transfer payment of 13 May; the earlier one was paid in cash.",
        "I voided the later payment, 80.00 of 13 May 2026. It was paid by transfer.",
    ],
)
def test_what_each_of_two_rows_has_may_be_told_of_it(text: str) -> None:
    reading = judged(text, **VOIDING)
    assert reading.right, (reading.untrue, reading.ungrounded)


@pytest.mark.parametrize(
    "text",
    [
        "I voided the payment of 13 May 2026. The other one, of 12 May, is kept.",
        "I voided the payment of 11 May 2026.",
        "I voided the cash payment of 13 May 2026.",
        "I voided the payment of 13 May. It was paid in cash.",
        "I voided the payment of 13 May; the earlier one was paid by transfer.",
        "I voided the second payment, 95.00 of 13 May 2026.",
    ],
)
def test_what_the_other_one_has_may_not(text: str) -> None:
    assert not judged(text, **VOIDING).right


RIGHT = "RF-501 went to Ada Brook."
SHOWN = [
    *CALLS,
    *([{"name": row["name"]}, shown(row, "customer")] for row in CUSTOMERS),
    *([{"name": row["name"]}, shown(row, "clerk")] for row in PEOPLE),
    [{"number": "RF-502"}, {"total": 1, "items": [shown(REFUNDS[1], "refund")]}],
    WRITING,
]


@pytest.mark.parametrize(
    ("remark", "right"),
    [
        ("Hugo Vale has RF-502. His tier is patron.", True),
        ("Hugo Vale has RF-502. His tier is gold.", False),
        ("Hugo Vale's standing is suspended.", True),
        ("Hugo Vale's standing is good.", False),
        ("Dan Orr, a lead, decides nothing here.", True),
        ("Dan Orr, a driver, decides nothing here.", False),
        ("Dan Orr was not considered as he is off duty.", True),
        ("Bo Hale was not considered as he is off duty.", False),
        ("The clerk on RF-502 is Bo Hale.", True),
        ("The clerk on RF-502 is Cleo Marsh.", False),
        ("It is for Greta Stone. RF-502 is another. Its amount is 305.00.", True),
        ("RF-502 is another one. It was due on 24 May.", True),
        ("RF-502 is another one, of Bo Hale. It was due on 26 May.", False),
        ("Bo Hale has one. All of them are for Hugo Vale.", True),
        ("Cleo Marsh has two. All of them are for Greta Stone.", False),
    ],
)
def test_values_are_those_of_the_row_that_is_spoken_of(remark: str, right: bool) -> None:
    reading = judged(f"{RIGHT} {remark}", calls=SHOWN)
    assert reading.right is right, (reading.untrue, reading.ungrounded)
