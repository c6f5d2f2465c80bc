"""Trajectory: the record of one try at one task, step by step."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from synthesis.documents.conversation import Conversation
from synthesis.documents.document import Document
from synthesis.documents.state_diff import StateDiff
from synthesis.documents.tools import ResultStatus, ToolCall

StopReason = Literal[
    "answered",
    "step_limit",
    "token_limit",
    "time_limit",
    "format_violation",
    "agent_stopped",
    "environment_error",
    "infrastructure_error",
    "cancelled",
]
"""Why an episode ended; infrastructure errors (a failing model endpoint) say nothing about the agent."""


AnswerOutcome = Literal["done", "declined", "not_possible"]
"""What an agent says came of the request: it was done or answered; it may not be done; it cannot be done."""


class FinalAnswer(Document):
    """The action that ends an episode: the agent's final text, and what it says in fields where it does.

    Fields that are not given are not written, so that an answer of text alone has the form it always had.
    """

    text: str = ""
    outcome: AnswerOutcome | None = Field(default=None, exclude_if=lambda value: value is None)
    reason: str | None = Field(default=None, exclude_if=lambda value: value is None)
    """Why it was declined or is not possible."""
    values: dict[str, JsonValue] = Field(default_factory=dict, exclude_if=lambda value: not value)
    """What was asked to be told, by name."""


class Malformed(Document):
    """What an agent wrote that is neither a tool call nor an answer; a violation of the format rule, unless
    it was cut off."""

    text: str
    error: str
    cut_off: bool = Field(default=False, exclude_if=lambda value: not value)
    """Whether the reply ended at its limit of tokens: a truncation, and no violation."""


Action = ToolCall | FinalAnswer | Malformed


class Usage(Document):
    """What one completion, or several, used."""

    input_tokens: int = Field(default=0, ge=0)
    cached_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    """All the model wrote, its reasoning too."""
    reasoning_tokens: int = Field(default=0, ge=0, exclude_if=lambda value: not value)
    """Those of them that were reasoning, where the endpoint says so."""
    cost: float | None = None
    """US dollars, where the price is known."""

    def __add__(self, other: Usage) -> Usage:
        costs = [usage.cost for usage in (self, other) if usage.cost is not None]
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
            cost=sum(costs) if costs else None,
        )


class Step(Document):
    """One action, what the agent got back, and what it did to the world."""

    index: int = Field(ge=1)
    """From 1."""
    action: Annotated[Action, Field(union_mode="left_to_right")]
    thought: str = ""
    """What the agent wrote beside the action."""
    status: ResultStatus | Literal["answered", "malformed"]
    observation: JsonValue = None
    """What the agent saw."""
    changes: StateDiff = StateDiff()
    state_hash: str = ""
    """Hash of the whole state after the step."""
    usage: Usage | None = None


class Trajectory(Document):
    """One try at one task by one agent on one instance."""

    environment: str
    """Fingerprint of the environment."""
    environment_name: str
    task_id: str
    agent: str
    model: str | None = None
    seed: int = 0
    steps: tuple[Step, ...] = ()
    stop_reason: StopReason
    error: str = ""
    """What went wrong outside the agent, for the reasons that are errors."""
    conversation: Conversation | None = Field(default=None, exclude_if=lambda value: value is None)
    """What a chat agent said and was shown; None for agents that do not converse."""

    @property
    def answer(self) -> str:
        """The final text, or "" when the agent gave none."""
        return self.final_answer.text

    @property
    def final_answer(self) -> FinalAnswer:
        """The whole final answer; an empty one when the agent gave none."""
        last = self.steps[-1].action if self.steps else None
        return last if isinstance(last, FinalAnswer) else FinalAnswer()

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls in order; replaying them reaches the same end state."""
        return tuple(step.action for step in self.steps if isinstance(step.action, ToolCall))

    @property
    def terminated(self) -> bool:
        """Whether the task ended it, and not a limit."""
        return self.stop_reason in ("answered", "format_violation")
