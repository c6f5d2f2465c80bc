"""Values told beside what was asked for: runners-up, stocks, addresses, notices and windows."""

from __future__ import annotations

from typing import Any

import pytest

from synthesis.documents.tasks import AnswerFact
from synthesis.reading.judgement import judge_answer
from tests.synthesis.reading.desk_world import judged

CLERK = AnswerFact(name="clerk with the most", type="name", value="Ada Brook")
COUNT = AnswerFact(name="number of orders fulfilled", type="number", value=2)
ONE = AnswerFact(name="number of orders fulfilled", type="number", value=1)
QUANTITY = AnswerFact(name="new quantity", type="number", value=12)
MAIL = AnswerFact(name="e-mail address", type="text", value="ada@example.org")
DUE = AnswerFact(name="earliest due date", type="date", value="2026-05-25")
OTHERS = {"clerk with the most": ("Bo Hale", "Cleo Marsh")}


def _read(text: str, fact: AnswerFact, *, commits: bool = True) -> Any:
    return judge_answer(text, facts=(fact,), commits=commits, others=OTHERS)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("The clerk with the most is Ada Brook with 3. Next come Bo Hale and Cleo Marsh with 2 each.", CLERK),
        ("Ada Brook is the clerk; the other two clerks, Bo Hale and Cleo Marsh, have one each, 1.", CLERK),
        ("Our stock of 34 books was enough for two orders.", COUNT),
        ("Started with 62 tickets; 2 orders are fulfilled.", COUNT),
        ("The quantity was changed from 4 to 12 units.", QUANTITY),
        ("The clerk with the most is Ada Brook (3). Bo Hale and Cleo Marsh each have 2.", CLERK),
        ("Of the two orders that waited, just one was not fulfilled, so 2 orders in all.", COUNT),
        ("Of the three orders, 2 could be fulfilled.", COUNT),
        ("One of Ada Brook's two orders was fulfilled.", ONE),
        ("Anything of 40.00 or less is for us, so the clerk with the most is Ada Brook.", CLERK),
        ("Write to ada@example.org or call 555-0889.", MAIL),
        ("The older of her two entries has been due since 25 May 2026.", DUE),
    ],
)
def test_what_is_beside_the_right_value_contradicts_nothing(text: str, fact: AnswerFact) -> None:
    reading = _read(text, fact)
    assert reading.right, reading


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("The clerk with the most is Bo Hale with 3. Next come Ada Brook and Cleo Marsh with 2 each.", CLERK),
        ("The clerk with the most is Ada Brook; the clerk with the most is Bo Hale, next to her.", CLERK),
        ("The clerk with the most is Ada Brook (3). Bo Hale actually has 4.", CLERK),
        ("One of 1 and 2 is the number of orders fulfilled.", ONE),
        ("The new quantity is 12 or less.", QUANTITY),
        ("34 orders were fulfilled from our stock.", COUNT),
        ("The quantity was changed from 12 to 4 units.", QUANTITY),
        ("The quantity is now 4 to 12 units.", QUANTITY),
        ("Write to ada@example.org or ada@example.com.", MAIL),
        ("There are two entries for 25 May 2026 and 26 May 2026.", DUE),
    ],
)
def test_another_value_in_its_place_does(text: str, fact: AnswerFact) -> None:
    assert not _read(text, fact).right


RIGHT = "RF-501 went to Ada Brook."


@pytest.mark.parametrize(
    "remark",
    [
        "Bo Hale's RF-502 is due tomorrow; I did not touch that one.",
        "The bill, which nobody asked about, is still unpaid.",
        "Cleo Marsh was passed over and Bo Hale was left out because he has one.",
        "Her refund of 520.00 was not the obstacle.",
    ],
)
def test_true_remarks_of_other_rows_deny_nothing(remark: str) -> None:
    reading = judged(f"{RIGHT} {remark}")
    assert not reading.untrue, reading.untrue


@pytest.mark.parametrize(
    "remark",
    ["RF-501 is still unassigned.", "I moved RF-501 to 28 May 2026."],
)
def test_denials_of_what_was_done_still_count(remark: str) -> None:
    reading = judged(f"{RIGHT} {remark}", tools={"assign_refund": 1, "postpone_refund": 0})
    assert reading.untrue or reading.ungrounded


def test_what_moved_without_a_day_went_to_somebody() -> None:
    tools = {"assign_refund": 1, "postpone_refund": 0}
    assert judged("I moved RF-501 to Ada Brook. The clerk is Ada Brook.", tools=tools).right
    assert not judged("I moved RF-501 to Bo Hale. The clerk is Ada Brook.", tools=tools).right
