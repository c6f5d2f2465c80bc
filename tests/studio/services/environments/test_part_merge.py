"""What two people made of one part is put together where they changed different things."""

from __future__ import annotations

from typing import Any

import pytest

from studio.services.environments.part_merge import Overlapping, merge

BASE = {"tasks": [{"id": "a", "text": "one", "calls": [1]}, {"id": "b", "text": "two", "calls": [2]}]}


def changed(**texts: str) -> dict[str, Any]:
    return {"tasks": [{**task, "text": texts.get(task["id"], task["text"])} for task in BASE["tasks"]]}


def test_different_entries_and_fields_are_put_together() -> None:
    theirs = {"tasks": [{"id": "a", "text": "one", "calls": [1, 3]}, BASE["tasks"][1]]}
    assert merge(BASE, changed(b="mine"), changed(a="theirs")) == changed(a="theirs", b="mine")
    assert merge(BASE, changed(a="mine"), theirs)["tasks"][0] == {"id": "a", "text": "mine", "calls": [1, 3]}


def test_who_changed_nothing_takes_nothing_back() -> None:
    assert merge(BASE, BASE, changed(a="theirs")) == changed(a="theirs")
    assert merge(BASE, changed(a="mine"), BASE) == changed(a="mine")
    assert merge(BASE, changed(a="same"), changed(a="same")) == changed(a="same")


def test_what_is_added_comes_last_and_what_is_taken_away_is_gone() -> None:
    new, other = {"id": "c", "text": "three", "calls": []}, {"id": "d", "text": "four", "calls": []}
    mine, theirs = {"tasks": [*BASE["tasks"], new]}, {"tasks": [BASE["tasks"][1], other]}
    assert [task["id"] for task in merge(BASE, mine, theirs)["tasks"]] == ["b", "d", "c"]


@pytest.mark.parametrize(
    ("base", "mine", "theirs", "place"),
    [
        (BASE, changed(a="mine"), changed(a="theirs"), "tasks a text"),
        (BASE, {"tasks": [BASE["tasks"][1]]}, changed(a="theirs"), "tasks a"),
        ({"text": "one"}, {"text": "two"}, {"text": "three"}, "tasks text"),
        ({"calls": [1]}, {"calls": [1, 2]}, {"calls": [3]}, "tasks calls"),
        (None, {"text": "two"}, {"text": "three"}, "tasks"),
    ],
)
def test_the_same_thing_changed_twice_is_named(base: Any, mine: Any, theirs: Any, place: str) -> None:
    with pytest.raises(Overlapping, match=f"^{place}$"):
        merge(base, mine, theirs, path=("tasks",))
