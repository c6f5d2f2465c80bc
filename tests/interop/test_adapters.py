"""Adapters in the libraries they are for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.client_library import INSPECT, NEMO_GYM, RAY, ROOT, RUNTIME, TRL, VERIFIERS, Library
from synthesis.adapters.harbor import harbor_tasks
from synthesis.bundles.chat_jsonl import ChatJsonlCodec
from synthesis.bundles.nemo_gym import NemoGymCodec
from synthesis.documents.bundle import Bundle, JudgedTrajectory
from synthesis.documents.environment import Environment
from synthesis.documents.tasks import Task
from synthesis.documents.trajectory import FinalAnswer, Trajectory
from synthesis.episode import Episode
from synthesis.worlds.world import World

pytestmark = pytest.mark.at_length
TRANSFORMERS = Library("transformers", ("transformers==5.23.0", "jinja2", *RUNTIME))
HARBOR = Library("harbor", ("harbor==0.25.0",), version="3.12")


def test_inspect_scores_the_reference_and_not_an_idle_model(
    client_of: Callable[..., Any], bundle: Path, tasks_file: Path, environment: Environment
) -> None:
    run = client_of(INSPECT)
    scores = run("inspect_client.py", str(bundle), str(tasks_file), path=ROOT)
    assert scores["gold"] == {task.id: 1.0 for task in environment.tasks.tasks}
    assert max(scores["no_op"].values()) == 0.0


def test_transformers_reads_the_methods_that_trl_offers_as_tools(
    client_of: Callable[..., Any], bundle: Path, tasks_file: Path, environment: Environment
) -> None:
    run = client_of(TRANSFORMERS)
    result = run("trl_client.py", str(bundle), str(tasks_file), path=ROOT)
    names = [schema["function"]["name"] for schema in result["schemas"]]
    assert sorted(names) == sorted(tool.name for tool in environment.tools.tools)
    for schema in result["schemas"]:
        tool = environment.tools.tool(schema["function"]["name"])
        assert tool is not None
        parameters = schema["function"]["parameters"]
        assert sorted(parameters["properties"]) == sorted(tool.input_schema["properties"])  # type: ignore[arg-type]
        assert sorted(parameters.get("required", [])) == sorted(tool.input_schema["required"])  # type: ignore[arg-type]
    assert result["gold"] == {task.id: 1.0 for task in environment.tasks.tasks}
    assert max(result["no_op"].values()) == 0.0


def test_verifiers_validates_every_task_and_rewards_a_scripted_model(
    client_of: Callable[..., Any], bundle: Path, tasks_file: Path, environment: Environment
) -> None:
    run = client_of(VERIFIERS)
    result = run("verifiers_client.py", str(bundle), str(tasks_file), path=ROOT)
    assert result["gold"] == {task.id: 1.0 for task in environment.tasks.tasks}
    assert max(result["no_op"].values()) == 0.0
    assert result["validated"] == 1.0


def test_ray_actors_host_episodes_and_a_lost_one_is_replaced(
    client_of: Callable[..., Any], bundle: Path, environment: Environment
) -> None:
    run = client_of(RAY)
    result = run("ray_client.py", str(bundle), path=ROOT)
    assert result["gold"] == {task.id: 1.0 for task in environment.tasks.tasks}
    assert max(result["no_op"].values()) == 0.0
    assert result["lost"]
    assert result["again"] == 1.0
    assert set(result["whole"].values()) == {1.0}
    assert result["replaced"] == [1, 0]
    assert result["example"] == 1.0


def test_harbor_reads_every_task_folder(
    client_of: Callable[..., Any], bundle: Path, environment: Environment, tmp_path: Path
) -> None:
    harbor_tasks(bundle, tmp_path / "tasks")
    run = client_of(HARBOR)
    found = run("harbor_client.py", str(tmp_path / "tasks"))
    assert {name: (task["valid"], task["servers"]) for name, task in found.items()} == {
        task.id: (True, [[environment.name, "streamable-http"]]) for task in environment.tasks.tasks
    }
    for task in environment.tasks.tasks:
        assert found[task.id]["instruction"].startswith(task.instruction)


def test_verifiers_own_nemo_gym_taskset_plays_exported_rows_on_a_server(
    client_of: Callable[..., Any], served: Any, tasks_file: Path, environment: Environment, tmp_path: Path
) -> None:
    rows = NemoGymCodec().write(Bundle(environment=environment), tmp_path / "rows.jsonl")
    run = client_of(VERIFIERS)
    result = run("nemo_gym_client.py", served.url, str(rows), str(tasks_file))
    count = len(environment.tasks.tasks)
    assert result == {"gold": [1.0] * count, "no_op": [0.0] * count}


def test_trls_trainer_plays_every_task_with_its_own_tool_loop(
    client_of: Callable[..., Any], bundle: Path, tasks_file: Path, environment: Environment
) -> None:
    run = client_of(TRL)
    result = run("trl_trainer_client.py", str(bundle), str(tasks_file), path=ROOT, seconds=600)
    assert result["gold"] == {task.id: 1.0 for task in environment.tasks.tasks}
    assert result["no_op"] == {task.id: 0.0 for task in environment.tasks.tasks}
    assert result["tool_failures"] == 0


def test_datasets_loads_what_is_exported(
    client_of: Callable[..., Any], environment: Environment, tmp_path: Path
) -> None:
    with World(environment, isolation="shared") as world:
        trajectories = [reference(world, task) for task in environment.tasks.tasks]
    judged = tuple(JudgedTrajectory(trajectory=each) for each in trajectories)
    exported = Bundle(environment=environment, trajectories=judged)
    for codec in (ChatJsonlCodec(), NemoGymCodec()):
        codec.write(exported, tmp_path / f"{codec.name}.jsonl")
    loaded = client_of(TRL)("datasets_client.py", str(tmp_path))
    count = len(environment.tasks.tasks)
    assert {name: each["rows"] for name, each in loaded.items()} == {"chat_jsonl": count, "nemo_gym": count}
    assert {"messages", "tools"} <= set(loaded["chat_jsonl"]["columns"])


def reference(world: World, task: Task) -> Trajectory:
    with Episode(world, task.id) as episode:
        episode.reset()
        for call in task.reference_solution:
            episode.step(call)
        episode.step(FinalAnswer(text=task.reference_answer))
        return episode.trajectory(agent="reference")


def test_nemo_gyms_own_agent_plays_exported_rows_on_a_server(
    client_of: Callable[..., Any], served: Any, tasks_file: Path, environment: Environment, tmp_path: Path
) -> None:
    rows = NemoGymCodec().write(Bundle(environment=environment), tmp_path / "rows.jsonl")
    run = client_of(NEMO_GYM)
    result = run("nemo_agent_client.py", served.url, str(rows), str(tasks_file))
    assert result["gold"] == {task.id: 1.0 for task in environment.tasks.tasks}
    assert max(result["no_op"].values()) == 0.0
