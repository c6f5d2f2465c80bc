"""Units: what an approval covers. A changed unit makes the approvals that cover it stale, and no other."""

from __future__ import annotations

import ast

from synthesis.documents.document import canonical_json, digest
from synthesis.documents.environment import Environment
from synthesis.documents.finding import PartName
from synthesis.documents.tools import Toolset
from synthesis.worlds.definitions import UNPARSABLE, definitions, reached_from, uses_of


def units_of(environment: Environment) -> dict[str, str]:
    """Every unit of an environment by name, to the fingerprint of its content.

    Names: scenario, policy, schema, seed_data, invariants, tool:<name> (the function with every helper and
    constant it uses), task:<id> (the task with its verifier).
    """
    whole: tuple[PartName, ...] = ("scenario", "policy", "schema", "seed_data", "invariants")
    parts = environment.parts()
    units: dict[str, str] = {name: parts[name].fingerprint for name in whole if name in parts}
    units |= {f"tool:{name}": value for name, value in _tool_units(environment.tools).items()}
    for task in environment.tasks.tasks:
        verifier = environment.verifier(task.id)
        units[f"task:{task.id}"] = digest(
            canonical_json([task.fingerprint, verifier.fingerprint if verifier else ""])
        )
    return units


def part_of_unit(unit: str) -> PartName:
    """The part a unit belongs to."""
    kind = unit.partition(":")[0]
    return {"tool": "tools", "task": "tasks"}.get(kind, kind)  # type: ignore[return-value]


def tool_source(source: str, tool: str) -> str:
    """A tool's function with every helper and constant it uses, in the module's order; "" without one."""
    try:
        module = ast.parse(source)
    except UNPARSABLE:
        return source
    defined = definitions(module)
    reached = set(reached_from([tool], uses_of(defined)))
    lines = source.splitlines(keepends=True)
    return "\n\n".join(
        dict.fromkeys(_text(lines, node).rstrip("\n") for name, node in defined.items() if name in reached)
    )


def tool_line(source: str, tool: str) -> int:
    """The line, from 1, at which a tool's function begins; 1 where it cannot be found."""
    try:
        module = ast.parse(source)
    except UNPARSABLE:
        return 1
    results = (node.lineno for node in module.body if isinstance(node, ast.FunctionDef) and node.name == tool)
    return next(results, 1)


def _tool_units(toolset: Toolset) -> dict[str, str]:
    """Fingerprint per tool: of its own source and all it reaches within the module."""
    try:
        module = ast.parse(toolset.source)
    except UNPARSABLE:
        return {tool.name: toolset.fingerprint for tool in toolset.tools}
    defined = definitions(module)
    uses, lines = uses_of(defined), toolset.source.splitlines(keepends=True)
    return {
        tool.name: digest(
            canonical_json([_text(lines, defined[name]) for name in sorted(reached_from([tool.name], uses))])
        )
        for tool in toolset.tools
    }


def _text(lines: list[str], statement: ast.stmt) -> str:
    """A statement's own lines, its decorators among them."""
    first = min([statement.lineno, *(each.lineno for each in getattr(statement, "decorator_list", []))])
    return "".join(lines[first - 1 : statement.end_lineno])
