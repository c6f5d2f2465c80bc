"""Record anew what the agents do on the clinic: `python -m tests.browser.recording`."""

from __future__ import annotations

from pathlib import Path

from synthesis.bundles.open import open_bundle
from synthesis.documents.bundle import JudgedTrajectory
from synthesis.rollouts.registry import make_agent
from synthesis.rollouts.rollout import roll_out
from synthesis.worlds.world import World

RECORDING = Path(__file__).parent / "clinic_trajectories.jsonl"
CLINIC = Path(__file__).parents[1] / "data" / "clinic_front_desk"


def again(world: World, recorded: JudgedTrajectory) -> JudgedTrajectory:
    """The same agent on the same task with the same seed."""
    done = recorded.trajectory
    return roll_out(world, done.task_id, make_agent(done.agent), seed=done.seed)


def record() -> None:
    """Replace the recording by what the same agents do today."""
    old = [JudgedTrajectory.model_validate_json(line) for line in RECORDING.read_text().splitlines()]
    with World(open_bundle(CLINIC).environment) as world:
        lines = [again(world, recorded).model_dump_json() for recorded in old]
    RECORDING.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    record()
