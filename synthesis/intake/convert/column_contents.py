"""Looks: what a column holds by its values, where its name does not say: addresses, numbers, names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Final, Literal

from synthesis.intake.foreign import Cell

Look = Literal["email", "phone", "number", "network", "name"]

_LOCALES: Final = ("en_GB", "en_US", "de_DE", "fr_FR", "es_ES", "it_IT", "nl_NL", "pl_PL", "sv_SE")
_EMAIL = re.compile(r"[\w.+'-]+@[\w-]+(?:\.[\w-]+)+\Z")
_PHONE = re.compile(r"(?=[+0(])\+?[\d ()/.-]{7,22}\Z")
_CARD = re.compile(r"\d(?:[ -]?\d){12,18}\Z")
_IBAN = re.compile(r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\Z")
_SOCIAL = re.compile(r"\d{3}-\d{2}-\d{4}\Z")
_NETWORK = re.compile(
    r"\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?\Z|(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}\Z", re.IGNORECASE
)
_NAME = re.compile(r"(?:[^\W\d_][\w'.-]*,? ){1,3}[^\W\d_][\w'.-]*\Z")
_LEAST_NAMES = 0.3
"""Share of a column's values that begin or end with a first name; surnames and companies seldom do."""
_LEAST_SHARED = 0.5
"""Share of rows whose value is part of the row's e-mail address as well."""


def look_of(values: Iterable[Cell]) -> Look | None:
    """What the values of one column look like; one personal value is enough, names need many.

    Args:
        values: The sampled values; NULL and empty ones do not count.
    """
    texts = [str(value).strip() for value in values if value not in (None, "")]
    for look, is_one in _LOOKS:
        if any(is_one(text) for text in texts):
            return look
    if texts and sum(map(_is_name, texts)) / len(texts) >= _LEAST_NAMES:
        return "name"
    return None


def names_emails(values: Sequence[Cell], emails: Sequence[Cell]) -> bool:
    """Whether a column's values are the names behind the e-mail addresses beside them.

    Args:
        values: The column's values, row by row.
        emails: The addresses of the same rows.
    """
    pairs = [(str(value), str(email)) for value, email in zip(values, emails, strict=True) if value and email]
    shared = sum(_shares(value, email) for value, email in pairs)
    return bool(pairs) and shared / len(pairs) >= _LEAST_SHARED


def _shares(value: str, email: str) -> bool:
    local = email.partition("@")[0].lower()
    words = [word for word in re.split(r"[^\w]+", value.lower()) if len(word) > 2]
    return "@" in email and any(word in local for word in words)


def _is_phone(text: str) -> bool:
    return _PHONE.match(text) is not None and 7 <= sum(sign.isdigit() for sign in text) <= 15


def _is_number(text: str) -> bool:
    return bool(_IBAN.match(text) or _SOCIAL.match(text) or (_CARD.match(text) and _sums_up(text)))


def _sums_up(text: str) -> bool:
    """Whether the digits of a card's number fit its last one (ISO/IEC 7812)."""
    digits = [int(sign) for sign in reversed(text) if sign.isdigit()]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[1::2]]
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0


def _is_name(text: str) -> bool:
    if not _NAME.match(text) or len(text) > 60:
        return False
    words = re.split(r"[ ,.]+", text)
    return any(word in _first_names() for word in (words[0], words[-1])) and words[-1][:1].isupper()


@cache
def _first_names() -> frozenset[str]:
    from importlib import import_module

    texts: set[str] = set()
    for locale in _LOCALES:
        provider = import_module(f"faker.providers.person.{locale}").Provider
        texts.update(provider.first_names)
    return frozenset(texts)


_LOOKS: Final[tuple[tuple[Look, Callable[[str], bool]], ...]] = (
    ("email", lambda text: _EMAIL.match(text) is not None),
    ("number", _is_number),
    ("network", lambda text: _NETWORK.match(text) is not None),
    ("phone", _is_phone),
)
