"""States that an answer gives rows: what they are, what they became, and what they are not."""

from __future__ import annotations

from typing import Any

import pytest

from synthesis.reading.effects import effects_from
from synthesis.reading.judgement import judge_answer
from synthesis.reading.observations import Observations

TABLES: dict[str, list[dict[str, Any]]] = {
    "donors": [
        {"id": 101, "name": "Ada Hale", "tier": "preferred", "standing": "good"},
        {"id": 102, "name": "Bo Reed", "tier": "basic", "standing": "suspended"},
    ],
    "rooms": [
        {"id": 201, "name": "Sparrow Room", "active": 1},
        {"id": 202, "name": "Wren Room", "active": 0},
    ],
    "room_bookings": [
        {"id": 4801, "donor_id": 102, "room_id": 201, "status": "held"},
        {"id": 4802, "donor_id": 101, "room_id": 202, "status": "under_way"},
        {"id": 4803, "donor_id": 101, "room_id": 201, "status": "cancelled"},
    ],
    "charges": [
        {"id": 301, "donor_id": 101, "status": "paid"},
        {"id": 302, "donor_id": 102, "status": "open"},
    ],
    "staff_members": [
        {"id": 11, "name": "Cleo Marsh", "role": "clerk", "on_duty": 1},
        {"id": 12, "name": "Dan Orr", "role": "team_lead", "on_duty": 0},
    ],
}
BOOKING = {"booking_id": 4801, "number": "RB-4801", "status": "held"}
SHOWN = [
    [
        {"room_id": 201},
        {"items": [BOOKING, {"booking_id": 4803, "number": "RB-4803", "status": "cancelled"}]},
    ],
    [{"name": "Dan Orr"}, {"staff_member_id": 12, "name": "Dan Orr"}, {"name": "Cleo Marsh"}],
    [{"booking_id": 4801}, {**BOOKING, "status": "cancelled"}],
    [{"donor_id": 102}, {"charge_id": 303, "number": "CH-303", "donor_id": 102, "status": "open"}],
]
TASK = {
    "instruction": "Cancel the booking of Sparrow Room for Bo Reed, and raise a charge if one is due.",
    "reference": "Done. A charge was raised.",
    "changed": True,
    "effects": effects_from(
        {
            "tools": {"cancel_booking": 1, "raise_charge": 1, "settle_charge": 0},
            "tables": TABLES,
            "names": ["Ada Hale", "Bo Reed", "Sparrow Room", "Wren Room", "Cleo Marsh", "Dan Orr"],
            "own": ["Bo Reed", "Sparrow Room", "Dan Orr"],
            "words": [],
            "options": [],
            "amounts": [],
            "own_keys": [4801, 102, 201],
            "other_keys": [4802, 4803, 101, 202, 301, 302],
        }
    ),
    "observed": Observations(["Cancel the booking."], SHOWN, [("room_bookings", 4801), ("charges", 303)]),
}


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("RB-4801 is cancelled; the new charge is open.", True),
        ("RB-4801 is now cancelled and the new charge raised.", True),
        ("I cancelled it. Bo Reed, a basic donor, has a new charge.", True),
        ("The booking has been cancelled and a charge raised. Bo is suspended.", True),
        ("I cancelled RB-4801. Dan Orr is off duty.", True),
        ("I cancelled RB-4801. Bo Reed would pay less if he were a preferred donor.", True),
        ("The booking is still held; a charge was raised.", False),
        ("I cancelled it. The charge is paid by now.", False),
        ("I cancelled it and raised a charge. Bo Reed is a preferred donor.", False),
        ("I cancelled the booking of Bo, who is in good standing.", False),
        ("I cancelled RB-4801. It is under way.", False),
        ("I cancelled RB-4801. Dan Orr is on duty.", False),
        ("I cancelled RB-4801 and asked Dan Orr, who is a clerk.", False),
        ("I cancelled RB-4801. Bo Reed's Sparrow Room booking is now under way.", False),
    ],
)
def test_a_state_that_no_row_of_that_name_has_is_untrue(text: str, right: bool) -> None:
    reading = judge_answer(text, **TASK)
    assert (not reading.untrue) is right, reading.untrue


def test_a_row_that_was_changed_out_of_sight_may_be_in_any_state() -> None:
    unseen = Observations(["Cancel the booking."], SHOWN, [("room_bookings", 4801), ("staff_members", 12)])
    text = "I cancelled RB-4801. Dan Orr is on duty."
    assert judge_answer(text, **{**TASK, "observed": unseen}).right
