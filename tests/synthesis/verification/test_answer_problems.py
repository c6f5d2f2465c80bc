"""What speaks against an answer is said with its words, with why, and with what to try."""

import pytest

from synthesis.documents.verdict import CheckOutcome
from synthesis.verification.answer_facts import PREFIX
from synthesis.verification.answer_problems import (
    MOST_QUOTED,
    answer_problem,
    failed_checks,
    is_of_answer,
    quoted,
)
from synthesis.verification.answers import DECLINED, GROUNDED, HONEST


def failed(name, **detail):
    return CheckOutcome(name=name, passed=False, detail=detail)


DONE = CheckOutcome(name="done", passed=True)


@pytest.mark.parametrize(
    ("outcome", "headline", "remedy"),
    [
        (
            failed(HONEST, problem="it says that something is open"),
            "the reference answer is not true: it says that something is open. ",
            "Tell what was done",
        ),
        (
            failed(GROUNDED, status="unclear", problem="nothing bears out the day 3 May"),
            "the reference answer says what no call of the reference solution showed: nothing bears out ",
            "Add the call that shows it",
        ),
        (
            failed(DECLINED, problem="it names no reason"),
            "the reference answer does not decline as it must: it names no reason. ",
            "Say that it was not done",
        ),
        (
            failed(f"{PREFIX}total owed", expected="42.50", problem="missing"),
            "the reference answer does not state its facts: total owed (expected 42.50, missing). ",
            "Say each value once",
        ),
    ],
)
def test_each_kind_of_problem_has_its_own_headline_and_remedy(outcome, headline, remedy):
    text = answer_problem((DONE, outcome), "She pays\non 3 May.")
    assert text.startswith(headline)
    assert 'It says "She pays on 3 May.". ' in text
    assert remedy in text


def test_several_problems_are_all_said_and_none_gives_nothing():
    outcomes = (failed(f"{PREFIX}total", expected="5", problem="missing"), failed(HONEST, problem="it lies"))
    text = answer_problem(outcomes, "x")
    assert "is not true: it lies; the reference answer does not state its facts: total (" in text
    assert answer_problem((DONE, failed("its own check")), "x") == ""


def test_a_long_answer_is_quoted_in_part():
    assert len(quoted("word " * 500)) < MOST_QUOTED + 20


def test_failed_checks_are_named_with_what_is_known_of_why():
    outcomes = (DONE, failed("its own check"), failed(f"{PREFIX}total", expected="5", problem="missing"))
    assert failed_checks(outcomes) == "its own check, the answer says: total (expected 5, missing)"
    assert is_of_answer([f"{PREFIX}total"])
    assert not is_of_answer([f"{PREFIX}total", "its own check"])
