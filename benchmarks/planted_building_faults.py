"""Planted faults that do not build: the text of a part that is not what it is to be."""

from __future__ import annotations

from benchmarks.planted_faults import Fault, Plant, in_schema, in_task, in_tools, in_verifier, rebuilt
from benchmarks.planted_tool_faults import with_tool
from synthesis.documents.environment import Environment
from synthesis.documents.invariants import Invariants
from synthesis.documents.seed_data import SeedData
from synthesis.documents.tools import ToolCall, Toolset
from synthesis.errors import BrokenEnvironment

SCHEMA = "the_schema_builds"
ROWS = "every_seed_row_loads"
TOOLS = "every_tool_is_described"
RUN = "reference_solutions_run"
COMPLETE = "reference_solutions_complete_their_tasks"

_HEAD = "def list_departments(db, limit: int = 20, offset: int = 0) -> dict:"
_OWED = "read_total_owed"
_MOVE = "move_cardiology_follow_up"


def _with_row(table: str, **cells: object) -> Plant:
    """One more seed row, of a table that may not exist."""

    def plant(environment: Environment) -> Environment:
        rows = dict(environment.seed_data.rows)
        rows[table] = (*rows.get(table, ()), cells)  # type: ignore[arg-type]
        return rebuilt(environment, seed_data=SeedData(rows=rows, actor=environment.seed_data.actor))

    return plant


def _unread_tools(source: str) -> Plant:
    """More of tools.py that nothing has read."""

    def plant(environment: Environment) -> Environment:
        try:
            return with_tool(source)(environment)
        except BrokenEnvironment:
            text = f"{environment.tools.source}\n\n{source}"
            return rebuilt(environment, tools=Toolset(source=text, tools=environment.tools.tools))

    return plant


def _broken_invariants(environment: Environment) -> Environment:
    return rebuilt(
        environment, invariants=Invariants(source="def bills_add_up(db) -> bool\n    return True\n")
    )


def _with_unknown_call(calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
    return (*calls[:-1], calls[-1].replace(name="move_appointment"))


BUILDING_FAULTS: tuple[Fault, ...] = (
    Fault(
        "one tool of many that does not parse",
        "tools",
        in_tools((_HEAD, _HEAD.replace("offset: int = 0)", "offset: int = 0"))),
        TOOLS,
    ),
    Fault(
        "a tool whose parameter has no type",
        "tools",
        in_tools((_HEAD, _HEAD.replace("limit: int", "limit"))),
        TOOLS,
    ),
    Fault(
        "two tools of one name",
        "tools",
        _unread_tools(
            'def list_departments(db) -> dict:\n    """List all departments."""\n    return {"items": []}\n'
        ),
        TOOLS,
    ),
    Fault(
        "a tool that opens a file",
        "tools",
        _unread_tools(
            'def read_notes(db) -> dict:\n    """Read the notes."""\n'
            '    return {"notes": open("notes.txt").read()}\n'
        ),
        TOOLS,
    ),
    Fault(
        "a module that calls what it does not define",
        "tools",
        _unread_tools("OPENING = parse_hours('09:00')\n"),
        TOOLS,
    ),
    Fault(
        "an index on a column that is not there",
        "schema",
        in_schema("ON slots (room_id, starts_at)", "ON slots (room_id, begins_at)"),
        SCHEMA,
    ),
    Fault(
        "a rule about a column that is not there",
        "schema",
        in_schema("CHECK (starts_at < ends_at)", "CHECK (begins_at < ends_at)"),
        SCHEMA,
    ),
    Fault(
        "a table that is there twice",
        "schema",
        in_schema(
            "CREATE TABLE rooms (", "CREATE TABLE staff (id INTEGER PRIMARY KEY);\n\nCREATE TABLE rooms ("
        ),
        SCHEMA,
    ),
    Fault(
        "rows of a table that is not there", "seed_data", _with_row("holidays", id=1, day="2026-12-25"), ROWS
    ),
    Fault(
        "a row with a column that is not there",
        "seed_data",
        _with_row("insurers", id=90, name="Meadow Health", active=1, city="Leeds"),
        ROWS,
    ),
    Fault(
        "a row without a value that must be there", "seed_data", _with_row("insurers", id=90, active=1), ROWS
    ),
    Fault(
        "a word in a column of numbers",
        "seed_data",
        _with_row("insurers", id="ninety", name="Meadow", active=1),
        ROWS,
    ),
    Fault(
        "a verifier that checks nothing",
        "verifiers",
        in_verifier(_OWED, source="def verify(before, after, changes, answer):\n    return None\n"),
        COMPLETE,
    ),
    Fault(
        "a verifier that reads a table that is not there",
        "verifiers",
        in_verifier(_MOVE, ('_added(before, after, "messages")', '_added(before, after, "notices")')),
        COMPLETE,
    ),
    Fault(
        "a verifier whose function has another name",
        "verifiers",
        in_verifier(_MOVE, ("def verify(", "def check_it(")),
        COMPLETE,
    ),
    Fault(
        "a solution that calls a tool that is not there",
        "tasks",
        in_task(_MOVE, reference_solution=_with_unknown_call),
        RUN,
    ),
    Fault("invariants that do not parse", "invariants", _broken_invariants, "two_builds_are_equal"),
)
"""Faults of texts that do not build, each with the claim that finds it."""
