"""Categories: how people of a trade sort things of a kind, and which of them cost more."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from synthesis.procedural.business.vocabulary import KINDS_HEADS
from synthesis.procedural.sentence.inflection import is_mass
from synthesis.procedural.sentence.lexicon import is_listed, kinds_of

_Values = tuple[tuple[str, ...], ...]


def categories_of(noun: str, rng: random.Random, *, unknown: str = "thing") -> tuple[str, ...]:
    """Values of the category of things of that kind; `unknown` is the kind of what no list has."""
    last = noun.rpartition(" ")[2]
    listed = () if last in KINDS_HEADS else _of("-".join(noun.split()[-2:])) or _of(last)
    if listed:
        return rng.choice(listed)
    if is_mass(last):
        return rng.choice(_of_kind("material"))
    known = kinds_of(noun) if is_listed(noun) else ()  # "grading" only ends like a paper
    kind = next((kind for kind in known if kind in _listed()["kinds"]), unknown)
    return rng.choice(_of_kind(kind))


def is_ordered(categories: Sequence[str]) -> bool:
    """Whether each of some categories costs more than the one before."""
    return tuple(categories) in _ordered()


def _of(noun: str) -> _Values:
    return _by_noun().get(noun, ())


def _of_kind(kind: str) -> _Values:
    return tuple(map(tuple, _listed()["kinds"][kind]))


@cache
def _by_noun() -> dict[str, _Values]:
    return {
        word: tuple(map(tuple, each["values"])) for each in _listed()["of"] for word in each["words"].split()
    }


@cache
def _ordered() -> frozenset[tuple[str, ...]]:
    groups = (each["values"] for each in _listed()["of"] if each.get("ordered"))
    return frozenset(tuple(each) for values in (*groups, _listed()["ordered"]["kinds"]) for each in values)


@cache
def _listed() -> dict[str, Any]:
    text = (resources.files(__package__) / "categories.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
