"""Adapters in the libraries they are for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from synthesis.adapters.harbor import harbor_tasks
from synthesis.bundles.nemo_gym import NemoGymCodec
from synthesis.documents.bundle import Bundle
from synthesis.documents.environment import Environment

pytestmark = pytest.mark.at_length
ROOT = Path(__file__).parents[2]
RUNTIME = ("apsw", "cachetools", "docstring-parser", "orjson", "pydantic", "rich", "tzdata")


def test_inspect_scores_the_reference_and_not_an_idle_model(
    client_of: Callable[..., Any], clinic_path: Path, tasks_file: Path, clinic: Environment
) -> None:
    run = client_of("inspect-ai", "inspect-ai==0.3.285", *RUNTIME)
    scores = run("inspect_client.py", str(clinic_path), str(tasks_file), path=ROOT)
    assert scores["gold"] == {task.id: 1.0 for task in clinic.tasks.tasks}
    assert max(scores["no_op"].values()) == 0.0


def test_transformers_reads_the_methods_that_trl_offers_as_tools(
    client_of: Callable[..., Any], clinic_path: Path, tasks_file: Path, clinic: Environment
) -> None:
    run = client_of("transformers", "transformers==5.23.0", "jinja2", *RUNTIME)
    result = run("trl_client.py", str(clinic_path), str(tasks_file), path=ROOT)
    names = [schema["function"]["name"] for schema in result["schemas"]]
    assert sorted(names) == sorted(tool.name for tool in clinic.tools.tools)
    for schema in result["schemas"]:
        tool = clinic.tools.tool(schema["function"]["name"])
        assert tool is not None
        parameters = schema["function"]["parameters"]
        assert sorted(parameters["properties"]) == sorted(tool.input_schema["properties"])  # type: ignore[arg-type]
        assert sorted(parameters.get("required", [])) == sorted(tool.input_schema["required"])  # type: ignore[arg-type]
    assert result["gold"] == {task.id: 1.0 for task in clinic.tasks.tasks}
    assert max(result["no_op"].values()) == 0.0


def test_verifiers_validates_every_task_and_rewards_a_scripted_model(
    client_of: Callable[..., Any], clinic_path: Path, tasks_file: Path, clinic: Environment
) -> None:
    run = client_of("verifiers", "verifiers==0.4.0", "uv", *RUNTIME)
    result = run("verifiers_client.py", str(clinic_path), str(tasks_file), path=ROOT)
    assert result["gold"] == {task.id: 1.0 for task in clinic.tasks.tasks}
    assert max(result["no_op"].values()) == 0.0
    assert result["validated"] == 1.0


def test_ray_actors_host_episodes_and_a_lost_one_is_replaced(
    client_of: Callable[..., Any], clinic_path: Path, clinic: Environment
) -> None:
    run = client_of("ray", "ray==2.60.0", *RUNTIME)
    result = run("ray_client.py", str(clinic_path), path=ROOT)
    assert result["gold"] == {task.id: 1.0 for task in clinic.tasks.tasks}
    assert max(result["no_op"].values()) == 0.0
    assert result["lost"]
    assert result["again"] == 1.0
    assert result["replaced"] == [1, 0]
    assert result["example"] == 1.0


@pytest.mark.skipif(sys.version_info < (3, 12), reason="harbor 0.25 needs Python 3.12 or later")
def test_harbor_reads_every_task_folder(
    client_of: Callable[..., Any], clinic_path: Path, clinic: Environment, tmp_path: Path
) -> None:
    harbor_tasks(clinic_path, tmp_path / "tasks")
    found = client_of("harbor", "harbor==0.25.0")("harbor_client.py", str(tmp_path / "tasks"))
    assert {name: (task["valid"], task["servers"]) for name, task in found.items()} == {
        task.id: (True, [[clinic.name, "streamable-http"]]) for task in clinic.tasks.tasks
    }
    for task in clinic.tasks.tasks:
        assert found[task.id]["instruction"].startswith(task.instruction)


def test_verifiers_own_nemo_gym_taskset_plays_exported_rows_on_a_server(
    client_of: Callable[..., Any], served: Any, tasks_file: Path, clinic: Environment, tmp_path: Path
) -> None:
    rows = NemoGymCodec().write(Bundle(environment=clinic), tmp_path / "clinic.jsonl")
    run = client_of("verifiers", "verifiers==0.4.0", "uv", *RUNTIME)
    result = run("nemo_gym_client.py", served.url, str(rows), str(tasks_file))
    count = len(clinic.tasks.tasks)
    assert result == {"gold": [1.0] * count, "no_op": [0.0] * count}
