"""Tasks and the facts their answers must hold."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from synthesis.documents.tasks import AnswerFact, Task, Tasks

GOOD = [
    ("number", 3),
    ("number", 2.5),
    ("money_cents", 4000),
    ("date", "2026-03-18"),
    ("time", "13:40"),
    ("time", "13:40:05"),
    ("name", "Elm"),
    ("boolean", False),
    ("text", "by phone"),
]
BAD = [
    ("number", True),
    ("number", "3"),
    ("money_cents", 40.0),
    ("money_cents", True),
    ("date", "18 March"),
    ("date", "2026-02-30"),
    ("time", "1:40 pm"),
    ("time", "25:00"),
    ("name", ""),
    ("boolean", 0),
    ("text", 5),
]


@pytest.mark.parametrize(("type", "value"), GOOD)
def test_a_fact_keeps_a_value_of_its_type(type: str, value: object) -> None:
    fact = AnswerFact.model_validate({"name": "it", "type": type, "value": value})
    assert fact.value == value
    assert AnswerFact.model_validate(fact.model_dump(mode="json")) == fact


@pytest.mark.parametrize(("type", "value"), BAD)
def test_a_fact_refuses_a_value_of_another_type(type: str, value: object) -> None:
    with pytest.raises(ValidationError):
        AnswerFact.model_validate({"name": "it", "type": type, "value": value})


def _task(id: str) -> Task:
    return Task(
        id=id,
        instruction="Move the appointment to Friday.",
        kind="write",
        difficulty="easy",
        min_calls=1,
        reference_solution=(),
        reference_answer="Moved.",
    )


def test_every_task_id_stands_once() -> None:
    with pytest.raises(ValidationError, match="more than once: move"):
        Tasks(tasks=(_task("move"), _task("move")))


def test_a_task_id_is_a_slug() -> None:
    with pytest.raises(ValidationError):
        _task("../etc")
