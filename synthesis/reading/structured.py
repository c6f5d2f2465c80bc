"""Structured values: what an answer gives by name, compared with the facts it must state."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from synthesis.reading.document import ParsedText
from synthesis.reading.mentions import Fact, mentions_of
from synthesis.reading.words import atoms, plain

_LONGEST = 400
_GROUPED = re.compile(r"[+-]?(\d{1,3}(,\d{3}){1,9}|\d{1,2}(,\d\d){1,9},\d{3})(\.\d{0,30})?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?(\d{1,30}|\d{1,3}(\.\d{3}){1,9}),\d\d", re.ASCII)
_YES = frozenset(("yes", "true"))
_NO = frozenset(("no", "false"))


def given_value(fact: Fact, values: Mapping[str, Any]) -> tuple[bool, Any]:
    """Whether an answer gives a value for a fact, and which; names are compared as words."""
    if fact.name in values:
        return True, values[fact.name]
    wanted = atoms(fact.name)
    for name, value in list(values.items())[:200]:
        if len(name) <= _LONGEST and atoms(name) == wanted:
            return True, value
    return False, None


def fits(fact: Fact, value: Any) -> bool:
    """Whether a given value is the fact's, in any usual form; other types of JSON never are."""
    if isinstance(value, bool) or fact.type == "boolean":
        return fact.type == "boolean" and _truth(value) is fact.value
    if isinstance(value, int | float):
        return _number_fits(fact, value)
    if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST:
        return False
    if fact.type in ("number", "money_cents"):
        try:
            return _number_fits(fact, _decimal(plain(value).strip()[:40]))
        except InvalidOperation:
            if not value.strip("+-0123456789., \t\r\n"):
                return False
    return _text_fits(fact, value)


def _decimal(text: str) -> Decimal:
    """A number whose commas are between thousands, or lakhs, or whose one comma sets two decimals apart.

    Raises:
        InvalidOperation: It is no number, or its commas mean neither: "60,00" is sixty, never six thousand.
    """
    if _GROUPED.fullmatch(text):
        return Decimal(text.replace(",", ""))
    if _DECIMAL_COMMA.fullmatch(text):
        return Decimal(text.replace(".", "").replace(",", "."))
    return Decimal(text)


def _text_fits(fact: Fact, value: str) -> bool:
    """Whether a text is the value and nothing else of its type."""
    document = ParsedText(value)
    mentions = mentions_of(fact, document)
    if fact.type in ("name", "text"):
        return bool(mentions) and len(atoms(value)) <= len(atoms(str(fact.value))) + 1
    return len(mentions) == 1 and mentions[0].right


def _number_fits(fact: Fact, value: float | Decimal) -> bool:
    if fact.type == "number":
        return float(value) == fact.value
    if fact.type == "money_cents":
        try:
            exact = Decimal(str(value))
            return exact == fact.value or exact * 100 == fact.value
        except InvalidOperation:
            return False
    return fact.type in ("name", "text") and str(value) == fact.value


def _truth(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else ""
    return True if word in _YES else False if word in _NO else None
