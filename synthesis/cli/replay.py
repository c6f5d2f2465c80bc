"""`worldwright replay`: a recorded trajectory played again on a fresh instance."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from synthesis.bundles.open import open_bundle
from synthesis.cli.console import console, mark, print_json, table
from synthesis.documents.bundle import Bundle, JudgedTrajectory
from synthesis.documents.evidence import evidence_of_trajectory
from synthesis.documents.state_diff import StateDiff
from synthesis.documents.trajectory import Step, Trajectory
from synthesis.errors import InvalidInput
from synthesis.verification.verifier import verify
from synthesis.worlds.drift import RowDrift, StepDrift, drift
from synthesis.worlds.world import Instance, World

MOST_ROWS = 3
"""Differing rows of a step that are named in its line; all are in `--json`."""


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
        rows = _played(instance, trajectory.steps)
        task = environment.task(trajectory.task_id)
        verdict = verify(
            world,
            trajectory.task_id,
            world.base,
            instance.snapshot(),
            trajectory.final_answer,
            evidence=evidence_of_trajectory(trajectory, task.instruction if task else ""),
        )
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
                f"Trajectory {name}: the bundle contains {len(bundle.trajectories)}, counted from 1."
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
        problems = error.errors(include_url=False)
        unknown = [problem for problem in problems if problem["type"] == "extra_forbidden"]
        problem = (unknown or problems)[0]
        place = ".".join(map(str, problem["loc"]))
        newer = " It may be from a newer version: update worldwright." if unknown else ""
        raise InvalidInput(f"{name}: is not a trajectory: {place}: {problem['msg']}.{newer}") from error


def _played(instance: Instance, recorded: Sequence[Step]) -> list[dict[str, Any]]:
    """The recorded calls, replayed and compared."""
    changes = {step.index: step.changes for step in recorded}
    return [
        {
            "step": step.step,
            "tool": step.tool,
            "status": step.actual_status,
            "rows": _changed(changes[step.step], step),
            "same": not step.differs,
            "difference": difference(step),
            "differing_rows": [
                {
                    "table": row.table,
                    "key": row.key,
                    "columns": [
                        {"column": name, "recorded": was, "actual": now} for name, was, now in row.columns()
                    ],
                }
                for row in step.rows
            ],
        }
        for step in drift(instance, recorded)
    ]


def _changed(recorded: StateDiff, step: StepDrift) -> int:
    """Rows that the call changes now, from those it changed and the ones that differ."""
    gone = sum(row.actual is None for row in step.rows)
    return len(recorded) - gone + sum(row.recorded is None for row in step.rows)


def difference(step: StepDrift) -> str:
    """How a call goes another way than recorded, with row and column; "" when it does not."""
    parts = []
    if "status" in step.differs:
        parts.append(f"status: {step.recorded_status} was recorded, not {step.actual_status}")
    if "observation" in step.differs:
        parts.append(f"observation: {_short(step.recorded)} was recorded, not {_short(step.actual)}")
    parts += [_row(row) for row in step.rows[:MOST_ROWS]]
    if len(step.rows) > MOST_ROWS:
        parts.append(f"and {len(step.rows) - MOST_ROWS} more rows")
    if step.differs == ("state",):
        parts.append(
            f"state: {step.recorded_hash[:12]} was recorded, not {step.actual_hash[:12]}: already "
            "different before"
        )
    return "; ".join(parts)


def _row(row: RowDrift) -> str:
    where = f"row {row.table} {_short(row.key)}"
    if not row.ends:
        was, now = row.kinds()
        return f"{where}: {was} was recorded, not {now}"
    return f"{where}: " + ", ".join(
        f"{name} {_short(was)} was recorded, not {_short(now)}" for name, was, now in row.columns()
    )


def _short(value: Any) -> str:
    text = orjson.dumps(value).decode()
    return text if len(text) <= 200 else f"{text[:200]}…"
