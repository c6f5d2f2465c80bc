"""The tools: Python functions, compiled and called in the sandbox before they are kept."""

from __future__ import annotations

import ast
import re
from functools import lru_cache, partial
from typing import Annotated, ClassVar, Self

from pydantic import Field, JsonValue, WithJsonSchema
from typing_extensions import override

from synthesis.documents.environment import Draft
from synthesis.documents.finding import Finding, PartName
from synthesis.documents.tool_specs import ToolSpec
from synthesis.documents.tools import Toolset
from synthesis.errors import ReplyUnreadable, SandboxUnavailable, WorkerDied, WorkerTimeout, WorldError
from synthesis.pipeline.reply import Piece, PieceName, Reply, UnreadablePieces
from synthesis.pipeline.request import SynthesisRequest
from synthesis.pipeline.stage import Stage
from synthesis.pipeline.stages import source as sources
from synthesis.pipeline.stages.listing import (
    outlines_text,
    policy_text,
    rows_text,
    scenario_text,
    schema_text,
    specs_text,
)
from synthesis.pipeline.stages.tool_calls import called
from synthesis.pipeline.stages.trial import TRIAL, tried
from synthesis.pipeline.stages.written_tool import completed, specification_of, with_usual
from synthesis.worlds.toolset import CompiledTools, compile_tools

GIVEN = frozenset({"ToolError", "Field"})
"""Names that tools have without an import."""
SHARED = "shared"
"""Where a finding is that concerns no tool but what they share."""
_WORD = re.compile(r"\w+")
_LINE = re.compile(r"^line (\d+)$")
_LINE_WORDS = re.compile(r"^[Ll]ine \d+: ?")


class ToolReply(Piece):
    """One tool."""

    name: str
    source: str = Field(description="The function's body; the whole function where its head must be another.")
    example: Annotated[dict[str, JsonValue] | None, WithJsonSchema({"type": "object"})] = None


class MissingRowReply(Piece):
    """A tool that is right and that no row lets succeed."""

    tool: PieceName
    row: str = Field(description="The row that the seed data lack, with its table and values.")


class ToolsReply(Reply):
    """Tools, and what they share."""

    listed: ClassVar[tuple[str, str] | None] = ("tools", "name")
    wholes: ClassVar[tuple[str, ...]] = (SHARED,)
    shared: str = Field(default="", description="Only what you add or change.")
    tools: list[ToolReply]
    missing_rows: list[MissingRowReply] = Field(
        default_factory=list, description="Only in a correction that was asked for it."
    )

    @property
    def gaps(self) -> str:
        """Names that are used and not defined."""
        return " ".join(finding.message for finding in _undefined(self.module()))

    def extended(self, batch: Self) -> Self:
        """As for all pieces; of what is shared, definitions of the same name are replaced, others kept."""
        both = super().extended(batch)
        return both.model_copy(update={"shared": sources.merged(self.shared, batch.shared)})

    def merged(self, correction: Self) -> Self:
        """As for all pieces; what is shared is the correction's, with what is still used of the rest."""
        both = super().merged(correction)
        users = [tool.source for tool in both.tools]
        shared = sources.corrected(self.shared, correction.shared, users=users, removed=correction.remove)
        return both.model_copy(update={"shared": shared})

    def module(self) -> str:
        """The whole of tools.py."""
        tools = [tool.source.strip("\n") for tool in self.tools]
        pieces = [with_usual(self.shared, tools).strip("\n"), *tools]
        return "\n\n\n".join(piece for piece in pieces if piece.strip()) + "\n"


