"""Days, amounts and states that an answer tells of a row, held against the columns of just that row."""

from __future__ import annotations

from typing import Any

import pytest

from tests.synthesis.reading.desk_world import ASSIGNED, CALLS, REFUNDS, WRITING, judged, shown

RIGHT = "RF-501 went to Ada Brook."
LETTERS: list[Any] = [
    {"customer_id": 32},
    {
        "total": 2,
        "items": [
            {"letter_id": 71, "customer_id": 32, "reference": "RF-502", "sent_on": "2026-05-15"},
            {"letter_id": 72, "customer_id": 32, "reference": "RF-504", "sent_on": "2026-05-11"},
        ],
    },
]


@pytest.mark.parametrize(
    "remark",
    [
        "RF-502 is due on 24 May, RF-504 on 29 May.",
        "RF-504, 190.00, is due on 29 May 2026.",
        "It is due on 25 May.",
        "RF-502 (305.00) and RF-503 (75.00) stay as they are.",
        "RF-502 is still open.",
        "RF-502 is not due on 29 May.",
    ],
)
def test_what_the_row_itself_has_may_be_told(remark: str) -> None:
    reading = judged(f"{RIGHT} {remark}", calls=[*CALLS, LETTERS, WRITING])
    assert reading.right, (reading.untrue, reading.ungrounded)


@pytest.mark.parametrize(
    "remark",
    [
        "RF-502 is due on 29 May.",
        "It is due on 29 May.",
        "Its due date, 24 May 2026, is near.",
        "RF-504 was due since 24 May 2026.",
        "RF-502 over 190.00 stays as it is.",
        "Together: RF-502 (75.00) and RF-503 (305.00).",
        "The letter about RF-502 on 11 May was the last.",
        "Hugo Vale got the letter for RF-503 on 15 May.",
    ],
)
def test_what_another_row_has_is_not_told_of_this_one(remark: str) -> None:
    reading = judged(f"{RIGHT} {remark}", calls=[*CALLS, LETTERS, WRITING])
    assert reading.ungrounded or reading.untrue


CLOSED = {**REFUNDS[1], "status": "paid_out", "closed_on": "2026-05-23"}
CLOSING: dict[str, Any] = {
    "facts": (),
    "instruction": "Close refund RF-502.",
    "reference": "Done. RF-502 of Hugo Vale was closed.",
    "calls": [CALLS[3], [{"refund_id": 502}, shown(CLOSED, "refund")]],
    "touched": {("refunds", 502)},
    "tools": {"close_refund": 1, "assign_refund": 0},
    "marks": {"RF-502": "refund", "Hugo Vale": "customer"},
}


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("RF-502 was closed.", True),
        ("RF-502 was closed; it was open until today.", True),
        ("RF-502 was closed. RF-502 is still open.", False),
        ("RF-502 was closed. RF-502 of Hugo Vale is still assigned, though.", False),
    ],
)
def test_a_row_that_was_closed_is_open_no_more(
    text: str, right: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.synthesis.reading.desk_world.ASSIGNED", CLOSED)
    assert ASSIGNED is not CLOSED
    reading = judged(text, **CLOSING)
    assert reading.right is right, reading
