"""The difference of two snapshots, found in a process of its own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from synthesis.documents.state_diff import StateDiff
from synthesis.errors import BrokenEnvironment
from synthesis.worlds.diff import diff
from synthesis.worlds.world import World


def test_it_equals_what_the_instance_tells(notes: World) -> None:
    with notes.instance() as instance:
        instance.call("add_note", {"folder_id": 1, "text": "a"})
        instance.call("delete_note", {"note_id": 1})
        after = instance.snapshot()
        assert diff(notes.base, after) == instance.diff()
        assert [change.kind for change in diff(after, notes.base).changes] == ["inserted", "deleted"]


def test_equal_states_differ_in_nothing(notes: World) -> None:
    assert diff(notes.base, notes.base) == StateDiff()


def test_an_image_that_is_no_database_is_an_error(notes: World) -> None:
    with pytest.raises(BrokenEnvironment):
        diff(notes.base, replace(notes.base, image=b"nonsense" * 99, hash="0" * 64))
