"""Answers that list people with what they have or owe, as models word them."""

import pytest

from synthesis.documents.tasks import AnswerFact
from synthesis.reading.judgement import judge_answer

OWED = {
    "facts": [
        AnswerFact(name=f"owed by {name}", type="money_cents", value=value)
        for name, value in (("Peter Hollis", 32000), ("Martin Keane", 54000), ("Owen Pryce", 20000))
    ],
    "commits": True,
    "instruction": "Which members have overdue invoices, and how much does each owe on them in total?",
    "reference": "On overdue invoices Peter Hollis owes 320.00, Martin Keane 540.00 and Owen Pryce 200.00.",
}
GRAMS = {
    "facts": [
        AnswerFact(name="first grower", type="name", value="Clara Winslow"),
        AnswerFact(name="variety of Clara Winslow", type="name", value="Speckled Drover"),
        AnswerFact(name="grams still owed by Clara Winslow", type="number", value=24, unit="grams"),
        AnswerFact(name="second grower", type="name", value="Silas Thorne"),
        AnswerFact(name="variety of Silas Thorne", type="name", value="Purple Mantle"),
        AnswerFact(name="grams still owed by Silas Thorne", type="number", value=30, unit="grams"),
    ],
    "commits": True,
    "instruction": "Which growers are overdue? List them by name with variety and grams still owed.",
    "reference": "Clara Winslow (Speckled Drover, 24 g) and Silas Thorne (Purple Mantle, 30 g).",
}

LISTED = (
    "Two growers are overdue: Clara Winslow with {}, 24 grams still owed, and Silas Thorne with {}, 30 grams "
    "still owed."
)


@pytest.mark.parametrize(
    ("text", "task", "right"),
    [
        (
            "- owed by Peter Hollis: 320.00\n- owed by Martin Keane: 540.00\n- owed by Owen Pryce: 200.00",
            OWED,
            True,
        ),
        (
            "**Owed by peter hollis**: 320.00\n**Owed by martin keane**: 540.00\n**Owed by owen pryce**: 200",
            OWED,
            True,
        ),
        (
            "- owed by Peter Hollis: 320.00\n- owed by Martin Keane: 200.00\n- owed by Owen Pryce: 540.00",
            OWED,
            False,
        ),
        (
            "Peter Hollis owes 320.00, Martin Keane 540.00 and Owen Pryce 200.00. I waived the last one.",
            OWED,
            False,
        ),
        ("Refunded to Peter Hollis: 320.00. Martin Keane owes 540.00 and Owen Pryce 200.00.", OWED, False),
        (LISTED.format("Speckled Drover", "Purple Mantle"), GRAMS, True),
        (LISTED.format("Purple Mantle", "Speckled Drover"), GRAMS, False),
        ("Clara Winslow – Speckled Drover – 24 g\nSilas Thorne – Purple Mantle – 30 g", GRAMS, True),
        (
            "Clara Winslow owes 30 grams of Speckled Drover, Silas Thorne 24 grams of Purple Mantle.",
            GRAMS,
            False,
        ),
    ],
)
def test_what_each_of_several_people_has_is_read_of_them(text: str, task: dict, right: bool) -> None:
    reading = judge_answer(text, **task)
    assert reading.right is right, (reading.untrue, reading.facts)


def test_what_somebody_else_did_is_no_act_of_the_speaker() -> None:
    task = {
        "instruction": "Who booked room 4, and when?",
        "reference": "Ada Lund, on 3 May 2026.",
        "commits": True,
    }
    fact = AnswerFact(name="who booked it", type="name", value="Ada Lund")
    assert judge_answer("Booked by Ada Lund, 3 May 2026.", facts=[fact], **task).right
    assert judge_answer("Booked for Ada Lund, 3 May 2026.", facts=[fact], **task).untrue
