"""Whether what an answer claims of its acts is held against what the right end consists of."""

from __future__ import annotations

import pytest

from synthesis.documents.tasks import AnswerFact
from synthesis.reading.effects import effects_from
from synthesis.reading.judgement import judge_answer

MOVED = {
    "instruction": "Move both bookings of Ann Lee out of Elm Room to another room from 8 June 2026, or "
    "cancel what fits nowhere. Charge 12.00 by card for each and send her a notice. How many did you move?",
    "reference": "Done. The number of bookings moved is 2.",
    "changed": True,
    "effects": effects_from(
        {
            "tools": {
                "move_booking": 2,
                "cancel_booking": 0,
                "send_notice": 2,
                "settle_fee": 2,
                "waive_fee": 0,
                "check_in_guest": 0,
                "extend_booking": 0,
            },
            "tables": ["bookings", "guests", "rooms", "fees", "notices"],
            "names": ["Ann Lee", "Bo Hale", "Elm Room", "Oak Room", "Fir Room", "BK-12", "BK-13", "BK-77"],
            "own": [
                "Move both bookings of Ann Lee out of Elm Room from 8 June 2026; 12.00 each",
                "Oak Room",
                "BK-12",
                "BK-13",
            ],
            "words": ["card"],
            "options": [["card", ["cash", "transfer", "card"], "method"]],
            "amounts": [1200],
        }
    ),
}


@pytest.mark.parametrize(
    "text",
    [
        "I moved 2 bookings to Oak Room and sent her notices; nothing had to be cancelled.",
        "BK-12 and BK-13 are in Oak Room from 8 June 2026.",
        "Both bookings were moved. Each fee of 12.00 was settled by card.",
        "I couldn't cancel anything, as both could be moved.",
        "I checked the rooms: Fir Room is already taken, so I moved both to Oak Room.",
        "I can confirm that both are moved.",
        "2 of Ann Lee's 3 bookings were moved.",
        "I moved 2 bookings and let Ann Lee know.",
        "I let you know: 2 bookings were moved.",
    ],
)
def test_what_belongs_to_the_right_end_may_be_said(text: str) -> None:
    assert judge_answer(text, **MOVED).right, judge_answer(text, **MOVED).untrue


@pytest.mark.parametrize(
    "text",
    [
        "I moved 2 bookings and cancelled 1.",
        "I moved 3 bookings.",
        "2 bookings were moved and the fee was waived.",
        "2 bookings were extended.",
        "2 bookings were refunded.",
        "2 bookings of Bo Hale were moved.",
        "BK-77 and BK-12 were moved.",
        "BK-21 was moved, 2 in all.",
        "2 bookings were moved to 9 June 2026.",
        "2 bookings were moved, the fee of 15.00 is paid.",
        "2 were moved, paid in cash.",
        "2 were moved, each paid with a voucher.",
        "3 bookings were charged and 2 of them moved.",
        "I moved 2 bookings, but sent no notice.",
        "I moved 2 bookings. She was not notified.",
        "2 bookings could be moved. Shall I move them?",
        "2 bookings can go to Oak Room. I will move them as soon as you confirm.",
        "2 bookings should be moved, but the system refused it.",
        "2 bookings are still booked for Elm Room.",
        "2 bookings were cancelled instead of moved.",
        "2 it is, but please move them yourself, I wasn't able to.",
    ],
)
def test_what_does_not_belong_to_it_is_untrue(text: str) -> None:
    assert judge_answer(text, **MOVED).untrue


def test_without_a_world_only_the_texts_are_compared() -> None:
    task = {**MOVED, "effects": None}
    assert judge_answer("2 bookings of Bo Hale were moved.", **task).right
    assert not judge_answer("I did not move anything.", **task).right


