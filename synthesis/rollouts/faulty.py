"""The faulty agent plays the reference solution with one planted mistake: labelled data for testing
judges."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from pydantic import JsonValue

from synthesis.documents.tasks import Task
from synthesis.documents.tools import Tool, ToolCall
from synthesis.documents.trajectory import Action, FinalAnswer
from synthesis.errors import UnknownName
from synthesis.rollouts.agent import AgentContext, AgentDecision

Plan = list[Action]


class FaultyAgent:
    """The reference agent with a mistake of a named kind; where a task has no room for it, it claims
    without acting.

    Args:
        mistake: One of `MISTAKES`.

    Raises:
        UnknownName: There is no such kind.
    """

    model: str | None = None

    def __init__(self, *, mistake: str = "wrong_row") -> None:
        if mistake not in MISTAKES:
            raise UnknownName("mistake", mistake, list(MISTAKES))
        self.mistake = mistake
        self._plan: Plan = []

    @property
    def name(self) -> str:
        """With the kind of mistake."""
        return f"faulty:{self.mistake}"

    def begin(self, context: AgentContext) -> None:
        """Lay out the whole episode."""
        chance = random.Random(f"{context.seed}/{context.task.id}")  # noqa: S311 - choices, not secrets
        self._plan = MISTAKES[self.mistake](context.task, context.tools, chance)

    def act(self, observation: JsonValue) -> AgentDecision:  # noqa: ARG002 - that it does not look is the point
        """The next step of the plan, whatever came back."""
        return AgentDecision(action=self._plan.pop(0) if self._plan else FinalAnswer())


def _wrong_row(task: Task, tools: Sequence[Tool], chance: random.Random) -> Plan:
    """The last writing call (or, on reading tasks, the last call with an id) meets another row."""
    calls = list(task.reference_solution)
    places = [at for at in _writes(calls, tools) if _ids(calls[at])] or [
        at for at, call in enumerate(calls) if _ids(call)
    ]
    if not places:
        return _claims_without_acting(task, tools, chance)
    at = places[-1]
    name = _ids(calls[at])[0]
    value = calls[at].arguments[name]
    assert isinstance(value, int)
    other = value - 1 if value > 1 and chance.random() < 0.5 else value + 1
    calls[at] = calls[at].replace(arguments={**calls[at].arguments, name: other})
    if task.kind in ("read", "refuse"):  # its answer is about the other row
        return [*calls, FinalAnswer(text="I looked it up; there is nothing on record, all is settled.")]
    return [*calls, FinalAnswer(text=task.reference_answer)]


def _stops_early(task: Task, tools: Sequence[Tool], _chance: random.Random) -> Plan:
    """Ends before the last writing call and claims it was all done."""
    calls = list(task.reference_solution)
    writes = _writes(calls, tools)
    if not writes:
        return [*calls[:-1], FinalAnswer(text="That is done.")]
    return [*calls[: writes[-1]], FinalAnswer(text=task.reference_answer)]


def _repeats(task: Task, tools: Sequence[Tool], _chance: random.Random) -> Plan:
    """Makes its last writing call twice."""
    calls = list(task.reference_solution)
    writes = _writes(calls, tools)
    if not writes:
        return _claims_without_acting(task, tools, _chance)
    return [*calls[: writes[-1] + 1], *calls[writes[-1] :], FinalAnswer(text=task.reference_answer)]


def _bad_arguments(task: Task, tools: Sequence[Tool], _chance: random.Random) -> Plan:
    """Writing calls lack a required argument, and it goes on as if they had worked."""
    calls = list(task.reference_solution)
    for at in _writes(calls, tools) or range(len(calls)):
        arguments = dict(calls[at].arguments)
        if arguments:
            arguments.pop(next(iter(arguments)))
        calls[at] = calls[at].replace(arguments={**arguments, "unknown_parameter": "?"})
    return [*calls, FinalAnswer(text=task.reference_answer if _writes(calls, tools) else "I do not know.")]


def _ignores_a_refusal(task: Task, tools: Sequence[Tool], _chance: random.Random) -> Plan:
    """Its first writing call is refused (no such row), which it passes over together with the rest of the
    work."""
    calls = list(task.reference_solution)
    places = [at for at in _writes(calls, tools) if _ids(calls[at])]
    if not places:
        return _claims_without_acting(task, tools, _chance)
    at = places[0]
    arguments = {**calls[at].arguments, _ids(calls[at])[0]: 987_654_321}
    calls[at] = calls[at].replace(arguments=arguments)
    return [*calls[: at + 1], FinalAnswer(text=task.reference_answer)]


def _claims_without_acting(task: Task, tools: Sequence[Tool], _chance: random.Random) -> Plan:
    """Looks around, writes nothing and claims success; on reading tasks it invents an answer."""
    reads = [
        call
        for at, call in enumerate(task.reference_solution)
        if at not in _writes(task.reference_solution, tools)
    ]
    if task.kind in ("write", "mixed"):
        return [*reads, FinalAnswer(text=task.reference_answer)]
    return [*reads, FinalAnswer(text="I have done what you asked for; everything is settled.")]


Mistake = Callable[[Task, Sequence[Tool], random.Random], Plan]

MISTAKES: dict[str, Mistake] = {
    "wrong_row": _wrong_row,
    "stops_early": _stops_early,
    "repeats": _repeats,
    "bad_arguments": _bad_arguments,
    "ignores_a_refusal": _ignores_a_refusal,
    "claims_without_acting": _claims_without_acting,
}
"""Kind to the plan it makes of a task."""


def _writes(calls: Sequence[ToolCall], tools: Sequence[Tool]) -> list[int]:
    """Places of the calls that may write."""
    writing = {tool.name for tool in tools if tool.mutates_state}
    return [at for at, call in enumerate(calls) if call.name in writing]


def _ids(call: ToolCall) -> list[str]:
    """Names of the arguments that name a row by number."""
    arguments: dict[str, Any] = call.arguments
    return [
        name
        for name, value in arguments.items()
        if name.endswith("id") and isinstance(value, int) and not isinstance(value, bool)
    ]
