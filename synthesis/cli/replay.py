"""`worldwright replay`: a recorded trajectory played again on a fresh instance."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from synthesis.bundles.open import open_bundle
from synthesis.cli.console import console, mark, print_json, table
from synthesis.documents.bundle import Bundle, JudgedTrajectory
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import Step, Trajectory
from synthesis.errors import InvalidInput
from synthesis.verification.verifier import verify
from synthesis.worlds.world import Instance, World


def replay(arguments: argparse.Namespace) -> int:
    """Play it; 1 when an observation or a state is not as recorded."""
    bundle = open_bundle(arguments.bundle)
    trajectory = chosen(bundle, arguments.trajectory)
    environment = bundle.environment
    if trajectory.environment != environment.fingerprint:
        raise InvalidInput(
            f"{arguments.trajectory}: was recorded in environment {trajectory.environment[:12]}, "
            f"but {arguments.bundle} holds {environment.fingerprint[:12]}; replay it there."
        )
    with World(environment) as world, world.instance(seed=trajectory.seed) as instance:
        rows = [_played(instance, step) for step in trajectory.steps if isinstance(step.action, ToolCall)]
        verdict = verify(world, trajectory.task_id, world.base, instance.snapshot(), trajectory.answer)
    same = all(row["same"] for row in rows)
    if arguments.json:
        print_json(
            {
                "task": trajectory.task_id,
                "same": same,
                "steps": rows,
                "verdict": verdict.model_dump(mode="json"),
            }
        )
        return 0 if same else 1
    out = console()
    out.print(
        table(
            f"{environment.scenario.title}: {trajectory.task_id} by {trajectory.agent}",
            ("", "step", "tool", "status", "rows", "difference"),
            (
                (mark(row["same"]), row["step"], row["tool"], row["status"], row["rows"], row["difference"])
                for row in rows
            ),
        )
    )
    reward = "no reward" if verdict.reward is None else f"reward {verdict.reward:g}"
    out.print(f"{verdict.label}, {reward}", markup=False)
    return 0 if same else 1


def chosen(bundle: Bundle, name: str) -> Trajectory:
    """The trajectory of that number in the bundle, or in that file.

    Raises:
        InvalidInput: There is none, or the file holds something else.
    """
    if name.isdigit():
        if not 1 <= int(name) <= len(bundle.trajectories):
            raise InvalidInput(
                f"Trajectory {name}: the bundle holds {len(bundle.trajectories)}, counted from 1."
            )
        return bundle.trajectories[int(name) - 1].trajectory
    try:
        value = orjson.loads(Path(name).read_bytes())
        if isinstance(value, dict) and "trajectory" in value:
            return JudgedTrajectory.model_validate(value).trajectory
        return Trajectory.model_validate(value)
    except OSError as error:
        raise InvalidInput(f"{name}: cannot be read: {error.strerror}.") from error
    except orjson.JSONDecodeError as error:
        raise InvalidInput(f"{name}: is not JSON: {error}.") from error
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        place = ".".join(map(str, problem["loc"]))
        newer = (
            " It may be of a newer version: update worldwright."
            if problem["type"] == "extra_forbidden"
            else ""
        )
        raise InvalidInput(f"{name}: is not a trajectory: {place}: {problem['msg']}.{newer}") from error


def _played(instance: Instance, step: Step) -> dict[str, Any]:
    """One recorded call, made again and compared."""
    call = step.action
    assert isinstance(call, ToolCall)
    result = instance.call(call.name, call.arguments)
    difference = _difference(step, result.status, result.observation(), instance.state_hash())
    return {
        "step": step.index,
        "tool": call.name,
        "status": result.status,
        "rows": len(result.changes),
        "same": not difference,
        "difference": difference,
    }


def _difference(step: Step, status: str, observation: Any, state_hash: str) -> str:
    if status != step.status:
        return f"status: {step.status} was recorded"
    if observation != step.observation:
        return f"observation: {_short(step.observation)} was recorded, not {_short(observation)}"
    if step.state_hash and state_hash != step.state_hash:
        return f"state: {step.state_hash[:12]} was recorded, not {state_hash[:12]}"
    return ""


def _short(value: Any) -> str:
    text = orjson.dumps(value).decode()
    return text if len(text) <= 200 else f"{text[:200]}…"