class ToolsStage(Stage[Toolset, ToolsReply]):
    """Makes the tools."""

    name: ClassVar[PartName] = "tools"
    reads: ClassVar[tuple[PartName, ...]] = ("scenario", "policy", "schema", "seed_data", "tool_specs")
    reply: ClassVar[type[Reply]] = ToolsReply
    batch: ClassVar[int | None] = 20
    optional_checks: ClassVar[frozenset[str]] = frozenset(
        ["every_tool_can_succeed", "every_example_succeeds"]
    )

    @override
    def facts(self, draft: Draft, request: SynthesisRequest) -> dict[str, str]:
        """What the tools work on."""
        return {
            "scenario": scenario_text(draft),
            "outlines": outlines_text(draft.outlines),
            "policy": policy_text(draft),
            "schema": schema_text(draft),
            "rows": rows_text(draft.seed_data),
        }

    @override
    def wanted(self, draft: Draft) -> tuple[str, ...]:
        """The planned tools, those of one resource side by side."""
        return tuple(spec.name for spec in _by_resource(draft))

    @override
    def group_of(self, draft: Draft) -> dict[str, str]:
        """The planned tools' resources."""
        return {spec.name: spec.resource for spec in _by_resource(draft)}

    @override
    def pieces_text(self, names: tuple[str, ...], draft: Draft) -> str:
        """Their specifications."""
        specs = specs_text(tuple(spec for spec in _by_resource(draft) if spec.name in names))
        return specs if SHARED not in names else f"{specs}\nshared: imports, constants and helpers".strip()

    @override
    def read(self, reply: ToolsReply, draft: Draft) -> Toolset:
        """The module in an answer; what it declares is found by compiling it in the sandbox."""
        if not reply.tools:
            raise ReplyUnreadable("The reply contains no tool.")
        if problems := {tool.name: message for tool in reply.tools if (message := _misshapen(tool))}:
            raise UnreadablePieces(problems)
        source = reply.module()
        try:
            return Toolset(source=source, tools=_compile(source).tools)
        except (WorkerDied, WorkerTimeout) as error:
            raise ReplyUnreadable(f"The module does not load: {error}") from None

    @override
    def completed(self, reply: ToolsReply, draft: Draft, standing: ToolsReply | None) -> ToolsReply:
        """The tools with the heads and docstrings that follow from their specifications."""
        specs = {spec.name: spec for spec in _by_resource(draft)}
        known = standing.pieces if standing else {}
        for tool in reply.tools:
            spec = specs.get(tool.name)
            if spec is None and tool.name in known:
                spec = specification_of(known[tool.name].source, tool.name)
            if spec is not None:
                tool.source, tool.example = completed(tool.source, spec, tool.example), None
        return reply

    @override
    def at_fault(self, reply: ToolsReply) -> tuple[Finding, ...]:
        """Findings against the seed data, for the tools that succeed on none of the rows."""
        return tuple(
            Finding(
                part="seed_data",
                check="every_tool_can_succeed",
                message=f"The tool {one.tool} can succeed on none of the rows. Add what it needs: {one.row}",
            )
            for one in reply.missing_rows
        )

    @override
    def early_findings(self, reply: ToolsReply) -> tuple[Finding, ...]:
        """What the rules for code have against the tools so far; names may still be defined by later ones."""
        if problems := {tool.name: message for tool in reply.tools if (message := _misshapen(tool))}:
            return tuple(_finding("the_source_can_be_read", text, name) for name, text in problems.items())
        if not reply.tools:
            return ()
        source = reply.module()
        return tuple(_located(each, source) for each in _compiled(source).findings if each.blocks)

    @override
    def reply_of(self, part: Toolset) -> ToolsReply:
        """The tools as pieces; everything else in the module is shared."""
        tools = {tool.name for tool in part.tools}
        results = sources.definitions(part.source)
        shared = "\n\n".join(text for name, text in results.items() if name not in tools)
        pieces = [ToolReply(name=name, source=text) for name, text in results.items() if name in tools]
        return ToolsReply(shared=shared, tools=pieces)

    @override
    def check(self, part: Toolset, draft: Draft, request: SynthesisRequest) -> tuple[Finding, ...]:
        """The module follows the rules, holds what was planned, and every tool is really called."""
        findings = tuple(_located(finding, part.source) for finding in _compiled(part.source).findings)
        if any(finding.blocks for finding in findings):
            return (*findings, *_left_out(part.source, draft))
        findings = (
            *findings,
            *_missing(part, draft),
            *_enough(part, request.targets.tools),
            *_undefined(part.source),
            *_unused_tables(part, draft),
        )
        if any(finding.blocks for finding in findings):
            return findings
        drafted = draft.with_part("tools", part)
        return (*findings, *tried("tools", "every_tool_runs", drafted, partial(called, drafted)))


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
        message = getattr(error, "msg", str(error))
        return f"The source does not parse: {message} (line {line} of this tool)."
    loose = next(
        (node for node in body if not isinstance(node, sources.DEFINITIONS) and not _is_docstring(node)), None
    )
    if loose is not None:
        shown = ast.unparse(loose).partition("\n")[0][:80]
        return f"Line {loose.lineno}: only the function belongs here, no statement at module level: {shown}"
    public = [
        node.name for node in body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    ]
    if public == [tool.name]:
        return ""
    return f"The source must define exactly the function {tool.name}; it has {', '.join(public) or 'none'}."


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _located(finding: Finding, source: str) -> Finding:
    """The finding at the tool that holds its line, or at what is shared: only this is asked for again."""
    match = _LINE.match(finding.where)
    if not match:
        return finding
    name, line = sources.place_of(source, int(match[1]))
    words = _LINE_WORDS.sub("", finding.message)
    if name and not name.startswith("_"):
        return finding.replace(where=name, message=f"Line {line} of {name}: {words}")
    place = f"Line {line} of {name}: " if name else ""
    shown = source.splitlines()[int(match[1]) - 1].strip() if int(match[1]) <= source.count("\n") else ""
    return finding.replace(where=SHARED, message=f"{place}{words}" + (f" ({shown})" if shown else ""))


