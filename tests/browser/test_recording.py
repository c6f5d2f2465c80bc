"""The recorded trajectories are what the agents do in a real world today."""

from __future__ import annotations

from synthesis.worlds.world import World
from tests.browser.recording import again


def test_the_recording_is_what_the_agents_do(clinic, clinic_trajectories) -> None:
    with World(clinic) as world:
        for recorded in clinic_trajectories:
            trajectory = recorded.trajectory
            assert again(world, recorded).fingerprint == recorded.fingerprint, (
                f"{trajectory.agent} on {trajectory.task_id}"
            )
