"""A scenario's FastAPI module as tools: described where it runs, and repaired where that is asked for."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from synthesis.bundles.awm.folder import AwmScenario
from synthesis.bundles.awm.routes import Route, duplicate_routes
from synthesis.documents.tools import Toolset
from synthesis.errors import ProtocolViolated, WorkerDied, WorkerTimeout
from synthesis.worlds.ddl import statements
from synthesis.worlds.definitions import UNPARSABLE
from synthesis.worlds.toolset import compile_tools


def load_application(scenario: AwmScenario) -> Toolset | None:
    """The tools of a scenario, as its running application declares them; None where it does not load.

    Tables that only the application creates are added to the scenario's statements: a server would have made
    them at its start.

    Raises:
        SandboxUnavailable: FastAPI is not installed, or this host cannot run generated code.
    """
    if not scenario.code.strip():
        return None
    try:
        compiled = compile_tools(scenario.code)
    except (WorkerDied, WorkerTimeout, ProtocolViolated) as error:
        scenario.finding("tools", "the_application_loads", f"The application does not load: {error}")
        return None
    if compiled.runtime != "fastapi" and _parses(scenario.code):
        text = "full_code binds no FastAPI application to the name app, so it has no routes."
        scenario.finding("tools", "the_application_loads", text)
        return None
    for finding in compiled.findings:
        scenario.finding("tools", "the_application_loads", finding.message, where=finding.where)
    if not compiled.tools:
        return None
    _add_tables(scenario, compiled.tables)
    return Toolset(source=scenario.code, tools=compiled.tools)


def repair_routes(scenario: AwmScenario) -> tuple[str, ...]:
    """Give routes that repeat another one's path a path of their own, so that none is lost as a tool.

    Returns:
        What was changed, one sentence each.
    """
    if not _parses(scenario.code):
        return ()
    tree = ast.parse(scenario.code)
    lines = scenario.code.splitlines(keepends=True)
    changed = []
    for route in duplicate_routes(tree):
        new = f"{route.path.rstrip('/')}/{route.operation}"
        if not _replace(lines, route, new):
            continue
        changed.append(f"{route.method.upper()} {route.path} of {route.operation} is now {new}.")
    scenario.code = "".join(lines)
    return tuple(changed)


def _parses(code: str) -> bool:
    try:
        ast.parse(code)
    except UNPARSABLE:
        return False
    return True


def _replace(lines: list[str], route: Route, path: str) -> bool:
    for quote in "\"'":
        old = f"{quote}{route.path}{quote}"
        if old in lines[route.path_line - 1]:
            lines[route.path_line - 1] = lines[route.path_line - 1].replace(old, f"{quote}{path}{quote}", 1)
            return True
    return False


def _add_tables(scenario: AwmScenario, tables: Iterable[str]) -> None:
    declared = {
        each.table_name.lower() for ddl in scenario.ddl for each in statements(ddl) if each.makes_table
    }
    new = [each for sql in tables for each in statements(sql) if each.subject.lower() not in declared]
    if names := [each.table_name for each in new if each.makes_table]:
        scenario.ddl = (*scenario.ddl, *(each.sql for each in new))
        scenario.finding(
            "schema",
            "the_schema_declares_every_table",
            f"Only the application creates {', '.join(names)}; the databases of other loaders lack them.",
            severity="warning",
        )