def _left_out(source: str, draft: Draft) -> list[Finding]:
    """Planned tools that a module which does not compile does not even define."""
    try:
        defined = sources.definitions(source)
    except SyntaxError:
        return []
    return [
        _finding("every_planned_tool_is_there", "This planned tool is missing.", spec.name)
        for spec in (draft.tool_specs.specs if draft.tool_specs else ())
        if spec.name not in defined
    ]


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
            message = "It is planned to be read-only, but it writes."
            findings.append(_finding("every_reading_tool_only_reads", message, spec.name))
    return findings


def _undefined(source: str) -> list[Finding]:
    """Names that nothing defines, found at the only tool that uses one, or at what tools share."""
    findings = []
    for name, users in sources.undefined(source, GIVEN).items():
        where = users[0] if len(users) == 1 and not users[0].startswith("_") else SHARED
        message = f"{name} is used by {', '.join(users)}, but neither defined nor imported."
        findings.append(_finding("every_name_is_defined", message, where))
    return findings


def _unused_tables(part: Toolset, draft: Draft) -> list[Finding]:
    """Tables that no tool names, where the plan does not say which are read; that of the users may be one."""
    if draft.tool_specs is None or any(spec.reads for spec in draft.tool_specs.specs):
        return []
    words = set(_WORD.findall(part.source))
    if draft.seed_data is not None and draft.seed_data.actor is not None:
        words.add(draft.seed_data.actor.table)
    return [
        _finding("every_table_is_used", f"No tool reads or writes table {table.name!r}.").replace(
            severity="warning"
        )
        for table in (draft.schema.tables if draft.schema else ())
        if table.name not in words
    ]


def _enough(part: Toolset, least: int) -> list[Finding]:
    if len(part.tools) >= least:
        return []
    message = f"There are {len(part.tools)} tools; at least {least} are needed."
    return [_finding("there_are_enough_tools", message)]


def _finding(check: str, message: str, where: str = "") -> Finding:
    return Finding(part="tools", check=check, message=message, where=where)
