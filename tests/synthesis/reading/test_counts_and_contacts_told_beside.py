"""Counts of somebody's rows now, of lists that were asked for in a word, and contacts that no call made."""

from __future__ import annotations

from typing import Any

import pytest

from tests.synthesis.reading.desk_world import CALLS, WRITING, judged, shown

RIGHT = "RF-501 went to Ada Brook."
LETTERS = [
    {"id": number, "customer_id": 31, "kind": "overdue", "sent_on": day}
    for number, day in ((71, "2026-05-11"), (72, "2026-05-15"))
]
LISTED = [
    {"customer_id": 31, "kind": "overdue"},
    {"total": 2, "items": [shown(row, "letter") for row in LETTERS]},
]
GRETA = [
    {"name": "Greta Stone"},
    {"total": 1, "items": [{"customer_id": 31, "name": "Greta Stone", "tier": "plain"}]},
]
EVA = [{"name": "Eva Flint"}, {"total": 1, "items": [{"clerk_id": 5, "name": "Eva Flint", "role": "driver"}]}]


@pytest.mark.parametrize(
    ("remark", "right"),
    [
        ("Greta Stone has had two overdue letters already.", True),
        ("Greta Stone has had three overdue letters already.", False),
        ("Cleo Marsh has two open refunds.", True),
        ("Cleo Marsh has three open refunds.", False),
        ("Ada Brook now has one open refund.", True),
        ("Bo Hale now has 2 assigned refunds.", False),
    ],
)
def test_numbers_of_what_somebody_has(remark: str, right: bool) -> None:
    reading = judged(f"{RIGHT} {remark}", calls=[GRETA, LISTED, *CALLS, WRITING])
    assert reading.right is right, (reading.untrue, reading.ungrounded)


TOOLS: dict[str, Any] = {"tools": {"assign_refund": 1, "close_refund": 0, "send_letter": 0}}


@pytest.mark.parametrize(
    "remark",
    [
        "Greta Stone got a notice about it.",
        "Greta Stone has been told by mail.",
        "A letter confirming it is on its way to her.",
        "I also assigned RF-502.",
        "I closed refund RF-502.",
    ],
)
def test_what_no_call_did_is_not_borne_out(remark: str) -> None:
    asked = "Assign refund RF-501 to the clerk who should have it, or close it, and tell me the clerk's name."
    reading = judged(f"{RIGHT} {remark}", instruction=asked, calls=[GRETA, *CALLS, WRITING], **TOOLS)
    assert reading.untrue or reading.ungrounded


@pytest.mark.parametrize(
    "remark", ["Nothing has been called off.", "It was assigned to her today.", "No letter went out."]
)
def test_what_calls_did_and_did_not_do_may_be_told(remark: str) -> None:
    reading = judged(f"{RIGHT} {remark}", calls=[GRETA, *CALLS, WRITING], **TOOLS)
    assert reading.right, (reading.untrue, reading.ungrounded)
