"""Listing: parts as text for a prompt, complete and compact."""

from __future__ import annotations

from typing import Any

from synthesis.documents.environment import Draft
from synthesis.documents.seed_data import SeedData
from synthesis.documents.tasks import TaskOutlines
from synthesis.documents.tool_specs import ToolSpec
from synthesis.documents.tools import Tool
from synthesis.pipeline.prompt import compact
from synthesis.pipeline.stages.signature import signature

MAX_ROWS_SHOWN = 60
"""Rows of one table a prompt shows; the rest is counted."""


def scenario_text(draft: Draft) -> str:
    """Title, kind of business, clock and description."""
    assert draft.scenario is not None
    scenario = draft.scenario
    clock = scenario.clock.isoformat()
    return f"{scenario.title} ({scenario.category})\nThe clock shows {clock}.\n\n{scenario.description}"


def outlines_text(outlines: TaskOutlines | None) -> str:
    """One task outline per line, as JSON."""
    if outlines is None:
        return "(none)"
    return "\n".join(compact(outline.model_dump(mode="json")) for outline in outlines.outlines)


def schema_text(draft: Draft) -> str:
    """The DDL."""
    assert draft.schema is not None
    return draft.schema.sql


def policy_text(draft: Draft) -> str:
    """The policy, or that there is none."""
    return draft.policy.text if draft.policy else "(there is no policy)"


def rows_text(seed_data: SeedData | None, *, most: int = MAX_ROWS_SHOWN) -> str:
    """The rows by table, one JSON object per line; of longer tables the first, and how many more."""
    if seed_data is None:
        return "(none)"
    blocks = []
    for table, rows in seed_data.rows.items():
        lines = [compact(row) for row in rows[:most]]
        if len(rows) > most:
            lines.append(f"... and {len(rows) - most} more rows")
        blocks.append(f"{table}:\n" + "\n".join(lines))
    if seed_data.actor:
        blocks.append(f"The agent acts for the row {seed_data.actor.key!r} of {seed_data.actor.table}.")
    return "\n\n".join(blocks)


def specs_text(specs: tuple[ToolSpec, ...]) -> str:
    """One planned tool per line, as JSON; what is as by default is left out."""
    return "\n".join(compact(_spec(spec)) for spec in specs)


def _spec(spec: ToolSpec) -> dict[str, Any]:
    """The specification with its parameters as Python writes them, and their meanings apart.

    What a tool is about decides which tools are asked for together, and nothing of its code.
    """
    shown = spec.model_dump(mode="json", exclude={"parameters", "resource"}, exclude_defaults=True)
    meanings = {each.name: each.description for each in spec.parameters if each.description}
    described = {"parameters": signature(spec.parameters)} if spec.parameters else {}
    return {**shown, **described, **({"meanings": meanings} if meanings else {})}


def tools_text(draft: Draft) -> str:
    """One tool per line as agents see it, with whether it changes state and what it was planned to return."""
    returns = {spec.name: spec.returns for spec in (draft.tool_specs.specs if draft.tool_specs else ())}
    return "\n".join(
        compact(
            {
                "name": tool.name,
                "description": tool.description,
                "parameters": _parameters(tool),
                **({"returns": returns[tool.name]} if returns.get(tool.name) else {}),
                "changes_state": tool.mutates_state,
            }
        )
        for tool in (draft.tools.tools if draft.tools else ())
    )


def _parameters(tool: Tool) -> dict[str, Any]:
    """The parameters' JSON Schemas; those without a default are required, and no other is allowed."""
    schema: dict[str, Any] = tool.input_schema
    common = {"$defs": schema["$defs"]} if "$defs" in schema else {}
    return {**schema.get("properties", {}), **common}
