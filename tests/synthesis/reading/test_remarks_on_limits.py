"""Limits, checks and choices that an answer tells beside what it was asked."""

import pytest

from synthesis.documents.tasks import AnswerFact
from synthesis.reading.judgement import judge_answer
from tests.synthesis.reading.desk_world import RULES, judged

RIGHT = "RF-501 went to Ada Brook."
LINES = RULES.replace(". ", ".\n") + "\nOf two refunds the first counts.\nWhere it was paid twice, void one."


@pytest.mark.parametrize(
    ("remark", "right"),
    [
        ("The clerk's limit is 40.00.", True),
        ("Our limit for waiving is 40.00.", True),
        ("Our limit for waiving is 30.00.", False),
        ("I checked that it was still unassigned.", True),
        ("It is still unassigned.", False),
        ("All is settled.", True),
        ("Under our rules the first of two refunds counts.", True),
        ("Cleo Marsh had been paid twice.", True),
        ("Bo Hale had been paid twice.", False),
    ],
)
def test_limits_and_checks_may_be_told(remark: str, right: bool) -> None:
    tools = {"assign_refund": 1}
    reading = judged(f"{RIGHT} {remark}", rules=LINES, tools=tools)
    assert reading.right is right, (reading.untrue, reading.ungrounded)


def test_an_amount_that_was_asked_for_is_no_limit() -> None:
    asked = "Assign refund RF-501 of 70.00 to the clerk who should have it, and say who that is."
    ruled = "A delivery is at most 30.00."
    for rules, is_right in ((f"{ruled}\n{asked}", True), (f"{ruled}\nA refund is at most 70.00.", False)):
        reading = judged(f"{RIGHT} It may be at most 30.00.", rules=rules, instruction=asked)
        assert reading.right is is_right, (reading.untrue, reading.ungrounded)


def test_the_one_that_was_taken_of_two_was_not_changed() -> None:
    task = {
        "facts": [AnswerFact(name="total owed", type="money_cents", value=58_000)],
        "instruction": "How much does Meridian Room from Coldspring owe?",
    }
    assert judge_answer("I took the one in Coldspring. It owes 580.00.", **task).right
    assert not judge_answer("I cancelled the one in Coldspring. It owes 580.00.", **task).right
