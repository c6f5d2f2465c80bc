"""The tool specification: which tools there will be; gaps show here, before any code is written."""

from __future__ import annotations

import ast
import re
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, ValidationError, field_validator, model_validator
from pydantic.json_schema import SkipJsonSchema
from typing_extensions import override

from synthesis.documents.document import Slug
from synthesis.documents.environment import Draft
from synthesis.documents.finding import Finding, PartName
from synthesis.documents.tasks import TaskOutline
from synthesis.documents.tool_specs import ToolParameter, ToolSpec, ToolSpecs
from synthesis.pipeline.reply import Piece, PieceName, Reply, UnreadablePieces, as_slug
from synthesis.pipeline.request import SynthesisRequest
from synthesis.pipeline.stage import Stage
from synthesis.pipeline.stages.listing import outlines_text, policy_text, scenario_text, schema_text
from synthesis.pipeline.stages.signature import read_signature, signature
from synthesis.verification.argument_values import singular

_LISTS = re.compile(r"\btotal\b.{0,20}\bitems\b", re.DOTALL)
"""How the answer of a list is specified."""


class ToolSpecReply(Piece):
    """What one tool is to do."""

    name: Annotated[Slug, BeforeValidator(as_slug)]
    resource: SkipJsonSchema[str] = ""
    summary: str
    parameters: str = Field(default="", description="As Python writes them: name: str, limit: int = 20")
    meanings: dict[str, str] = Field(default_factory=dict)
    returns: str = ""
    reads: SkipJsonSchema[list[str]] = Field(default_factory=list)
    writes: list[str] = Field(default_factory=list)
    refuses: list[str] = Field(default_factory=list)
    tasks: list[PieceName] = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _with_meanings(cls, value: Any) -> Any:
        """The meanings of parameters that were written as objects."""
        parameters = value.get("parameters") if isinstance(value, dict) else None
        if not isinstance(parameters, list) or value.get("meanings"):
            return value
        objects = [each for each in parameters if isinstance(each, dict)]
        return {
            **value,
            "meanings": {str(e.get("name")): e["description"] for e in objects if e.get("description")},
        }

    @field_validator("parameters", mode="before")
    @classmethod
    def _as_one_text(cls, value: Any) -> Any:
        """Parameters that were written as a list of texts, or of objects."""
        if not isinstance(value, list):
            return value
        if all(isinstance(each, str) for each in value):
            return ", ".join(value)
        return signature(ToolParameter.model_validate(each) for each in value)

    def spec(self, standing: ToolSpec | None = None) -> ToolSpec:
        """The specification.

        Args:
            standing: That of the tool so far, of which the parameters' meanings stay.

        Raises:
            ValueError: The parameters cannot be read, or a name is none.
        """
        fields = self.model_dump(exclude={"meanings"})
        described = {each.name: each.description for each in standing.parameters} if standing else {}
        described |= self.meanings
        fields["resource"] = self.resource or _resource(self.name)
        parameters = [
            each.replace(description=described.get(each.name, "")) for each in read_signature(self.parameters)
        ]
        return ToolSpec.model_validate({**fields, "parameters": parameters})


class ToolSpecsReply(Reply):
    """The tools of one application, before their code."""

    listed: ClassVar[tuple[str, str] | None] = ("tools", "name")
    tools: list[ToolSpecReply] = Field(description="One entry per tool.")


