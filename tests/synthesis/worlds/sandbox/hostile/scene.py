"""What attacks are aimed at, and what has to hold afterwards."""

from __future__ import annotations

import contextlib
import os
import platform
import socket
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from synthesis.documents.environment import Environment
from synthesis.documents.scenario import Scenario
from synthesis.documents.schema import Schema
from synthesis.documents.seed_data import SeedData
from synthesis.documents.tasks import Task, Tasks
from synthesis.documents.tools import Tool, ToolCall, ToolResult, Toolset
from synthesis.documents.verdict import CheckOutcome
from synthesis.documents.verifiers import Verifier, Verifiers
from synthesis.errors import WorldError
from synthesis.worlds.database import read_schema
from synthesis.worlds.limits import Limits
from synthesis.worlds.world import Instance, World
from tests.synthesis.worlds.sandbox.hostile.escapes import (
    RAW_CALL,
)

ROOT = Path(__file__).parents[5]
SECRET = "hunter2-the-services-password"
SIBLING = "zebra-only-the-sibling-has-this"
LIMITS = Limits(
    call_seconds=1.0,
    verify_seconds=1.5,
    grace_seconds=0.6,
    memory_mib=96,
    max_output_bytes=100_000,
    max_database_mib=16,
)
SCHEMA = (
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL);"
    "CREATE TABLE big (id INTEGER PRIMARY KEY, x INTEGER NOT NULL);"
)
SEED_ROWS = {"notes": [{"id": 1, "text": "first"}], "big": [{"id": n, "x": n} for n in range(1, 400)]}


@dataclass(frozen=True, slots=True)
class Ground:
    """What attacks aim at outside of the sandbox."""

    folder: Path
    port: int
    listener: socket.socket

    @property
    def places(self) -> dict[str, object]:
        return {
            "secret_file": str(self.folder / "secret"),
            "canary": str(self.folder / "canary"),
            "service": os.getpid(),
            "port": self.port,
            "secret": (SECRET[:9], SECRET[9:]),
            "sibling": (SIBLING[:9], SIBLING[9:]),
        }

    def untouched(self) -> bool:
        """Nothing was read from outside, written, removed or connected to."""
        with contextlib.suppress(BlockingIOError):
            self.listener.accept()[0].close()
            return False
        files = sorted(path.name for path in self.folder.rglob("*"))
        return files == ["canary", "secret"] and (self.folder / "secret").read_text() == SECRET


def environment(source: str) -> Environment:
    """An environment around a tools module."""
    tool = Tool(name="notes", description="All notes.", input_schema={"type": "object"}, mutates_state=False)
    task = Task(
        id="look", instruction="Look at the notes.", kind="read", difficulty="easy", min_calls=1,
        reference_solution=(ToolCall(name="notes"),), reference_answer="There is one note.",
    )  # fmt: skip
    schema: Schema = read_schema(SCHEMA)
    return Environment(
        scenario=Scenario(
            name="hostile",
            title="Hostile",
            category="tests",
            description="Attacks.",
            clock=datetime(2026, 3, 11, 8, 30),
        ),
        schema=schema,
        seed_data=SeedData(rows=SEED_ROWS),  # type: ignore[arg-type]
        tools=Toolset(source=source, tools=(tool,)),
        tasks=Tasks(tasks=(task,)),
        verifiers=Verifiers(
            verifiers=(
                Verifier(task_id="look", source="def verify(b, a, c, x):\n    yield check('c', True)"),
            )
        ),
    )


def of_this_machine(attacks: dict[str, str]) -> list[Any]:
    """Parameters for attacks; raw numbers only where they mean what they say."""
    raw = platform.machine() == "x86_64"
    return [pytest.param(e, id=name) for name, e in attacks.items() if raw or RAW_CALL not in e]


def assert_stopped(result: ToolResult) -> None:
    """A clean result that says that the attack got nothing."""
    assert isinstance(result, ToolResult)
    assert result.status in ("ok", "error", "refused")
    if result.status == "ok":
        assert isinstance(result.value, dict)
        assert result.value["got"] != "WON", result
    else:
        assert result.message
        assert len(result.message) < 5_000
    assert SECRET not in result.model_dump_json()


def assert_goes_on(instance: Instance, *, committed: bool = True) -> None:
    """The attacked instance still has what was committed and can begin again."""
    if committed:
        assert instance.call("notes").value == {"notes": ["first", "mine"]}
    instance.reset()
    assert instance.call("notes").value == {"notes": ["first"]}


def verdict(world: World, source: str) -> tuple[tuple[CheckOutcome, ...], str]:
    """What a verifier's source came to: outcomes, or the text of the error that stands for Unscored."""
    try:
        return world.verify_code("look", world.base, world.base, "", source=source), ""
    except WorldError as error:
        return (), str(error)


NUMBERS = {"numbers": [3, 1, 2]}


def honest_answers(instance: Instance) -> list[Any]:
    """What harmless tools say on a fresh instance."""
    names = (("clock", {}), ("total", NUMBERS), ("chance", {}), ("note", {"text": "n"}), ("notes", {}))
    return [instance.call(name, arguments).value for name, arguments in names]  # type: ignore[arg-type]


PASSING_VERIFIER = "def verify(before, after, changes, answer):\n    yield check('c', True)"


def children_of(pid: int) -> set[int]:
    """Living processes whose parent that is."""
    results = set()
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[1]) == pid and fields[0] != "Z":
                results.add(int(folder.name))
    return results


def family_of(pid: int) -> set[int]:
    """A process and all that descend from it: the fork server, its templates and their workers."""
    return {pid}.union(*(family_of(child) for child in children_of(pid)))
