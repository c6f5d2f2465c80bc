# ruff: noqa: E501 - the texts that are replaced stand here as they stand in the files
"""Right variants: an environment changed in ways that leave it right, in which nothing may be found.

Written for the environment in tests/data/clinic_front_desk, like the planted faults.
"""

from __future__ import annotations

from benchmarks.planted_faults import Fault, Plant, both, in_schema, in_tools, rebuilt
from benchmarks.planted_state_faults import with_message_list, with_messages
from benchmarks.planted_tool_faults import with_tool
from synthesis.documents.environment import Environment
from synthesis.documents.seed_data import Row, SeedData
from synthesis.documents.tasks import Tasks
from synthesis.documents.verifiers import Verifiers

_PAGED_STAFF = 'def list_staff(db, limit: int = 20, offset: int = 0) -> dict:\n    """List who works here.\n\n    Args:\n        limit: Most people to return, 1 to 50.\n        offset: People to skip.\n    """\n    return _page(db, "SELECT id AS staff_id, name, role FROM staff", [], "name", limit, offset)\n'
_BLOCK = 'def block_slot(db, slot_id: int) -> dict:\n    """Take an open slot out of the diary.\n\n    Args:\n        slot_id: Slot to block.\n    """\n    slot = _row(db, "slots", slot_id, "Slot")\n    if slot["status"] != "open":\n        raise ToolError(f"Slot {slot_id} is {slot[\'status\']}, not open.")\n    db.execute("UPDATE slots SET status = \'blocked\' WHERE id = ?", slot_id)\n    return {"slot_id": slot_id, "status": "blocked"}\n'
_QUOTE = 'def quote_visits(db, visit_type_ids: Annotated[list[int], Field(min_length=1, max_length=10)]) -> dict:\n    """Tell how long visits of some types take, in the order given.\n\n    Args:\n        visit_type_ids: Types of visits, each once.\n    """\n    if len(set(visit_type_ids)) < len(visit_type_ids):\n        raise ToolError("Give each type once.")\n    items = []\n    for each in visit_type_ids:\n        visit = db.one("SELECT id, name, minutes FROM visit_types WHERE id = ?", each)\n        if visit is None:\n            raise ToolError(f"Visit type {each} does not exist.")\n        items.append({"visit_type_id": visit["id"], "name": visit["name"], "minutes": visit["minutes"]})\n    return {"items": items}\n'
_SUPPLIERS = "CREATE TABLE suppliers (\n    id   INTEGER PRIMARY KEY,\n    name TEXT NOT NULL UNIQUE\n);\n\n-- Clinic front desk."


def _with_row(table: str, row: Row) -> Plant:
    def plant(environment: Environment) -> Environment:
        rows = {**environment.seed_data.rows, table: (*environment.seed_data.rows[table], row)}
        return rebuilt(environment, seed_data=SeedData(rows=rows, actor=environment.seed_data.actor))

    return plant


def _other_instructions(environment: Environment) -> Environment:
    tasks = tuple(
        task.replace(instruction=f"Good morning. {task.instruction}") for task in environment.tasks.tasks
    )
    return rebuilt(environment, tasks=Tasks(tasks=tasks))


def _other_order(environment: Environment) -> Environment:
    return rebuilt(environment, tasks=Tasks(tasks=tuple(reversed(environment.tasks.tasks))))


def _commented_verifiers(environment: Environment) -> Environment:
    verifiers = tuple(
        each.replace(source=f"# Checked by hand.\n{each.source}") for each in environment.verifiers.verifiers
    )
    return rebuilt(environment, verifiers=Verifiers(verifiers=verifiers))


def _in_verifiers(old: str, new: str) -> Plant:
    """A text replaced in every verifier that has it."""

    def plant(environment: Environment) -> Environment:
        verifiers = tuple(
            each.replace(source=each.source.replace(old, new)) for each in environment.verifiers.verifiers
        )
        assert verifiers != environment.verifiers.verifiers, old
        return rebuilt(environment, verifiers=Verifiers(verifiers=verifiers))

    return plant


def _rows_in_reverse(environment: Environment) -> Environment:
    rows = {table: tuple(reversed(several)) for table, several in environment.seed_data.rows.items()}
    return rebuilt(environment, seed_data=SeedData(rows=rows, actor=environment.seed_data.actor))


def _thankful_instructions(environment: Environment) -> Environment:
    tasks = tuple(
        task.replace(instruction=f"{task.instruction} Thank you.") for task in environment.tasks.tasks
    )
    return rebuilt(environment, tasks=Tasks(tasks=tasks))


