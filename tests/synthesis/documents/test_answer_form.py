"""Answers in fields: read with clear words, measured by their form, and never a task's own schema."""

from __future__ import annotations

from typing import Any

import pytest

from synthesis.documents.answer_form import (
    PARAMETERS,
    UnfitAnswer,
    read_answer,
    taken,
    tool_name,
)
from synthesis.documents.trajectory import FinalAnswer

WHOLE = FinalAnswer(
    text="It is too late.", outcome="declined", reason="48 hours are over", values={"hours": 50}
)


def test_fields_are_read_and_nulls_are_left_out() -> None:
    assert read_answer({**WHOLE.model_dump(), "reason": None}) == WHOLE.replace(reason=None)
    assert read_answer({}) == FinalAnswer()


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": 5},
        {"text": ["a"]},
        {"outcome": "yes"},
        {"reason": 7},
        {"values": "total"},
        {"values": {"": 1}},
        {"values": {"n" * 201: 1}},
        {"values": {"total": {"amount": 1}}},
        {"values": {"total": [[1]]}},
        {"values": {str(number): number for number in range(101)}},
        {"values": {"total": "x" * 100_001}},
        {"text": "x" * 100_001},
        {"answer": "x"},
    ],
)
def test_what_does_not_fit_is_said_in_words(wrong: dict[str, Any]) -> None:
    with pytest.raises(UnfitAnswer) as caught:
        read_answer(wrong)
    assert str(caught.value)


def test_a_form_says_what_is_measured() -> None:
    assert taken(WHOLE, "text") == FinalAnswer(text=WHOLE.text)
    assert taken(WHOLE, "structured").text == ""
    assert taken(WHOLE, "structured").values == WHOLE.values
    assert taken(WHOLE, "both") == WHOLE


def test_there_is_one_schema_and_it_names_no_value() -> None:
    properties = PARAMETERS["properties"]
    assert isinstance(properties, dict)
    assert set(properties) == set(FinalAnswer.model_fields)
    assert tool_name({"find"}) == "submit_answer"
    assert tool_name({"submit_answer"}) == "submit_final_answer"
