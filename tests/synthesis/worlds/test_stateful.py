"""Random calls, batches, resets, snapshots, restores, kills and reopenings against a simple model.

The model is a dict of rows and a counter; state hashes are compared across restores, kills and replays.
"""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from synthesis.worlds.instance import Instance
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.world import World

from .conftest import make_environment, tool

NOTE_ID = {"parameters": ", note_id: int", "described": "        note_id: Which.\n"}
TOOLS = (
    tool(
        'return {"id": db.insert("notes", folder_id=folder_id, text=text)}',
        name="add",
        parameters=", folder_id: int, text: str",
        described="        folder_id: Where.\n        text: What.\n",
    )
    + tool('return {"n": db.execute("DELETE FROM notes WHERE id = ?", note_id)}', name="remove", **NOTE_ID)
    + tool(
        'sql = "UPDATE notes SET stars = stars + 1, text = text || ? WHERE id = ?"\n'
        "db.execute(sql, str(db.random.random())[:4], note_id)\n"
        'return {"now": db.now().isoformat()}',
        name="change",
        **NOTE_ID,
    )
    + tool('db.execute("DELETE FROM notes")\nraise ToolError("no")', name="refuse")
    + tool('db.execute("DELETE FROM notes")\nreturn {"n": 1 // 0}', name="fail")
)

NUMBERS = st.integers(1, 8)
CALLS = st.one_of(
    st.tuples(
        st.just("add"),
        st.fixed_dictionaries({"folder_id": st.integers(1, 3), "text": st.sampled_from("abc")}),
    ),
    st.tuples(st.just("remove"), st.fixed_dictionaries({"note_id": NUMBERS})),
    st.tuples(st.just("change"), st.fixed_dictionaries({"note_id": NUMBERS})),
    st.tuples(st.sampled_from(["refuse", "fail", "unknown"]), st.just({})),
    st.tuples(st.just("add"), st.just({"folder_id": "x"})),
)  # fmt: skip


@dataclass
class Model:
    """What an instance should be: the notes by id, the next id, and how many calls were made."""

    notes: dict[int, tuple[int, int]] = field(default_factory=lambda: {1: (1, 0), 2: (2, 0)})
    next_id: int = 3
    calls: int = 0

    def copy(self) -> Model:
        return Model(dict(self.notes), self.next_id, self.calls)

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """Apply a call; the status it must have."""
        self.calls += 1
        if name == "unknown":
            return "unknown_tool"
        if arguments.get("folder_id") == "x":
            return "invalid_arguments"
        return {"add": self._add, "remove": self._remove, "change": self._change}.get(name, self._refuse)(
            name, arguments
        )

    def _add(self, _name: str, arguments: dict[str, Any]) -> str:
        if arguments["folder_id"] == 3:
            return "error"  # no such folder: the foreign key leaks
        self.notes[self.next_id] = (arguments["folder_id"], 0)
        self.next_id += 1
        return "ok"

    def _remove(self, _name: str, arguments: dict[str, Any]) -> str:
        self.notes.pop(arguments["note_id"], None)
        return "ok"

    def _change(self, _name: str, arguments: dict[str, Any]) -> str:
        if arguments["note_id"] in self.notes:
            folder, stars = self.notes[arguments["note_id"]]
            self.notes[arguments["note_id"]] = (folder, stars + 1)
        return "ok"

    def _refuse(self, name: str, _arguments: dict[str, Any]) -> str:
        return "refused" if name == "refuse" else "error"


@pytest.fixture(scope="module", params=["process", "shared"])
def world(request: pytest.FixtureRequest) -> Any:
    with World(make_environment(TOOLS), isolation=request.param) as world:
        yield world


def machine(world: World) -> type[RuleBasedStateMachine]:  # noqa: C901 - one class with many rules
    """The state machine for one world."""

    class Worlds(RuleBasedStateMachine):
        instance: Instance

        @initialize(seed=st.integers(0, 3))
        def begin(self, seed: int) -> None:
            self.instance = world.instance(seed=seed)
            self.model, self.hashes = Model(), dict[str, Any]()
            self.kept: list[tuple[Snapshot, Model]] = []

        @rule(call=CALLS)
        def call(self, call: tuple[str, dict[str, Any]]) -> None:
            assert self.instance.call(*call).status == self.model.call(*call)

        @rule(calls=st.lists(CALLS, min_size=2, max_size=6))
        def call_many(self, calls: list[tuple[str, dict[str, Any]]]) -> None:
            results = self.instance.call_many(calls)
            assert [result.status for result in results] == [self.model.call(*call) for call in calls]

        @rule(seed=st.none() | st.integers(0, 3))
        def reset(self, seed: int | None) -> None:
            self.instance.reset(seed)
            self.model = Model()
            assert self.instance.state_hash() == world.base.hash
            assert not self.instance.diff()

        @rule()
        def snapshot(self) -> None:
            taken = self.instance.snapshot()
            assert taken.hash == self.instance.state_hash()
            self.kept.append((taken, self.model.copy()))

        @rule(data=st.data())
        def restore(self, data: st.DataObject) -> None:
            if self.kept:
                taken, model = data.draw(st.sampled_from(self.kept))
                self.instance.restore(taken)
                self.model = model.copy()
                assert self.instance.state_hash() == taken.hash

        @rule()
        def kill(self) -> None:
            """The worker ends between two calls; whoever asks next does not notice."""
            before = self.instance.state_hash()
            os.kill(self.instance._slot.shared_worker.pid, signal.SIGKILL)  # type: ignore[union-attr]
            assert self.instance.state_hash() == before

        @rule()
        def reopen(self) -> None:
            """Close the instance and go on in another one."""
            taken = self.instance.snapshot()
            self.instance.close()
            self.instance = world.instance()
            self.instance.restore(taken)

        @rule(calls=st.lists(CALLS, min_size=1, max_size=4))
        def play_again(self, calls: list[tuple[str, dict[str, Any]]]) -> None:
            """The same calls from the same snapshot come to the same state."""
            taken = self.instance.snapshot()
            first = [result.observation() for result in self.instance.call_many(calls)]
            after = self.instance.state_hash()
            self.instance.restore(taken)
            again = [self.instance.call(*call).observation() for call in calls]
            assert (again, self.instance.state_hash()) == (first, after)
            for call in calls:
                self.model.call(*call)

        @invariant()
        def agrees_with_the_model(self) -> None:
            if hasattr(self, "instance"):
                rows = self.instance.query("SELECT id, folder_id, stars FROM notes ORDER BY id")
                assert {row["id"]: (row["folder_id"], row["stars"]) for row in rows} == self.model.notes
                assert self.instance.calls == self.model.calls

        def teardown(self) -> None:
            if hasattr(self, "instance"):
                self.instance.close()

    return Worlds


def test_an_instance_is_what_its_calls_make_it(world: World) -> None:
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        machine(world),
        settings=settings(
            max_examples=15,
            stateful_step_count=20,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
