"""Tools are called with a row of every state that occurs, and with arguments that belong together."""

from __future__ import annotations

import pytest

from synthesis.documents.tools import ToolCall
from synthesis.verification.checks import CHECKS
from synthesis.verification.proof_context import ProofContext
from synthesis.verification.row_calls import MOST_STATES, rows_of_states
from synthesis.verification.tool_trial import try_tools
from synthesis.worlds.database import read_schema
from synthesis.worlds.world import World
from tests.synthesis.worlds.conftest import ROWS, SCHEMA, TOOLS, make_environment

_SCHEMA = f"""{SCHEMA}
CREATE TABLE parcels (
    id INTEGER PRIMARY KEY,
    folder_id INTEGER NOT NULL REFERENCES folders (id),
    status TEXT NOT NULL CHECK (status IN ('packed', 'sent', 'lost', 'opened')),
    weighed INTEGER
);
"""
_PARCELS = [
    {"id": n, "folder_id": 1 + n % 2, "status": "lost" if n == 90 else "packed", "weighed": n}
    for n in range(1, 100)
]
_ROWS = {
    **ROWS,
    "folders": [{"id": n, "name": f"folder {n}"} for n in range(1, 81)],
    "notes": [
        {"id": n, "folder_id": 81 - n, "text": f"note {n}", "made_at": "2026-03-01 10:00:00"}
        for n in range(1, 81)
    ],
    "parcels": _PARCELS,
}
_SHOW = '''

def show_parcel(db, parcel_id: int) -> dict:
    """Show a parcel.

    Args:
        parcel_id: Which.
    """
    parcel = db.one("SELECT * FROM parcels WHERE id = ?", parcel_id)
    if parcel is None:
        raise ToolError(f"Parcel {parcel_id} does not exist.")
    steps = {"packed": 1, "sent": 2, "lost": 3, "opened": 4}
    return {"status": parcel["status"], "step": steps[parcel["status"]]}


def open_parcel(db, parcel_id: int) -> dict:
    """Open a parcel.

    Args:
        parcel_id: Which.
    """
    if not db.execute("UPDATE parcels SET status = 'opened' WHERE id = ?", parcel_id):
        raise ToolError(f"Parcel {parcel_id} does not exist.")
    return {"parcel_id": parcel_id}


def send_parcel(db, parcel_id: int) -> dict:
    """Send a parcel.

    Args:
        parcel_id: Which.
    """
    if not db.execute("UPDATE parcels SET status = 'sent' WHERE id = ?", parcel_id):
        raise ToolError(f"Parcel {parcel_id} does not exist.")
    return {"parcel_id": parcel_id}


def compare_note(db, folder_id: int, note_id: int) -> dict:
    """Compare a note with its folder.

    Args:
        folder_id: The folder.
        note_id: The note.
    """
    sql = "SELECT * FROM notes WHERE id = ? AND folder_id = ?"
    note = db.one(sql, note_id, folder_id)
    if note is None:
        return {"text": ""}
    return {"text": note["text"]}
'''
_SOLUTION = tuple(ToolCall(name=name, arguments={"parcel_id": 1}) for name in ("open_parcel", "send_parcel"))


def with_parcels(old="", new=""):
    tools = TOOLS + _SHOW
    assert old in tools
    environment = make_environment(tools.replace(old, new) if old else tools, schema=_SCHEMA, rows=_ROWS)
    (task,) = environment.tasks.tasks
    return environment.replace(
        tasks=environment.tasks.replace(tasks=(task.replace(reference_solution=_SOLUTION),))
    )


def finds(claim, words, environment):
    with ProofContext(environment) as context:
        return any(words in each.message for each in CHECKS[claim](context).findings)


@pytest.mark.parametrize(
    ("claim", "old", "new", "words"),
    [
        ("no_tool_fails", '"lost": 3', '"late": 3', "show_parcel fails on existing row arguments"),
        (
            "tools_keep_their_contract_later",
            '"opened": 4',
            '"open": 4',
            "show_parcel fails after call 1 of add_one's solution (open_parcel)",
        ),
    ],
    ids=["a_rare_state", "a_state_in_the_midst_of_a_solution"],
)
def test_a_tool_that_fails_in_one_state_alone_is_found(claim, old, new, words):
    assert finds(claim, words, with_parcels(old, new))
    assert not finds(claim, words, with_parcels())


