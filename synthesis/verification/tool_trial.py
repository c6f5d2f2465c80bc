"""ToolTrial: every tool called in every way it must bear, on an instance of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from synthesis.documents.environment import Environment
from synthesis.documents.tools import Tool, ToolCall, ToolResult
from synthesis.verification.argument_values import ArgumentValues
from synthesis.verification.reference_run import Rows
from synthesis.verification.row_calls import RowCalls
from synthesis.verification.tool_contract import Probe, candidates, outcome, probes, seeded_values
from synthesis.worlds.world import Instance, World

ROWS_TRIED = 40
"""Rows of each table from which single arguments are drawn."""
ATTEMPTS = 12
"""Generated calls of a tool in the search for one that succeeds."""
VARIANTS = 24
"""Further calls of a tool that writes, when those that succeeded changed nothing."""
_STUCK_SECONDS = 0.25
_MOST_STUCK = 3
_MORE = 8
"""Times as many calls go to the worker at once as before, where nothing was stuck."""


@dataclass(slots=True)
class ProbedCall:
    """One call that was made, what it was for and what it came to."""

    probe: Probe
    result: ToolResult
    preceding: tuple[ToolCall, ...] = ()
    """Calls before it on which its result depends; empty when it comes to the same on a fresh instance."""

    @property
    def kept_contract(self) -> bool:
        """Whether it kept the contract: no failure, and no wrong arguments that were let through."""
        if self.result.status == "error":
            return False
        return self.probe.expected == "any" or not self.result.ok


@dataclass(slots=True)
class ToolTrial:
    """What all calls of one tool came to."""

    tool: Tool
    calls: list[ProbedCall] = field(default_factory=list)

    @property
    def outcomes(self) -> Counter[str]:
        """Number of calls by outcome: success, refusal, failure."""
        return Counter(outcome(probed_call.result) for probed_call in self.calls)

    @property
    def score(self) -> float:
        """Share of calls that kept the contract, in [0, 1]."""
        return 1 - len(self.broken) / len(self.calls) if self.calls else 0.0

    @property
    def broken(self) -> list[ProbedCall]:
        """Calls that did not keep the contract: failures, and wrong arguments that were let through."""
        return [probed_call for probed_call in self.calls if not probed_call.kept_contract]

    @property
    def changed_rows(self) -> int:
        """Number of rows that its calls changed."""
        return sum(len(probed_call.result.changes) for probed_call in self.calls)


def try_tools(world: World, environment: Environment, instance: Instance | None = None) -> list[ToolTrial]:
    """Try every tool of a world, in the order of its toolset.

    Args:
        world: Where.
        environment: Its design.
        instance: One of its instances, in the first state, that keeps its process; one of its own otherwise.

    Raises:
        WorldError: The world cannot go on.
    """
    if instance is None:
        with world.instance(keep_process=True) as own:
            return try_tools(world, environment, own)
    rows = instance.rows(limit=ROWS_TRIED)
    values, from_rows = (
        row_values(rows, environment),
        row_calls(whole_rows(environment, rows), environment),
    )
    return [_try(instance, world, tool, values, from_rows, environment) for tool in world.tools]


def _try(
    instance: Instance,
    world: World,
    tool: Tool,
    values: ArgumentValues,
    from_rows: RowCalls,
    environment: Environment,
) -> ToolTrial:
    trial = ToolTrial(tool)
    known = [
        call for task in environment.tasks.tasks for call in task.reference_solution if call.name == tool.name
    ]
    tried = [*known[:4], *candidates(tool, values, ATTEMPTS)]
    results = _fresh(instance, world, tried)
    if tool.mutates_state and not any(result.changes for result in results):
        tried = tried[: len(results)]
        varied = list(
            _varied(
                tool, values, [c for c, tool_result in zip(tried, results, strict=True) if tool_result.ok]
            )
        )
        tried, results = [*tried, *varied], [*results, *_fresh(instance, world, varied)]
    if not any(result.ok for result in results):
        wider = list(_each_row(tool, values))
        tried, results = [*tried[: len(results)], *wider], [*results, *_fresh(instance, world, wider)]
    trial.calls += [
        ProbedCall(Probe(kind="valid", call=call, expected="any"), result)
        for call, result in zip(tried, results, strict=False)
    ]
    of_rows = [call for call in from_rows.of_every_state(tool) if call not in tried]
    trial.calls += _from_rows(instance, world, of_rows)
    if tool.mutates_state:
        trial.calls += _from_rows(instance, world, from_rows.with_nobody(tool), kind="unknown_id")
    outcomes = list(probes(tool, _best(tried, results).arguments))
    calls = [probe.call for probe in outcomes]
    for number, (probe, result) in enumerate(zip(outcomes, _fresh(instance, world, calls), strict=False)):
        trial.calls.append(ProbedCall(probe, result, preceding=tuple(calls[:number])))
    for broken in trial.broken[:5]:
        alone = _fresh(instance, world, [broken.probe.call])[0]
        if outcome(alone) == outcome(broken.result):
            broken.preceding = ()
    return trial


def _each_row(tool: Tool, values: ArgumentValues) -> Iterator[ToolCall]:
    """A call for every row known under the tool's first key: perhaps few are in the state it needs."""
    schema: dict[str, Any] = tool.input_schema
    name = next((name for name in schema.get("required", ()) if name.endswith("_id")), "")
    for key in values.seen(name) if name else ():
        yield ToolCall(name=tool.name, arguments={**values.arguments(tool, optional=0.0), name: key})


