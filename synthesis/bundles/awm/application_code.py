"""ApplicationCode: an environment's tools as one FastAPI module, which launchers rewrite and run.

A tool that only looks and takes plain values is a GET route, any other one a POST route with a body.
Launchers replace the lines of `create_engine(` and `uvicorn.run(app`, so each stands alone on its line.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from synthesis.bundles.awm.standalone_source import bound, parsed, shipped
from synthesis.documents.environment import Environment
from synthesis.documents.tool_schemas import plain_schema
from synthesis.documents.tools import Tool
from synthesis.errors import InvalidInput
from synthesis.worlds.definitions import bound_names

_SHIPPED = "synthesis.bundles.awm.standalone.world_database"
_REWRITTEN = ("create_engine(", "uvicorn.run(app")
_SCALARS = ("string", "integer", "number", "boolean")

_HEAD = """{doc}

import os
import threading
from typing import Annotated

from fastapi import FastAPI, HTTPException, Query
from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema
from sqlalchemy import create_engine

DATABASE_PATH = os.getenv("DATABASE_PATH") or "sqlite:///{name}.db"
engine = create_engine(DATABASE_PATH, connect_args={{"check_same_thread": False}})
app = FastAPI(title={title}, description={description}, version="1.0.0")
"""

_CALLS = '''
ToolError = WorldRefusal
WORLD_START = world_datetime.datetime.fromisoformat({start!r})
WORLD_ACTOR = {actor!r}
WORLD_KEYS = {keys!r}
WORLD_TURN = threading.Lock()


def world_open(connection):
    """The database of one call, at the world's clock."""
    number = world_call_number(connection)
    now = world_moment(WORLD_START, number)
    if number is not None:
        connection.cursor().execute("PRAGMA foreign_keys = ON")
        world_install_clock(connection.driver_connection, now)
    return WorldDatabase(connection, now, number or 0, WORLD_ACTOR, WORLD_KEYS)


def world_result(name, connection, arguments):
    """What a tool returns; a refusal is the caller's fault, anything else ours."""
    given = {{key: value for key, value in arguments.items() if value is not None}}
    try:
        return WORLD_TOOLS[name](world_open(connection), **given)
    except WorldRefusal as refusal:
        raise HTTPException(status_code=400, detail=str(refusal)) from refusal
    except Exception as error:
        detail = f"{{name}} failed: {{type(error).__name__}}: {{error}}"
        raise HTTPException(status_code=500, detail=detail) from error


def world_look(name, arguments):
    """Call a tool that only looks; whatever it did is undone."""
    with WORLD_TURN:
        connection = engine.raw_connection()
        try:
            return world_result(name, connection, arguments)
        finally:
            connection.rollback()
            connection.close()


def world_act(name, arguments):
    """Call a tool as one transaction: it is kept whole or not at all."""
    with WORLD_TURN:
        connection = engine.raw_connection()
        try:
            result = world_result(name, connection, arguments)
            for demand, holds in WORLD_INVARIANTS.items():
                if holds(WorldReader(connection, None)) is not True:
                    raise HTTPException(status_code=500, detail=f"{{name}} was undone: {{demand}}")
            connection.commit()
            return result
        finally:
            connection.rollback()
            connection.close()