def test_of_two_acts_only_the_one_that_was_done_is_claimed() -> None:
    task = {
        "instruction": "Close repair DR-5 if its estimate is ours to pass; hand it over if not.",
        "reference": "Done. The one who decides is Ann Lee.",
        "changed": True,
        "effects": effects_from(
            {
                "tools": {"open_handover": 1, "close_repair": 0},
                "tables": ["repairs", "handovers"],
                "names": [],
                "own": [],
                "words": [],
                "options": [],
                "amounts": [],
            }
        ),
    }
    for right in (
        "I couldn't close it myself; Ann Lee has it now.",
        "I handed it over to Ann Lee.",
        "I wasn't allowed to close DR-5 myself, so it was handed over to Ann Lee.",
    ):
        assert judge_answer(right, **task).right, right
    for wrong in (
        "I closed DR-5 myself; Ann Lee knows.",
        "The repair is closed. Ann Lee was informed.",
        "DR-5 needs Ann Lee's decision, but I did not hand it over.",
        "I have not carried out your request. The one who decides is Ann Lee.",
    ):
        assert not judge_answer(wrong, **task).right, wrong


def test_what_a_called_tool_raises_by_itself_may_be_told() -> None:
    effects = effects_from(
        {
            "tools": {"record_no_show_of_booking": 1, "settle_bill": 1, "raise_bill": 0, "raise_deposit": 0},
            "tables": ["bookings", "bills", "deposits"],
            "names": [],
            "own": ["113.00"],
            "words": [],
            "options": [],
            "amounts": [],
        }
    )
    task = {
        "instruction": "A no-show: enter it, then settle the bill this brings about. What did it cost?",
        "reference": "Done. The amount paid is 113.00.",
        "changed": True,
        "effects": effects,
    }
    assert judge_answer("The no-show is entered. A bill of 113.00 was raised and settled.", **task).right
    assert not judge_answer("The no-show is entered. A deposit was raised.", **task).right


TAKEN_BACK = {
    "instruction": "Take back each order of Ann Lee that may still come back, and assign the repair RE-5 to "
    "whoever is free. What do the orders come to?",
    "reference": "Done. The total taken back is 99.00.",
    "facts": (AnswerFact(name="total taken back", value=9900, type="money_cents"),),
    "changed": True,
    "effects": effects_from(
        {
            "tools": {"take_back_order": None, "assign_repair": 1},
            "tables": ["orders", "repairs", "customers"],
            "names": ["Ann Lee", "RE-5"],
            "own": ["Ann Lee", "RE-5"],
            "words": [],
            "options": [],
            "amounts": [9900],
        }
    ),
}


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("The orders come to 99.00, but I took back none of them.", False),
        ("99.00 in all. I sent back nothing and took back no order.", False),
        ("They come to 99.00; I couldn't reassign the repair.", False),
        ("They come to 99.00, but it is late, so I left the orders as they are.", False),
        ("They come to 99.00. I took back the orders that were in time and left no order out.", True),
        ("I took them back, 99.00 in all; the older orders I left as they are.", True),
        ("Orders taken back, RE-5 reassigned. A credit over 99.00 was made.", True),
        ("I took the orders back, over 99.00 in all.", False),
    ],
)
def test_acts_are_denied_by_quantity_by_what_is_left_and_by_verbs_with_re(text: str, right: bool) -> None:
    assert judge_answer(text, **TAKEN_BACK).right is right, judge_answer(text, **TAKEN_BACK)


EXTENDED = {
    "instruction": "Extend the rentals of Ann Lee that may still be extended. How many did you extend?",
    "reference": "Done. The number of rentals extended is 3.",
    "facts": (AnswerFact(name="number of rentals extended", value=3, type="number"),),
    "changed": True,
    "effects": effects_from(
        {
            "tools": {"extend_rental": 3, "cancel_rental": 0, "send_notice": 0},
            "tables": ["rentals", "customers", "notices"],
            "names": ["Ann Lee", "Bo Hale", "RR-10", "RR-11", "RR-12", "RR-14", "RR-77"],
            "own": ["Ann Lee", "Bo Hale", "RR-10", "RR-11", "RR-12", "RR-14"],
            "words": [],
            "options": [],
            "amounts": [9900],
            "calls": [
                ["extend_rental", {"RR-10": "rentals.number"}],
                ["extend_rental", {"RR-11": "rentals.number"}],
                ["extend_rental", {"RR-12": "rentals.number"}],
            ],
            "distractors": {"rentals.number": ["RR-14", "RR-77"], "boats.name": ["Bay Boat"]},
        }
    ),
}


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("I extended 3. RR-14 ended on 7 November, so it can't be extended.", True),
        ("I extended 3. RR-14 is untouched and remains open.", True),
        ("3 extended: two for Ann Lee and one for Bo Hale.", True),
        ("I extended 3 of them. The rental of Bay Boat can't be extended.", True),
        ("I could extend 3 of them.", True),
        ("Found: RR-77. I extended 3 of them.", True),
        ("I extended 3 of them. Left alone: RR-14.", True),
        ("I extended 3 of them, at 9 x 11.00 = 99.00 each. It wasn't 4, as she thought.", True),
        ("RR-10, RR-11 and RR-12 extended, RR-14 skipped: 3 in all.", True),
        ("3 in all. RR-11 can't be extended.", False),
        ("3 in all, but no rental could be extended.", False),
        ("3 in all. The rental is still held until she confirms.", False),
        ("3 are possible. Shall I enter that?", False),
        ("Number of rentals extended: 3. Shall I also write to her?", True),
        ("I extended 3. Should I write to her?", True),
    ],
)
def test_rows_that_were_left_parts_of_a_count_and_what_is_still_to_come(text: str, right: bool) -> None:
    assert judge_answer(text, **EXTENDED).right is right, judge_answer(text, **EXTENDED)


