"""The helpers that verifiers have by name: a fact and evidence as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from synthesis.reading.attribution import UNNAMED
from synthesis.reading.statements import declines as _declines
from synthesis.reading.statements import says as _says
from synthesis.reading.text_token import TextToken
from synthesis.reading.tokens import tokens
from synthesis.reading.words import plain

TYPES = ("number", "money_cents", "date", "time", "name", "boolean", "text")


@dataclass(frozen=True, slots=True)
class GivenFact:
    """A fact as a verifier writes it."""

    name: str
    type: str
    value: Any
    unit: str | None = None
    direction: str | None = None


@dataclass(frozen=True, slots=True)
class GivenEvidence:
    """A piece of evidence as a verifier writes it."""

    text: str
    value: Any = None
    type: str | None = None


def says(answer: str, fact: Any, *, about: str = "", type: str = "") -> bool:
    """Whether an answer states a value: asserted, not doubted, denied or one of several.

    Args:
        answer: The final text.
        fact: The value, or a dict with `name`, `type`, `value` and optionally `unit` and `direction`.
        about: What the value is of ("total to pay"), where it is no dict.
        type: The fact's type, where the value does not show it: amounts are "money_cents".

    Raises:
        TypeError: The value is none that a fact can have.
        ValueError: There is no such type.
    """
    return _says(answer, _fact(fact, about, type))


def declines(answer: str, *evidence: Any, request: str = "") -> bool:
    """Whether an answer says that it was not done, claims nothing to the contrary, and names what stands in
    the way.

    Args:
        answer: The final text.
        evidence: Reasons of which any one suffices: a text ("only pending refunds can be approved"), a
            number, or a dict with `text` and optionally `value` and `type`. Without any, the
            reason is not looked at.
        request: What was asked; its own words are no reason.

    Raises:
        TypeError: A reason is none of these.
    """
    return _declines(answer, *(_evidence(each) for each in evidence), instruction=request)


def _fact(fact: Any, about: str, type: str) -> GivenFact:
    if isinstance(fact, Mapping):
        given = GivenFact(
            str(fact.get("name") or about or UNNAMED),
            str(fact.get("type") or type or _type_of(fact.get("value"))),
            fact.get("value"),
            fact.get("unit"),
            fact.get("direction"),
        )
    else:
        given = GivenFact(about or UNNAMED, type or _type_of(fact), fact)
    if given.type not in TYPES:
        raise ValueError(f"says(): there is no type {given.type!r}; there are: {', '.join(TYPES)}")
    _type_of(given.value)
    return given


def _type_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if not isinstance(value, str) or not value.strip():
        raise TypeError(f"says(): a fact's value is a text, a number or a bool, not {value!r:.80}")
    read: list[TextToken] = tokens(plain(value[:100]))
    if len(read) == 1:
        for type in ("date", "time"):
            if value in read[0].values.get(type, ()):
                return type
    return "text"


def _evidence(each: Any) -> GivenEvidence:
    if isinstance(each, Mapping):
        return GivenEvidence(
            str(each.get("text") or each.get("value") or ""), each.get("value"), each.get("type")
        )
    if isinstance(each, str):
        return GivenEvidence(each, each if len(each.split()) <= 3 else None)
    if isinstance(each, int | float) and not isinstance(each, bool):
        return GivenEvidence(str(each), each)
    raise TypeError(f"declines(): a reason is a text, a number or a dict, not {each!r:.80}")
