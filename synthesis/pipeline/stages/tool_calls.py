"""Tool calls: every tool of an environment in the making really called, before it is kept."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from synthesis.documents.environment import Draft
from synthesis.documents.finding import Finding
from synthesis.documents.tools import Tool, ToolResult
from synthesis.pipeline.stages import source as sources
from synthesis.pipeline.stages.sample_calls import sample_calls
from synthesis.verification.argument_values import ArgumentValues
from synthesis.verification.tool_contract import candidates, seeded_values
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.world import Instance, World

ROWS_TRIED = 40
CALLS_TRIED = 12
MORE_CALLS, AT_ONCE = 300, 50
"""Rows of each table whose values a tool is called with, the calls made of them, and those made besides, some
at once, where its values seldom fit together."""
LONGEST_CALL = 400
LONGEST_TEXT = 40
MOST_REFUSALS = 3
"""Characters shown of a call, and of a text in it; calls shown of a tool that refuses them all."""


def called(draft: Draft, world: World) -> list[Finding]:
    """What was found by calling every tool with values of the rows and with awkward ones.

    That is: a call that fails, a reading tool that writes, a tool that never succeeds.
    """
    tables, scenario = draft.schema.tables if draft.schema else (), draft.scenario
    keys = {table.name: table.primary_key[0] for table in tables if len(table.primary_key) == 1}
    with world.instance(keep_process=True) as instance:
        fresh = instance.snapshot()
        values = seeded_values(instance.rows(limit=ROWS_TRIED), keys, scenario.clock if scenario else None)
        return [
            finding for tool in world.tools for finding in _calls_of(tool, values, instance, fresh, draft)
        ]


def _arguments(tool: Tool, values: ArgumentValues) -> list[dict[str, Any]]:
    likely = [dict(call.arguments) for call in candidates(tool, values, CALLS_TRIED)]
    return [*likely, *sample_calls(tool.input_schema)]


def _calls_of(
    tool: Tool, values: ArgumentValues, instance: Instance, fresh: Snapshot, draft: Draft
) -> list[Finding]:
    findings, refusals, succeeded = [], dict[str, str](), False
    examples: Any = tool.input_schema.get("examples", ())
    wrong_examples = list[Finding]()
    for given, result in _results(tool, values, instance, fresh):
        if result.status == "error":
            failure = sources.placed(result.message, draft.tools.source if draft.tools else "")
            message = f"Called with {_shown(given)} it failed: {failure}"
            findings.append(_finding("every_tool_runs", message, tool.name))
        elif result.changes and not tool.mutates_state:
            findings.append(_finding("every_tool_runs", "It only reads, but it changed rows.", tool.name))
        succeeded = succeeded or result.ok
        if not result.ok:
            refusals.setdefault(result.message, _shown(given))
        if given in examples and not result.ok and result.status != "error":
            wrong_examples.append(_wrong_example(tool, given, result.message))
        if len(findings) >= 2:
            break
    if succeeded or findings or wrong_examples or (not examples and _follows_another(tool, draft)):
        return [*findings, *wrong_examples]
    return [_never(tool, refusals)]


def _follows_another(tool: Tool, draft: Draft) -> bool:
    """Whether a tool that writes may need another one first: a task is planned in which two write.

    Its author was told to name no example then, and the task's reference solution calls it in any case.
    """
    specs = draft.tool_specs.specs if draft.tool_specs else ()
    tasks = {task for spec in specs if spec.name == tool.name for task in spec.tasks}
    others = (spec for spec in specs if spec.name != tool.name and spec.writes)
    return tool.mutates_state and any(not tasks.isdisjoint(spec.tasks) for spec in others)


def _results(
    tool: Tool, values: ArgumentValues, instance: Instance, fresh: Snapshot
) -> Iterator[tuple[Mapping[str, Any], ToolResult]]:
    """What calls of a tool come to: likely and awkward ones, then many more while none succeeds."""
    succeeded = False
    for given in _arguments(tool, values):
        result = instance.call(tool.name, given)
        succeeded = succeeded or result.ok
        if result.changes or result.status == "error":
            instance.restore(fresh)
        yield given, result
    calls = [] if succeeded else candidates(tool, values, MORE_CALLS)
    for first in range(0, len(calls), AT_ONCE):
        some = calls[first : first + AT_ONCE]
        results = instance.call_many(some)
        if any(result.changes or result.status == "error" for result in results):
            instance.restore(fresh)
        yield from ((call.arguments, result) for call, result in zip(some, results, strict=True))
        if any(result.ok for result in results):
            return


def _shown(arguments: Mapping[str, Any]) -> str:
    """The call's arguments as JSON; of a long text its beginning and its length."""
    results = {
        name: f"{value[:LONGEST_TEXT]}... ({len(value)} characters)"
        if isinstance(value, str) and len(value) > LONGEST_TEXT
        else value
        for name, value in arguments.items()
    }
    return json.dumps(results)[:LONGEST_CALL]


def _wrong_example(tool: Tool, given: Mapping[str, Any], refusal: str) -> Finding:
    message = (
        f"The call that is its example, {_shown(given)}, is refused: {refusal} Give one as `example` that "
        "succeeds with the rows, or correct the tool where it refuses too much; without such a call, take "
        '"Examples:" out of its docstring.'
    )
    return _finding("every_example_succeeds", message, tool.name).replace(severity="warning")


def _never(tool: Tool, refusals: Mapping[str, str]) -> Finding:
    tried = " / ".join(f"{call}: {refusal}" for refusal, call in islice(refusals.items(), MOST_REFUSALS))
    message = (
        f"No call of it succeeded with values of the rows. Among those tried: {tried} "
        "Correct it where it refuses too much. Where it is right, give the arguments of a call that succeeds "
        'as its `example`, for instance {"booking_id": 41}; '
        "where another tool must be called first, leave it as it is; where the rows have nothing it could "
        "succeed on, leave it as it is and say in `missing_rows` which row it needs."
    )
    return _finding("every_tool_can_succeed", message, tool.name).replace(severity="warning")


def _finding(check: str, message: str, where: str) -> Finding:
    return Finding(part="tools", check=check, message=message, where=where)
