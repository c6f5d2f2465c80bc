"""The tools: Python functions, compiled and called in the sandbox before they are kept."""

from __future__ import annotations

import ast
import json
import re
from functools import lru_cache
from typing import ClassVar, Self

from pydantic import Field
from typing_extensions import override

from synthesis.documents.environment import Draft, Part
from synthesis.documents.finding import Finding, PartName
from synthesis.documents.tool_specs import ToolSpec
from synthesis.documents.tools import Tool, Toolset
from synthesis.errors import ReplyUnreadable, SandboxUnavailable, WorldError
from synthesis.pipeline.reply import Piece, Reply, UnreadablePieces
from synthesis.pipeline.request import SynthesisRequest
from synthesis.pipeline.stage import Stage
from synthesis.pipeline.stages import source as sources
from synthesis.pipeline.stages.listing import policy_text, rows_text, scenario_text, schema_text, specs_text
from synthesis.pipeline.stages.sample_calls import sample_calls
from synthesis.pipeline.stages.trial import TRIAL, tried
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.toolset import CompiledTools, compile_tools
from synthesis.worlds.world import Instance, World

_LINE = re.compile(r"^line (\d+)$")


class ToolReply(Piece):
    """One tool."""

    name: str
    source: str = Field(description="The whole function, from def to its last line.")


class ToolsReply(Reply):
    """Tools, and what they share."""

    listed: ClassVar[tuple[str, str] | None] = ("tools", "name")
    shared: str = Field(
        default="", description="Imports, constants and helpers whose names start with an underscore."
    )
    tools: list[ToolReply]

    def merged(self, correction: Self) -> Self:
        """As for all pieces; of what is shared, definitions of the same name are replaced, others kept."""
        both = super().merged(correction)
        return both.model_copy(update={"shared": sources.merged(self.shared, correction.shared)})

    def module(self) -> str:
        """The whole of tools.py."""
        pieces = [self.shared.strip("\n"), *(tool.source.strip("\n") for tool in self.tools)]
        return "\n\n\n".join(piece for piece in pieces if piece.strip()) + "\n"


class ToolsStage(Stage):
    """Makes the tools."""

    name: ClassVar[PartName] = "tools"
    reads: ClassVar[tuple[PartName, ...]] = ("scenario", "policy", "schema", "seed_data", "tool_specs")
    reply: ClassVar[type[Reply]] = ToolsReply
    batch: ClassVar[int | None] = 8

    @override
    def facts(self, draft: Draft, request: SynthesisRequest) -> dict[str, str]:
        """What the tools work on."""
        return {
            "scenario": scenario_text(draft),
            "policy": policy_text(draft),
            "schema": schema_text(draft),
            "rows": rows_text(draft.seed_data),
        }

    @override
    def wanted(self, draft: Draft) -> tuple[str, ...]:
        """The planned tools, those of one resource side by side."""
        return tuple(spec.name for spec in _by_resource(draft))

    @override
    def kin(self, draft: Draft) -> dict[str, str]:
        """The planned tools' resources."""
        return {spec.name: spec.resource for spec in _by_resource(draft)}

    @override
    def pieces_text(self, names: tuple[str, ...], draft: Draft) -> str:
        """Their specifications."""
        return specs_text(tuple(spec for spec in _by_resource(draft) if spec.name in names))

    @override
    def read(self, reply: Reply, draft: Draft) -> Part:
        """The module in an answer; what it declares is found by compiling it in the sandbox."""
        assert isinstance(reply, ToolsReply)
        if not reply.tools:
            raise ReplyUnreadable("The reply holds no tool.")
        if problems := {tool.name: told for tool in reply.tools if (told := _misshapen(tool))}:
            raise UnreadablePieces(problems)
        source = reply.module()
        return Toolset(source=source, tools=_compile(source).tools)

    @override
    def reply_of(self, part: Part) -> Reply:
        """The tools as pieces; everything else in the module is shared."""
        assert isinstance(part, Toolset)
        tools = {tool.name for tool in part.tools}
        found = sources.definitions(part.source)
        shared = "\n\n".join(text for name, text in found.items() if name not in tools)
        pieces = [ToolReply(name=name, source=text) for name, text in found.items() if name in tools]
        return ToolsReply(shared=shared, tools=pieces)

    @override
    def check(self, part: Part, draft: Draft, request: SynthesisRequest) -> tuple[Finding, ...]:
        """The module follows the rules, holds what was planned, and every tool is really called."""
        assert isinstance(part, Toolset)
        findings = tuple(_located(finding, part.source) for finding in _compiled(part.source).findings)
        if any(finding.blocks for finding in findings):
            return findings
        findings = (*findings, *_missing(part, draft), *_enough(part, request.targets.tools))
        if any(finding.blocks for finding in findings):
            return findings
        return (*findings, *tried("tools", "every_tool_runs", draft.with_part("tools", part), _called))


