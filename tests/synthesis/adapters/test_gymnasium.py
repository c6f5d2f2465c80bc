from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from synthesis.adapters import gymnasium as adapter
from synthesis.documents.environment import Environment
from synthesis.documents.tasks import Task
from synthesis.documents.verdict import Unscored
from synthesis.errors import UnknownName


def play(env: Any, task: Task) -> float:
    env.reset(options={"task": task.id})
    for call in task.reference_solution:
        *_, terminated, truncated, info = env.step(call.model_dump_json())
        assert (terminated, truncated, info["status"]) == (False, False, "ok")
    _, reward, terminated, _, _ = env.step(json.dumps({"answer": task.reference_answer}))
    assert terminated
    return float(reward)


def test_a_registered_environment_rewards_the_reference_and_not_an_idle_agent(
    clinic_path: Path, clinic: Environment
) -> None:
    env = gymnasium.make("Worldwright-v0", bundle=clinic_path)
    for task in clinic.tasks.tasks:
        assert play(env, task) == 1.0
        observation, info = env.reset(options={"task": task.id})
        assert env.observation_space.contains(observation)
        assert json.loads(observation)["instruction"] == task.instruction
        assert info["task"] == task.id
        assert env.step(env.action_space.sample())[1] == 0
    env.close()
    assert adapter._worlds == {}


def test_vectors_share_a_world_and_nothing_else(clinic_path: Path) -> None:
    envs = gymnasium.make_vec(
        "Worldwright-v0", num_envs=3, vectorization_mode="sync", bundle=clinic_path, task="read_total_owed"
    )
    assert [users for _, users in adapter._worlds.values()] == [3]
    observations, _ = envs.reset(seed=5)
    assert len(observations) == 3
    answer = json.dumps({"answer": "She owes 170.00; the oldest invoice is of 12 January 2026."})
    _, rewards, terminated, truncated, _ = envs.step([answer, '{"answer": ""}', "no JSON"])  # type: ignore[arg-type]
    assert list(rewards)[:2] == [1.0, 0.0]
    assert rewards[2] < 0, "an action of no form is a violation"
    assert list(terminated) == [True, True, True]
    assert not any(truncated)
    envs.close()
    assert adapter._worlds == {}


def test_an_asynchronous_vector_plays_in_processes_of_its_own(clinic_path: Path) -> None:
    envs = gymnasium.make_vec(
        "synthesis.adapters.gymnasium:Worldwright-v0",
        num_envs=2,
        vectorization_mode="async",
        vector_kwargs={"shared_memory": False, "context": "spawn"},
        bundle=clinic_path,
        task="read_total_owed",
    )
    observations, _ = envs.reset(seed=5)
    assert all("Ilse" in observation for observation in observations)
    answer = json.dumps({"answer": "She owes 170.00; the oldest invoice is of 12 January 2026."})
    _, rewards, *_ = envs.step([answer, '{"answer": ""}'])  # type: ignore[arg-type]
    assert list(rewards) == [1.0, 0.0]
    envs.close()
    assert adapter._worlds == {}


def test_the_seed_decides_the_task(clinic_path: Path) -> None:
    env = gymnasium.make("Worldwright-v0", bundle=clinic_path)
    first = [env.reset(seed=seed)[1]["task"] for seed in range(6)]
    assert first == [env.reset(seed=seed)[1]["task"] for seed in range(6)]
    assert len(set(first)) > 1
    env.close()


def test_what_could_not_be_measured_is_no_number(clinic_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("synthesis.episode.verify", lambda *_, **__: Unscored(error="it died"))
    env = gymnasium.make("Worldwright-v0", bundle=clinic_path, task="read_total_owed")
    env.reset()
    _, reward, terminated, _, info = env.step('{"answer": ""}')
    assert math.isnan(float(reward))
    assert (terminated, info["unscored"]) == (True, "it died")
    env.close()


@pytest.mark.parametrize("asked", [{"task": "nope"}, {"split": "nope"}])
def test_an_unknown_task_or_split_is_named_and_leaves_nothing_open(
    clinic_path: Path, asked: dict[str, str]
) -> None:
    with pytest.raises(UnknownName, match="nope"):
        adapter.WorldEnv(clinic_path, **asked)
    assert adapter._worlds == {}


@pytest.mark.parametrize(
    "text", ["", "[]", '{"answer": 5}', '{"tool": "x"}', '{"answer": {"outcome": "perhaps"}}']
)
def test_what_holds_no_action_violates_the_format(text: str) -> None:
    assert type(adapter.read_action(text)).__name__ == "Malformed"
