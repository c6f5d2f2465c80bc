"""The suite `answers`: enough environments and answers, kept apart, and figures that do not fall behind."""

from __future__ import annotations

import pytest

from benchmarks import answers
from benchmarks.answers_bank import TestBank
from synthesis.verification.wordings.development import DevelopmentBank
from synthesis.verification.wordings.making import wordings


@pytest.fixture(scope="module")
def figures() -> dict:
    return answers.run(every=9)


def test_there_are_enough_environments_of_every_origin_and_task() -> None:
    asked = list(answers.subjects())
    assert len({one.environment for one in asked}) >= 40
    assert {one.task.kind for one in asked} == {"read", "write", "mixed", "refuse"}
    assert "clinic_front_desk" in {one.environment for one in asked}


def test_both_halves_word_answers_right_and_wrong_and_share_next_to_none() -> None:
    shared = total = 0
    for one in list(answers.subjects())[::20]:
        mine, theirs = (
            {wording.text for wording in wordings(one.task, others=one.others, bank=bank)}
            for bank in (DevelopmentBank(), TestBank())
        )
        shared, total = shared + len(mine & theirs), total + len(theirs)
        for bank in (DevelopmentBank(), TestBank()):
            worded = wordings(one.task, others=one.others, bank=bank)
            assert len({wording.text for wording in worded if wording.right}) >= 10
            assert len(worded) <= answers.PER_TASK
    assert shared < 0.1 * total


def test_the_reader_takes_right_answers_and_no_wrong_ones(figures: dict) -> None:
    assert figures["answers"] >= 2_000
    for half in ("test", "development"):
        assert figures[half]["right_accepted"] >= 0.98, figures[half]["kinds"]
        assert figures[half]["wrong_accepted"] <= 0.01, figures[half]["kinds"]
        assert figures[half]["unclear"] <= 0.02
    # Far from the goal: the bound only shows when it gets worse.
    assert figures["blind"]["right_accepted"] >= 0.96, figures["blind"]["kinds"]
    assert figures["blind"]["wrong_accepted"] <= 0.14, figures["blind"]["kinds"]
    assert figures["composed"]["right_accepted"] >= 0.98, figures["composed"]["kinds"]
    assert figures["composed"]["wrong_accepted"] <= 0.19, figures["composed"]["kinds"]
    assert figures["unseen"]["right_accepted"] >= 0.96, figures["unseen"]["kinds"]
    assert figures["unseen"]["wrong_accepted"] <= 0.08, figures["unseen"]["kinds"]
    assert figures["latest"]["right_accepted"] >= 0.95, figures["latest"]["kinds"]
    assert figures["latest"]["wrong_accepted"] <= 0.21, figures["latest"]["kinds"]
    assert figures["novel"]["right_accepted"] >= 0.97, figures["novel"]["kinds"]
    assert figures["novel"]["wrong_accepted"] <= 0.27, figures["novel"]["kinds"]
    assert figures["last"]["right_accepted"] >= 0.96, figures["last"]["kinds"]
    assert figures["last"]["wrong_accepted"] <= 0.42, figures["last"]["kinds"]
    assert figures["authored"]["right_accepted"] >= 0.88, figures["authored"]["kinds"]
    assert figures["authored"]["wrong_accepted"] <= 0.13, figures["authored"]["kinds"]
    assert figures["varied"]["right_accepted"] >= 0.98, figures["varied"]["kinds"]
    assert figures["varied"]["wrong_accepted"] <= 0.11, figures["varied"]["kinds"]
    assert figures["apart"]["right_accepted"] >= 0.87, figures["apart"]["kinds"]
    assert figures["apart"]["wrong_accepted"] <= 0.16, figures["apart"]["kinds"]
    assert figures["afresh"]["right_accepted"] >= 0.88, figures["afresh"]["kinds"]
    assert figures["afresh"]["wrong_accepted"] <= 0.14, figures["afresh"]["kinds"]
    assert figures["played"]["right_accepted"] >= 0.87, figures["played"]["kinds"]
    assert figures["played"]["wrong_accepted"] <= 0.09, figures["played"]["kinds"]
    assert figures["untried"]["right_accepted"] >= 0.96, figures["untried"]["kinds"]
    assert figures["untried"]["wrong_accepted"] <= 0.06, figures["untried"]["kinds"]
    assert figures["reserved"]["right_accepted"] >= 0.75, figures["reserved"]["kinds"]
    assert figures["reserved"]["wrong_accepted"] <= 0.17, figures["reserved"]["kinds"]
    assert figures["invented"]["right_accepted"] >= 0.94, figures["invented"]["kinds"]
    assert figures["invented"]["wrong_accepted"] <= 0.11, figures["invented"]["kinds"]
    assert figures["withheld"]["right_accepted"] >= 0.81, figures["withheld"]["kinds"]
    assert figures["withheld"]["wrong_accepted"] <= 0.28, figures["withheld"]["kinds"]
    assert figures["written"]["right_accepted"] >= 0.91, figures["written"]["kinds"]
    assert figures["written"]["wrong_accepted"] <= 0.27, figures["written"]["kinds"]
    assert figures["replies"]["right_accepted"] >= 0.95
    assert figures["replies"]["wrong_accepted"] <= 0.05


@pytest.mark.parametrize("bank", [DevelopmentBank(), TestBank()])
def test_right_wordings_are_taken_where_the_calls_are_known_too(bank: DevelopmentBank | TestBank) -> None:
    names = ("fresh", "unseen", "latest", "novel", "last", "varied")
    asked = [one for name in names for one in list(answers.subjects(f"{name}_tasks"))[::4]]
    figures = answers.half(asked, bank)
    assert figures["answers"] >= 1_000
    assert figures["right_accepted"] >= 0.995, figures["kinds"]
    assert figures["wrong_accepted"] <= 0.002, figures["kinds"]
