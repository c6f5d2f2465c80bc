"""Fact values: what a fact, a text and its mentions have as values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from synthesis.reading.document import ParsedText, PhraseIndex, phrase_index
from synthesis.reading.mentions import Fact, Mention, Value
from synthesis.reading.text_token import TextToken
from synthesis.reading.words import atoms, word_set

_OWNERS = word_set("'s the her his their its your our those these all")
_WHOLE_WITHIN = 8
"""Words between the part and the whole."""


def value_of(fact: Fact) -> Value:
    """The value of a fact as mentions have it."""
    if fact.type == "time":
        return str(fact.value)[:5]
    return " ".join(atoms(str(fact.value))) if fact.type in ("name", "text") else fact.value


@lru_cache(maxsize=1_024)
def phrase_of(phrase: str) -> PhraseIndex:
    """The index by which one phrase is searched."""
    return phrase_index((phrase,))


def values_of(document: ParsedText, type: str) -> frozenset[Value]:
    """All values of a type that a text has."""
    return document.values(type)


def shown(mentions: Sequence[Mention]) -> str:
    """Some of the values that are mentioned, for people."""
    return ", ".join(sorted({str(value) for mention in mentions[:5] for value in mention.values})[:5])


def is_whole(tokens: Sequence[TextToken], at: int) -> bool:
    """Whether a number is what another is a part of: "2 of 6 visits", "1 of Flora Longacre's 2 loans"."""
    if at >= 2 and tokens[at - 1].text == "/":
        return "number" in tokens[at - 2].values
    places = range(at - 1, max(-1, at - _WHOLE_WITHIN), -1)
    of = next((place for place in places if tokens[place].text == "of"), -1)
    is_owned = of == at - 1 or tokens[at - 1].text in _OWNERS
    if of < 0 or not is_owned:
        return False
    if of > 0 and "number" in tokens[of - 1].values:
        return True
    ends = of == 0 or tokens[of - 1].kind in ("sign", "line")  # "Of the two loans, just one qualified."
    begins = tokens[of].capital or ends
    return begins and any(token.text == "," for token in tokens[at + 1 : at + 1 + _WHOLE_WITHIN])
