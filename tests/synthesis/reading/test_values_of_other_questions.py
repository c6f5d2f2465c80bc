"""Right answers that tell further values, each of which answers another question than was asked."""

import pytest

from synthesis.documents.tasks import AnswerFact
from synthesis.reading.judgement import judge_answer
from tests.synthesis.reading.desk_world import judged

MOVED = AnswerFact(name="number of bookings moved", type="number", value=2)
EXTENDED = AnswerFact(name="number of loans extended", type="number", value=1)
ADDED = AnswerFact(name="number of units added", type="number", value=3)
OUT = AnswerFact(name="number of loans", type="number", value=2)
FIRST = AnswerFact(name="first due date", type="date", value="2026-08-03")


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        (MOVED, "2 moved, 0 cancelled."),
        (EXTENDED, "Extended: 1\nNot extended: 1 (the end date has passed)"),
        (ADDED, "Three units were needed: the orders add up to 6 units and there were 3 in stock."),
        (OUT, "Ada Lund has 2 loans:\n\n1. The red drill - 3 days overdue\n2. The blue drill"),
        (FIRST, "The first is due on 3 August 2026. The other two follow on 4 and 5 August."),
    ],
)
def test_values_of_another_question_contradict_nothing(fact: AnswerFact, text: str) -> None:
    (read,) = judge_answer(text, facts=[fact], commits=True).facts
    assert read.stated, read.problem


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        (MOVED, "3 moved, 2 cancelled."),
        (EXTENDED, "Extended: 2\nNot extended: 1"),
        (ADDED, "Six units were added, for 3 were in stock."),
        (FIRST, "The first is due on 4 August 2026. The other two follow on 3 and 5 August."),
    ],
)
def test_the_right_value_of_another_question_is_no_answer(fact: AnswerFact, text: str) -> None:
    (read,) = judge_answer(text, facts=[fact], commits=True).facts
    assert not read.stated


def test_a_joining_day_with_its_weekday_is_no_act() -> None:
    fact = AnswerFact(name="joining date", type="date", value="2023-12-09")
    assert judge_answer("Joined: Saturday, 9 December 2023", facts=[fact], commits=True).right


@pytest.mark.parametrize(
    ("remark", "is_right"),
    [
        ("She had the lightest load.", True),
        ("Cleo Marsh had the lightest load.", False),
        ("None were open for her, against 1 for Bo Hale and 2 for Cleo Marsh.", True),
        ("None were open for her, against 2 for Bo Hale and 2 for Cleo Marsh.", False),
        ("24 May to 29 May is 5 days.", True),
        ("24 May to 29 May is 11 days.", False),
    ],
)
def test_what_follows_from_lists_and_days_may_be_told(remark: str, *, is_right: bool) -> None:
    reading = judged(f"RF-501 went to Ada Brook. {remark}")
    assert reading.right is is_right, (reading.untrue, reading.ungrounded)


OWED = AnswerFact(name="first due date", type="date", value="2026-09-02")
NEW = AnswerFact(name="new due date", type="date", value="2026-05-26")
DECIDES = AnswerFact(name="one who decides", type="name", value="Esther Holm")


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        (OWED, "First comes RE-1322, due on 2 September, and then RE-1302, due on 4 September 2026."),
        (OWED, "First due date: 2 September. In order: 2, 4 and 9 September."),
        (NEW, "PU-5004 is now due on 26 May 2026. PU-5002, due on 27 May, was not changed."),
        (NEW, "26 May 2026. The later course would only have been on 30 May."),
        (DECIDES, "Not waived \u2013 referred to Esther Holm."),
        (OUT, "Two. The first of them ends in 3 days."),
        (EXTENDED, "Just the one, LR-7205."),
    ],
)
def test_what_is_told_of_other_rows_contradicts_nothing(fact: AnswerFact, text: str) -> None:
    (read,) = judge_answer(text, facts=[fact], commits=True).facts
    assert read.stated, read.problem


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        (OWED, "RE-1322 is due on 2 September, and the first due date is 1 September 2026."),
        (NEW, "PU-5004 is now due on 27 May 2026. PU-5002 is due on 28 May."),
        (DECIDES, "Not referred to Esther Holm."),
        (EXTENDED, "Just the two, LR-7205 and LR-7206."),
    ],
)
def test_another_value_of_the_same_question_still_counts(fact: AnswerFact, text: str) -> None:
    (read,) = judge_answer(text, facts=[fact], commits=True).facts
    assert not read.stated


def test_joining_on_a_weekday_is_no_act() -> None:
    fact = AnswerFact(name="joining date", type="date", value="2024-10-24")
    assert judge_answer("Joined on Thursday, 24 October 2024.", facts=[fact], commits=True).right
