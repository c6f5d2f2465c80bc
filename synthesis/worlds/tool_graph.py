"""ToolGraph: which tables each tool reads and writes, and whose output feeds whose input.

A tool dependency graph is ScaleEnv's idea (arXiv 2602.06820). Nothing is run: SQL in the source that a tool
reaches names its tables, and a parameter named for a table's key takes what another tool shows of that table.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from synthesis.documents.schema import Schema
from synthesis.documents.tools import Tool, Toolset
from synthesis.matching import stem
from synthesis.worlds.definitions import UNPARSABLE, definitions, reached_from, uses_of
from synthesis.worlds.syntax import nodes_of

_QUOTED = r"[\"`\[]?([^\s\"`\[\](),;]+)[\"`\]]?"
_READS = re.compile(rf"\b(?:from|join)\s+{_QUOTED}", re.IGNORECASE)
_WRITES = re.compile(
    rf"\b(?:insert\s+(?:or\s+\w+\s+)?into|replace\s+into|update(?:\s+or\s+\w+)?|delete\s+from)\s+{_QUOTED}",
    re.IGNORECASE,
)
_KEY_ENDINGS = ("_ids", "_id", "_numbers", "_number", "_codes", "_code", "_keys", "_key")
_WRITING_METHODS = frozenset({"insert"})


@dataclass(frozen=True)
class ToolTables:
    """The tables a tool touches.

    Attributes:
        reads: Tables it reads, in the order they are met; one it also writes may be among them.
        writes: Tables it writes.
    """

    reads: tuple[str, ...]
    writes: tuple[str, ...]

    @property
    def main(self) -> str:
        """What it is about: the first table it writes, else the first it reads, else ""."""
        return next(iter((*self.writes, *self.reads)), "")


@dataclass(frozen=True, order=True)
class ToolLink:
    """A value that goes from one tool to another.

    Attributes:
        source: Tool whose answer shows it.
        target: Tool that takes it.
        parameter: Name of the parameter that takes it.
        table: Table whose key the value is.
    """

    source: str
    target: str
    parameter: str
    table: str


def tool_tables(toolset: Toolset, schema: Schema) -> dict[str, ToolTables]:
    """The tables of every tool; nothing for a source that cannot be parsed."""
    try:
        module = ast.parse(toolset.source)
    except UNPARSABLE:
        return {tool.name: ToolTables((), ()) for tool in toolset.tools}
    known = {table.name.lower(): table.name for table in schema.tables}
    defined = definitions(module)
    own = {name: _touched(node, known) for name, node in defined.items()}
    uses = uses_of(defined)
    return {
        tool.name: _together(own[name] for name in reached_from([tool.name], uses)) for tool in toolset.tools
    }


def tool_links(toolset: Toolset, schema: Schema) -> tuple[ToolLink, ...]:
    """Every link between two different tools, sorted."""
    tables = tool_tables(toolset, schema)
    shown: dict[str, list[str]] = {}
    for name, touched in tables.items():
        for table in dict.fromkeys((touched.main, *touched.writes)):
            shown.setdefault(table, []).append(name)
    keys = _keys(schema)
    return tuple(
        sorted(
            ToolLink(source, tool.name, parameter, table)
            for tool in toolset.tools
            for parameter, table in _taken(tool, keys)
            for source in shown.get(table, ())
            if source != tool.name
        )
    )


def _touched(node: ast.stmt, known: Mapping[str, str]) -> ToolTables:
    """The tables named in one function or constant."""
    reads: dict[str, None] = {}
    writes: dict[str, None] = {}
    documentation = _documentation(node)
    for each in nodes_of(node):
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute):
            if each.func.attr in _WRITING_METHODS and each.args and isinstance(each.args[0], ast.Constant):
                writes |= _named([str(each.args[0].value)], known)
        elif isinstance(each, ast.Constant | ast.JoinedStr) and each is not documentation:
            text = _text(each)
            writes |= _named(_WRITES.findall(text), known)
            reads |= _named(_READS.findall(_WRITES.sub(" ", text)), known)
    return ToolTables(tuple(reads), tuple(writes))


def _named(names: list[str], known: Mapping[str, str]) -> dict[str, None]:
    return {known[name.lower()]: None for name in names if name.lower() in known}


def _documentation(node: ast.stmt) -> ast.expr | None:
    """The docstring's node: it speaks of tables and touches none."""
    first = node.body[0] if isinstance(node, ast.FunctionDef) and node.body else None
    return first.value if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) else None


def _text(node: ast.Constant | ast.JoinedStr) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    return "".join(str(part.value) if isinstance(part, ast.Constant) else " ? " for part in node.values)


def _together(touched: Iterable[ToolTables]) -> ToolTables:
    """The tables of a tool with those of all helpers and constants it reaches, its own first."""
    all_of = list(touched)
    return ToolTables(
        tuple(dict.fromkeys(table for each in all_of for table in each.reads)),
        tuple(dict.fromkeys(table for each in all_of for table in each.writes)),
    )


def _keys(schema: Schema) -> dict[str, str]:
    """Names of columns and parameters that stand for the key of exactly one table."""
    results: dict[str, set[str]] = {}
    for table in schema.tables:
        for key in table.foreign_keys:
            if len(key.columns) == 1:
                results.setdefault(key.columns[0].lower(), set()).add(key.table)
        if len(table.primary_key) == 1 and table.primary_key[0].lower() != "id":
            results.setdefault(table.primary_key[0].lower(), set()).add(table.name)
        results.setdefault(_singular(table.name), set()).add(table.name)
    return {name: next(iter(tables)) for name, tables in results.items() if len(tables) == 1}


def _taken(tool: Tool, keys: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Parameters that take a row's key, with the table."""
    properties = tool.input_schema.get("properties")
    for parameter in properties if isinstance(properties, dict) else ():
        name = parameter.lower()
        table = keys.get(name) or keys.get(name.removesuffix("s"))
        ending = next((ending for ending in _KEY_ENDINGS if name.endswith(ending)), "")
        if table is None and ending:
            table = keys.get(_singular(name.removesuffix(ending)))
        if table is not None:
            yield parameter, table


def _singular(name: str) -> str:
    """A name whose last word is cut to its stem, so that `order_lines` and `order_line` are one."""
    head, _, last = name.lower().rpartition("_")
    return f"{head}_{stem(last)}" if head else stem(last)