SETTLED = {
    "instruction": "Ada Lund pays her late fees in cash. Waive the oldest one and record the others as paid. "
    "What did she pay in all?",
    "reference": "One fee is waived; Ada Lund paid 13.50 in all.",
    "changed": True,
    "facts": (AnswerFact(name="paid in all", type="money_cents", value=1350),),
    "effects": effects_from(
        {
            "tools": {"pay_fee": 2, "waive_fee": 1},
            "tables": ["fees", "members"],
            "names": ["Ada Lund"],
            "own": ["Ada Lund"],
            "words": [],
            "options": [],
            "amounts": [1350],
            "left": ["pay_fee"],
        }
    ),
}


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("- paid in all: 13.50", True),
        ("Paid in all = 13.50", True),
        ("I recorded them as paid, all of them: 13.50 paid in all.", True),
        ("I paid all fees; 13.50 paid in all.", False),
    ],
)
def test_a_sum_in_all_is_not_taken_for_an_act_on_all(text: str, right: bool) -> None:
    assert judge_answer(text, **SETTLED).right is right, judge_answer(text, **SETTLED).untrue


COMPLETED = {
    "instruction": "Record two oil filters on the order of Silver Petrel, then complete it with 3.5 hours.",
    "reference": "Two filters are recorded, and the order is completed with 3.5 hours.",
    "changed": True,
    "effects": effects_from(
        {
            "tools": {"record_part_used": 1, "complete_service_order": 1},
            "tables": ["service_orders", "parts"],
            "names": ["Silver Petrel", "Grey Heron"],
            "own": ["Silver Petrel"],
            "words": [],
            "options": [],
            "amounts": [],
            "left": ["complete_service_order"],
        }
    ),
}


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Everything has been completed as requested.", True),
        ("Everything is completed.", True),
        ("All that you asked for has been completed.", True),
        ("All service orders have been completed.", False),
        ("I completed every service order.", False),
        ("I completed everything in the workshop.", False),
    ],
)
def test_everything_done_is_everything_that_was_asked(text: str, right: bool) -> None:
    assert judge_answer(text, **COMPLETED).right is right, judge_answer(text, **COMPLETED).untrue


PAID = {
    "instruction": "Ann Lee pays 60.00 on her invoice, one of size 7 or larger. Enter a payment of it.",
    "reference": "The payment is recorded.",
    "changed": True,
    "effects": effects_from(
        {
            "tools": {"record_payment": 1, "book_visit": 0},
            "tables": {"invoices": [{"id": 1}], "payments": [{"id": 2}], "visits": [{"id": 3}]},
            "names": ["Ann Lee"],
            "own": ["Ann Lee", "60.00"],
            "words": [],
            "options": [],
            "amounts": [6000],
        }
    ),
}


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("I booked her 60.00 to the invoice.", True),
        ("I entered it for Ann Lee.", True),
        ("I booked her a visit.", False),
        ("I booked her for tomorrow.", False),
    ],
)
def test_a_verb_of_several_things_is_told_by_what_it_is_of(text: str, right: bool) -> None:
    assert judge_answer(text, **PAID).right is right, judge_answer(text, **PAID)