def _longer_policy(environment: Environment) -> Environment:
    assert environment.policy is not None
    text = f"{environment.policy.text}\n\nBe friendly and brief.\n"
    return rebuilt(environment, policy=environment.policy.replace(text=text))


def _right(name: str, plant: Plant) -> Fault:
    return Fault(name, "tools", plant)


RIGHT_VARIANTS: tuple[Fault, ...] = (
    _right("as it is", lambda environment: environment),
    _right("without invariants", lambda environment: rebuilt(environment, invariants=None)),
    _right("tasks in another order", _other_order),
    _right("instructions that greet", _other_instructions),
    _right("verifiers with a comment", _commented_verifiers),
    _right("shorter pages", in_tools(("limit: int = 20", "limit: int = 10"))),
    _right("another name for a helper", in_tools(("_page(", "_listed("))),
    _right("other words of refusals", in_tools(("does not exist.", "is not known."))),
    _right(
        "departments by number",
        in_tools(
            (
                'needs_referral FROM departments"\n    return _page(db, sql, [], "name"',
                'needs_referral FROM departments"\n    return _page(db, sql, [], "department_id"',
            )
        ),
    ),
    _right(
        "a search by pattern",
        in_tools(
            (
                "instr(lower(v.name), lower(?)) > 0",
                "lower(v.name) LIKE '%' || replace(replace(lower(?), '%', ''), '_', '') || '%'",
            )
        ),
    ),
    _right("one more list", with_tool(_PAGED_STAFF)),
    _right("one more change", with_tool(_BLOCK)),
    _right(
        "a list of as many rows as were asked for",
        both(
            in_tools(("from typing import Literal", "from typing import Annotated, Literal")),
            with_tool(_QUOTE),
        ),
    ),
    _right(
        "one more index",
        in_schema(
            "CREATE INDEX slots_by_room",
            "CREATE INDEX messages_by_patient ON messages (patient_id);\nCREATE INDEX slots_by_room",
        ),
    ),
    _right("one more table", in_schema("-- Clinic front desk.", _SUPPLIERS)),
    _right(
        "one more column",
        in_schema(
            "    email             TEXT,\n", "    email             TEXT,\n    note              TEXT,\n"
        ),
    ),
    _right(
        "one more patient",
        _with_row(
            "patients",
            {
                "id": 90,
                "first_name": "Wilhelmina",
                "last_name": "Osterby",
                "birth_date": "1971-10-02",
                "phone": "555-0190",
                "email": None,
                "preferred_channel": "sms",
            },
        ),
    ),
    _right(
        "one more insurer", _with_row("insurers", {"id": 90, "name": "Harrowgate Assurance", "active": 1})
    ),
    _right(
        "one more colleague",
        _with_row("staff", {"id": 90, "name": "Ottilie Marchbank", "role": "nurse", "active": 1}),
    ),
    _right(
        "one more room",
        _with_row(
            "rooms", {"id": 90, "name": "Tamarisk", "department_id": 1, "kind": "treatment", "in_service": 1}
        ),
    ),
    _right(
        "one more doctor",
        _with_row("providers", {"id": 90, "name": "Dr. Isaura Penhallow", "department_id": 1, "active": 1}),
    ),
    _right("rows in another order", _rows_in_reverse),
    _right("instructions that thank", _thankful_instructions),
    _right("a longer policy", _longer_policy),
    _right("verifiers that compare the other way round", _in_verifiers("len(rows) == 1", "1 == len(rows)")),
    _right("verifiers with another name for a helper", _in_verifiers("_added(", "_new_rows(")),
    _right("a day range by another name", in_tools(("MAX_RANGE_DAYS", "MOST_DAYS"))),
    _right("one index less", in_schema("CREATE INDEX slots_by_room ON slots (room_id, starts_at);\n", "")),
    _right("another comment in the schema", in_schema("-- Clinic front desk.", "-- The clinic.")),
    _right(
        "a bound written otherwise", in_schema("minutes BETWEEN 5 AND 240", "minutes >= 5 AND minutes <= 240")
    ),
    _right("four hundred messages more", with_messages()),
    _right("a list of more than four hundred messages", both(with_messages(), with_message_list())),
    _right("largest page by another name", in_tools(("MAX_LIMIT", "MOST_ROWS"))),
)
"""The clinic in other right forms."""
