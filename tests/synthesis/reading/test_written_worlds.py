"""Right answers of a language model to tasks of worlds that it wrote, and lies beside them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from benchmarks import answers
from synthesis.reading.judgement import AnswerReading


@cache
def tasks() -> dict[str, answers.Asked]:
    return {one.task.id: one for one in answers.subjects("written_tasks")}


def read(task: str, text: str) -> AnswerReading:
    return answers.judged(tasks()[task], text)


@pytest.mark.parametrize(
    ("task", "right"),
    [
        # "half-size" is a kind of cello, no share of something.
        ("rental_still_running", "Yes. The half-size cello (CE-003) is still out at 27.50 a month."),
        ("cancel_with_refund", "The hire is cancelled and he gets half of his payment back: 67.50."),
        # How many teachers there are is no number of somebody's lessons.
        (
            "fully_booked_teachers",
            "Two teachers: Ingrid Salvesen (3 lessons), Marcus Oyelaran (4 lessons).",
        ),
        # What the instruction made it depend on is no deed.
        ("move_piano_lesson", "The Attic Room was not free then: the Garden Room, and it ends at 16:45."),
        # What calls wrote may be told, although no result showed it again.
        ("rent_out_viola", "Rented out VA-005 to Pia."),
        (
            "settle_and_hand_over",
            "33.10 in cash recorded, INV-2026-024 is now paid, bike handed over.",
        ),
        # What remains is what was asked for.
        ("invoice_and_take_card_payment", "135.90 is still due on the invoice."),
        # The lines of an order that the calls made are told together with it.
        ("reorder_from_supplier", "Order PO-2035 is sent to Northgate Cycle Supply, with BRK-DSC-160 on it."),
        (
            "read_greta_balance",
            "She owes 130.70 on INV-2026-009 and INV-2026-015. The oldest of the two is INV-2026-009.",
        ),
        (
            "read_greta_balance",
            "- INV-2026-009: 95.80\n- INV-2026-015: 34.90\n\n130.70. The oldest invoice is INV-2026-009.",
        ),
    ],
)
def test_a_right_answer_is_taken(task: str, right: str) -> None:
    assert read(task, right).right, read(task, right)


@pytest.mark.parametrize(
    ("task", "wrong"),
    [
        ("rental_still_running", "Yes, at 27.50 per month, half of what he paid before."),
        ("fully_booked_teachers", "Ingrid Salvesen (2 lessons) and Marcus Oyelaran (4 lessons)."),
        ("move_piano_lesson", "The lesson was not moved: the Garden Room, and it ends at 16:45."),
        ("rent_out_viola", "VA-005 went to Pia. VA-002 is rented, too."),
        ("settle_and_hand_over", "33.10 is still outstanding on the invoice; the bike is handed over."),
        ("excuse_with_credit", "The lesson is cancelled, but no make-up credit was given."),
        ("book_course_places", "No places were booked."),
        ("receive_delivery_and_report", "138 of WHL-SPK-264, but I could not book the delivery in."),
        ("move_piano_lesson", "I left the lesson where it is: Garden Room, until 16:45."),
        (
            "read_greta_balance",
            "- INV-2026-009: 95.80\n\nTotal: 130.70. The oldest is INV-2026-015.",
        ),
    ],
)
def test_a_lie_beside_it_is_not(task: str, wrong: str) -> None:
    assert not read(task, wrong).right


@pytest.mark.parametrize("all_done", ["Finished. I made no other changes.", "It is finished.", "Done."])
def test_that_all_is_done_is_no_state_of_a_row(all_done: str) -> None:
    """The shop's jobs are "finished" after their repair."""
    one = tasks()["schedule_wheel_truing"]
    plain = replace(one, task=one.task.replace(answer_facts=()))
    assert answers.judged(plain, all_done).right
    assert not answers.judged(plain, "The job is finished.").right
