"""atif: trajectories in the Agent Trajectory Interchange Format 1.8 (Harbor RFC 0001), one JSON file each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from synthesis.bundles.archive import write_folder, write_zip
from synthesis.bundles.conversation import (
    Turn,
    function_of,
    judged_trajectories,
    outcome,
    system_prompt,
    task_of,
    turns,
)
from synthesis.documents.bundle import Bundle, JudgedTrajectory
from synthesis.documents.trajectory import Usage
from synthesis.errors import InvalidInput

SCHEMA_VERSION = "ATIF-v1.8"


class AtifCodec:
    """Trajectories for Harbor and everything that reads its format."""

    name = "atif"
    title = "ATIF 1.8 trajectories, a folder of JSON files (Harbor)"
    loss: tuple[str, ...] = (
        "the environment itself (schema, rows, tool code, verifiers), checks and reviews",
        "the rows each step changed",
        "verdicts after the first that was scored",
    )
    reads = False
    suffix = ".zip"

    def write(self, bundle: Bundle, path: Path) -> Path:
        """Write a folder, or a zip when the path ends in .zip.

        Raises:
            InvalidInput: The bundle holds no trajectories, or the path is taken or cannot be written.
        """
        files = {
            f"{number:05d}-{judged.trajectory.task_id}.json": orjson.dumps(document(bundle, judged))
            for number, judged in enumerate(judged_trajectories(bundle), start=1)
        }
        if path.suffix.lower() == ".zip":
            return write_zip(files, path, folder=bundle.environment.name)
        return write_folder(files, path)

    def read(self, path: Path) -> Bundle:
        """Refuses: a trajectory does not hold its environment.

        Raises:
            InvalidInput: Always.
        """
        raise InvalidInput(f"{path}: {self.name} cannot be read back; keep the native bundle.")


def document(bundle: Bundle, judged: JudgedTrajectory) -> dict[str, Any]:
    """One trajectory as an ATIF document; absent values are left out."""
    environment, trajectory = bundle.environment, judged.trajectory
    task = task_of(bundle, judged)
    told = [
        {"source": "system", "message": system_prompt(environment)},
        {"source": "user", "message": task.instruction},
        *(_step(turn, by_model=trajectory.model is not None) for turn in turns(judged)),
    ]
    # ATIF wants an agent's version; ours are identified by name and model.
    agent: dict[str, Any] = {
        "name": trajectory.agent,
        "version": "1",
        "tool_definitions": [function_of(tool) for tool in environment.tools.tools],
    }
    if trajectory.model is not None:
        agent["model_name"] = trajectory.model
    return {
        "schema_version": SCHEMA_VERSION,
        "session_id": trajectory.fingerprint,
        "trajectory_id": trajectory.fingerprint,
        "agent": agent,
        "steps": [{"step_id": number, **step} for number, step in enumerate(told, start=1)],
        "final_metrics": {
            **_tokens(_total(judged), "total_"),
            "total_steps": len(told),
        },
        "extra": {
            "environment": environment.name,
            "environment_fingerprint": trajectory.environment,
            "task_id": task.id,
            "seed": trajectory.seed,
            **outcome(judged),
        },
    }


def _step(turn: Turn, *, by_model: bool) -> dict[str, Any]:
    step: dict[str, Any] = {"source": "agent", "message": turn.text, "extra": {"status": turn.step.status}}
    if not by_model:
        step["llm_call_count"] = 0
    elif turn.step.usage is not None:
        step["llm_call_count"] = 1
        step["metrics"] = _tokens(turn.step.usage)
    if turn.call is not None:
        called = {
            "tool_call_id": turn.call_id,
            "function_name": turn.call.name,
            "arguments": turn.call.arguments,
        }
        step["tool_calls"] = [called]
        step["observation"] = {"results": [{"source_call_id": turn.call_id, "content": turn.observation}]}
    return step


def _tokens(usage: Usage | None, prefix: str = "") -> dict[str, Any]:
    if usage is None:
        return {}
    told: dict[str, Any] = {
        f"{prefix}prompt_tokens": usage.input_tokens,
        f"{prefix}completion_tokens": usage.output_tokens,
        f"{prefix}cached_tokens": usage.cached_tokens,
    }
    if usage.cost is not None:
        told["total_cost_usd" if prefix else "cost_usd"] = usage.cost
    return told


def _total(judged: JudgedTrajectory) -> Usage | None:
    used = [step.usage for step in judged.trajectory.steps if step.usage is not None]
    return sum(used[1:], used[0]) if used else None
