"""A number that a text begins with is a count where no list goes on from it."""

from __future__ import annotations

import pytest

from synthesis.documents.tasks import AnswerFact
from synthesis.reading.judgement import judge_answer

MOVED = AnswerFact(name="number of appointments moved", type="number", value=2)


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("2. Edgar Kestrelman was busy both times.", "stated"),
        ("2. (Ada and Bo)", "stated"),
        ("3. Edgar Kestrelman was busy both times.", "missing"),
        ("1. Ada was moved.\n2. Bo was moved.", "missing"),
        ("2", "stated"),
    ],
)
def test_a_number_alone_before_a_sentence_is_a_count(answer: str, status: str) -> None:
    judged = judge_answer(answer, facts=[MOVED], instruction="How many appointments did you move?")
    assert judged.facts[0].status == status
