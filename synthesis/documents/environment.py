"""Environment: the complete design of a world. Draft: the pieces so far."""

from __future__ import annotations

import warnings
from typing import Any, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from synthesis.documents.document import Document
from synthesis.documents.finding import Finding, PartName
from synthesis.documents.invariants import Invariants
from synthesis.documents.policy import Policy
from synthesis.documents.scenario import Scenario
from synthesis.documents.schema import Schema
from synthesis.documents.seed_data import SeedData
from synthesis.documents.tasks import Task, TaskOutlines, Tasks
from synthesis.documents.tool_specs import ToolSpecs
from synthesis.documents.tools import Toolset
from synthesis.documents.verifiers import Verifier, Verifiers
from synthesis.errors import InvalidDraft

FORMAT_VERSION = 1
"""Version of the folder format this code writes; a newer one is refused."""

DESIGN_PARTS: tuple[PartName, ...] = (
    "scenario",
    "policy",
    "schema",
    "seed_data",
    "tools",
    "invariants",
    "tasks",
    "verifiers",
)
"""The parts that ship, in the order of the folder."""

OPTIONAL_PARTS: frozenset[PartName] = frozenset({"policy", "invariants"})
"""The parts that an environment may lack."""

Part = (
    Scenario
    | TaskOutlines
    | Policy
    | Schema
    | SeedData
    | ToolSpecs
    | Toolset
    | Invariants
    | Tasks
    | Verifiers
)
"""Any one part of a draft."""


class Origin(Document):
    """What a part was read from, outside, and what of it could not come along."""

    source: str
    """For people: a file's name, or a database's address without user and password."""
    findings: tuple[Finding, ...] = ()
    """What was left behind or changed on the way; none of them blocks."""


