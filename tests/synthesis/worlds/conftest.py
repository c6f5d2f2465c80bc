"""A small environment to try things on: notes in folders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime
from typing import Any

import pytest

from synthesis.documents.environment import Environment
from synthesis.documents.scenario import Scenario
from synthesis.documents.seed_data import Actor, SeedData
from synthesis.documents.tasks import Task, Tasks
from synthesis.documents.verifiers import Verifier, Verifiers
from synthesis.worlds.database import read_schema
from synthesis.worlds.limits import Limits
from synthesis.worlds.sandbox.fork_client import Forker
from synthesis.worlds.sandbox.worker_process import WorkerProcess
from synthesis.worlds.toolset import read_toolset
from synthesis.worlds.world import World

CLOCK = datetime(2026, 3, 11, 8, 30)

SCHEMA = """
CREATE TABLE folders (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE notes (
    id INTEGER PRIMARY KEY,
    folder_id INTEGER NOT NULL REFERENCES folders (id) ON DELETE CASCADE,
    text TEXT NOT NULL CHECK (text <> ''),
    stars INTEGER NOT NULL DEFAULT 0,
    made_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
);
"""

ROWS: dict[str, Any] = {
    "folders": [{"id": 1, "name": "home"}, {"id": 2, "name": "work"}],
    "notes": [
        {"id": 1, "folder_id": 1, "text": "milk", "made_at": "2026-03-01 10:00:00"},
        {"id": 2, "folder_id": 2, "text": "call", "made_at": "2026-03-02 10:00:00"},
    ],
}

TOOLS = '''
from typing import Literal


def list_notes(db, folder_id: int | None = None) -> dict:
    """List notes.

    Args:
        folder_id: Only this folder's.
    """
    sql = "SELECT * FROM notes WHERE ? IS NULL OR folder_id = ? ORDER BY id"
    return {"items": db.query(sql, folder_id, folder_id)}


def add_note(db, folder_id: int, text: str) -> dict:
    """Add a note.

    Args:
        folder_id: Where it goes.
        text: What it says.
    """
    if db.one("SELECT 1 FROM folders WHERE id = ?", folder_id) is None:
        raise ToolError(f"Folder {folder_id} does not exist.")
    return {"note_id": db.insert("notes", folder_id=folder_id, text=text)}


def delete_note(db, note_id: int) -> dict:
    """Delete a note.

    Args:
        note_id: Which.
    """
    if not db.execute("DELETE FROM notes WHERE id = ?", note_id):
        raise ToolError(f"Note {note_id} does not exist.")
    return {"note_id": note_id}
'''

VERIFIER = '''
def verify(before, after, changes, answer):
    """A note was added."""
    yield check("a note was added", len(added(before, after, "notes")) == 1)
'''


def make_environment(
    tools: str = TOOLS,
    *,
    schema: str = SCHEMA,
    rows: dict[str, Any] | None = None,
    actor: Actor | None = None,
    verifier: str = VERIFIER,
) -> Environment:
    """An environment around some tools."""
    rows = ROWS if rows is None else rows
    return Environment(
        scenario=Scenario(
            name="notes", title="Notes", category="tests", description="Notes in folders.", clock=CLOCK
        ),
        schema=read_schema(schema),
        seed_data=SeedData(rows=rows, actor=actor),
        tools=read_toolset(tools),
        tasks=Tasks(
            tasks=(
                Task(
                    id="add_one",
                    instruction="Add one note to the folder home.",
                    kind="write",
                    difficulty="easy",
                    min_calls=0,
                    reference_solution=(),
                    reference_answer="Done.",
                ),
            )
        ),
        verifiers=Verifiers(verifiers=(Verifier(task_id="add_one", source=verifier),)),
    )


MakeWorld = Callable[..., World]


@pytest.fixture
def make_world() -> Iterator[MakeWorld]:
    """Worlds around some tools, closed at the end."""
    with ExitStack() as stack:

        def make(
            tools: str = TOOLS, *, limits: Limits | None = None, isolation: Any = "process", **parts: Any
        ) -> World:
            world = World(make_environment(tools, **parts), isolation=isolation, limits=limits)
            return stack.enter_context(world)

        yield make


@pytest.fixture(scope="module")
def notes() -> Iterator[World]:
    """The world of notes; tests take their own instances."""
    with World(make_environment()) as world:
        yield world


def tool(body: str, *, name: str = "act", parameters: str = "", described: str = "") -> str:
    """The source of one tool."""
    arguments = f"\n\n    Args:\n{described}" if described else ""
    indented = "\n".join(f"    {line}" for line in body.strip().splitlines())
    return f'def {name}(db{parameters}) -> dict:\n    """Act.{arguments}\n    """\n{indented}\n\n\n'


@pytest.fixture
def forks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The memory that each worker was allowed which was forked during the test, one number a worker."""
    results: list[int] = []
    fork = Forker.fork

    def counting(self: Forker, *, memory_mib: int) -> WorkerProcess:
        results.append(memory_mib)
        return fork(self, memory_mib=memory_mib)

    monkeypatch.setattr(Forker, "fork", counting)
    return results
