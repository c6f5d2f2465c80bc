"""Environments are dealt into splits by fingerprint and seed, and stay where they are."""

from __future__ import annotations

from collections import Counter

import pytest

from synthesis.bundles.splits import SplitSettings, assign
from synthesis.documents.document import digest
from synthesis.errors import InvalidInput

MANY = [digest(str(number).encode()) for number in range(2_000)]


def dealt(**settings: object) -> Counter[str]:
    return Counter(assign(each, {}, SplitSettings(**settings)).split for each in MANY)


def test_shares_are_about_as_asked() -> None:
    results = dealt(train=80, validation=15, test=5)
    assert 1_500 < results["train"] < 1_700
    assert 240 < results["validation"] < 360
    assert 60 < results["test"] < 140


def test_a_share_of_nothing_gets_nothing() -> None:
    assert dealt(train=100, validation=0, test=0) == {"train": 2_000}
    assert dealt(train=0, validation=0, test=100) == {"test": 2_000}


def test_another_seed_deals_otherwise_and_the_same_seed_the_same() -> None:
    first = [assign(each, {}, SplitSettings(seed=1)).split for each in MANY]
    assert first == [assign(each, {}, SplitSettings(seed=1)).split for each in MANY]
    assert first != [assign(each, {}, SplitSettings(seed=2)).split for each in MANY]


def test_what_tasks_name_goes_first_and_the_most_held_out_takes_all() -> None:
    assignment = assign("f" * 64, {"a": "train", "b": "validation", "c": None})
    assert (assignment.split, assignment.by, assignment.moved) == ("validation", "tasks", {"train": 1})
    by_share = assign("f" * 64, {"a": "test"}, SplitSettings(train=100, validation=0, test=0, own=False))
    assert (by_share.split, by_share.by, by_share.moved) == ("train", "share", {"test": 1})


@pytest.mark.parametrize("shares", [(90, 5, 6), (101, -1, 0), (0, 0, 0), (float("nan"), 50, 50)])
def test_shares_that_do_not_make_a_hundred_are_refused(shares: tuple[float, float, float]) -> None:
    train, validation, test = shares
    with pytest.raises(InvalidInput, match="add up to 100 percent"):
        assign("f" * 64, {}, SplitSettings(train=train, validation=validation, test=test))
