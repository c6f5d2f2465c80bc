"""The explorer agent covers a world: every tool, with arguments that other tools revealed, before any
again."""

from __future__ import annotations

import random
from collections import Counter
from datetime import datetime

from pydantic import JsonValue

from synthesis.documents.tools import Tool, ToolCall
from synthesis.documents.trajectory import FinalAnswer
from synthesis.rollouts.agent import AgentContext, AgentDecision
from synthesis.verification.argument_values import ArgumentValues

_EPOCH = datetime(2026, 1, 1)


class ExplorerAgent:
    """Prefers tools it has not seen succeed, then those whose parameters it has the most values for.

    Args:
        steps: Calls before it answers; as many as the episode allows when left out.
    """

    name = "explorer"
    model: str | None = None

    def __init__(self, *, steps: int | None = None) -> None:
        self._limit = steps
        self._tools: tuple[Tool, ...] = ()
        self._random = random.Random(0)  # noqa: S311 - choices, not secrets
        self._values = ArgumentValues(self._random, clock=_EPOCH)
        self._left = 0
        self._succeeded: Counter[str] = Counter()
        self._tried: Counter[str] = Counter()
        self._last = ""

    def begin(self, context: AgentContext) -> None:
        """Nothing is covered yet."""
        self._random = random.Random(f"{context.seed}/{context.task.id}")  # noqa: S311 - choices, not secrets
        self._values = ArgumentValues(self._random, clock=context.clock or _EPOCH)
        self._tools = context.tools
        most = context.max_steps - 1
        self._left = most if self._limit is None else min(self._limit, most)
        self._succeeded, self._tried, self._last = Counter(), Counter(), ""

    def act(self, observation: JsonValue) -> AgentDecision:
        """A call of the least covered tool whose required parameters are best known."""
        self._values.observe(observation)
        if self._last and not (isinstance(observation, dict) and "error" in observation):
            self._succeeded[self._last] += 1
        if self._left <= 0 or not self._tools:
            reached = sum(1 for tool in self._tools if self._succeeded[tool.name])
            return AgentDecision(action=FinalAnswer(text=f"Explored {reached} of {len(self._tools)} tools."))
        self._left -= 1
        tool = min(self._tools, key=self._rank)
        self._last = tool.name
        self._tried[tool.name] += 1
        return AgentDecision(
            action=ToolCall(name=tool.name, arguments=self._values.arguments(tool, optional=0.2))
        )

    def _rank(self, tool: Tool) -> tuple[int, int, bool, float]:
        """Fewest successes first, then fewest unknown parameters and episodes, reading tools before writing
        ones."""
        schema = tool.input_schema
        required = schema.get("required", [])
        unknown = (
            sum(not self._values.seen(str(name)) for name in required) if isinstance(required, list) else 0
        )
        episodes = self._tried[tool.name]
        return (self._succeeded[tool.name], unknown + episodes, tool.mutates_state, self._random.random())
