"""What an answer tells of acts, and of what a thing is or has, held against the rows that calls wrote."""

from __future__ import annotations

from functools import cache

import pytest

from benchmarks import answers
from synthesis.reading.judgement import AnswerReading


@cache
def tasks(file: str) -> dict[str, answers.Asked]:
    return {one.task.id: one for one in answers.subjects(f"{file}_tasks")}


def read(file: str, task: str, text: str) -> AnswerReading:
    return answers.judged(tasks(file)[task], text)


@pytest.mark.parametrize(
    ("file", "task", "right", "wrong"),
    [
        # The payment is of 33.10, whatever the invoice comes to.
        (
            "written",
            "settle_and_hand_over",
            "I recorded a cash payment of 33.10 on the invoice of 53.10 and handed the bike over.",
            "I recorded a cash payment of 53.10 and handed the bike over.",
        ),
        # Quantities and amounts are of the row that was written for a name.
        (
            "written",
            "reorder_from_supplier",
            "PO-2035 is sent: BRK-DSC-160 x 6, BRK-PAD-RES x 10, CHN-11S x 12.",
            "PO-2035 is sent: BRK-DSC-160 x 6, BRK-PAD-RES x 12, CHN-11S x 10.",
        ),
        (
            "written",
            "pay_oldest_bill",
            "They still owe 92.00. 91.00 went to B-2026-031 and 89.00 to B-2026-047.",
            "They still owe 92.00. 89.00 went to B-2026-031 and 91.00 to B-2026-047.",
        ),
        (
            "written",
            "receive_commuter_job",
            "Job J-2632 is open with one Gear Adjustment on it.",
            "Job J-2632 is open with two Gear Adjustments on it.",
        ),
        (
            "written",
            "enter_recital",
            "Selma is on the programme at position 5.",
            "Selma is on the programme at position 3.",
        ),
        # A bill is left paid in part.
        (
            "written",
            "invoice_and_take_card_payment",
            "Invoice INV-2026-027 is partly paid; 135.90 remains to be paid.",
            "Invoice INV-2026-027 is paid; 135.90 remains to be paid on the next one.",
        ),
        # A yes or no decides where just that is asked.
        (
            "written",
            "rental_still_running",
            "Yes, he is still renting it for 27.50 per month.",
            "No, the rental has ended; he paid 27.50 per month.",
        ),
        # What columns of numbers, of yes and no, and of moments tell.
        (
            "written",
            "use_brake_pads_or_cables",
            "I used 2 sets of BRK-PAD-SIN, 5 are left. There was only one set of BRK-PAD-RES.",
            "I used 2 sets of BRK-PAD-SIN, 5 are left. BRK-PAD-RES is sold out.",
        ),
        (
            "written",
            "hand_over_unpaid",
            "I can't: the invoice is not paid, and he has no credit account.",
            "I can't: the invoice is not paid, although he has a credit account.",
        ),
        (
            "written",
            "late_return",
            "The Heron is back, too late, so she gets 40.00 back.",
            "The Heron is back in time, so she gets 40.00 back.",
        ),
        # What an act is told of was written.
        (
            "varied",
            "fulfil_waiting_lunch_orders",
            "2 lunch orders were fulfilled, LO-7321 and LO-7311.",
            "2 lunch orders were fulfilled, LO-7311 and LO-7301.",
        ),
        # Whom a message went to.
        (
            "latest",
            "fill_place_in_lesson",
            "Done: Sabina Tanglewood has the place. I sent the place free reminder to Sabina.",
            "Done: Sabina Tanglewood has the place. I sent the place free reminder to both Sabina and Celia.",
        ),
        # How many things were done, by whatever verb, and what the instruction asked for in vain.
        (
            "varied",
            "pass_on_coat_requests",
            "I passed on two coat requests of Linus Ashgrove, the last of them to Edgar Westbrook.",
            "I passed on three coat requests of Linus Ashgrove, the last of them to Edgar Westbrook.",
        ),
        (
            "varied",
            "clear_kayak",
            "1 kayak rental found another kayak.",
            "1 kayak rental found another kayak, and one had to be cancelled for lack of a free one.",
        ),
        # Nobody entered a payment.
        (
            "varied",
            "take_back_late_kayak_rental",
            "KR-4612 is over. The delay costs 44.00 EUR.",
            "KR-4612 is over. The delay costs 44.00 EUR, which Magnus Lakehurst has already paid by card.",
        ),
        # What was done was not left alone.
        (
            "varied",
            "assign_special_diet_care",
            "By our policy it should be Dario Ashgrove, and SDC-4107 is with him.",
            "By our policy it should be Dario Ashgrove. I left SDC-4107 unassigned so that you can decide.",
        ),
    ],
)
def test_an_act_is_told_as_it_was_written(file: str, task: str, right: str, wrong: str) -> None:
    assert read(file, task, right).right, read(file, task, right)
    assert not read(file, task, wrong).right


def test_what_falls_due_today_may_be_overdue_by_its_hour() -> None:
    listed = "- **Heron** - 10:35 (overdue)\n- **Minnow** - 12:30\n- **Zander** - 17:00"
    assert read("written", "boats_out_now", listed).right
