"""Finding: one thing wrong with one part of an environment."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field, JsonValue

from synthesis.documents.document import Document

PartName = Literal[
    "scenario",
    "outlines",
    "policy",
    "schema",
    "seed_data",
    "tool_specs",
    "tools",
    "invariants",
    "tasks",
    "verifiers",
]
"""The parts of an environment; `outlines` (tasks before their world exists) and `tool_specs` do not ship."""

PART_NAMES: tuple[PartName, ...] = get_args(PartName)

Severity = Literal["error", "warning", "note"]


class Finding(Document):
    """What is wrong, with which part, found by which check, and how to see it."""

    part: PartName
    """The part at fault: whoever wrote it is asked again."""
    check: str = Field(min_length=1, max_length=120)
    """The claim that does not hold, for example "every_reference_solution_completes_its_task"."""
    message: str = Field(min_length=1)
    """What was wrong and what is expected, short enough to show to an author."""
    where: str = ""
    """Place within the part: a table, a tool, a task id, a line."""
    severity: Severity = "error"
    evidence: JsonValue = None
    """The call, row or error behind it."""

    @property
    def blocks(self) -> bool:
        """Whether the part cannot be kept as it is."""
        return self.severity == "error"