def _varied(tool: Tool, values: ArgumentValues, succeeded: Sequence[ToolCall]) -> Iterator[ToolCall]:
    """Calls that succeeded with one argument drawn again: what was asked for may have been so already."""
    schema: dict[str, Any] = tool.input_schema
    rules: dict[str, Any] = schema.get("properties", {})
    for number in range(VARIANTS if succeeded and rules else 0):
        call = succeeded[number % len(succeeded)]
        name = sorted(rules)[number // len(succeeded) % len(rules)]
        yield ToolCall(name=tool.name, arguments={**call.arguments, name: values.value(name, rules[name])})


def _fresh(instance: Instance, world: World, calls: Sequence[ToolCall]) -> list[ToolResult]:
    """Make calls from the base state; afterwards the instance is there again.

    Fewer results than calls mean that the tool is stuck: after a few slow failures nothing more is tried.
    """
    results: list[ToolResult] = []
    chunk = 1
    while len(results) < len(calls) and sum(_is_stuck(result) for result in results) < _MOST_STUCK:
        results += instance.call_many(calls[len(results) : len(results) + chunk])
        chunk = 2 if any(map(_is_stuck, results)) else chunk * _MORE
    if any(result.changes for result in results):
        instance.restore(world.base)
    return results


def _from_rows(
    instance: Instance, world: World, calls: Sequence[ToolCall], *, kind: str = "existing_row"
) -> list[ProbedCall]:
    """Make calls with rows, each from the base state, so that no row is in another state than is meant."""
    results: list[ToolResult] = []
    at_once = 1
    while len(results) < len(calls) and sum(map(_is_stuck, results)) < _MOST_STUCK:
        results += instance.call_each(world.base, calls[len(results) : len(results) + at_once])
        at_once = more_at_once(results, at_once)
    return [
        ProbedCall(Probe(kind=kind, call=call, expected="any"), result)
        for call, result in zip(calls, results, strict=False)
    ]


def more_at_once(results: Sequence[ToolResult], at_once: int) -> int:
    """How many calls to make next in one exchange: more each time, and one by one while a tool is stuck."""
    return 1 if _is_stuck(results[-1]) else at_once * _MORE


def _is_stuck(result: ToolResult) -> bool:
    return result.status == "error" and result.seconds > _STUCK_SECONDS


def _best(calls: Sequence[ToolCall], results: Sequence[ToolResult]) -> ToolCall:
    """The call that changed rows, else one that succeeded, else the first."""
    ranked = sorted(zip(calls, results, strict=False), key=lambda pair: (not pair[1].changes, not pair[1].ok))
    return ranked[0][0]


def whole_rows(environment: Environment, rows: Rows) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """All seed rows by table where they say their keys; else those of `rows`, which may be a sample."""
    keys = {table.name: table.primary_key for table in environment.schema.tables}
    whole = {
        name: members
        for name, members in environment.seed_data.rows.items()
        if all(key in row for key in keys.get(name, ()) for row in members)
    }
    return {**rows, **whole}


def row_calls(rows: Mapping[str, Sequence[Mapping[str, Any]]], environment: Environment) -> RowCalls:
    """Calls with whole rows; what no row decides is drawn from the first of them."""
    few = {name: [dict(row) for row in members[:ROWS_TRIED]] for name, members in rows.items()}
    return RowCalls(environment.schema, rows, row_values(few, environment))


def row_values(rows: Mapping[str, list[dict[str, Any]]], environment: Environment) -> ArgumentValues:
    """Values of arguments from live rows and from the reference solutions."""
    tables = environment.schema.tables
    keys = {table.name: table.primary_key[0] for table in tables if len(table.primary_key) == 1}
    values = seeded_values(rows, keys, environment.scenario.clock)
    for task in environment.tasks.tasks:
        for call in task.reference_solution:
            for name, value in call.arguments.items():
                values.learn(name, [value])
    return values