'''

_FOOT = """

if __name__ == "__main__":
    import uvicorn

    uvicorn.run(app, host=os.environ.get("HOST", "127.0.0.1"), port=int(os.environ.get("PORT", 8001)))
"""


def application_code(environment: Environment) -> str:
    """The module of an environment.

    Raises:
        InvalidInput: Its tools bind a name that the module needs, or write a line that launchers replace.
    """
    scenario = environment.scenario
    tree = parsed(environment.tools.source, f"The tools of {environment.name}")
    source = _without_future(environment.tools.source)
    runtime = shipped(_SHIPPED)
    actor = environment.seed_data.actor
    calls = _CALLS.format(
        start=scenario.clock.isoformat(),
        actor=actor.key if actor else None,
        keys={table.name: table.primary_key for table in environment.schema.tables},
    )
    head = _HEAD.format(
        doc=_docstring(f"{scenario.title}: {scenario.description}"),
        name=environment.name,
        title=_literal(scenario.title),
        description=_literal(scenario.description),
    )
    routes = "".join(_routes(environment, tree))
    _refuse_collisions(environment, tree, (head, ast.unparse(runtime), calls, routes))
    parts = (
        *(head, "\n\n" + ast.unparse(runtime) + "\n", calls, "\n\n", source.strip("\n"), "\n\n"),
        *(_invariants(environment), routes, _FOOT),
    )
    code = "".join(parts)
    _refuse_rewritten(environment, code)
    return code


def _routes(environment: Environment, tree: ast.Module) -> Iterator[str]:
    functions = {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}
    tools = environment.tools.tools
    listed = ", ".join(f"{tool.name!r}: {tool.name}" for tool in tools)
    yield f"\n\nWORLD_TOOLS = {{{listed}}}\n"
    for tool in tools:
        yield _looking(tool, functions[tool.name]) if is_lookup(tool) else _acting(tool, functions[tool.name])


def is_lookup(tool: Tool) -> bool:
    """Whether a tool is a GET route: it writes nothing, and its arguments can stand in an address."""
    properties: Mapping[str, Any] = plain_schema(tool.input_schema)["properties"]  # type: ignore[assignment]
    return not tool.mutates_state and all(each.get("type") in _SCALARS for each in properties.values())


def path_of(tool: Tool) -> str:
    """The path of its route."""
    return f"/api/{tool.name}"


def summary_of(tool: Tool) -> tuple[str, str]:
    """The first line of a tool's description, and all of it where there is more."""
    first, _, rest = tool.description.strip().partition("\n")
    return first or tool.name, tool.description.strip() if rest.strip() else ""


def _looking(tool: Tool, function: ast.FunctionDef) -> str:
    listed = ", ".join(_query(*each, tool) for each in _parameters(function))
    passed = ", ".join(f"{name!r}: {name}" for name, _, _ in _parameters(function))
    taken = f"*, {listed}" if listed else ""
    body = f"    return world_look({tool.name!r}, {{{passed}}})\n"
    return f"{_decorator('get', tool)}def route_{tool.name}({taken}):\n{body}"


def _query(name: str, annotation: str, default: str | None, tool: Tool) -> str:
    schema = _schema(tool, name)
    kind = annotation if default is None else f"({annotation}) | None"
    described = f"Query(description={_literal(schema.get('description', ''))})"
    typed = f"{name}: Annotated[{kind}, {described}, WithJsonSchema({_without_description(schema)!r})]"
    return typed if default is None else f"{typed} = {default}"


def _acting(tool: Tool, function: ast.FunctionDef) -> str:
    parameters = list(_parameters(function))
    model = f"{_class_name(tool.name)}Request"
    fields = [_field(*each, tool) for each in parameters]
    lines = [
        f"\n\nclass {model}(BaseModel):",
        '    model_config = ConfigDict(extra="forbid", strict=True, protected_namespaces=())',
        *(f"    {field}" for field in fields),
    ]
    signature = f"payload: {model}" + ("" if any(each[2] is None for each in parameters) else f" = {model}()")
    given = "{name: getattr(payload, name) for name in payload.model_fields_set}"
    body = f"    return world_act({tool.name!r}, {given})\n"
    if not parameters:
        return (
            f"{_decorator('post', tool)}def route_{tool.name}():\n    return world_act({tool.name!r}, {{}})\n"
        )
    return "\n".join(lines) + f"\n{_decorator('post', tool)}def route_{tool.name}({signature}):\n{body}"


def _field(name: str, annotation: str, default: str | None, tool: Tool) -> str:
    schema = _schema(tool, name)
    kind = annotation if default is None else f"({annotation}) | None"
    shown = f"Field(description={_literal(schema.get('description', ''))})"
    typed = f"{name}: Annotated[{kind}, {shown}, WithJsonSchema({_without_description(schema)!r})]"
    return typed if default is None else f"{typed} = {default}"


def _decorator(method: str, tool: Tool) -> str:
    summary, description = summary_of(tool)
    lines = [
        f"    {path_of(tool)!r},",
        f"    operation_id={tool.name!r},",
        f"    summary={_literal(summary)},",
        *([f"    description={_literal(description)},"] if description else []),
        f"    tags=[{'changes' if tool.mutates_state else 'lookups'!r}],",
        "    response_model=None,",
    ]
    listed = "\n".join(lines)
    return f"\n\n@app.{method}(\n{listed}\n)\n"


def _parameters(function: ast.FunctionDef) -> Iterator[tuple[str, str, str | None]]:
    """Name, type and default of every parameter but `db`, as source."""
    taken = function.args
    positional = [*taken.posonlyargs, *taken.args][1:]
    defaults: list[ast.expr | None] = [*taken.defaults]
    padded = [None] * (len(positional) - len(defaults)) + defaults
    for argument, default in [
        *zip(positional, padded, strict=True),
        *zip(taken.kwonlyargs, taken.kw_defaults, strict=True),
    ]:
        annotation = ast.unparse(argument.annotation) if argument.annotation else "object"
        yield argument.arg, annotation, None if default is None else ast.unparse(default)


def _schema(tool: Tool, name: str) -> dict[str, Any]:
    properties: Mapping[str, Any] = plain_schema(tool.input_schema)["properties"]  # type: ignore[assignment]
    declared: Any = tool.input_schema["properties"]
    has_default = "default" in declared[name]
    return {**properties[name], **({"default": declared[name]["default"]} if has_default else {})}


def _without_description(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "description"}


def _invariants(environment: Environment) -> str:
    if environment.invariants is None:
        return "\n\nWORLD_INVARIANTS = {}\n"
    tree = parsed(environment.invariants.source, f"The invariants of {environment.name}")
    demands = ", ".join(
        f"{(ast.get_docstring(each) or each.name).partition(chr(10))[0]!r}: {each.name}"
        for each in tree.body
        if isinstance(each, ast.FunctionDef) and not each.name.startswith("_")
    )
    (function, call) = ast.parse(
        f"def world_invariants():\n    return {{{demands}}}\nWORLD_INVARIANTS = world_invariants()"
    ).body
    assert isinstance(function, ast.FunctionDef)
    function.body[:0] = tree.body
    return f"\n\n{ast.unparse(ast.fix_missing_locations(function))}\n\n\n{ast.unparse(call)}\n"


def _without_future(source: str) -> str:
    """The source as it is, less what only the first lines of a file may say."""
    lines = source.splitlines()
    for each in ast.parse(source).body:
        if isinstance(each, ast.ImportFrom) and each.module == "__future__":
            lines[each.lineno - 1 : each.end_lineno] = [""] * (
                (each.end_lineno or each.lineno) - each.lineno + 1
            )
    return "\n".join(lines)


def _refuse_collisions(environment: Environment, tree: ast.Module, ours: tuple[str, ...]) -> None:
    taken = {name for text in ours for name in bound(ast.parse(text))}
    own = {
        name
        for each in tree.body
        if not isinstance(each, ast.Import | ast.ImportFrom)
        for name in bound_names(each)
    }
    if both := sorted(taken & own):
        raise InvalidInput(
            f"{environment.name}: its tools define {', '.join(both)}, which the exported module needs; "
            "rename it."
        )


def _refuse_rewritten(environment: Environment, code: str) -> None:
    for text in _REWRITTEN:
        if sum(text in line for line in code.splitlines()) != 1:
            raise InvalidInput(
                f"{environment.name}: its tools say {text!r}; launchers of the format replace every such "
                "line."
            )


def _literal(text: object) -> str:
    return repr(str(text))


def _docstring(text: str) -> str:
    return repr(" ".join(text.split())[:500])


def _class_name(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))
