"""Sizes: how large a part is, for events and pages."""

from __future__ import annotations

from synthesis.documents.environment import Part
from synthesis.documents.schema import Schema
from synthesis.documents.seed_data import SeedData
from synthesis.documents.tasks import TaskOutlines, Tasks
from synthesis.documents.tool_specs import ToolSpecs
from synthesis.documents.tools import Toolset
from synthesis.documents.verifiers import Verifiers


def figures(part: Part) -> dict[str, int]:
    """Counts by name; empty for a part that is one text."""
    if isinstance(part, Schema):
        return {"tables": len(part.tables)}
    if isinstance(part, SeedData):
        return {"rows": part.count}
    if isinstance(part, Toolset):
        return {"tools": len(part.tools), "lines": len(part.source.splitlines())}
    return _listed(part)


def _listed(part: Part) -> dict[str, int]:
    if isinstance(part, TaskOutlines):
        return {"outlines": len(part.outlines)}
    if isinstance(part, ToolSpecs):
        return {"specs": len(part.specs)}
    if isinstance(part, Tasks):
        return {"tasks": len(part.tasks)}
    if isinstance(part, Verifiers):
        return {"verifiers": len(part.verifiers)}
    return {}
