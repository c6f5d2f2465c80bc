"""Lexicon: which process pattern a verb calls for, and what kind of thing a noun is."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

from synthesis.procedural.sentence.inflection import lemmas, singular
from synthesis.procedural.sentence.word_lists import word_list

NEUTRAL = "handling"
"""The pattern of verbs that are not in the lexicon, kept under their own word."""

PARTY = "party"
_AGENT = ("or", "er")
"""Endings that only make a person of a verb: of "interpret", not of the first half of "chapter"."""
_SUFFIXES = (
    (("ee", "ist", "ian", "or", "er", "ant", "man", "woman"), PARTY),
    (("tion", "sion", "ment", "ing", "ance", "ence", "al", "age"), "record"),
    (("ness", "ity", "ism", "hood"), "abstract"),
)
_COMPOUND = (
    "owner",
    "holder",
    "grower",
    "keeper",
    "goer",
    "buyer",
    "seller",
    "farmer",
    "player",
    "dweller",
    "group",
)
"""Endings of people: "landowner", "festivalgoer", "playgroup"."""
_ROOMS = ("room", "yard", "ground", "shed")
"""Endings of places: "courtroom", "stockyard"."""
_ENDURING = frozenset(word_list("enduring"))


@cache
def verbs() -> dict[str, str]:
    """Verb, with its particle if it has one, to the name of its pattern."""
    known: dict[str, str] = {}
    for pattern, listed in _lists("verbs.toml").items():
        for verb in listed:
            known.setdefault(verb, pattern)
    return known


@cache
def particles() -> dict[str, frozenset[str]]:
    """Verb to the particles that make another verb of it."""
    continuations: dict[str, set[str]] = {}
    for verb in verbs():
        first, _, rest = verb.partition(" ")
        if rest:
            continuations.setdefault(first, set()).add(rest)
    return {first: frozenset(rests) for first, rests in continuations.items()}


_SHOP = "shop"


@cache
def nouns() -> dict[str, tuple[str, ...]]:
    """Noun, in the singular, to its kinds, the commonest first."""
    order = (
        "record",
        "event",
        "party",
        "staff",
        "thing",
        "stock",
        "place",
        "money",
        "time",
        "abstract",
        "business",
    )
    known: dict[str, tuple[str, ...]] = {}
    lists = _lists("nouns.toml")
    for kind in order:
        for noun in lists[kind]:
            known[noun] = (*known.get(noun, ()), kind)
    return known


def kinds_of(phrase: str) -> tuple[str, ...]:
    """Kinds of a noun phrase by itself, its longest known ending first; by suffix where nothing is known."""
    words = singular(phrase).split()
    for start in range(len(words)):
        known = nouns().get(" ".join(words[start:]))
        if known:
            return known
    last = words[-1] if words else ""
    if last not in _ENDURING and last.endswith(_ROOMS) and len(last) > len("room") + 2:
        return ("place",)
    if any(last.endswith(ending) and len(last) > len(ending) + 2 for ending in _COMPOUND):
        return (PARTY,)
    if last in _ENDURING or len(last) < 5:
        return ()
    return tuple(kind for endings, kind in _SUFFIXES if last.endswith(endings) and _is_made(last, kind))


def is_listed(phrase: str) -> bool:
    """Whether the last word of a noun phrase has a kind of its own, not one guessed from its suffix."""
    return singular(phrase).rpartition(" ")[2] in nouns()


def _is_made(word: str, kind: str) -> bool:
    if kind == PARTY and word.endswith("ist") and len(word) < len("ist") + 3:
        return False  # "waist"
    if kind != PARTY or not word.endswith(_AGENT):
        return True
    stem = word[:-2]
    return any("VERB" in lemmas(base) for base in (stem, f"{stem}e", stem[:-1]) if len(base) > 2)


def is_business(word: str) -> bool:
    """Whether a noun is what businesses call themselves: one that is listed, or a shop, "barbershop"."""
    one = singular(word)
    shop = one.endswith(_SHOP) and one not in nouns() and "NOUN" in lemmas(one.removesuffix(_SHOP))
    return shop or "business" in nouns().get(one, ())


def _lists(name: str) -> dict[str, list[str]]:
    text = (resources.files(__package__) / name).read_text(encoding="utf-8")
    return {
        key: [entry for entry in (" ".join(part.split()) for part in value.split(",")) if entry]
        for key, value in tomllib.loads(text).items()
    }


def is_dealing(verb: str) -> bool:
    """Whether a verb is what one business does for another: it buys, sells, supplies or delivers."""
    return verbs().get(verb) in ("purchase", "sale", "supply", "dispatch", "collection")


def is_writing(verb: str) -> bool:
    """Whether a verb says that something is written down or checked, as in "records who bought them"."""
    return verbs().get(verb) in ("measurement", "registration", "inspection", "telling")
