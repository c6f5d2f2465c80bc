"""Routes: the tools a scenario's FastAPI module offers, read from its source without running it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from synthesis.bundles.awm.folder import AwmScenario

_METHODS = frozenset({"get", "post", "put", "patch", "delete"})


@dataclass(frozen=True)
class Route:
    """One decorated function."""

    operation: str
    method: str
    path: str
    line: int
    path_line: int
    """Where its path is written."""


def routes(scenario: AwmScenario) -> tuple[Route, ...]:
    """The routes that become tools, in source order; what gets lost on the way is noted as findings."""
    try:
        tree = ast.parse(scenario.code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        scenario.finding("tools", "the_code_is_python", f"full_code does not parse: {error}")
        return ()
    results: dict[tuple[str, str], Route] = {}
    operations: dict[str, Route] = {}
    for route in _declared(tree):
        place = (route.path, route.method)
        first = results.get(place) or operations.get(route.operation)
        if first is not None:
            what = (
                f"{route.method.upper()} {route.path}"
                if place in results
                else f"operation id {route.operation}"
            )
            scenario.finding(
                "tools",
                "no_route_is_lost",
                f"{route.operation} (line {route.line}) repeats {what} of {first.operation} "
                f"(line {first.line}); readers lose it as a tool.",
                where=route.operation,
            )
            continue
        results[place] = operations[route.operation] = route
    _compare_with_specification(scenario, set(operations))
    _check_rewrite(scenario)
    if "from __future__ import" in scenario.code:
        scenario.finding(
            "tools",
            "the_launcher_can_rewrite_it",
            "full_code imports from __future__; launchers put lines before it.",
        )
    return tuple(results.values())


def duplicate_routes(tree: ast.Module) -> list[Route]:
    """The routes whose path and method another one has before them."""
    seen: set[tuple[str, str]] = set()
    repeated = []
    for route in _declared(tree):
        if (route.path, route.method) in seen:
            repeated.append(route)
        seen.add((route.path, route.method))
    return repeated


def _declared(tree: ast.Module) -> list[Route]:
    declared = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Attribute):
                method = decorator.func.attr
                place = decorator.args[0] if decorator.args else _argument(decorator, "path")
                path = _text(place) if place is not None else None
                if method in _METHODS and place is not None and path is not None:
                    name = _keyword(decorator, "operation_id") or node.name
                    declared.append(Route(name, method, path, node.lineno, place.lineno))
    return sorted(declared, key=lambda route: route.line)


def _argument(call: ast.Call, name: str) -> ast.expr | None:
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def _keyword(call: ast.Call, name: str) -> str | None:
    value = _argument(call, name)
    return None if value is None else _text(value)


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _compare_with_specification(scenario: AwmScenario, operations: set[str]) -> None:
    lost = [name for name in scenario.operations if name not in operations]
    if lost:
        scenario.finding(
            "tools",
            "every_specified_operation_is_a_tool",
            f"The specification names {len(lost)} operations that the code lacks: {', '.join(lost[:20])}.",
        )


def _check_rewrite(scenario: AwmScenario) -> None:
    """Launchers replace two lines of the code; a statement over several lines breaks."""
    lines = []
    for line in scenario.code.splitlines():
        if "create_engine(" in line and "import" not in line:
            lines.append(line.split("create_engine(")[0] + "create_engine('sqlite://')")
        elif "uvicorn.run(app" in line:
            lines.append("    pass")
        else:
            lines.append(line)
    if not any("uvicorn.run(app" in line for line in scenario.code.splitlines()):
        scenario.finding(
            "tools", "the_launcher_can_rewrite_it", "full_code has no uvicorn.run(app...): no MCP is mounted."
        )
    try:
        ast.parse("\n".join(lines))
    except SyntaxError as error:
        scenario.finding(
            "tools",
            "the_launcher_can_rewrite_it",
            f"Line {error.lineno}: breaks when launchers replace the lines of create_engine( and "
            "uvicorn.run(app; write each call on one line, the latter in a block indented by four spaces.",
        )