class Provenance(Document):
    """Who made a part, with what, at what cost."""

    author: str
    """ "hand", "procedural", "model" or a person's sign-in name."""
    model: str | None = None
    prompt_fingerprint: str | None = None
    seed: int | None = None
    attempts: int = Field(default=1, ge=1)
    cost: float | None = None
    """Money spent on it in US dollars, where it is known."""
    reviewer: str | None = None
    origin: Origin | None = None
    """Where it was read from, if it was."""

    @model_serializer(mode="wrap")
    def _without_an_empty_origin(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # Older readers refuse fields that they do not know, and few parts have an origin.
        return {name: value for name, value in handler(self).items() if name != "origin" or value}


# pydantic still has a deprecated BaseModel.schema(); the part is called schema everywhere else, so here too.
with warnings.catch_warnings():
    warnings.filterwarnings("ignore", message='Field name "schema"', category=UserWarning)

    class Environment(Document):
        """A complete design: every part is there and the parts fit each other."""

        scenario: Scenario
        policy: Policy | None = None
        schema: Schema  # type: ignore[assignment]
        seed_data: SeedData
        tools: Toolset
        invariants: Invariants | None = Field(default=None, exclude_if=lambda value: value is None)
        tasks: Tasks
        verifiers: Verifiers
        provenance: dict[str, Provenance] = Field(default_factory=dict)
        """Per part; not part of the fingerprint."""

        def content(self) -> Any:
            """The fingerprints of the parts by name, without provenance."""
            return {name: part.fingerprint for name, part in self.parts().items()}

        def parts(self) -> dict[PartName, Part]:
            """The parts that are there, by name in the folder's order."""
            results: dict[PartName, Part | None] = {name: getattr(self, name) for name in DESIGN_PARTS}
            return {name: part for name, part in results.items() if part is not None}

        @property
        def name(self) -> str:
            """The scenario's name."""
            return self.scenario.name

        def task(self, task_id: str) -> Task | None:
            """The task of that id, or None."""
            return next((task for task in self.tasks.tasks if task.id == task_id), None)

        def verifier(self, task_id: str) -> Verifier | None:
            """The verifier of that task, or None."""
            return self.verifiers.of(task_id)

        @property
        def counts(self) -> dict[str, int]:
            """Sizes of the parts: tables, rows, tools, tasks, verifiers."""
            return {
                "tables": len(self.schema.tables),
                "rows": self.seed_data.count,
                "tools": len(self.tools.tools),
                "tasks": len(self.tasks.tasks),
                "verifiers": len(self.verifiers.verifiers),
            }

        @property
        def code_lines(self) -> int:
            """Lines of generated code: DDL, tools, invariants and verifiers."""
            sources = [
                self.schema.sql,
                self.tools.source,
                *([self.invariants.source] if self.invariants else []),
                *(v.source for v in self.verifiers.verifiers),
            ]
            return sum(len(source.splitlines()) for source in sources)

        @model_validator(mode="after")
        def _parts_fit(self) -> Self:
            if problems := list(_inconsistencies(self)):
                raise ValueError("; ".join(problems))
            return self

    class Draft(Document):
        """The pieces of an environment so far; a stage adds or replaces one part."""

        scenario: Scenario | None = None
        outlines: TaskOutlines | None = None
        policy: Policy | None = None
        schema: Schema | None = None  # type: ignore[assignment]
        seed_data: SeedData | None = None
        tool_specs: ToolSpecs | None = None
        tools: Toolset | None = None
        invariants: Invariants | None = None
        tasks: Tasks | None = None
        verifiers: Verifiers | None = None
        provenance: dict[str, Provenance] = Field(default_factory=dict)

        def with_part(self, name: PartName, part: Part, provenance: Provenance | None = None) -> Draft:
            """A draft in which that part is `part`."""
            values = {**self.provenance, name: provenance} if provenance else self.provenance
            return self.model_copy(update={name: part, "provenance": values})

        def part(self, name: PartName) -> Part | None:
            """The part of that name, or None while it is not made."""
            result: Part | None = getattr(self, name)
            return result

        def finish(self) -> Environment:
            """The environment these parts make.

            Raises:
                InvalidDraft: A part is missing, or parts do not fit each other; the text lists all of it.
            """
            missing = [
                name for name in DESIGN_PARTS if name not in OPTIONAL_PARTS and self.part(name) is None
            ]
            if missing:
                raise InvalidDraft(f"The draft lacks: {', '.join(missing)}.")
            try:
                return Environment.model_validate(
                    {
                        **{name: self.part(name) for name in DESIGN_PARTS},
                        "provenance": {k: v for k, v in self.provenance.items() if k in DESIGN_PARTS},
                    }
                )
            except ValueError as error:
                raise InvalidDraft(f"The parts do not fit each other: {error}") from error


def _inconsistencies(environment: Environment) -> list[str]:
    """What does not hold across the parts of an environment, as sentences."""
    problems = []
    tables = {table.name for table in environment.schema.tables}
    if not tables:
        problems.append("schema: it declares no table")
    problems += [
        f"seed_data: there is no table {name!r}" for name in environment.seed_data.rows if name not in tables
    ]
    actor = environment.seed_data.actor
    if actor is not None and actor.table not in tables:
        problems.append(f"seed_data: the actor's table {actor.table!r} does not exist")
    tools = {tool.name for tool in environment.tools.tools}
    if not tools:
        problems.append("tools: there is no tool")
    task_ids = [task.id for task in environment.tasks.tasks]
    if not task_ids:
        problems.append("tasks: there is no task")
    for task in environment.tasks.tasks:
        unknown = sorted({call.name for call in task.reference_solution} - tools)
        problems += [f"tasks: {task.id} calls {name!r}, which is not a tool" for name in unknown]
    verified = {verifier.task_id for verifier in environment.verifiers.verifiers}
    problems += [f"verifiers: task {id} has none" for id in task_ids if id not in verified]
    problems += [f"verifiers: {id!r} is not a task" for id in sorted(verified - set(task_ids))]
    return problems


def part_types() -> dict[PartName, type[Part]]:
    """The document class of each part, by name."""
    return {
        "scenario": Scenario,
        "outlines": TaskOutlines,
        "policy": Policy,
        "schema": Schema,
        "seed_data": SeedData,
        "tool_specs": ToolSpecs,
        "tools": Toolset,
        "invariants": Invariants,
        "tasks": Tasks,
        "verifiers": Verifiers,
    }
