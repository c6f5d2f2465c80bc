"""Mismatched forms: a weekday that its day is not, another currency, an address or a number of nobody.

Each of them is decided by the form alone: which day of the week a date is, in which currency the world's
texts are, and whether a number by which somebody is reached was shown anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import date
from functools import lru_cache

from synthesis.reading.document import ParsedText
from synthesis.reading.text_token import TextToken

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SHORT = {"tues": 1, "thur": 3, "thurs": 3}
_WEEKDAYS = {
    **{day: at for at, day in enumerate(_DAYS)},
    **{day[:3]: at for at, day in enumerate(_DAYS)},
    **_SHORT,
}
_BETWEEN = frozenset((",", "(", "the", "a"))
_CURRENCIES = {
    **dict.fromkeys(("\u20ac", "eur", "euro", "euros"), "EUR"),
    **dict.fromkeys(("$", "usd", "dollar", "dollars"), "USD"),
    **dict.fromkeys(("\u00a3", "gbp"), "GBP"),
    **dict.fromkeys(("chf", "franc", "francs"), "CHF"),
    **dict.fromkeys(("\u00a5",), "JPY"),
    **dict.fromkeys(("kr", "sek", "nok", "dkk"), "kr"),
}
"""Ways to write a currency; "pounds" may be a weight."""
_SIGNS = re.compile(r"[\u20ac$\u00a3\u00a5]|[a-z]{2,7}")
_TELEPHONE = re.compile(r"\d{3,5}(?:-\d{3,6}){1,3}")
_LEAST_DIGITS = 7
_NEAR = 2


def names_a_weekday(document: ParsedText) -> bool:
    """Whether a text has a word for a day of the week."""
    return any(token.text in _WEEKDAYS for token in document.tokens)


def mismatched_weekday(document: ParsedText, days: Collection[str], today: date | None) -> str:
    """The first weekday that stands beside a day that is none; "" without.

    Args:
        document: The answer.
        days: Days that were shown, as ISO texts: a day without its year is one of them.
        today: By the world's clock.
    """
    for at, token in enumerate(document.tokens):
        stated = token.values.get("date")
        weekday = _weekday_beside(document.tokens, at) if stated else None
        if stated and weekday is not None:
            possible = {each for day in stated for each in _possible(str(day), days, today)}
            if possible and weekday not in {each.weekday() for each in possible}:
                return _DAYS[weekday]
    return ""


def _weekday_beside(tokens: Sequence[TextToken], at: int) -> int | None:
    """The weekday right before or behind a day: "Friday, 7 August", "7 August (a Friday)"."""
    place = at - 1
    if place >= 0 and tokens[place].text == ",":
        place -= 1
    if place >= 0 and tokens[place].text in _WEEKDAYS:
        return _WEEKDAYS[tokens[place].text]
    place = at + 1
    if place >= len(tokens) or tokens[place].text not in (",", "("):
        return None
    while place < min(len(tokens), at + 2 + _NEAR) and tokens[place].text in _BETWEEN:
        place += 1
    ends = place + 1 >= len(tokens) or tokens[place + 1].text in (",", ".", ")", ";", "!")
    return _WEEKDAYS.get(tokens[place].text) if place < len(tokens) and ends else None


def _possible(day: str, days: Collection[str], today: date | None) -> Iterator[date]:
    """The days that one may be: itself, or without its year those that were shown, or this year's."""
    if not day.startswith("0000"):
        listed = [day]
    else:
        listed = [each for each in days if each[4:] == day[4:]]
        listed = listed or ([f"{today.year}{day[4:]}"] if today else [])
    for each in listed:
        try:
            yield date.fromisoformat(each[:10])
        except ValueError:
            continue


def other_currency(document: ParsedText, texts: ParsedText) -> str:
    """A currency of an answer that is not the one in which the world's texts are; "" without.

    Args:
        document: The answer.
        texts: The instruction, the policy and the like; where they have several currencies, any may be meant.
    """
    own = currency_of(texts)
    if not own:
        return ""
    return next((each for token in document.tokens if (each := _currency(token)) and each != own), "")


def currency_of(*texts: ParsedText) -> str:
    """The one currency in which texts tell their amounts, as its code; "" where there is none or several."""
    currencies = frozenset().union(*map(_currencies, texts))
    return next(iter(currencies)) if len(currencies) == 1 else ""


@lru_cache(maxsize=128)
def _currencies(texts: ParsedText) -> frozenset[str]:
    """Those of a text that is held against many answers."""
    return frozenset(currency for token in texts.tokens if (currency := _currency(token)))


def _currency(token: TextToken) -> str:
    if token.unit != "money":
        return ""
    return next((_CURRENCIES[sign] for sign in _SIGNS.findall(token.text.lower()) if sign in _CURRENCIES), "")


def unknown_contact(document: ParsedText, texts: Collection[str]) -> str:
    """An e-mail address or a telephone number of an answer that was shown nowhere; "" without."""
    contacts = [
        token.text.lower() for token in document.tokens if token.kind == "code" and _reaches(token.text)
    ]
    return next((each for each in contacts if not any(each in text.lower() for text in texts)), "")


def _reaches(text: str) -> bool:
    digits = sum(sign.isdigit() for sign in text)
    return "@" in text or (digits >= _LEAST_DIGITS and _TELEPHONE.fullmatch(text) is not None)
