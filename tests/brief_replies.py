"""The replies of a model that leaves out what follows from earlier parts, as the prompts ask it to."""

from __future__ import annotations

import ast
import re
from typing import Any

from synthesis.documents.environment import Draft
from synthesis.documents.schema import Schema
from synthesis.documents.tool_specs import ToolParameter
from synthesis.documents.tools import Tool
from synthesis.pipeline.reply import Reply
from synthesis.pipeline.stages.schema import SchemaReply
from synthesis.pipeline.stages.seed_data import SeedDataReply
from synthesis.pipeline.stages.signature import read_signature
from synthesis.pipeline.stages.tasks import TasksReply
from synthesis.pipeline.stages.tools import ToolsReply
from synthesis.pipeline.stages.written_tool import lines_within_texts

_SAYS_MORE = re.compile(r"\d|;|\b[Pp]art of\b")
_AS_NAMED = re.compile(r"_(ids?|cents|on|at|day|date)$|^(limit|offset|day)$")


def planned_parameters(tool: Tool, source: str) -> tuple[ToolParameter, ...]:
    """The parameters of a function, with the meanings of those that their names do not say."""
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    parameters = read_signature(ast.unparse(function.args))
    properties: Any = tool.input_schema["properties"]
    described = [each.replace(description=properties[each.name]["description"]) for each in parameters]
    return tuple(each if _says_more(each) else each.replace(description="") for each in described)


def _says_more(parameter: ToolParameter) -> bool:
    as_named = _AS_NAMED.search(parameter.name) or "Literal" in parameter.type
    return not as_named or bool(_SAYS_MORE.search(parameter.description.replace("1 to 50", "")))


def brief(reply: Reply, draft: Draft) -> Reply:
    """A whole reply without what follows from the draft."""
    if isinstance(reply, SchemaReply):
        return _without_indexes(reply)
    if isinstance(reply, SeedDataReply) and draft.schema is not None:
        return _without_defaults(reply, draft.schema)
    if isinstance(reply, ToolsReply) and draft.tool_specs is not None:
        planned = {spec.name for spec in draft.tool_specs.specs}
        bodies = [
            tool.model_copy(update={"source": body_of(tool.source)}) if tool.name in planned else tool
            for tool in reply.tools
        ]
        return reply.model_copy(update={"tools": bodies})
    return _without_outlines(reply, draft) if isinstance(reply, TasksReply) else reply


def _without_indexes(reply: SchemaReply) -> SchemaReply:
    tables = [re.sub(r"\nCREATE INDEX [^;]*;", "", table.sql) for table in reply.tables]
    shorter = [re.sub(r"(?<=\S) {2,}", " ", sql).replace("\n    ", "\n  ") for sql in tables]
    return SchemaReply.model_validate({"tables": shorter})


def _without_defaults(reply: SeedDataReply, schema: Schema) -> SeedDataReply:
    tables = []
    for table in reply.tables:
        shape = schema.table(table.table)
        left_out = {
            column.name
            for column in (shape.columns if shape else ())
            if all(_is_default(row.get(column.name), column.default) for row in table.rows)
        }
        rows = [{name: cell for name, cell in row.items() if name not in left_out} for row in table.rows]
        tables.append(table.model_copy(update={"rows": rows}))
    return reply.model_copy(update={"tables": tables})


def _is_default(value: object, default: str | None) -> bool:
    return value is None if default is None else isinstance(value, int) and str(value) == default


def body_of(source: str) -> str:
    """A function's statements behind its docstring, not indented; what is within a text is not moved."""
    (function,) = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    first, *others = function.body
    start = (first.end_lineno or first.lineno) if others and ast.get_docstring(function) else first.lineno - 1
    within = lines_within_texts(source)
    return "\n".join(
        line if number in within else line.removeprefix("    ")
        for number, line in enumerate(source.rstrip().split("\n"), start=1)
        if number > start
    )


def _without_outlines(reply: TasksReply, draft: Draft) -> TasksReply:
    outlines = {outline.id: outline for outline in draft.outlines.outlines} if draft.outlines else {}
    tasks = []
    for task in reply.tasks:
        left_out: dict[str, Any] = {"difficulty": None}
        if (outline := outlines.get(task.id)) is not None:
            left_out |= {"instruction": ""} if task.instruction == outline.instruction else {}
            left_out |= {"kind": None} if task.kind == outline.kind else {}
        if task.min_calls == len(task.reference_solution):
            left_out |= {"min_calls": None}
        tasks.append(task.model_copy(update=left_out))
    return reply.model_copy(update={"tasks": tasks})
