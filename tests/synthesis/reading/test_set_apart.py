"""Of things that are asked for alike, one that is told apart is denied."""

from __future__ import annotations

import pytest

from synthesis.documents.tasks import AnswerFact
from synthesis.reading.document import ParsedText
from synthesis.reading.facts import read_facts

ALIKE = (
    AnswerFact(name="first tuner without a visit", type="name", value="Igor Lindqvist"),
    AnswerFact(name="second tuner without a visit", type="name", value="Selma Brandt"),
)
APART = (
    AnswerFact(name="tuner who is free", type="name", value="Igor Lindqvist"),
    AnswerFact(name="tuner who is not free", type="name", value="Selma Brandt"),
)


def statuses(text: str, facts: tuple[AnswerFact, ...]) -> list[str]:
    asked = "Which of our tuners have no visit yet?"
    readings = read_facts(ParsedText(text), facts, commits=True, instruction=asked, others={})
    return [reading.status for reading in readings]


@pytest.mark.parametrize(
    "text",
    [
        "Igor Lindqvist is free, Selma Brandt is not.",
        "Igor Lindqvist is free; Selma Brandt isn't.",
        "Igor Lindqvist is free. Selma Brandt is not.",
    ],
)
def test_a_value_that_is_told_apart_is_denied_where_both_are_asked_for(text: str) -> None:
    assert statuses(text, ALIKE) == ["stated", "contradicted"]
    assert statuses(text, APART) == ["stated", "stated"]


@pytest.mark.parametrize(
    "text",
    [
        "Igor Lindqvist and Selma Brandt are free, Petra Voss is not.",
        "Igor Lindqvist is free, and so is Selma Brandt.",
        "1. Igor Lindqvist\n2. Selma Brandt",
    ],
)
def test_others_may_be_told_apart(text: str) -> None:
    assert statuses(text, ALIKE) == ["stated", "stated"]