@lru_cache(maxsize=16)
def _compile(source: str) -> CompiledTools:
    """The module compiled in the sandbox; kept, since reading and checking a part both ask for it."""
    return compile_tools(source, limits=TRIAL)


def _compiled(source: str) -> CompiledTools:
    """The module compiled in the sandbox; one that does not even load is a finding.

    Raises:
        SandboxUnavailable: This host cannot run generated code.
    """
    try:
        return _compile(source)
    except SandboxUnavailable:
        raise
    except WorldError as error:
        return CompiledTools(b"", (), (_finding("the_module_loads", str(error)),))


def _called(world: World) -> list[Finding]:
    """Every tool called with plain and awkward arguments: it answers or refuses, and never fails."""
    with world.instance(keep_process=True) as instance:
        fresh = instance.snapshot()
        return [finding for tool in world.tools for finding in _calls_of(tool, instance, fresh)]


def _calls_of(tool: Tool, instance: Instance, fresh: Snapshot) -> list[Finding]:
    findings = []
    for arguments in sample_calls(tool.input_schema):
        result = instance.call(tool.name, arguments)
        if result.status == "error":
            message = f"Called with {json.dumps(arguments)} it failed: {result.message}"
            findings.append(_finding("every_tool_runs", message, tool.name))
        elif result.changes and not tool.mutates_state:
            findings.append(_finding("every_tool_runs", "It is a reading tool and changed rows.", tool.name))
        if result.changes or result.status == "error":
            instance.restore(fresh)
        if len(findings) >= 2:
            break
    return findings


def _by_resource(draft: Draft) -> list[ToolSpec]:
    specs = draft.tool_specs.specs if draft.tool_specs else ()
    order = {resource: number for number, resource in enumerate(dict.fromkeys(s.resource for s in specs))}
    return sorted(specs, key=lambda spec: order[spec.resource])


def _misshapen(tool: ToolReply) -> str:
    """Why the piece is no function of its name, or ""."""
    try:
        body = ast.parse(tool.source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        told = getattr(error, "msg", str(error))
        return f"The source does not parse: {told} (line {line} of this tool)."
    public = [
        node.name for node in body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    ]
    if public == [tool.name]:
        return ""
    return f"The source must define exactly the function {tool.name}; it has {', '.join(public) or 'none'}."


def _located(finding: Finding, source: str) -> Finding:
    """The finding at the function that holds its line, so that only this one is asked for again."""
    found = _LINE.match(finding.where)
    if not found:
        return finding
    name = sources.function_at(source, int(found[1]))
    return finding.replace(where=name, message=f"{finding.where}: {finding.message}") if name else finding


def _missing(part: Toolset, draft: Draft) -> list[Finding]:
    findings = []
    for spec in draft.tool_specs.specs if draft.tool_specs else ():
        tool = part.tool(spec.name)
        if tool is None:
            findings.append(
                _finding("every_planned_tool_is_there", "This planned tool is missing.", spec.name)
            )
        elif spec.writes and not tool.mutates_state:
            message = f"It is planned to write {', '.join(spec.writes)}, but it never writes."
            findings.append(_finding("every_writing_tool_writes", message, spec.name))
        elif tool.mutates_state and not spec.writes:
            message = "It is planned to read only, but it writes."
            findings.append(_finding("every_reading_tool_only_reads", message, spec.name))
    return findings


def _enough(part: Toolset, least: int) -> list[Finding]:
    if len(part.tools) >= least:
        return []
    message = f"There are {len(part.tools)} tools; at least {least} are needed."
    return [_finding("there_are_enough_tools", message)]


def _finding(check: str, message: str, where: str = "") -> Finding:
    return Finding(part="tools", check=check, message=message, where=where)
