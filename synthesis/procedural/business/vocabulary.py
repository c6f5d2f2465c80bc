"""Vocabulary: invented names of people, places and things, value lists and plausible amounts."""

from __future__ import annotations

import random

from synthesis.procedural.business.word_lists import word_list
from synthesis.procedural.sentence.inflection import singular
from synthesis.procedural.sentence.lexicon import nouns

FIRST = word_list("first")
LAST = word_list("last")
COMPANIES = word_list("companies")
CITIES = word_list("cities")
PLACES = [
    "Northside",
    "Harbour",
    "Old-Town",
    "Riverbank",
    "Westend",
    "Parkview",
    "Eastgate",
    "Millbank",
    "Hilltop",
    "Southquay",
    "Greenfield",
    "Castle",
]
STEMS = word_list("stems")
CALLS = word_list("calls")
_PERSONAL = frozenset(word_list("personal"))
_BOOKING = frozenset(word_list("booking_for_others"))
_PEOPLE = dict(entry.split("=") for entry in word_list("people_of_businesses"))
_TRAVELLER = "passenger"
KINDS_HEADS = frozenset(("type", "kind", "category"))
"""Words that make a noun that of its kinds: "loan type"."""
_OF_PERSONS = ("er", "or", "ist", "ian", "man", "smith", "ant", "vet", "tailor", "lord", "mason")
_SMALL = frozenset(("and", "or", "of", "for", "the", "a", "an", "in", "on", "at", "to", "with", "by"))
"""Words that a title begins with no capital, except at its start."""
_TRADESPEOPLE = frozenset(word_list("tradespeople"))


def title_of(business: str, rng: random.Random) -> str:
    """An invented name of a business."""
    return f"{rng.choice(STEMS)} {titled(business)}"


def titled(words: str) -> str:
    """Words as a title: "Sperm and Egg Bank"."""
    return " ".join(
        word if number and word in _SMALL else word.title() for number, word in enumerate(words.split())
    )


def people_of(business: str) -> str:
    """What those are called whom a business of that name serves: members of a club; "" of other names."""
    *before, last = [singular(word) for word in business.split()] or [""]
    others = (_PEOPLE[word] for word in before if _PEOPLE.get(word) == _TRAVELLER)  # "a taxi firm"
    return _PEOPLE.get(last, "") or next(others, "")


def is_company(noun: str) -> bool:
    """Whether those of a party are organisations rather than persons: a farmer is a person, a farm none."""
    last = noun.rpartition(" ")[2]
    kinds = nouns().get(last, ())
    named = bool({"party", "staff"} & set(kinds)) or last in _TRADESPEOPLE
    person = named and last.endswith(_OF_PERSONS)
    return last in _PERSONAL or ("business" in kinds and not person)


def books_for_others(noun: str) -> bool:
    """Whether those of a party take several places at once, as visitors do; a pupil has one."""
    return is_company(noun) or noun.rpartition(" ")[2] in _BOOKING


def people(count: int, rng: random.Random, *, twins: bool = True) -> list[str]:
    """Invented names of persons; two of them are the same where `twins`."""
    firsts, lasts = rng.sample(FIRST, len(FIRST)), rng.sample(LAST, len(LAST))
    names = [f"{firsts[n % len(firsts)]} {lasts[n % len(lasts)]}" for n in range(count)]
    if twins and count > 6:
        names[-1] = names[2]
    return names


def companies(count: int, rng: random.Random, noun: str, *, twins: bool = True) -> list[str]:
    """Invented names of organisations; two of them are the same where `twins`."""
    ending = noun.rpartition(" ")[2].title()
    names = [f"{stem} {ending}" for stem in rng.sample(COMPANIES, min(count, len(COMPANIES)))]
    names += (
        [f"{stem} {ending}" for stem in rng.sample(STEMS, count - len(names))] if count > len(names) else []
    )
    if twins and count > 6:
        names[-1] = names[2]
    return names
