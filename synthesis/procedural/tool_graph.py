"""ToolGraph: which tool's output feeds which tool's input, and which tools share a table."""

from __future__ import annotations

from dataclasses import dataclass

from synthesis.procedural.blueprint import Blueprint
from synthesis.procedural.entity import Entity


@dataclass(frozen=True)
class ToolLink:
    """One way in which a value goes from one tool to another."""

    source: str
    """Tool whose answer shows the value."""
    output: str
    """Name of the value in that answer."""
    target: str
    """Tool that takes it."""
    parameter: str
    """Name of the parameter that takes it."""
    table: str
    """Table whose key the value is."""


def tool_links(made: Blueprint) -> tuple[ToolLink, ...]:
    """Every link between two different tools of a blueprint, sorted."""
    shows: dict[str, set[tuple[str, str]]] = {}
    for entity in made.entities.values():
        for tool in _showing(made, entity):
            shows.setdefault(entity.key, set()).add((tool, entity.id))
    links = {
        ToolLink(source, output, target, parameter, made.entities[key].table)
        for target, parameter, key in _taking(made)
        for source, output in shows.get(key, ())
        if source != target
    }
    return tuple(sorted(links, key=lambda link: (link.source, link.target, link.parameter)))


def shared_tables(made: Blueprint) -> dict[str, tuple[str, ...]]:
    """By table: the tools that read or change its own rows, sorted."""
    found: dict[str, set[str]] = {}
    for entity in made.entities.values():
        found.setdefault(entity.table, set()).update(_showing(made, entity))
    for action in made.actions:
        found[action.entity.table].add(action.name)
        for effect in action.spec.effects:
            if effect.entity in made.entities:
                found[made.entities[effect.entity].table].add(action.name)
    return {table: tuple(sorted(tools)) for table, tools in found.items() if tools}


def _showing(made: Blueprint, entity: Entity) -> list[str]:
    """Tools whose answers show the key of an entity's row under its own name."""
    tools = [made.listing_tool(entity)] if "list" in entity.spec.tools else []
    if entity.key in made.shown:
        tools.append(made.getting_tool(entity))
    return tools + [action.name for action in made.actions if action.entity.key == entity.key]


def _taking(made: Blueprint) -> list[tuple[str, str, str]]:
    """Tool, parameter and entity key of every parameter that takes a row's key."""
    found = []
    for entity in made.entities.values():
        if entity.key in made.shown:
            found.append((made.getting_tool(entity), entity.id, entity.key))
        if "list" in entity.spec.tools:
            tool = made.listing_tool(entity)
            found += [(tool, column.name, column.entity) for column in entity.refs if column.spec.filter]
    for action in made.actions:
        if not action.creates:
            found.append((action.name, action.entity.id, action.entity.key))
        found += [(action.name, c.name, c.entity) for c in action.params if c.kind == "ref"]
    return found
