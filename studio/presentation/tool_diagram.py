"""Tool graphs: a box per table with the tools about it, an arrow where the result of one feeds another."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Protocol

from studio.presentation.box_diagram import Card, Diagram, Link, cut, drawn
from synthesis.documents.schema import Schema
from synthesis.documents.tools import Toolset
from synthesis.worlds.tool_graph import ToolLink, ToolTables, tool_links, tool_tables

NO_TABLE = "no table"


class ToolNamer(Protocol):
    """Whoever knows what tables and tools are called."""

    def table(self, name: str) -> str:
        """What a table is called."""

    def tool(self, name: str) -> str:
        """What a tool is called."""


@dataclass(frozen=True)
class ToolGraph:
    """The graph for a page.

    Attributes:
        tables: The tables each tool touches.
        links: Values that go from one tool to another.
        groups: Per table the tools about it, in schema order.
        diagram: The picture, or None where it would have more boxes than a picture shows.
    """

    tables: dict[str, ToolTables]
    links: tuple[ToolLink, ...]
    groups: tuple[tuple[str, tuple[str, ...]], ...]
    diagram: Diagram | None


def graph_of(toolset: Toolset, schema: Schema, words: ToolNamer | None = None) -> ToolGraph:
    """The tool graph of an environment with its picture.

    Args:
        toolset: Its tools.
        schema: Its tables.
        words: Whose titles the picture says; the names in the code where there are none.
    """
    tables, links = tool_tables(toolset, schema), tool_links(toolset, schema)
    about: dict[str, list[str]] = defaultdict(list)
    for tool in toolset.tools:
        about[tables[tool.name].main or NO_TABLE].append(tool.name)
    order = [table.name for table in schema.tables if table.name in about]
    order += [NO_TABLE] if NO_TABLE in about else []
    groups = tuple((table, tuple(about[table])) for table in order)
    return ToolGraph(tables, links, groups, _picture(toolset, tables, links, groups, words))


def _picture(
    toolset: Toolset,
    tables: dict[str, ToolTables],
    links: tuple[ToolLink, ...],
    groups: tuple[tuple[str, tuple[str, ...]], ...],
    words: ToolNamer | None,
) -> Diagram | None:
    writing = {tool.name for tool in toolset.tools if tool.mutates_state}
    called = [_table(table, words) for table, _ in groups]
    cards = tuple(
        Card(
            title, tuple((cut(_tool(tool, words)), "key" if tool in writing else "column") for tool in tools)
        )
        for title, (_, tools) in zip(called, groups, strict=True)
    )
    numbers = {table: number for number, (table, _) in enumerate(groups)}
    feeds: dict[tuple[int, int], set[str]] = defaultdict(set)
    for link in links:
        target = numbers[tables[link.target].main or NO_TABLE]
        if link.table in numbers and numbers[link.table] != target:
            feeds[numbers[link.table], target].add(_tool(link.target, words))
    return drawn(
        cards,
        tuple(
            Link(source, target, f"{called[source]} feeds {', '.join(sorted(fed))}")
            for (source, target), fed in sorted(feeds.items())
        ),
    )


def _table(name: str, words: ToolNamer | None) -> str:
    if name == NO_TABLE:
        return "Without a table" if words else NO_TABLE
    return words.table(name) if words else name


def _tool(name: str, words: ToolNamer | None) -> str:
    return words.tool(name) if words else name
