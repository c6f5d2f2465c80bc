# ruff: noqa: E501 - the texts that are replaced stand here as they stand in the files
"""Planted faults: bugs put into a good environment one at a time, with the part that is to be blamed.

Written for the environment in tests/data/clinic_front_desk; each is the kind of bug that users of generated
environments reported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from synthesis.documents.environment import Environment
from synthesis.documents.finding import PartName
from synthesis.documents.schema import Schema
from synthesis.documents.seed_data import Actor, Row, SeedData
from synthesis.documents.tasks import Tasks
from synthesis.documents.tools import ToolCall, Toolset
from synthesis.documents.verifiers import Verifiers
from synthesis.errors import BrokenEnvironment
from synthesis.worlds.database import read_schema
from synthesis.worlds.toolset import read_toolset

Plant = Callable[[Environment], Environment]


@dataclass(frozen=True, slots=True)
class Fault:
    """One bug."""

    name: str
    part: PartName
    """The part it is in, and that a finding must blame."""
    plant: Plant
    claim: str = ""
    """The claim that finds it, where one is known to."""


def rebuilt(environment: Environment, **parts: Any) -> Environment:
    """The environment with some parts changed and nothing validated, as a careless author would hand it
    in.
    """
    fields = {name: getattr(environment, name) for name in Environment.model_fields}
    return Environment.model_construct(**{**fields, **parts})


def in_tools(*changes: tuple[str, str]) -> Plant:
    """Texts of tools.py, each of which must be there, replaced everywhere."""

    def plant(environment: Environment) -> Environment:
        source = environment.tools.source
        for old, new in changes:
            assert old in source, old
            source = source.replace(old, new)
        try:
            tools = read_toolset(source)
        except BrokenEnvironment:
            tools = Toolset(source=source, tools=environment.tools.tools)
        return rebuilt(environment, tools=tools)

    return plant


def in_schema(old: str, new: str) -> Plant:
    """A text of schema.sql replaced."""

    def plant(environment: Environment) -> Environment:
        assert old in environment.schema.sql, old
        sql = environment.schema.sql.replace(old, new)
        try:
            schema = read_schema(sql)
        except BrokenEnvironment:
            schema = Schema(sql=sql, tables=environment.schema.tables)
        return rebuilt(environment, schema=schema)

    return plant


def in_verifier(task: str, *changes: tuple[str, str], source: str = "") -> Plant:
    """Texts of one verifier replaced, or the whole of it."""

    def plant(environment: Environment) -> Environment:
        verifier = environment.verifier(task)
        assert verifier is not None
        text = source or verifier.source
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        others = tuple(
            v if v.task_id != task else v.replace(source=text) for v in environment.verifiers.verifiers
        )
        return rebuilt(environment, verifiers=Verifiers(verifiers=others))

    return plant


def in_row(table: str, number: int, **values: Any) -> Plant:
    """One seed row by its place from 0, with other values."""

    def plant(environment: Environment) -> Environment:
        rows: dict[str, tuple[Row, ...]] = dict(environment.seed_data.rows)
        members = list(rows[table])
        members[number] = {**members[number], **values}
        rows[table] = tuple(members)
        return rebuilt(environment, seed_data=SeedData(rows=rows, actor=environment.seed_data.actor))

    return plant


def in_task(task: str, **changes: Any) -> Plant:
    """Fields of one task changed; a callable gets the old value."""

    def plant(environment: Environment) -> Environment:
        tasks = []
        for one in environment.tasks.tasks:
            if one.id == task:
                values = {k: v(getattr(one, k)) if callable(v) else v for k, v in changes.items()}
                tasks.append(one.replace(**values))
            else:
                tasks.append(one)
        return rebuilt(environment, tasks=Tasks(tasks=tuple(tasks)))

    return plant


def both(*plants: Plant) -> Plant:
    """Several changes that make up one bug."""

    def plant(environment: Environment) -> Environment:
        for one in plants:
            environment = one(environment)
        return environment

    return plant


def _no_actor(environment: Environment) -> Environment:
    seed = SeedData(rows=environment.seed_data.rows, actor=Actor(table="staff", key=99))
    return rebuilt(environment, seed_data=seed)


def _with_argument(number: int, **arguments: Any) -> Callable[[tuple[ToolCall, ...]], tuple[ToolCall, ...]]:
    def change(calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
        tool_calls = list(calls)
        tool_calls[number] = tool_calls[number].replace(
            arguments={**tool_calls[number].arguments, **arguments}
        )
        return tuple(tool_calls)

    return change


_CANCEL_SQL = (
    "\"UPDATE appointments SET status = 'cancelled', cancel_reason = ?, cancelled_at = ? WHERE id = ?\""
)
_MOVE = "move_cardiology_follow_up"
_LATE = "cancel_late_and_waive_fee"
_PAY = "check_in_and_take_payment"
_ROOM = "empty_a_leaking_room"
_OWED = "read_total_owed"

_DEPARTMENTS = 'return _page(db, sql, [], "name", limit, offset)\n\n\ndef list_rooms('
_COUNTED = """list.append(_ASKED, 1)
    return {**_page(db, sql, [], "name", limit, offset), "asked": len(_ASKED)}


