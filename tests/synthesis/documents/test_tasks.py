"""Tasks and the facts their answers must hold."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from synthesis.documents.tasks import AnswerFact, Blocking, Task, Tasks

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


WRITTEN = {
    "id": "move",
    "instruction": "Move the appointment to Friday.",
    "kind": "write",
    "difficulty": "easy",
    "min_calls": 1,
    "reference_solution": [],
    "reference_answer": "Moved.",
    "answer_facts": [{"name": "new day", "type": "date", "value": "2026-03-18"}],
    "split": None,
}
"""A task as bundles held it before tasks had blocking evidence and limits of their own."""


def _task(id: str, **fields: Any) -> Task:
    return Task.model_validate({**WRITTEN, "id": id, **fields})


def test_a_task_of_an_old_bundle_reads_back_and_keeps_its_fingerprint() -> None:
    task = Task.model_validate(WRITTEN)
    assert json.loads(task.model_dump_json(by_alias=True)) == WRITTEN
    assert task.fingerprint == "c702ac60a642e5efbc51100dcbd58affb1702198b4d165a1466fbf19e3239ace"
    assert task.blocking == ()


def test_blocking_evidence_and_limits_are_written_only_where_they_are() -> None:
    fact = {"name": "late by", "type": "number", "value": 3, "unit": "days", "direction": "later"}
    blocking = [
        {"kind": "status", "text": "it is already published", "value": "published"},
        {"kind": "rule", "text": "only pending ones can be published"},
        {"kind": "limit", "text": "later than 48 hours", "value": 48, "type": "number"},
    ]
    task = _task("move", answer_facts=[fact], blocking=blocking, max_steps=25, depth=2)
    written = json.loads(task.model_dump_json(by_alias=True))
    assert written["answer_facts"] == [fact]
    assert written["blocking"] == blocking
    assert (written["max_steps"], written["depth"]) == (25, 2)
    assert Task.model_validate(written) == task


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "status", "text": ""},
        {"kind": "mood", "text": "not today"},
        {"kind": "value", "text": "a day that is over", "value": "yesterday", "type": "date"},
        {"kind": "value", "text": "a day that is over", "type": "date"},
        {"kind": "value", "text": "a list of days", "value": ["2026-03-18"]},
    ],
)
def test_blocking_evidence_of_another_form_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Blocking.model_validate(wrong)


@pytest.mark.parametrize(("min_calls", "limit"), [(0, 20), (1, 20), (10, 20), (11, 22), (20, 35), (200, 305)])
def test_a_task_leaves_room_for_half_as_many_calls_again_and_five(min_calls: int, limit: int) -> None:
    assert _task("move", min_calls=min_calls).step_limit == limit


def test_a_tasks_own_limit_holds_and_cannot_be_tight() -> None:
    assert _task("move", min_calls=10, max_steps=20).step_limit == 20
    with pytest.raises(ValidationError, match="at least 20"):
        _task("move", min_calls=10, max_steps=19)


def test_every_task_id_stands_once() -> None:
    with pytest.raises(ValidationError, match="more than once: move"):
        Tasks(tasks=(_task("move"), _task("move")))


def test_a_task_id_is_a_slug() -> None:
    with pytest.raises(ValidationError):
        _task("../etc")
