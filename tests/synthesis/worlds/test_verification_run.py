# ruff: noqa: E501 - tables of cases read better in one line
"""A verifier runs in a process of its own; whatever is wrong with it is an error and never a pass."""

from __future__ import annotations

from dataclasses import replace

import pytest

from synthesis.errors import BrokenEnvironment, WorkerTimeout
from synthesis.worlds.limits import Limits
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.world import World

from .conftest import MakeWorld


@pytest.fixture(scope="module")
def after(notes: World) -> Snapshot:
    with notes.instance() as instance:
        instance.call("add_note", {"folder_id": 1, "text": "eggs"})
        instance.call("delete_note", {"note_id": 2})
        return instance.snapshot()


def verify(
    world: World, after: Snapshot, body: str, *, answer: str = "", before: Snapshot | None = None
) -> dict[str, bool]:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    source = f"def verify(before, after, changes, answer):\n{lines}\n"
    outcomes = world.verify_code("add_one", before or world.base, after, answer, source=source)
    return {outcome.name: outcome.passed for outcome in outcomes}


def test_it_sees_both_states_the_changes_and_the_answer(notes: World, after: Snapshot) -> None:
    body = """
yield check("before", len(before.query("SELECT * FROM notes")) == 2)
yield check("after", after.one("SELECT text FROM notes WHERE id = ?", 3)["text"] == "eggs")
yield check("inserted", [(c.table, c.key) for c in changes.inserted] == [("notes", 3)])
yield check("deleted", changes.deleted[0].before["text"] == "call" and not changes.updated)
yield check("only", changes.only(("notes", 3), ("notes", 2)) and changes.only(("notes",)))
yield check("not only", not changes.only() and not changes.only(("notes", 3)), guard=True, detail={"n": len(changes)})
yield check("helpers", added(before, after, "notes")[0]["id"] == 3 and amounts(answer) == {3000})
yield check("clock", str(after.now()) == "2026-03-11 08:30:02" and str(before.now()) == "2026-03-11 08:30:00")
"""
    assert set(verify(notes, after, body, answer="EUR 30").values()) == {True}


def test_a_list_of_checks_will_do(notes: World, after: Snapshot) -> None:
    assert verify(notes, after, 'return [check("a", True), check("b", False)]') == {"a": True, "b": False}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("return None", "must yield checks or return a list of them, not NoneType"),
        ("return []", "made no check"),
        ("yield True", "yielded a bool; it must yield check(name, passed)"),
        ('yield check("a", 1)', "passed and guard must be True or False, not 1"),
        ('yield check("a", "yes")', "must be True or False"),
        ('yield check("", True)', "needs a name"),
        ('yield check("a", True)\nyield check("a", True)', "two checks are named 'a'"),
        ('yield check("a", True, detail={1, 2})', "its detail is not JSON"),
        ('yield check("a", True)\nraise KeyError("x")', "KeyError: 'x' (line 3)"),
        ('yield check("a", after.one("SELECT absent FROM notes"))', "no such column: absent"),
        ('after.query("DELETE FROM notes")\nyield check("a", True)', "authoriz"),
        ('after.query("PRAGMA query_only = OFF")\nyield check("a", True)', "authoriz"),
        ("import os\nyield check('a', True)", "os cannot be imported"),
        ("while True:\n    yield check(str(id(object())) + str(answer), True)", ""),
        ("yield check('a', True", "'(' was never closed"),
        ("x = bytearray(10**12)\nyield check('a', True)", "MemoryError"),
    ],
)
def test_a_broken_verifier_is_an_error(notes: World, after: Snapshot, body: str, says: str) -> None:
    with pytest.raises(BrokenEnvironment) as raised:
        verify(notes, after, body)
    assert says in str(raised.value)
    assert (raised.value.part, raised.value.where) == ("verifiers", "add_one")


def test_a_verifier_that_is_no_function_is_an_error(notes: World, after: Snapshot) -> None:
    with pytest.raises(BrokenEnvironment, match="defines no verify"):
        notes.verify_code("add_one", notes.base, after, "", source="x = 1\n")


def test_a_verifier_that_never_ends_is_stopped(make_world: MakeWorld, after: Snapshot) -> None:
    world = make_world(limits=Limits(verify_seconds=0.3, grace_seconds=0.5))
    with pytest.raises(BrokenEnvironment, match=r"longer than 0\.3 s"):
        verify(world, after, "while True:\n    pass")
    stubborn = "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass"
    with pytest.raises(WorkerTimeout):
        verify(world, after, stubborn)


def test_another_schema_is_refused_before_any_code_runs(notes: World, make_world: MakeWorld) -> None:
    other = make_world(schema="CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT);", rows={})
    with pytest.raises(BrokenEnvironment, match="the schema was changed"):
        verify(notes, other.base, 'yield check("a", True)')


def forged(snapshot: Snapshot, name: bytes) -> Snapshot:
    """With another name in the index over folders, which stands behind the table in the image."""
    image = bytearray(snapshot.image)
    assert image.count(name) == 2
    place = image.rindex(name) + len(name) - 1
    image[place] += 1
    return replace(snapshot, image=bytes(image))


COUNTS = """
row = after.one("SELECT count(*) AS n FROM folders WHERE name = ?", answer)
yield check("there", row["n"] == 1)
"""


def test_an_index_that_disagrees_with_its_table_is_refused(notes: World, after: Snapshot) -> None:
    name = str(notes.rows(notes.base, "SELECT name FROM folders")[0]["name"])
    other = name[:-1] + chr(ord(name[-1]) + 1)
    assert verify(notes, after, COUNTS, answer=name) == {"there": True}
    assert verify(notes, after, COUNTS, answer=other) == {"there": False}
    for states in ({"after": forged(after, name.encode())}, {"before": forged(after, name.encode())}):
        with pytest.raises(BrokenEnvironment, match="contradicts itself at table folders"):
            verify(notes, states.get("after", after), COUNTS, answer=other, before=states.get("before"))


def test_the_state_before_may_be_any_snapshot(notes: World, after: Snapshot) -> None:
    assert verify(notes, after, 'yield check("same", changes.only())', before=after) == {"same": True}
    copy = replace(notes.base)
    assert verify(notes, after, 'yield check("same", changes.only())', before=copy) == {"same": False}
