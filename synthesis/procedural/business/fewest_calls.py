"""Fewest calls: how few calls of a reference solution still know every argument they take."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from pydantic import JsonValue

from synthesis.documents.policy import Policy
from synthesis.documents.tasks import Task
from synthesis.documents.tools import ToolCall, Toolset
from synthesis.verification.revealed import Revealed


def fewest_calls(
    task: Task,
    seen: Sequence[JsonValue],
    changing: Collection[int],
    policy: Policy,
    tools: Toolset,
    clock: datetime,
    actor: int | str,
) -> int:
    """Calls that are left when every look that only served a decision is left out.

    Args:
        task: The task.
        seen: What each call of its reference solution returned.
        changing: Places of the calls that change state.
        policy: What the agent is told.
        tools: The toolset.
        clock: The world's time.
        actor: The actor's key.
    """
    if not changing:
        return len(task.reference_solution)
    revealed = Revealed(task.instruction, policy.text, clock)
    revealed.observe(actor)
    steps = list(zip(task.reference_solution, seen, strict=True))
    remaining = steps
    for place in reversed([n for n in range(len(steps)) if n not in changing]):
        fewer = [step for step in remaining if step is not steps[place]]
        if _known(revealed.copy(), fewer, tools, task):
            remaining = fewer
    return len(remaining)


def _known(known: Revealed, steps: Sequence[tuple[ToolCall, JsonValue]], tools: Toolset, task: Task) -> bool:
    for call, value in steps:
        tool = tools.tool(call.name)
        if tool is not None and not all(
            known.source_of(name, argument, tool) and known.names_row(name, argument)
            for name, argument in call.arguments.items()
        ):
            return False
        known.observe(value)
    return all(
        fact.type == "boolean" or known.source_of("", fact.value, tools.tools[0])
        for fact in task.answer_facts
    )
