"""The first instance of a worker is opened before the worker is forked; its tools run in the worker alone."""

from __future__ import annotations

import marshal
from typing import Any

import orjson
import pytest

from synthesis.worlds.limits import Limits
from synthesis.worlds.sandbox.protocol import HEADER
from synthesis.worlds.worker.live import WorldBlueprint
from synthesis.worlds.worker.worker import Worker
from synthesis.worlds.world import World

COUNTING = """
def count(db) -> int:
    return db.one("SELECT count(*) AS n FROM folders")["n"]

def add(db) -> int:
    return db.insert("folders", name="new")
"""


def blueprint_of(world: World, source: str) -> WorldBlueprint:
    return WorldBlueprint(
        code=marshal.dumps(compile(source, "tools", "exec")),
        tools=[
            {"name": name, "inputSchema": {"type": "object", "properties": {}}} for name in ("count", "add")
        ],
        image=world.base.image,
        start=world.base.clock,
        actor=None,
        limits=Limits(),
    )


def asked(worker: Worker, op: str, **body: Any) -> dict[str, Any]:
    frame = worker.answer({"id": "1", "op": op, "key": 1, **body}, b"")
    size, _ = HEADER.unpack_from(frame)
    answer: dict[str, Any] = orjson.loads(frame[HEADER.size : HEADER.size + size])
    return answer


def begun(worker: Worker, seed: int = 0) -> dict[str, Any]:
    return asked(worker, "start", seed=seed, shared=False)


def called(worker: Worker, name: str, number: int) -> Any:
    answer = asked(worker, "call", number=number, name=name, arguments={}, hashed=True)
    assert answer["ok"], answer
    assert answer["result"]["status"] == "ok", answer
    return answer["result"]["value"]


def test_it_begins_without_another_connection(notes: World, monkeypatch: pytest.MonkeyPatch) -> None:
    blueprint = blueprint_of(notes, COUNTING)
    worker = Worker(blueprint)
    monkeypatch.setattr(blueprint, "connect", None)
    assert begun(worker)["ok"]
    before = called(worker, "count", 0)
    called(worker, "add", 1)
    assert called(worker, "count", 2) == before + 1


def test_nothing_of_its_tools_runs_before_it_begins(notes: World) -> None:
    worker = Worker(blueprint_of(notes, "raise RuntimeError('it ran')"))
    answer = begun(worker)
    assert not answer["ok"]
    assert "it ran" in answer["message"]


def test_one_that_begins_after_it_does_not_see_what_it_did(notes: World) -> None:
    worker = Worker(blueprint_of(notes, COUNTING))
    begun(worker)
    before = called(worker, "count", 0)
    called(worker, "add", 1)
    asked(worker, "end")
    begun(worker)
    assert called(worker, "count", 0) == before


def test_how_large_it_is_is_asked_by_statements_that_are_prepared_before(notes: World) -> None:
    worker = Worker(blueprint_of(notes, COUNTING))
    begun(worker)
    live = worker._live[1]
    before = live._connection.cache_stats()
    assert live.is_small()
    after = live._connection.cache_stats()
    assert (after["hits"] - before["hits"], after["misses"] - before["misses"]) == (2, 0)
    assert after["no_cache"] == before["no_cache"]
