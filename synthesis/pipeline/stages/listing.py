"""Listing: parts as text for a prompt, complete and compact."""

from __future__ import annotations

import json

from synthesis.documents.environment import Draft
from synthesis.documents.seed_data import SeedData
from synthesis.documents.tasks import TaskOutlines
from synthesis.documents.tool_specs import ToolSpec
from synthesis.documents.tools import Tool

MAX_ROWS_SHOWN = 60
"""Rows of one table a prompt shows; the rest is counted."""


def scenario_text(draft: Draft) -> str:
    """Title, kind of business, clock and description."""
    assert draft.scenario is not None
    told = draft.scenario
    return (
        f"{told.title} ({told.category})\nThe clock stands at {told.clock.isoformat()}.\n\n{told.description}"
    )


def outlines_text(outlines: TaskOutlines | None) -> str:
    """One task outline per line, as JSON."""
    if outlines is None:
        return "(none)"
    return "\n".join(_line(outline.model_dump(mode="json")) for outline in outlines.outlines)


def schema_text(draft: Draft) -> str:
    """The DDL."""
    assert draft.schema is not None
    return draft.schema.sql


def policy_text(draft: Draft) -> str:
    """The policy, or that there is none."""
    return draft.policy.text if draft.policy else "(there is no policy)"


def rows_text(seed_data: SeedData | None) -> str:
    """The rows by table, one JSON object per line."""
    if seed_data is None:
        return "(none)"
    blocks = []
    for table, rows in seed_data.rows.items():
        lines = [_line(row) for row in rows[:MAX_ROWS_SHOWN]]
        if len(rows) > MAX_ROWS_SHOWN:
            lines.append(f"... and {len(rows) - MAX_ROWS_SHOWN} more rows")
        blocks.append(f"{table}:\n" + "\n".join(lines))
    if seed_data.actor:
        blocks.append(f"The agent acts for the row {seed_data.actor.key!r} of {seed_data.actor.table}.")
    return "\n\n".join(blocks)


def specs_text(specs: tuple[ToolSpec, ...]) -> str:
    """One planned tool per line, as JSON."""
    return "\n".join(_line(spec.model_dump(mode="json")) for spec in specs)


def tools_text(tools: tuple[Tool, ...]) -> str:
    """One tool per line as agents see it, with whether it changes state."""
    return "\n".join(
        _line(
            {
                "name": tool.name,
                "description": tool.description,
                "input_schema": tool.input_schema,
                "changes_state": tool.mutates_state,
            }
        )
        for tool in tools
    )


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
