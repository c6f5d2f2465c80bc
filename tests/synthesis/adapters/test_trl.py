from __future__ import annotations

import inspect
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from synthesis.adapters import trl
from synthesis.documents.environment import Environment
from synthesis.documents.verdict import Unscored


@pytest.fixture(scope="module")
def factory(clinic_path: Path) -> Iterator[Any]:
    made = trl.environment_factory(clinic_path)
    yield made
    made._world.close()


def message(text: str) -> list[dict[str, str]]:
    return [{"role": "assistant", "content": text}]


def test_each_tool_is_a_typed_documented_method_and_nothing_else_is_public(
    factory: Any, clinic: Environment
) -> None:
    public = {
        name
        for name, _ in inspect.getmembers(factory, predicate=inspect.isfunction)
        if not name.startswith("_")
    }
    assert public == {"reset", *(tool.name for tool in clinic.tools.tools)}
    method = factory.find_patients
    hints = typing.get_type_hints(method)
    assert (hints["name"], hints["birth_date"], hints["limit"]) == (str, str | None, int | None)
    assert typing.get_type_hints(factory.register_patient)["preferred_channel"] == (
        typing.Literal["sms", "email"] | None
    )
    parameters = inspect.signature(method).parameters
    assert list(parameters)[:2] == ["self", "name"]
    assert parameters["limit"].default == 20
    assert "\nArgs:\n    name: Part of the first name" in inspect.getdoc(method)


def test_rows_play_and_are_rewarded(factory: Any, clinic: Environment, clinic_path: Path) -> None:
    rows = trl.rows(clinic_path)
    assert [row["task_id"] for row in rows] == [task.id for task in clinic.tasks.tasks]
    environment, idle = factory(), factory()
    for row, task in zip(rows, clinic.tasks.tasks, strict=True):
        assert row["prompt"][-1] == {"role": "user", "content": task.instruction}
        environment.reset(**row)
        idle.reset(**row)
        for call in task.reference_solution:
            orjson.loads(getattr(environment, call.name)(**call.arguments))
        completions = [message(task.reference_answer), message("")]
        rewards = trl.reward(completions, [environment, idle], prompts=[])
        assert rewards == [1.0, 0.0], task.id


def test_what_does_not_go_through_is_read_by_the_model(factory: Any) -> None:
    environment = factory()
    assert "ended" in environment.get_patient(patient_id=1)
    environment.reset(task_id="read_total_owed")
    assert orjson.loads(environment.get_patient(patient_id=999)) == {"error": "Patient 999 does not exist."}
    assert "items" in orjson.loads(environment.find_patients(name="mara", birth_date=None))
    for _ in range(30):
        last = environment.get_patient(patient_id=1)
    assert "ended" in last


def test_a_rollout_that_could_not_be_measured_has_no_reward(
    factory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("synthesis.episode.verify", lambda *_, **__: Unscored(error="it died"))
    environment = factory()
    environment.reset(task_id="read_total_owed")
    assert trl.reward([message("x")], [environment]) == [None]


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("x", "x"),
        ([], ""),
        (message("x"), "x"),
        ([{"content": [{"type": "text", "text": "x"}]}], "x"),
        ([{}], ""),
    ],
)
def test_the_answer_is_the_text_of_the_last_message(completion: Any, text: str) -> None:
    assert trl._last_text(completion) == text
