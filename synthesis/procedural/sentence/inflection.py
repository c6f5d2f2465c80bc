"""Inflection: lemmas, number, participles and articles, by two libraries of English."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from threading import Lock
from typing import Any

from synthesis.procedural.sentence.word_lists import word_list

_MASS = frozenset(word_list("mass"))
"""Nouns whose plural is the word itself."""

_DOUBLED = ("l",)
_PARTICIPLES = {
    "cancel": "cancelled",
    "label": "labelled",
    "enrol": "enrolled",
    "travel": "travelled",
    "model": "modelled",
    "counsel": "counselled",
    "fulfil": "fulfilled",
    "program": "programmed",
    "re-home": "re-homed",
    "rehome": "rehomed",
    "lend": "lent",
    "let": "let",
    "re-cover": "re-covered",
    "bid": "bid",
    "moor": "moored",
    "fly": "flown",
    "grit": "gritted",
    "plough": "ploughed",
    "fit": "fitted",
    "quit": "quit",
    "dry-clean": "dry-cleaned",
    "retrofit": "retrofitted",
    "feed": "fed",
}


_importing = Lock()


@cache
def _english() -> Any:
    with _importing, _unchecked():
        import inflect

    engine = inflect.engine()
    engine.classical(herd=True)
    return engine


@contextmanager
def _unchecked() -> Iterator[None]:
    """Import without checks of types at run time.

    inflect has its class rewritten when it is imported, so that each call checks its types: seconds of
    processor time in every process before the first sentence is read, and a use of `ast` that Python 3.11
    does not survive beside other threads. What is passed to it here is typed.
    """
    import typeguard

    checked = typeguard.typechecked
    typeguard.typechecked = lambda target: target  # type: ignore[assignment]
    try:
        yield
    finally:
        typeguard.typechecked = checked


@cache
def _lemminflect() -> Any:
    import lemminflect

    return lemminflect


@lru_cache(maxsize=16_384)
def lemmas(word: str) -> dict[str, tuple[str, ...]]:
    """Lemmas of a lower-case word by part of speech (NOUN, VERB, ADJ, ADV ...); empty for an unknown word."""
    plain = unicodedata.normalize("NFKD", word).encode("ascii", "ignore").decode() or word
    forms: dict[str, tuple[str, ...]] = _lemminflect().getAllLemmas(plain)
    return forms if plain == word else {part: (singular_ending(word),) for part in forms}


def singular_ending(word: str) -> str:
    """A word with an accent without the s of its plural."""
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def is_word(word: str) -> bool:
    """Whether a dictionary of English knows the word."""
    return bool(lemmas(word))


def is_mass(noun: str) -> bool:
    """Whether a noun has no plural of its own."""
    return noun in _MASS


@lru_cache(maxsize=16_384)
def singular(noun: str) -> str:
    """The singular of a noun or noun phrase."""
    front, of, rest = noun.partition(" of ")
    if of:
        return f"{singular(front)} of {rest}"
    head, _, last = noun.rpartition(" ")
    lead = f"{head} " if head else ""
    if last in _MASS:
        return noun
    if last == "people":
        return f"{lead}person"
    known = [each for each in lemmas(last).get("NOUN", ()) if each.replace("-", "") != last or each == last]
    if known == [last] and last.endswith("ings") and "VERB" in lemmas(last[:-1]):
        known = [last[:-1]]  # "moorings"
    if known:  # "mid-wife" is another spelling and no singular of "midwife"
        return lead + min(known, key=lambda lemma: (lemma == last, len(lemma)))
    if last.endswith("s") and not last.endswith("ss"):
        single = _english().singular_noun(last)
        return lead + (single or last)
    return noun


@lru_cache(maxsize=16_384)
def plural(noun: str) -> str:
    """The plural of a noun or noun phrase; of "kind of work" the kind."""
    front, of, rest = noun.partition(" of ")
    if of:
        return f"{plural(front)} of {rest}"
    head, _, last = noun.rpartition(" ")
    lead = f"{head} " if head else ""
    if last in _MASS or last == "staff":
        return noun
    if last == "person":
        return f"{lead}people"
    if last == "man" or last.endswith(("sman", "rman", "dman")):
        return f"{lead}{last[:-3]}men"
    result: str = _english().plural_noun(last) or f"{last}s"
    if result == f"{last}s" and last.endswith("s"):
        return noun  # "clothes" has no singular
    return lead + result


@lru_cache(maxsize=8_192)
def article(noun: str) -> str:
    """The noun with its indefinite article."""
    return str(_english().a(noun))


@lru_cache(maxsize=8_192)
def participle(verb: str) -> str:
    """The past participle; a particle stays behind it: "check in" becomes "checked in"."""
    first, _, rest = verb.partition(" ")
    result = _PARTICIPLES.get(first) or _inflected(first, "VBN") or f"{first}ed"
    return f"{result} {rest}".strip()


@lru_cache(maxsize=8_192)
def gerund(verb: str) -> str:
    """The -ing form; a particle stays behind it."""
    first, _, rest = verb.partition(" ")
    base = _doubled(first)
    result = f"{base}ing" if base != first else _inflected(first, "VBG") or f"{first}ing"
    return f"{result} {rest}".strip()


def _doubled(verb: str) -> str:
    """A verb that no dictionary has, its last letter doubled as in the verb it is made of: "repott"."""
    stem = next((verb.removeprefix(each) for each in ("re", "un", "pre", "de") if verb.startswith(each)), "")
    stem = stem if len(stem) > 2 and not is_word(verb) else ""
    form = _inflected(stem, "VBG") if stem else ""
    return f"{verb}{verb[-1]}" if form == f"{stem}{stem[-1:]}ing" else verb


def _inflected(verb: str, tag: str) -> str:
    forms: tuple[str, ...] = _lemminflect().getInflection(verb, tag) if verb else ()
    if not forms:
        return ""
    doubled = [form for form in forms if any(letter * 2 in form[len(verb) - 1 :] for letter in _DOUBLED)]
    return (doubled or list(forms))[0]