class ToolSpecsStage(Stage[ToolSpecs, ToolSpecsReply]):
    """Makes the tool specification; only a model needs one."""

    name: ClassVar[PartName] = "tool_specs"
    reads: ClassVar[tuple[PartName, ...]] = ("scenario", "outlines", "policy", "schema")
    reply: ClassVar[type[Reply]] = ToolSpecsReply

    @override
    def facts(self, draft: Draft, request: SynthesisRequest) -> dict[str, str]:
        """What the tools work on and what they are needed for."""
        return {
            "scenario": scenario_text(draft),
            "outlines": outlines_text(draft.outlines),
            "policy": policy_text(draft),
            "schema": schema_text(draft),
            "tools": str(request.targets.tools),
        }

    @override
    def read(self, reply: ToolSpecsReply, draft: Draft) -> ToolSpecs:
        """The specification in an answer."""
        standing = {spec.name: spec for spec in draft.tool_specs.specs} if draft.tool_specs else {}
        specs, problems = [], dict[str, str]()
        for tool in reply.tools:
            try:
                specs.append(tool.spec(standing.get(tool.name)))
            except ValidationError as error:
                first = error.errors()[0]
                problems[tool.name] = f"{'.'.join(map(str, first['loc']))}: {first['msg']}."
            except ValueError as error:
                problems[tool.name] = f"parameters: {error}"
        if problems:
            raise UnreadablePieces(problems)
        return ToolSpecs(specs=tuple(specs))

    @override
    def reply_of(self, part: ToolSpecs) -> ToolSpecsReply:
        """The specifications as pieces."""
        return ToolSpecsReply(tools=[_reply(spec) for spec in part.specs])

    @override
    def check(self, part: ToolSpecs, draft: Draft, request: SynthesisRequest) -> tuple[Finding, ...]:
        """Enough tools, all tables known, every task and every table covered."""
        tables = {table.name for table in draft.schema.tables} if draft.schema else set()
        outlines = draft.outlines.outlines if draft.outlines else ()
        findings = [
            *_strangers(part.specs, tables, {outline.id for outline in outlines}),
            *_uncovered(part.specs, outlines),
            *_endless(part.specs),
            *_untyped(part.specs),
        ]
        if len(part.specs) < request.targets.tools:
            message = f"There are {len(part.specs)} tools; at least {request.targets.tools} are needed."
            findings.append(_finding("there_are_enough_tools", message))
        touched = {table for spec in part.specs for table in (*spec.reads, *spec.writes)}
        # Where nothing says what tools read, their code shows it later.
        untouched = tables - touched if any(spec.reads for spec in part.specs) else ()
        findings += [
            _finding("every_table_is_used", f"No tool reads or writes table {name!r}.", "", "warning")
            for name in sorted(untouched)
        ]
        return tuple(findings)


def _reply(spec: ToolSpec) -> ToolSpecReply:
    """The specification in the form that is asked for."""
    meanings = {each.name: each.description for each in spec.parameters if each.description}
    resource = "" if spec.resource == _resource(spec.name) else spec.resource
    given = {**spec.model_dump(), "parameters": signature(spec.parameters), "resource": resource}
    return ToolSpecReply.model_validate({**given, "meanings": meanings})


def _resource(name: str) -> str:
    """What a tool is about, by its name: list_open_bookings is about a booking."""
    return singular(name.rpartition("_")[2] or name)


def _strangers(specs: tuple[ToolSpec, ...], tables: set[str], tasks: set[str]) -> list[Finding]:
    findings = []
    for spec in specs:
        for table in sorted({*spec.reads, *spec.writes} - tables):
            message = f"It names the table {table!r}, which the schema does not have."
            findings.append(_finding("every_table_of_a_tool_exists", message, spec.name))
        for task in sorted(set(spec.tasks) - tasks):
            message = f"It names the task {task!r}, which does not exist."
            findings.append(_finding("every_task_of_a_tool_exists", message, spec.name))
    return findings


def _endless(specs: tuple[ToolSpec, ...]) -> list[Finding]:
    """Tools that answer a list and take nothing that bounds it: the proof would refuse their code later."""
    findings = []
    for spec in specs:
        missing = {"limit", "offset"} - {parameter.name for parameter in spec.parameters}
        if _LISTS.search(spec.returns) and missing:
            message = f"It answers a list, but has no parameter {' and no '.join(sorted(missing))}."
            findings.append(_finding("every_list_has_bounds", message, spec.name))
    return findings


def _untyped(specs: tuple[ToolSpec, ...]) -> list[Finding]:
    """Parameters of a type that the prompt does not name."""
    findings = []
    for spec in specs:
        wrong = [f"{one.name}: {one.type}" for one in spec.parameters if not _is_type(one.type)]
        if wrong:
            message = f"Types are int, float, str, bool, Literal[...] and list[...], not {'; '.join(wrong)}."
            findings.append(_finding("every_type_is_known", message, spec.name))
    return findings


def _is_type(text: str) -> bool:
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return all(node.id in _TYPES for node in ast.walk(tree) if isinstance(node, ast.Name))


_TYPES = frozenset(
    {"int", "float", "str", "bool", "None", "Literal", "list", "Optional", "Annotated", "Field"}
)


def _uncovered(specs: tuple[ToolSpec, ...], outlines: tuple[TaskOutline, ...]) -> list[Finding]:
    findings = []
    for outline in outlines:
        needed = [spec for spec in specs if outline.id in spec.tasks]
        if not needed:
            message = f"No tool says that the task {outline.id!r} needs it."
            findings.append(_finding("every_task_has_its_tools", message))
        elif outline.kind in ("write", "mixed") and not any(spec.writes for spec in needed):
            message = f"The task {outline.id!r} changes state, but none of its tools writes."
            findings.append(_finding("every_changing_task_has_a_writing_tool", message))
    return findings


def _finding(check: str, message: str, where: str = "", severity: str = "error") -> Finding:
    return Finding.model_validate(
        {"part": "tool_specs", "check": check, "message": message, "where": where, "severity": severity}
    )
