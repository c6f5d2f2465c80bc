"""Tool graphs: a box per table with the tools about it, an arrow where an answer of one feeds another."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from studio.presentation.box_diagram import Card, Diagram, Link, cut, drawn
from synthesis.documents.schema import Schema
from synthesis.documents.tools import Toolset
from synthesis.worlds.tool_graph import ToolLink, ToolTables, tool_links, tool_tables

NO_TABLE = "no table"


@dataclass(frozen=True)
class ToolGraph:
    """The graph for a page.

    Attributes:
        tables: The tables each tool touches.
        links: Values that go from one tool to another.
        groups: Per table the tools about it, in schema order.
        diagram: The picture, or None where `dot` is missing.
    """

    tables: dict[str, ToolTables]
    links: tuple[ToolLink, ...]
    groups: tuple[tuple[str, tuple[str, ...]], ...]
    diagram: Diagram | None


def graph_of(toolset: Toolset, schema: Schema) -> ToolGraph:
    """The tool graph of an environment with its picture."""
    tables, links = tool_tables(toolset, schema), tool_links(toolset, schema)
    about: dict[str, list[str]] = defaultdict(list)
    for tool in toolset.tools:
        about[tables[tool.name].main or NO_TABLE].append(tool.name)
    order = [table.name for table in schema.tables if table.name in about]
    order += [NO_TABLE] if NO_TABLE in about else []
    groups = tuple((table, tuple(about[table])) for table in order)
    return ToolGraph(tables, links, groups, _picture(toolset, tables, links, groups))


def _picture(
    toolset: Toolset,
    tables: dict[str, ToolTables],
    links: tuple[ToolLink, ...],
    groups: tuple[tuple[str, tuple[str, ...]], ...],
) -> Diagram | None:
    writing = {tool.name for tool in toolset.tools if tool.mutates_state}
    cards = tuple(
        Card(table, tuple((cut(tool), "key" if tool in writing else "column") for tool in tools))
        for table, tools in groups
    )
    numbers = {table: number for number, (table, _) in enumerate(groups)}
    feeds: dict[tuple[int, int], set[str]] = defaultdict(set)
    for link in links:
        target = numbers[tables[link.target].main or NO_TABLE]
        if link.table in numbers and numbers[link.table] != target:
            feeds[numbers[link.table], target].add(link.target)
    return drawn(
        cards,
        tuple(
            Link(source, target, f"{groups[source][0]} feeds {', '.join(sorted(fed))}")
            for (source, target), fed in sorted(feeds.items())
        ),
    )
