"""Rewards: what episodes are worth here, by the settings."""

from __future__ import annotations

from django.conf import settings

from synthesis.verification.rewards import RewardTable


def reward_table() -> RewardTable:
    """The rewards of the settings."""
    variables = settings.WORLDWRIGHT
    return RewardTable(
        completed=variables.reward_completed,
        partially_completed=variables.reward_partial,
        agent_error=variables.reward_agent_error,
        environment_error=variables.reward_environment_error,
        format_violation=variables.reward_format,
        put_back_is_damage=variables.put_back_is_damage,
    )
