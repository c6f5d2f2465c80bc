"""A world of one table in the clinic's frame, with a part of one's own where a test wants it."""

from __future__ import annotations

from pathlib import Path

from synthesis.bundles.open import open_bundle
from synthesis.documents.environment import Environment
from synthesis.worlds.database import read_schema
from synthesis.worlds.toolset import read_toolset


def one_table(*, source: str = "", schema: str = "", invariant: str = "") -> Environment:
    """The clinic with a small world of one's own in place of its parts."""
    clinic = open_bundle(Path(__file__).parents[3] / "data" / "clinic_front_desk").environment
    task = clinic.tasks.tasks[0]
    tables = read_schema(schema or "CREATE TABLE rooms (id INTEGER PRIMARY KEY, name TEXT NOT NULL);")
    invariants = clinic.invariants
    assert invariants is not None
    return clinic.model_copy(
        update={
            "schema": tables,
            "seed_data": clinic.seed_data.model_copy(
                update={
                    "rows": {"rooms": ({"id": 1, "name": "O'Hara's"}, {"id": 2, "name": "Ash"})},
                    "actor": None,
                }
            ),
            "tools": read_toolset(source or TOOLS),
            "invariants": invariants.model_copy(update={"source": LIMIT}) if invariant else None,
            "tasks": clinic.tasks.model_copy(
                update={"tasks": (task.model_copy(update={"reference_solution": ()}),)}
            ),
            "verifiers": clinic.verifiers.model_copy(
                update={
                    "verifiers": (
                        clinic.verifiers.verifiers[0].model_copy(
                            update={"task_id": task.id, "source": VERIFIER}
                        ),
                    )
                }
            ),
        }
    )


LIMIT = '''
def rooms(db) -> bool:
    """At most three rooms."""
    return db.one("SELECT count(*) AS n FROM rooms")["n"] <= 3
'''
TOOLS = '''
def add_room(db, name: str) -> dict:
    """Add a room.

    Args:
        name: Its name.
    """
    return {"id": db.insert("rooms", name=name)}


def get_now(db) -> dict:
    """Tell the time."""
    return {"now": db.now().isoformat(), "sql": db.one("SELECT datetime('now') AS t")["t"]}
'''
VERIFIER = """
def verify(before, after, changes, answer):
    yield check("a room was added", len(changes.inserted) == 1)
"""
