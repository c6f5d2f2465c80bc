"""Agent: whoever decides what to do next in an episode."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol, runtime_checkable

from pydantic import JsonValue

from synthesis.documents.answer_form import AnswerForm
from synthesis.documents.conversation import Conversation
from synthesis.documents.document import Document
from synthesis.documents.seed_data import Actor
from synthesis.documents.tasks import Task
from synthesis.documents.tools import Tool
from synthesis.documents.trajectory import Action, StopReason, Usage
from synthesis.episode import EpisodeLimits


class AgentContext(Document):
    """What an agent is told before its first action.

    `task` holds the reference solution: only scripted agents, which are measuring devices and no
    candidates, may
    look at more of it than `instruction`.
    """

    task: Task
    policy: str | None = None
    """The written rules, which every agent is told."""
    tools: tuple[Tool, ...]
    environment_name: str = ""
    description: str = ""
    """The scenario in words."""
    clock: datetime | None = None
    """The world's time at the start, naive local."""
    actor: Actor | None = None
    actor_text: str = ""
    """Whom the agent acts for, in words."""
    answer_form: AnswerForm = "both"
    """How the final answer is given."""
    limits: EpisodeLimits = EpisodeLimits()
    seed: int = 0
    """For the agent's own choices; the same seed, the same choices."""

    @property
    def max_steps(self) -> int:
        """Tool calls that may be made."""
        return self.limits.max_steps or self.task.step_limit

    @property
    def instruction(self) -> str:
        """What the agent is asked to do."""
        return self.task.instruction


class AgentDecision(Document):
    """What an agent does next, with what it wrote beside it; or that it stops without an answer."""

    action: Action | None = None
    """None only when `stop` says why the agent gives up."""
    thought: str = ""
    usage: Usage | None = None
    stop: StopReason | None = None


@runtime_checkable
class Agent(Protocol):
    """Decides what to do next. One object plays one episode at a time; `begin` makes it forget the last
    one."""

    @property
    def name(self) -> str:
        """For records, with the settings that matter: "random", "faulty:wrong_row"."""
        ...

    @property
    def model(self) -> str | None:
        """Name of the model behind it, or None."""
        ...

    def begin(self, context: AgentContext) -> None:
        """A new episode starts."""
        ...

    def act(self, observation: JsonValue) -> AgentDecision:
        """The next action.

        Args:
            observation: What the last action brought; at first what the episode tells, `instruction` and
                `policy` among it.

        Raises:
            ProviderError: The model behind the agent did not answer; the episode becomes Unscored.
            Cancelled: Somebody asked to stop.
        """
        ...


@runtime_checkable
class Converses(Protocol):
    """An agent whose words and what it was shown are worth keeping."""

    def conversation(self, observation: JsonValue) -> Conversation:
        """What was said and shown in the episode so far.

        Args:
            observation: What the last action brought.
        """
        ...
