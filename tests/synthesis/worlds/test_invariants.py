from __future__ import annotations

from typing import Any

import pytest

from synthesis.documents.environment import Environment
from synthesis.errors import BrokenEnvironment
from synthesis.worlds.invariants import compile_invariants, read_invariants
from synthesis.worlds.world import World
from tests.synthesis.worlds.conftest import make_environment

FEW = '''
def few_notes(db) -> bool:
    """There are at most three notes."""
    return db.one("SELECT count(*) AS n FROM notes")["n"] <= 3
'''


def declaring(source: str, **changes: Any) -> Environment:
    return make_environment(**changes).replace(invariants=read_invariants(source))


@pytest.mark.parametrize("isolation", ["process", "shared"])
def test_a_call_that_breaks_an_invariant_is_undone_and_an_error_of_the_environment(isolation: Any) -> None:
    with World(declaring(FEW), isolation=isolation) as world, world.instance() as instance:
        assert instance.call("add_note", {"folder_id": 1, "text": "third"}).ok
        before = instance.state_hash()
        result = instance.call("add_note", {"folder_id": 1, "text": "fourth"})
        assert (result.status, result.broken_invariant) == ("error", "few_notes")
        assert result.message == (
            "add_note was undone: the invariant few_notes would be broken (There are at most three notes)."
        )
        assert instance.state_hash() == before
        assert instance.call("delete_note", {"note_id": 1}).ok
        assert instance.call("add_note", {"folder_id": 1, "text": "third again"}).ok
        assert not world.broken_invariants(world.base)


def test_a_breach_that_was_there_before_the_call_is_told_as_such() -> None:
    with World(declaring(FEW.replace("<= 3", "<= 1"))) as world, world.instance() as instance:
        assert [each.name for each in world.broken_invariants(world.base)] == ["few_notes"]
        result = instance.call("add_note", {"folder_id": 1, "text": "third"})
        assert result.status == "error"
        assert "and was before the call" in result.message
        assert instance.call("list_notes").ok, "a call that changes nothing cannot break anything"


def test_an_invariant_that_fails_or_decides_nothing_is_told_and_cannot_write() -> None:
    source = '''
def fails(db) -> bool:
    """It raises."""
    return db.one("SELECT * FROM nowhere") is None


def decides_nothing(db) -> bool:
    """It returns a number."""
    return db.one("SELECT count(*) AS n FROM notes")["n"]


def writes(db) -> bool:
    """It tries to write."""
    return not db.query("DELETE " + "FROM notes RETURNING id")
'''
    with World(declaring(source)) as world:
        broken = {each.name: each.error for each in world.broken_invariants(world.base)}
    assert "no such table: nowhere (line 4)" in broken["fails"]
    assert "it returned int, not True or False" in broken["decides_nothing"]
    assert "ReadOnlyError" in broken["writes"] or "AuthError" in broken["writes"]


def test_an_invariant_that_fails_after_a_call_cannot_write_either() -> None:
    source = '''
def writes(db) -> bool:
    """It tries to write."""
    return not db.query("DELETE " + "FROM notes RETURNING id")
'''
    with World(declaring(source)) as world, world.instance() as instance:
        result = instance.call("add_note", {"folder_id": 1, "text": "third"})
        assert result.status == "error"
        assert "writes failed" in result.message
        assert instance.state_hash() == world.base.hash


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("X = 1\n", "declares 0 invariants"),
        ('def a(db, limit) -> bool:\n    """A."""\n    return True\n', "must take db as its only parameter"),
        ("def a(db) -> bool:\n    return True\n", "has no docstring"),
        ('def a(db) -> bool:\n    """A."""\n    yield True\n', "must be a plain function"),
        ('def a(db) -> bool:\n    """A."""\n    return db.execute("DELETE FROM notes") == 0\n', "writes"),
        ('import os\ndef a(db) -> bool:\n    """A."""\n    return True\n', "Line 1"),
        ("def a(db:\n", "line 1"),
    ],
)
def test_what_is_wrong_with_a_module_is_told_before_it_runs(source: str, words: str) -> None:
    findings = compile_invariants(source).findings
    assert findings[0].part == "invariants"
    assert any(words in finding.message for finding in findings), findings
    with pytest.raises(BrokenEnvironment) as caught:
        read_invariants(source)
    assert caught.value.part == "invariants"


def test_the_fingerprint_covers_the_invariants_and_not_their_absence() -> None:
    plain = make_environment()
    declared = declaring(FEW)
    assert "invariants" not in plain.content()
    assert "invariants" not in plain.model_dump()
    assert declared.fingerprint != plain.fingerprint
    assert declared.replace(invariants=None).fingerprint == plain.fingerprint
    assert [each.sentence for each in declared.invariants.declared] == ["There are at most three notes."]
