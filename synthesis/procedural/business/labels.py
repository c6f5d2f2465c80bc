"""Labels: what single things of a business are called, by number, size or name, as fits their kind."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources

from synthesis.procedural.business.vocabulary import CALLS, KINDS_HEADS, STEMS, people, titled
from synthesis.procedural.sentence.lexicon import kinds_of

_LETTERS = "ABCDEFGHJKLMNPRSTUVW"
_NUMBERS = range(11, 99)
"""Of two digits each, so that no name is the beginning of another."""
_MOST_NAMED = 20
"""Units of a kind that have names of their own; where there are more, they have numbers."""
_USUAL = {"hold": "numbered", "slot": "numbered", "seat": "sights", "lookup": "numbered", "work": "coded"}
"""By shape: how things are called of which no list says it."""
_OF_LOOKUPS = {"party": "people", "record": "grades", "thing": "models", "stock": "models"}
"""By the kind of what is only chosen from a list: how it is called."""
_RANKED = frozenset(("types", "grades", "permits", "memberships", "tickets", "faults"))
"""Manners whose words are in the order of what such things cost."""


def labels(noun: str, shape: str, count: int, rng: random.Random) -> list[str]:
    """Names of things of one kind, each once.

    Args:
        noun: What one of them is called.
        shape: That of the process that is about them; "item" of what is brought along, "lookup" of what is
            only chosen from a list.
        count: How many; where a kind has fewer names, there are fewer.
        rng: Where choices come from.
    """
    if kind := _kind_of_what(noun, shape):
        return _before(titled(kind), _words_of(_manner_of_kinds(kind)), count, rng)
    manner = _manner_of(noun, shape)
    if shape in ("hold", "slot") and count > _MOST_NAMED:
        manner = "numbered"  # of 85 plots none has a name
    return _MANNERS[manner](titled(noun), _words_of(manner), count, rng)


def _kind_of_what(noun: str, shape: str) -> str:
    """Of what something is a kind, the round of a "round type"; "" of what is none."""
    front, _, last = noun.rpartition(" ")
    return front if last in KINDS_HEADS and shape in ("work", "lookup") else ""


def _manner_of_kinds(noun: str) -> str:
    """How kinds of something are called: "Short Round" and "Full Round", but "Annual Permit"."""
    listed = _manners().get(noun.rpartition(" ")[2], "")
    return listed if listed in _RANKED else "types"


def rank_of(noun: str, shape: str, name: str) -> int | None:
    """How far up a thing is among those of its kind by its name; None where names say nothing of that."""
    kind = _kind_of_what(noun, shape)
    manner = _manner_of_kinds(kind) if kind else _manner_of(noun, shape)
    words = _words_of(manner) if manner in _RANKED else []
    return next((place for place, word in enumerate(words) if name.startswith(f"{word} ")), None)


def _manner_of(noun: str, shape: str) -> str:
    last, kinds = noun.rpartition(" ")[2], kinds_of(noun)
    listed = (
        "" if last in KINDS_HEADS else _manners().get("-".join(noun.split()[-2:])) or _manners().get(last)
    )
    if shape == "item" and listed not in ("proper", "pets"):
        return "numbered"
    if listed == "titles" and shape in ("hold", "slot"):
        return "numbered"  # copies of a book have numbers
    if listed in ("titles", "numbered") and shape == "lookup":
        listed = ""  # of what is only a kind of such things there are no single ones
    return listed or _unlisted(kinds, shape)


def _unlisted(kinds: Sequence[str], shape: str) -> str:
    """How things are called of which no list says it, by their kind."""
    if shape == "work" and "place" in kinds:
        return "addresses"
    if shape == "lookup" and kinds:
        return _OF_LOOKUPS.get(kinds[0], _USUAL[shape])
    return "models" if shape == "supply" else _USUAL[shape]


def _numbered(title: str, _: list[str], count: int, rng: random.Random) -> list[str]:
    """ "Room 12" or "Room B12"."""
    letter = rng.choice(("", rng.choice(_LETTERS)))
    return [f"{title} {letter}{number}" for number in rng.sample(_NUMBERS, count)]


def _coded(title: str, _: list[str], count: int, rng: random.Random) -> list[str]:
    """ "Boiler K42"."""
    return [f"{title} {rng.choice(_LETTERS)}{number}" for number in rng.sample(_NUMBERS, count)]


def _before(title: str, words: list[str], count: int, rng: random.Random) -> list[str]:
    """ "Family Parcel"; a thing is not called like itself."""
    fitting = [word for word in words if word.lower() not in title.lower().split()]
    return [f"{word} {title}" for word in rng.sample(fitting, min(count, len(fitting)))]


def _alone(_: str, words: list[str], count: int, rng: random.Random) -> list[str]:
    return rng.sample(words, min(count, len(words)))


def _named(title: str, _: list[str], count: int, rng: random.Random) -> list[str]:
    """ "Heron Cottage"."""
    return _before(title, rng.choice((CALLS, STEMS)), count, rng)


def _hours(title: str, words: list[str], count: int, rng: random.Random) -> list[str]:
    """ "Lunchtime Class 2": no two have the same time and number; evening classes are numbered."""
    if {word.lower() for word in words} & set(title.lower().split()):
        return _numbered(title, [], count, rng)
    places = rng.sample([(word, number) for word in words for number in range(1, 5)], count)
    return [f"{word} {title} {number}" for word, number in places]


def _addresses(_: str, words: list[str], count: int, rng: random.Random) -> list[str]:
    return [f"{number} {rng.choice(words)}" for number in rng.sample(_NUMBERS, count)]


_Manner = Callable[[str, list[str], int, random.Random], list[str]]
_MANNERS: dict[str, _Manner] = {
    **dict.fromkeys(("memberships", "grades", "flavours", "breads", "drinks", "foods", "produce"), _before),
    **dict.fromkeys(("sights", "plants", "colours", "parcels", "tickets"), _before),
    **dict.fromkeys(("faults", "registers", "matters", "blood-groups", "permits", "types"), _before),
    **dict.fromkeys(("proper", "pets", "titles", "depots", "currencies"), _alone),
    "people": lambda _title, _words, count, rng: people(count, rng, twins=False),
    "models": lambda title, _, count, rng: _before(title, CALLS, count, rng),
    "numbered": _numbered,
    "coded": _coded,
    "named": _named,
    "hours": _hours,
    "addresses": _addresses,
}


def _words_of(manner: str) -> list[str]:
    if manner == "proper":
        return CALLS
    text = _listed().get(manner, {}).get("words", "")
    joined = manner in ("titles", "addresses", "sights", "depots", "currencies")
    words = [word.replace("-", " ") if joined else word for word in text.split()]
    return [*words, *(call for call in CALLS if call not in words)] if manner == "pets" else words


@cache
def _manners() -> dict[str, str]:
    """By the last word of a noun, or its last two: how such things are called."""
    return {noun: manner for manner, listed in _listed().items() for noun in listed["nouns"].split()}


@cache
def _listed() -> dict[str, dict[str, str]]:
    text = (resources.files(__package__) / "labels.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
