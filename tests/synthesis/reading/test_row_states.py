"""States that an answer gives rows: what they are, what they became, and what they are not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from synthesis.reading.effects import deeds_of, effects_from
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
        ("I cancelled RB-4801. Cleo Marsh is on duty.", True),
        ("I cancelled RB-4801, since nobody has two cancelled bookings.", True),
        ("I cancelled RB-4801. Cleo Marsh is off duty.", False),
        ("I cancelled RB-4801. RB-4803 is cancelled now.", False),
        ("I cancelled RB-4801. Cleo Marsh, who is on duty, cancelled RB-4802.", False),
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


WORKSHOPS: dict[str, list[dict[str, Any]]] = {
    "members": [{"id": 105, "name": "Lena Fischer"}, {"id": 106, "name": "Ada Hale"}],
    "workshops": [
        {"id": 801, "title": "Sharpening Hand Tools", "status": "planned"},
        {"id": 802, "title": "Basic Sewing", "status": "planned"},
        {"id": 803, "title": "Fixing a Tyre", "status": "cancelled"},
    ],
    "sign_ups": [
        {"id": 901, "workshop_id": 801, "member_id": 105, "status": "booked"},
        {"id": 902, "workshop_id": 803, "member_id": 106, "status": "cancelled"},
    ],
}
SIGNED_UP: dict[str, Any] = {
    "instruction": "Move Lena Fischer from Sharpening Hand Tools to Basic Sewing.",
    "reference": "Lena Fischer is signed up for Basic Sewing.",
    "changed": True,
    "effects": effects_from(
        {
            "tools": {"cancel_sign_up": 1, "sign_up_member": 1},
            "tables": WORKSHOPS,
            "names": ["Lena Fischer", "Ada Hale", "Sharpening Hand Tools", "Basic Sewing", "Fixing a Tyre"],
            "own": ["Lena Fischer", "Sharpening Hand Tools", "Basic Sewing"],
            "words": [],
            "options": [],
            "amounts": [],
            "own_keys": [105, 801, 802, 901],
            "other_keys": [106, 803, 902],
        }
    ),
    "observed": Observations(
        ["Move Lena Fischer."],
        [
            [{"sign_up_id": 901}, {"sign_up_id": 901, "status": "cancelled"}],
            [{"workshop_id": 802}, {"sign_up_id": 903, "workshop_id": 802, "status": "booked"}],
        ],
        [("sign_ups", 901), ("sign_ups", 903)],
    ),
}


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Her sign-up for Sharpening Hand Tools is cancelled, and she is signed up for Basic Sewing.", True),
        ("Lena Fischer's sign-up for Sharpening Hand Tools is cancelled; she is in Basic Sewing.", True),
        ("Lena Fischer is signed up for Basic Sewing. Sharpening Hand Tools is cancelled.", False),
        (
            "Lena Fischer is signed up for Basic Sewing. Ada Hale's sign-up for Fixing a Tyre is booked.",
            False,
        ),
    ],
)
def test_a_state_is_told_of_the_noun_and_not_of_what_it_is_for(text: str, right: bool) -> None:
    reading = judge_answer(text, **SIGNED_UP)
    assert (not reading.untrue) is right, reading.untrue


def test_a_state_that_no_result_showed_after_a_change_may_be_any() -> None:
    calls = [
        [{"donor_id": 102}, {"items": [BOOKING]}],
        [{"booking_id": 4801, "room_id": 202}, {"id": 4801, "room_id": 202, "status": "cancelled"}],
    ]
    observed = Observations(["Cancel the booking."], calls, [("room_bookings", 4801), ("charges", 303)])
    assert judge_answer("The booking RB-4801 is cancelled.", **{**TASK, "observed": observed}).right


RULES = (
    "Move them. A booking covers 4 places at most. Cancelling is free until 3 days before the start. A late "
    "return costs 50 % of the price per day. A clerk may waive up to $40.00. Category 2 is quiet."
)
BOOKED = {"number": "RB-4801", "donor_id": 102, "room_id": 201, "status": "held", "ends_on": "2026-05-12"}
MOVED = [
    [{"room_id": 201}, {"items": [{"booking_id": 4801, **BOOKED}]}],
    [{"booking_id": 4801}, {"booking_id": 4801, **BOOKED, "room_id": 202}],
    [{"x": 1}, {"booking_id": 4804, **BOOKED, "number": "RB-4804", "room_id": 201, "ends_on": "2026-05-01"}],
    [{"x": 1}, {"booking_id": 4803, **BOOKED, "number": "RB-4803", "status": "cancelled"}],
    [{"x": 1}, {"booking_id": 4805, **BOOKED, "number": "RB-4805", "donor_id": 101, "ends_on": "2026-05-20"}],
]
CODES = ["RB-4801", "RB-4803", "RB-4804", "RB-4805"]
SHARED: dict[str, Any] = {
    "instruction": "Move the bookings.",
    "reference": "Done. The bookings are moved.",
    "changed": True,
    "effects": effects_from(
        {
            "tools": {"move_booking": 3, "send_letter": 0},
            "tables": TABLES,
            "names": ["Ada Hale", "Bo Reed", "Sparrow Room", "Wren Room"],
            "own": ["Ada Hale", "Bo Reed", "Sparrow Room", "Wren Room", *CODES],
            "words": [],
            "options": [],
            "amounts": [4000],
            "own_keys": [4801, 4803, 4804, 4805],
            "other_keys": [4802],
        }
    ),
    "observed": Observations(
        [RULES, "2026-05-04 09:00:00"], MOVED, [("room_bookings", key) for key in (4801, 4804, 4805)]
    ),
}


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("All three are moved: two for Bo Reed and one for Ada Hale.", True),
        ("All three are moved: one for Bo Reed and two for Ada Hale.", False),
        ("I moved the bookings. RB-4804 was three days late.", True),
        ("I moved the bookings. RB-4804 was four days late.", False),
        ("I moved the bookings. RB-4804 was to end on 1 May 2026, five days ago.", False),
        ("I moved the bookings. A booking covers 4 places at most.", True),
        ("I moved the bookings. A booking covers 6 places at most.", False),
        ("3 is the number of permit bookings moved.", True),
        ("I moved the bookings. Late ones cost 50 % of the price.", True),
        ("I moved the bookings. Late ones cost 150 % of the price.", False),
        ("I moved the bookings. My limit of $40.00 is kept.", True),
        ("I moved the bookings. My limit of $60.00 is kept.", False),
        ("I moved RB-4801 and RB-4804; RB-4805 did not fit.", False),
        ("I moved the bookings. Bo Reed has Sparrow Room now.", True),
        ("I moved the bookings. Bo Reed got both, Ada Hale the third.", False),
        ("I moved the bookings. RB-4801 and RB-4804 now end later.", True),
        ("I moved the bookings. RB-4801 and RB-4803 now end later.", False),
        ("I moved the bookings. Rooms come in packs of 6.", True),
        ("I moved two for Bo Reed, who had been offered others, until it is decided.", True),
    ],
)
def test_shares_spans_and_limits_are_held_against_rows_and_rules(text: str, right: bool) -> None:
    reading = judge_answer(text, **SHARED)
    assert (not reading.untrue) is right, reading.untrue


@pytest.mark.parametrize(
    ("text", "task", "right"),
    [
        # RB-4803 was cancelled before, RB-4801 is now.
        ("I cancelled RB-4801, and there are two cancelled bookings.", TASK, True),
        ("I cancelled RB-4801, and there are three cancelled bookings.", TASK, False),
        ("I moved the bookings. There are seven held bookings now.", SHARED, False),
    ],
)
def test_rows_in_a_state_are_counted(text: str, task: dict[str, Any], right: bool) -> None:
    assert judge_answer(text, **task).right is right


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("RB-4801 and RB-4804 are now returned.", True),
        ("Two bookings are now returned.", True),
        ("Three bookings are now returned.", False),
        ("RB-4802 is now returned.", False),
    ],
)
def test_what_is_taken_back_is_returned(text: str, right: bool) -> None:
    taken = deeds_of({"take_back_booking": 2, "move_booking": 0}, TABLES)
    effects = replace(SHARED["effects"], deeds=taken, words=frozenset())
    task = {**SHARED, "instruction": "Take the bookings back.", "reference": "Done.", "effects": effects}
    assert judge_answer(text, **task).right is right


def test_a_refusal_may_leave_things_as_they_are() -> None:
    for text, declines in (
        ("I've left both records as they are: two donors have that name.", True),
        ("RB-4801 stays as it is, as two donors have that name.", True),
        ("Two donors have that name. Is it all right as it is?", False),
    ):
        read = judge_answer(text, expects_refusal=True, instruction="Change Bo's phone.").refusal
        assert read is not None
        assert read.declines is declines, text
