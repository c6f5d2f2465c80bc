"""RewardTable: the number behind each label, and what counts as damage."""

from __future__ import annotations

from synthesis.documents.document import Document
from synthesis.documents.verdict import Label


class RewardTable(Document):
    """What an episode is worth, by its label; the defaults are AWM's (arXiv 2602.10090).

    An environment error has a number so that records are complete; such an episode is never for training.
    """

    completed: float = 1.0
    partially_completed: float = 0.1
    agent_error: float = 0.0
    environment_error: float = 0.0
    format_violation: float = -1.0
    """For an action that is neither a tool call nor an answer; the episode ends there."""
    put_back_is_damage: bool = False
    """Whether rows that were changed and put back, where no guard allows a change, keep an episode from being
    Completed; otherwise the verdict reports them."""

    def reward(self, label: Label) -> float:
        """The reward of a label that is scored.

        Raises:
            ValueError: The label is "unscored", which has no reward.
        """
        rewards: dict[Label, float] = {
            "completed": self.completed,
            "partially_completed": self.partially_completed,
            "agent_error": self.agent_error,
            "environment_error": self.environment_error,
        }
        if label not in rewards:
            raise ValueError(f"an episode with the label {label!r} has no reward")
        return rewards[label]
