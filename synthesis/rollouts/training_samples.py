"""Training samples: a judged trajectory as the turns a trainer learns from.

Agent World Model (arXiv 2602.10090, section on history-aware training) trains each of the T turns of a
trajectory as a sample of its own: what the agent was shown at that turn (system prompt, task, first exchange
and the latest w turns) and its reply, with the loss on that reply alone. What was shown is asked of the same
history policy that drives rollouts, so that what is trained is what is run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.conversation import Conversation, Message, SampledTokens, Turn
from synthesis.documents.document import Document
from synthesis.documents.verdict import Scored
from synthesis.rollouts.history import History, SlidingWindow, role_of

_NOT_THE_AGENT = frozenset({"environment_error", "infrastructure_error", "cancelled"})
"""Stop reasons that say nothing about the agent."""


class TrainingSample(Document):
    """One turn to learn: what was shown, then the reply."""

    turn: int
    """From 1."""
    turns: int
    """Of the whole trajectory."""
    messages: tuple[dict[str, Any], ...]
    """The last one is the reply that is learned."""
    loss_mask: tuple[Literal[0, 1], ...]
    """One per message: 1 for the reply, 0 for what was only shown."""
    offered: tuple[str, ...] | None = None
    """Names of the tools the agent could call at this turn, where that was recorded."""
    sampled: SampledTokens | None = None
    """The reply's tokens as they were sampled after exactly these messages, where that was recorded."""


def scored(judged: JudgedTrajectory) -> Scored | None:
    """The verdict that decides: the first that was scored; a failed measurement is no score."""
    return next((verdict for verdict in judged.verdicts if isinstance(verdict, Scored)), None)


def is_trainable(judged: JudgedTrajectory) -> bool:
    """Whether its outcome says something about the agent."""
    verdict = scored(judged)
    return bool(verdict and verdict.trainable) and judged.trajectory.stop_reason not in _NOT_THE_AGENT


def training_samples(
    judged: JudgedTrajectory, messages: Sequence[Mapping[str, Any]], *, history: History | None = None
) -> list[TrainingSample]:
    """A sample for each turn of a trajectory, in order; none when it is not for training.

    Args:
        judged: The trajectory with its verdicts.
        messages: Its conversation, with the roles of chat completions; each "assistant" message is a turn.
        history: What an agent is shown; by default the first exchange and the latest 3, as AWM trains.
    """
    if not is_trainable(judged):
        return []
    policy = history or SlidingWindow()
    replies = [place for place, message in enumerate(messages) if role_of(message) == "assistant"]
    return [
        _sample(policy, messages, place, turn=turn, turns=len(replies))
        for turn, place in enumerate(replies, start=1)
    ]


def recorded_samples(
    judged: JudgedTrajectory,
    conversation: Conversation,
    as_message: Callable[[Message], dict[str, Any]],
) -> list[TrainingSample]:
    """A sample for each turn, of exactly what the agent was shown when it played.

    Args:
        judged: The trajectory with its verdicts; none of its turns is a sample when it is not for training.
        conversation: What it recorded.
        as_message: Writes a message in the form of the export.
    """
    if not is_trainable(judged):
        return []

    def sample(number: int, turn: Turn) -> TrainingSample:
        shown = [as_message(message) for message in conversation.shown(turn)]
        return TrainingSample(
            turn=number,
            turns=len(conversation.turns),
            messages=(*shown, as_message(conversation.messages[turn.reply])),
            loss_mask=(*(0 for _ in shown), 1),
            offered=turn.offered,
            sampled=conversation.messages[turn.reply].sampled,
        )

    return [sample(number, turn) for number, turn in enumerate(conversation.turns, start=1)]


def _sample(
    policy: History, messages: Sequence[Mapping[str, Any]], place: int, *, turn: int, turns: int
) -> TrainingSample:
    shown = policy.view(messages[:place])
    return TrainingSample(
        turn=turn,
        turns=turns,
        messages=tuple(dict(message) for message in (*shown, messages[place])),
        loss_mask=(*(0 for _ in shown), 1),
    )
