"""Shortest: how many calls a task needs at least, as far as leaving looks out can tell."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from pydantic import JsonValue

from synthesis.documents.tasks import AnswerFact
from synthesis.documents.tools import Tool, ToolCall
from synthesis.verification.revealed import Revealed

Step = tuple[ToolCall, JsonValue, bool]
"""A call, what it showed, and whether it changes rows."""


class AgentKnowledge(Protocol):
    """What an agent knows besides the instruction."""

    tools: dict[str, Tool]
    policy: str
    clock: datetime


def fewest_calls(
    agent_knowledge: AgentKnowledge, instruction: str, steps: Sequence[Step], facts: Sequence[AnswerFact]
) -> int:
    """Calls that are left once every look is left out without which all arguments and facts stay known."""
    remaining = list(steps)
    for step in reversed([step for step in steps if not step[2]]):
        fewer = [one for one in remaining if one is not step]
        if fewer and _stays_known(agent_knowledge, instruction, fewer, facts):
            remaining = fewer
    return len(remaining)


def _stays_known(
    agent_knowledge: AgentKnowledge, instruction: str, steps: Sequence[Step], facts: Sequence[AnswerFact]
) -> bool:
    known = Revealed(instruction, agent_knowledge.policy, agent_knowledge.clock)
    for call, value, _ in steps:
        tool = agent_knowledge.tools[call.name]
        for name, given in call.arguments.items():
            if not known.source_of(name, given, tool) or not known.names_row(name, given):
                return False
        known.observe(value)
    some = next(iter(agent_knowledge.tools.values()))
    return all(fact.type == "boolean" or known.source_of("", fact.value, some) for fact in facts)
