"""Units: what an approval covers. A changed unit makes the approvals that cover it stale, and no other."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from synthesis.documents.document import canonical_json, digest
from synthesis.documents.environment import Environment
from synthesis.documents.finding import PartName
from synthesis.documents.tools import Toolset


def units_of(environment: Environment) -> dict[str, str]:
    """Every unit of an environment by name, to the fingerprint of its content.

    Names: scenario, policy, schema, seed_data, tool:<name> (the function with every helper and constant it
    uses), task:<id> (the task with its verifier).
    """
    whole: tuple[PartName, ...] = ("scenario", "policy", "schema", "seed_data")
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
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source
    pieces = dict(_pieces(module, source))
    reached = _reached(tool, pieces)
    return "\n\n".join(
        dict.fromkeys(text.rstrip("\n") for name, (text, _) in pieces.items() if name in reached)
    )


def tool_line(source: str, tool: str) -> int:
    """The line, from 1, at which a tool's function begins; 1 where it cannot be found."""
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 1
    found = (node.lineno for node in module.body if isinstance(node, ast.FunctionDef) and node.name == tool)
    return next(found, 1)


def _tool_units(toolset: Toolset) -> dict[str, str]:
    """Fingerprint per tool: of its own source and all it reaches within the module."""
    try:
        module = ast.parse(toolset.source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {tool.name: toolset.fingerprint for tool in toolset.tools}
    pieces = dict(_pieces(module, toolset.source))
    return {tool.name: _fingerprint(tool.name, pieces) for tool in toolset.tools}


def _pieces(module: ast.Module, source: str) -> Iterator[tuple[str, tuple[str, frozenset[str]]]]:
    """Each name the module binds, with the source that binds it and the names used there."""
    lines = source.splitlines(keepends=True)
    for node in module.body:
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        text = "".join(lines[first - 1 : node.end_lineno])
        used = frozenset(inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))
        for name in _bound(node):
            yield name, (text, used)


def _bound(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [(alias.asname or alias.name).partition(".")[0] for alias in node.names]
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [
        name.id
        for target in targets
        if target is not None
        for name in ast.walk(target)
        if isinstance(name, ast.Name)
    ]


def _fingerprint(tool: str, pieces: dict[str, tuple[str, frozenset[str]]]) -> str:
    return digest(canonical_json([pieces[name][0] for name in sorted(_reached(tool, pieces))]))


def _reached(tool: str, pieces: dict[str, tuple[str, frozenset[str]]]) -> set[str]:
    """The names a tool reaches within its module, itself among them."""
    reached: set[str] = set()
    todo = [tool]
    while todo:
        name = todo.pop()
        if name in reached or name not in pieces:
            continue
        reached.add(name)
        todo += pieces[name][1]
    return reached
