"""Numbers that count nothing: those of names, of limits that others are held against, of the busiest."""

from __future__ import annotations

from typing import Any

import pytest

from synthesis.documents.tasks import AnswerFact, Blocking
from synthesis.reading.effects import effects_from
from synthesis.reading.judgement import judge_answer
from tests.synthesis.reading.desk_world import CALLS, REFUNDS, RULES, judged, shown

MOVED = AnswerFact(name="number of loans moved", type="number", value=1)
SCORES = effects_from(
    {
        "tools": {"move_loan": 1},
        "tables": ["loans", "scores"],
        "names": ["Score 21", "Score 35"],
        "own": ["Score 21", "Score 35"],
        "words": [],
        "options": [],
        "amounts": [],
    }
)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("One loan was moved: it is on Score 35 now.", True),
        ("1 loan was moved to Score 35.", True),
        ("One. Score 35 took it, Score 21 is out of use.", True),
        ("Score 35 was moved; 2 loans were moved.", False),
        ("35 loans were moved.", False),
    ],
)
def test_the_number_of_a_name_counts_nothing(text: str, right: bool) -> None:
    reading = judge_answer(text, facts=(MOVED,), changed=True, effects=SCORES)
    assert reading.facts[0].stated is right, reading


@pytest.mark.parametrize(
    ("remark", "right"),
    [
        ("With 3 open ones she is two below the limit of 5.", True),
        ("With 3 open ones she is one below the limit of 4.", False),
        ("A letter goes out when a bill is more than two weeks overdue.", True),
        ("A letter goes out when a bill is more than three weeks overdue.", False),
    ],
)
def test_numbers_are_held_against_the_limit_that_is_told(remark: str, right: bool) -> None:
    rules = f"{RULES} A clerk has 5 open ones at most."
    reading = judged(f"RF-501 went to Ada Brook. {remark}", rules=rules)
    problems = (reading.untrue, *reading.ungrounded)
    is_another = any("no rule has" in each or "a span of" in each for each in problems)
    assert is_another is not right, problems


ASSIGNED: list[Any] = [
    [{"status": "assigned"}, {"total": 3, "items": [shown(row, "refund") for row in REFUNDS[1:]]}],
    CALLS[-1],
]
BUSIEST: dict[str, Any] = {
    "facts": [
        AnswerFact(name="clerk with the most", type="name", value="Cleo Marsh"),
        AnswerFact(name="number they have", type="number", value=2),
    ],
    "instruction": "Which clerk has the most refunds assigned, and how many?",
    "reference": "The clerk with the most is Cleo Marsh. The number they have is 2.",
    "commits": True,
    "touched": set(),
    "tools": {"assign_refund": 0},
    "calls": [CALLS[1], *ASSIGNED],
}


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Cleo Marsh is the busiest, with 2.", True),
        ("Cleo Marsh has the most: 2. Bo Hale has 1.", True),
        ("Cleo Marsh has the most: 2. Bo Hale has 2, too.", False),
        ("Cleo Marsh has the most: 2. Bo Hale is the busiest, though.", False),
    ],
)
def test_runners_up_are_counted_in_the_list_of_all(text: str, right: bool) -> None:
    reading = judged(text, **BUSIEST)
    assert reading.right is right, reading


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("I did not assign RF-501 to Dan Orr because he's off duty.", True),
        ("I did not assign RF-501 to Dan Orr. He is off duty at the moment.", True),
        ("I did not assign RF-501 to Dan Orr because the moon is off duty.", False),
    ],
)
def test_a_lack_may_be_told_of_a_pronoun(text: str, right: bool) -> None:
    evidence = (Blocking(kind="rule", text="Dan Orr is not on duty"),)
    asked = "Assign RF-501 to Dan Orr."
    reading = judge_answer(text, blocking=evidence, expects_refusal=True, instruction=asked)
    assert reading.right is right, reading


def test_what_somebody_would_have_to_pay_is_what_they_owe() -> None:
    owed = AnswerFact(name="total owed", type="money_cents", value=58_000)
    asked = "How much does Ada Brook owe?"
    assert judge_answer(
        "Ada Brook would have to pay 580.00.", facts=(owed,), commits=True, instruction=asked
    ).right
    doubted = "Ada Brook would have paid 580.00."
    assert not judge_answer(doubted, facts=(owed,), commits=True, instruction=asked).right