def test_a_row_is_passed_with_the_row_that_it_belongs_to():
    environment = with_parcels()
    with World(environment) as world:
        trial = next(one for one in try_tools(world, environment) if one.tool.name == "compare_note")
    given = [one.probe.call.arguments for one in trial.calls if one.probe.kind == "existing_row"]
    folders = {row["id"]: row["folder_id"] for row in _ROWS["notes"]}
    assert given
    assert all(folders[each["note_id"]] == each["folder_id"] for each in given)


def test_no_column_takes_the_place_of_another_ones_states():
    table = read_schema(_SCHEMA.replace("weighed INTEGER", "level INTEGER NOT NULL")).table("parcels")
    rows = [{"id": n, "folder_id": 1, "status": "packed", "level": n} for n in range(500)]
    rows.append({"id": 500, "folder_id": 1, "status": "lost", "level": 1})
    chosen = rows_of_states(table, rows)
    assert len(chosen) == MOST_STATES
    assert rows[-1] in chosen


_NATURAL = '''

def open_account(db, account_code: str) -> dict:
    """Open an account.

    Args:
        account_code: Its code.
    """
    account = db.one("SELECT * FROM accounts WHERE code = ?", account_code)
    if account is None:
        raise ToolError(f"There is no account {account_code}.")
    return {"step": {"new": 1, "open": 2}[account["status"]]}


def show_statement(db, email: str, folder_id: int | None = None) -> dict:
    """Show a statement.

    Args:
        email: Whose.
        folder_id: In which folder.
    """
    account = db.one("SELECT * FROM accounts WHERE email = ?", email)
    if account is None:
        raise ToolError("There is no such account.")
    return {"code": account["code"]}
'''


def _with_accounts():
    schema = f"""{_SCHEMA}
CREATE TABLE accounts (
    id INTEGER PRIMARY KEY, code TEXT NOT NULL, email TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('new', 'open', 'frozen'))
);
"""
    accounts = [
        {"id": n, "code": f"A-{n}", "email": f"{n}@x.org", "status": "frozen" if n == 70 else "new"}
        for n in range(1, 81)
    ]
    return make_environment(TOOLS + _NATURAL, schema=schema, rows={**_ROWS, "accounts": accounts})


def test_a_parameter_that_names_a_row_by_its_code_is_given_rows_of_every_state():
    environment = _with_accounts()
    assert finds("no_tool_fails", "open_account fails on existing row arguments", environment)
    with World(environment) as world:
        trials = {one.tool.name: one for one in try_tools(world, environment)}
    for name, parameter, cells in (
        ("open_account", "account_code", {"A-1", "A-70"}),
        ("show_statement", "email", set()),
    ):
        calls = [one.probe.call for one in trials[name].calls if one.probe.kind == "existing_row"]
        assert cells <= {call.arguments.get(parameter) for call in calls}


_HALF = '''

def move_parcel(db, parcel_id: int, folder_id: int) -> dict:
    """Move a parcel that was weighed into another folder.

    Args:
        parcel_id: Which.
        folder_id: Where.
    """
    parcel = db.one("SELECT * FROM parcels WHERE id = ?", parcel_id)
    if parcel is None:
        raise ToolError(f"Parcel {parcel_id} does not exist.")
    db.execute("UPDATE parcels SET status = 'sent' WHERE id = ? AND status = 'lost'", parcel_id)
    if db.one("SELECT id FROM folders WHERE id = ?", folder_id) is None:
        return {"error": "There is no such folder."}
    db.execute("UPDATE parcels SET folder_id = ? WHERE id = ?", folder_id, parcel_id)
    return {"parcel_id": parcel_id}
'''


def test_what_is_half_written_for_a_row_in_a_rare_state_alone_is_found():
    environment = make_environment(TOOLS + _HALF, schema=_SCHEMA, rows=_ROWS)
    assert finds("changes_fit_their_calls", "move_parcel answers that it failed", environment)
