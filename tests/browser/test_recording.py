"""The recorded trajectories are what the agents do in a real world today."""

from __future__ import annotations

from synthesis.rollouts.registry import make_agent
from synthesis.rollouts.rollout import roll_out
from synthesis.worlds.world import World


def test_the_recording_is_what_the_agents_do(clinic, clinic_trajectories) -> None:
    with World(clinic) as world:
        for recorded in clinic_trajectories:
            trajectory = recorded.trajectory
            again = roll_out(world, trajectory.task_id, make_agent(trajectory.agent), seed=trajectory.seed)
            assert again.fingerprint == recorded.fingerprint, f"{trajectory.agent} on {trajectory.task_id}"
