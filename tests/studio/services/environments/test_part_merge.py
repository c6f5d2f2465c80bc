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
        ({"calls": []}, {"calls": [{"name": "a"}]}, {"calls": [{"name": "b"}]}, "tasks calls"),
        ({"calls": [1]}, {"calls": [1, 2]}, {"calls": [3]}, "tasks calls"),
        (None, {"text": "two"}, {"text": "three"}, "tasks"),
    ],
)
def test_the_same_thing_changed_twice_is_named(base: Any, mine: Any, theirs: Any, place: str) -> None:
    with pytest.raises(Overlapping, match=f"^{place}$"):
        merge(base, mine, theirs, path=("tasks",))


def solution(*names: str) -> dict[str, Any]:
    return {"calls": [{"name": name, "arguments": {}} for name in names]}


def test_calls_have_an_order_so_they_are_one_value() -> None:
    base = solution("find", "book")
    assert merge(base, solution("find", "pay", "book"), base) == solution("find", "pay", "book")
    with pytest.raises(Overlapping, match=r"^tasks calls$"):
        merge(base, solution("book"), solution("find", "book", "pay"), path=("tasks",))


def test_an_order_is_merged_and_two_orders_are_refused() -> None:
    a, b = BASE["tasks"]
    c = {"id": "c", "text": "three", "calls": []}
    turned = {"tasks": [b, a]}
    assert merge({"tasks": [a, b]}, turned, changed(a="theirs"))["tasks"] == [
        b,
        {**a, "text": "theirs"},
    ]
    three = {"tasks": [a, b, c]}
    with pytest.raises(Overlapping, match=r"^tasks order$"):
        merge(three, {"tasks": [b, a, c]}, {"tasks": [a, c, b]})


RULES = "Be kind.\nNever swear.\nAsk for a card.\nClose at six."


def test_texts_are_merged_by_line() -> None:
    mine = RULES.replace("Never swear.", "Never curse.\nNever shout.")
    theirs = RULES.replace("Ask for a card.", "Ask for the card.") + "\nOpen at nine."
    assert merge({"text": RULES}, {"text": mine}, {"text": theirs}) == {
        "text": "Be kind.\nNever curse.\nNever shout.\nAsk for the card.\nClose at six.\nOpen at nine."
    }


@pytest.mark.parametrize(
    ("mine", "theirs", "place"),
    [
        (RULES.replace("swear", "curse"), "Smile.\n" + RULES.replace("swear", "shout"), "policy text line 3"),
        (RULES + "\nMine.", RULES + "\nTheirs.\nToo.", "policy text lines 5 to 6"),
        ("One.\nTwo.", "Be kind.\nNever shout.\nAsk.\nClose at six.", "policy text lines 2 to 3"),
        (RULES.replace("swear", "curse"), RULES.replace("\nNever swear.", ""), "policy text line 2"),
    ],
)
def test_lines_that_both_changed_are_named(mine: str, theirs: str, place: str) -> None:
    with pytest.raises(Overlapping, match=f"^{place}$"):
        merge({"text": RULES}, {"text": mine}, {"text": theirs}, path=("policy",))


def test_a_line_that_both_changed_alike_is_there_once() -> None:
    alike = RULES + "\nOpen at nine."
    theirs = alike.replace("kind", "friendly")
    assert merge({"text": RULES}, {"text": alike}, {"text": theirs}) == {"text": theirs}
