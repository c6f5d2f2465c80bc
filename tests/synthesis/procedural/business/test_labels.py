"""Things are called as a business of their kind would write: by number, size, place or a name."""

from __future__ import annotations

import itertools
import random
import re

import pytest

from synthesis.procedural.business.labels import labels


def _all(noun: str, shape: str, count: int = 8) -> list[str]:
    """What such things are called in several worlds."""
    return [name for seed in range(12) for name in labels(noun, shape, count, random.Random(seed))]


@pytest.mark.parametrize(
    ("noun", "shape", "written"),
    [
        ("bay", "hold", r"Bay [A-Z]?\d\d"),
        ("beach hut", "slot", r"Beach Hut [A-Z]?\d\d"),
        ("suitcase", "item", r"Suitcase [A-Z]?\d\d"),
        ("boiler", "work", r"Boiler [A-Z]\d\d"),
        ("donation type", "lookup", r"[A-Z][A-Za-z-]+ Donation"),
        ("round type", "work", r"[A-Z][A-Za-z-]+ Round"),
        ("cottage", "hold", r"[A-Z]\w+ Cottage"),
        ("home", "work", r"\d\d [A-Z]\w+ [A-Z]\w+"),
        ("yoga class", "seat", r"(?:Morning|Lunchtime|Afternoon|Evening|Early|Late) Yoga Class [1-4]"),
        ("evening class", "seat", r"Evening Class [A-Z]?\d\d"),
        ("tour", "seat", r"[A-Z][\w ]+ Tour"),
        ("yacht", "item", r"[A-Z][a-z]+"),
    ],
)
def test_names_fit_the_kind_of_thing(noun: str, shape: str, written: str) -> None:
    assert [name for name in _all(noun, shape) if not re.fullmatch(written, name)] == []


@pytest.mark.parametrize(
    ("noun", "shape", "some", "never"),
    [
        ("parcel", "supply", {"Family Parcel", "Baby Parcel"}, {"Coarse Parcel", "Young Parcel"}),
        ("winter coat", "supply", {"Navy Winter Coat"}, {"Winter Winter Coat", "Late Winter Coat"}),
        ("loaf", "supply", {"Rye Loaf"}, {"Silver Loaf"}),
        ("audiobook", "supply", {"Paper Boats"}, {"Paper Boats Audiobook"}),
        ("dog", "work", {"Biscuit", "Curlew"}, {"Biscuit Dog"}),
    ],
)
def test_adjectives_are_of_a_list_that_fits_the_kind(
    noun: str, shape: str, some: set[str], never: set[str]
) -> None:
    names = set(_all(noun, shape))
    assert some <= names
    assert names.isdisjoint(never)


@pytest.mark.parametrize("shape", ["hold", "seat", "supply", "lookup", "work", "item"])
@pytest.mark.parametrize(
    "noun", ["room", "parcel", "lesson", "route", "dog", "house", "matter", "book", "cake"]
)
def test_no_name_is_given_twice_or_is_part_of_another(noun: str, shape: str) -> None:
    for seed in range(8):
        names = labels(noun, shape, 9, random.Random(seed))
        assert len(names) == 9
        assert not [pair for pair in itertools.permutations(names, 2) if pair[0] in pair[1]]