_ASKED = []


def list_rooms("""

FAULTS: tuple[Fault, ...] = (
    Fault(
        "a cancel tool that does not save",
        "tools",
        in_tools((_CANCEL_SQL, _CANCEL_SQL.replace("WHERE id = ?", "WHERE id = ? AND 1 = 0"))),
    ),
    Fault(
        "a room tool that saves nothing",
        "tools",
        in_tools(("SET room_id = ? WHERE id = ?", "SET room_id = ? WHERE id = ? AND 1 = 0")),
    ),
    Fault(
        "a room tool that only pretends",
        "tools",
        in_tools(('    db.execute("UPDATE slots SET room_id = ? WHERE id = ?", room_id, slot["id"])\n', "")),
    ),
    Fault(
        "a tool that changes the row below",
        "tools",
        in_tools(
            (
                'now.isoformat(), appointment_id,\n    )\n    db.execute("UPDATE slots',
                'now.isoformat(), appointment_id + 1,\n    )\n    db.execute("UPDATE slots',
            )
        ),
    ),
    Fault(
        "a tool that leaks an exception on an unknown id",
        "tools",
        in_tools(
            (
                '    if row is None:\n        raise ToolError(f"{what} {row_id} does not exist.")\n    return row',
                "    return row",
            )
        ),
    ),
    Fault(
        "a tool that leaks a constraint error when it is repeated",
        "tools",
        in_tools(("    if known is not None:\n", "    if False:\n")),
    ),
    Fault(
        "a tool that stumbles over text which is no date",
        "tools",
        in_tools(
            (
                '        raise ToolError(f"{what} must be a calendar day written YYYY-MM-DD.") from None',
                "        raise",
            )
        ),
    ),
    Fault(
        "a reading tool that writes",
        "tools",
        in_tools(
            (
                "    contacts = db.query(\n",
                "    db.execute(\"UPDATE patients SET phone = phone || '0' WHERE id = ?\", patient_id)\n    contacts = db.query(\n",
            )
        ),
    ),
    Fault("a tool that imports os", "tools", in_tools(("import re\n", "import os\nimport re\n"))),
    Fault(
        "a tool that keeps state in its module",
        "tools",
        in_tools(
            ("# Patients and cover\n", "_SEEN = []\n\n# Patients and cover\n"),
            (
                '    sql = "SELECT id AS department_id',
                '    _SEEN.append(1)\n    sql = "SELECT id AS department_id',
            ),
        ),
    ),
    Fault(
        "a tool without a description",
        "tools",
        in_tools(
            (
                '    """List the departments and whether a visit needs a referral.\n\n    Args:\n        limit: Most departments to return, 1 to 50.\n        offset: Departments to skip.\n    """\n',
                "",
            )
        ),
    ),
    Fault(
        "a tool that reads the wall clock",
        "tools",
        in_tools(("        sent_at=_now(db).isoformat(),", "        sent_at=datetime.now().isoformat(),")),
    ),
    Fault(
        "a tool that returns what is no JSON",
        "tools",
        in_tools(
            ('    return {"total": total, "items": items}', '    return {"total": {total}, "items": items}')
        ),
    ),
    Fault(
        "tools that do not compile",
        "tools",
        in_tools(
            ("def get_patient(db, patient_id: int) -> dict:", "def get_patient(db, patient_id: int -> dict:")
        ),
    ),
    Fault(
        "a verifier that looks at the end alone and not at damage",
        "verifiers",
        in_verifier(
            _MOVE,
            (
                '    yield check("no other row changed", changes.only(("appointments", 16), ("slots", 19), ("slots", 29), *told), guard=True)\n',
                "",
            ),
        ),
    ),
    Fault(
        "a verifier that is always content",
        "verifiers",
        in_verifier(
            _ROOM, source='def verify(before, after, changes, answer):\n    yield check("done", True)\n'
        ),
    ),
    Fault(
        "a verifier that only matches strings",
        "verifiers",
        in_verifier(
            _PAY,
            source='def verify(before, after, changes, answer):\n    yield check("said", "30.00" in answer)\n',
        ),
    ),
    Fault(
        "a verifier that gives up on the untouched world",
        "verifiers",
        in_verifier(
            _LATE,
            (
                "    cancelled = after.one",
                '    first = _added(before, after, "invoices")[0]\n    cancelled = after.one',
            ),
        ),
    ),
    Fault(
        "a verifier that asks for another slot",
        "verifiers",
        in_verifier(_MOVE, ('{"slot_id": 29}', '{"slot_id": 30}')),
    ),
    Fault(
        "a verifier that ignores a value",
        "verifiers",
        in_verifier(_PAY, ('amount_cents=6000, method="cash", ', "amount_cents=6000, ")),
    ),
    Fault(
        "a verifier that lets things be done twice",
        "verifiers",
        in_verifier(_MOVE, ("    return len(rows) == 1 and all(", "    return len(rows) >= 1 and all(")),
    ),
    Fault(
        "a verifier that looks at the state before",
        "verifiers",
        in_verifier(_ROOM, ("    new = after.one", "    new = before.one")),
    ),
    Fault(
        "a verifier of a question that does not mind damage",
        "verifiers",
        in_verifier(_OWED, ('    yield check("no row changed", changes.only(), guard=True)\n', "")),
    ),
    Fault(
        "a verifier that does not compile",
        "verifiers",
        in_verifier(
            _OWED,
            ("def verify(before, after, changes, answer):", "def verify(before, after, changes, answer:"),
        ),
    ),
    Fault(
        "a verifier with two checks of one name",
        "verifiers",
        in_verifier(_ROOM, ('"the 13:45 appointment is in Elm"', '"the 13:00 appointment is in Elm"')),
    ),
    Fault(
        "a seed row that already is as the task asks",
        "seed_data",
        both(
            in_row(
                "appointments",
                6,
                status="cancelled",
                cancel_reason="patient",
                cancelled_at="2026-03-10T09:00:00",
            ),
            in_row("slots", 6, status="open"),
        ),
    ),
    Fault("a seed row that refers to nobody", "seed_data", in_row("payments", 0, invoice_id=999)),
    Fault("a seed row outside its CHECK", "seed_data", in_row("rooms", 0, kind="ballroom")),
    Fault("two seed rows with one key", "seed_data", in_row("rooms", 1, id=1)),
    Fault("an actor who does not exist", "seed_data", _no_actor),
    Fault(
        "a foreign key to a table that does not exist",
        "schema",
        in_schema(
            "invoice_id   INTEGER NOT NULL REFERENCES invoices (id)",
            "invoice_id   INTEGER NOT NULL REFERENCES bills (id)",
        ),
    ),
    Fault(
        "a foreign key to the wrong table",
        "schema",
        in_schema(
            "patient_id    INTEGER NOT NULL REFERENCES patients (id),\n    slot_id",
            "patient_id    INTEGER NOT NULL REFERENCES staff (id),\n    slot_id",
        ),
    ),
    Fault("a look that counts how often it was taken", "tools", in_tools((_DEPARTMENTS, _COUNTED))),
    Fault(
        "a schema that does not parse",
        "schema",
        in_schema("CREATE TABLE messages (", "CREATE TABLE messages (("),
    ),
    Fault(
        "a table without a primary key",
        "schema",
        in_schema(
            "CREATE TABLE messages (\n    id             INTEGER PRIMARY KEY,",
            "CREATE TABLE messages (\n    id             INTEGER,",
        ),
    ),
    Fault(
        "a solution that asks for a row that is not there",
        "tasks",
        in_task(_MOVE, reference_solution=_with_argument(4, new_slot_id=999)),
    ),
    Fault(
        "a solution with an argument of a wrong type",
        "tasks",
        in_task(_MOVE, reference_solution=_with_argument(4, new_slot_id="29")),
    ),
    Fault(
        "a solution that knows an id nobody told it",
        "tasks",
        in_task(_LATE, reference_solution=lambda calls: calls[2:], min_calls=3),
    ),
    Fault(
        "a reference answer without its facts",
        "tasks",
        in_task(_LATE, reference_answer="The consultation is cancelled and the fee was waived."),
    ),
    Fault(
        "an instruction that gives the answer away",
        "tasks",
        in_task(_OWED, instruction=lambda text: f"{text} (It should be 170.00 since 12 January 2026.)"),
    ),
    Fault("a task that declares more calls than it takes", "tasks", in_task(_MOVE, min_calls=9)),
    Fault(
        "a question whose solution changes rows",
        "tasks",
        in_task(_MOVE, kind="read"),
    ),
)
"""All planted faults."""
