"""Revealed: what an agent has been told so far, and whether a value follows from it."""

from __future__ import annotations

import copy
import itertools
import re
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

from pydantic import JsonValue

from synthesis.documents.tools import Tool
from synthesis.verification.answer_facts import normalised
from synthesis.worlds import comparison

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_COUNT = r"(\d+|" + "|".join(comparison.NUMBER_WORDS) + r"|an?)"
_RELATIVE = re.compile(rf"\b(?:in )?{_COUNT} (day|week|month|year)s?\b")
_ID = re.compile(r"(?:^|_)ids?$")
_CODE = re.compile(r"(?=\S*\d)(?=\S*[^\W\d_])\S+")
"""A word of letters and digits: a reference, a serial number, a licence plate."""
_MOST_NUMBERS = 60
_MOST_OF_A_CHAIN = 40
_MOST_DAYS = 24
_WORDS_KNOWN = 0.6
_COMPOSED = 25
"""Characters from which a text is taken as composed by the agent from what it knows."""
_ROUNDING = 0.51
_LONGEST_KNOWN = 8_000
"""Characters of a text of which it is remembered what is in it."""
_FARTHEST = 300_000
"""Days that a text may count from a day it names."""
_YEARS = range(1_001, 9_000)
"""Years from which so many days lead to no year that a calendar lacks."""


class Revealed:
    """Grows with each observation; starts from what the agent is told before its first call.

    Args:
        instruction: What is asked.
        policy: The written rules, "" where there are none.
        clock: The world's time, against which "tomorrow" and "this Friday" are read.
    """

    def __init__(self, instruction: str, policy: str, clock: datetime) -> None:
        self._clock = clock
        self._texts: list[str] = []
        self._plain: list[str] = []
        self._values: set[JsonValue] = set()
        self._numbers: dict[int | float, None] = {}
        self._ids: dict[str, set[JsonValue]] = {}
        self._asked = set(comparison.numbers(instruction))
        for text in (instruction, policy):
            self._add_text(text)
        message = normalised(instruction)
        self._days = self._dates_in(f"{instruction} {policy}", message)
        self._all = " ".join(self._plain)

    def copy(self) -> Revealed:
        """Another one that knows the same and may go another way."""
        return copy.deepcopy(self)

    def observe(self, observation: JsonValue) -> None:
        """Take in what a call returned: every value, and the numbers and days inside its texts."""
        for key, value in _scalars(observation):
            self._ids.setdefault(key, set()).add(value)
            if isinstance(value, bool) or value is None:
                continue
            if isinstance(value, str):
                self._add_text(value)
                self._days |= _values_of(value, self._clock.year).days
            else:
                self._values.add(value)
                self._numbers[value] = None
        self._all = " ".join(self._plain)

    def names_row(self, name: str, value: JsonValue) -> bool:
        """Whether an id was seen as such: under the argument's own name or one that ends it, or in the
        instruction.

        Stricter than `source_of`, which takes any number that was seen: here 5 as a slot is no 5 as a
        patient.
        """
        if not _ID.search(name):
            return True
        if isinstance(value, list):
            return all(self.names_row(name.removesuffix("s"), item) for item in value)
        keys = [
            key
            for key in self._ids
            if key in (name, "id") or name.endswith(f"_{key}") or key.endswith(f"_{name}")
        ]
        return value in self._asked or any(value in self._ids[key] for key in keys)

    def source_of(self, name: str, value: JsonValue, tool: Tool) -> bool:
        """Whether the value of one argument follows from what was revealed.

        Booleans, null, enumerated values and defaults come from the tool's own description. A number may be
        money said in whole units, a sum, difference or product of numbers that are known; never for an id,
        which
        must have been seen. A longer text may be the agent's own words about what it knows.
        """
        if value is None or isinstance(value, bool) or _in_schema(tool, name, value):
            return True
        if isinstance(value, list):
            return all(self.source_of(name, item, tool) for item in value)
        if isinstance(value, dict):
            return all(self.source_of(str(key), item, tool) for key, item in value.items())
        if isinstance(value, str):
            return self._knows_text(value)
        return self._knows_number(name, value)

    def derives(self, value: JsonValue) -> bool:
        """Whether a number, or the number in a text, follows from known ones in a short chain.

        Chains are sums, differences and products of three, rates times days, percentages and halves of those,
        and the days between two known days: what a policy asks an agent to compute.
        """
        if isinstance(value, str) and re.fullmatch(r"-?\d{1,15}(?:\.\d{1,6})?", value.strip()):
            value = float(value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        known = list(dict.fromkeys((*self._spans(), *list(self._numbers)[-_MOST_OF_A_CHAIN:])))
        pairs = {one * other for one, other in itertools.combinations_with_replacement(known, 2)}
        pairs |= {one + other for one, other in itertools.combinations_with_replacement(known, 2)}
        pairs |= {one - other for one, other in itertools.permutations(known, 2)}
        pairs |= {share for pair in pairs if (share := pair / 100) == int(share)}
        wanted = {value, value * 2, value * 4, value * 100, value / 100}
        if any(_near(pair, one) for one in wanted for pair in (*pairs, *known)):
            return True
        return any(
            pair * one == value or _near(pair * one / 100, value) or value in (pair + one, pair - one)
            for pair in pairs
            for one in known
        )

    def _spans(self) -> set[int]:
        """Days between any two known days, also with both ends counted."""
        days = sorted(self._days)[:_MOST_DAYS]
        spans = {
            (date.fromisoformat(later) - date.fromisoformat(sooner)).days
            for sooner, later in itertools.combinations(days, 2)
        }
        return spans | {span + 1 for span in spans}

    def _knows_text(self, value: str) -> bool:
        plain = normalised(value)
        if not plain or plain in self._all:
            return True
        if re.fullmatch(r"\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d)?)?", plain):
            day, clock = plain[:10], plain[11:16]
            return day in self._days and (not clock or clock in ("00:00", "23:59") or self._knows_time(clock))
        if re.fullmatch(r"\d\d:\d\d(?::\d\d)?", plain):
            return self._knows_time(plain[:5])
        if re.fullmatch(r"-?\d+(?:\.\d+)?", plain):
            return self._knows_number("", float(plain))
        words = re.findall(r"\w+", plain)
        known = sum(word in self._all for word in words)
        needed = _WORDS_KNOWN if len(plain) >= _COMPOSED else 1.0
        return bool(words) and known >= needed * len(words)

    def _knows_time(self, clock: str) -> bool:
        return any(clock in comparison.times(text) for text in self._texts)

    def _knows_number(self, name: str, value: float) -> bool:
        if value in self._values:
            return True
        if _ID.search(name):
            return value in self._asked
        if value in self._numbers:
            return True
        if value in (0, 1) or any(value == known * 100 for known in self._numbers):
            return True
        known = list(self._numbers)[-_MOST_NUMBERS:]
        return any(
            value in (one + other, one - other, other - one, one * other)
            for one, other in itertools.combinations_with_replacement(known, 2)
        )

    def _add_text(self, text: str) -> None:
        self._texts.append(text)
        self._plain.append(normalised(text))
        self._numbers.update(dict.fromkeys(_values_of(text, self._clock.year).numbers))

    def _dates_in(self, text: str, message: str) -> set[str]:
        """Days that are said, also as "today", "this Friday", "in two weeks", "end of March"."""
        today = self._clock.date()
        texts = comparison.dates(text, today.year) | comparison.dates(text, today.year + 1)
        texts |= {today.isoformat(), (today + timedelta(days=1)).isoformat()}
        texts.add((today - timedelta(days=1)).isoformat())
        for number, name in enumerate(_WEEKDAYS):
            if name in message:
                ahead = (number - today.weekday()) % 7
                texts |= {(today + timedelta(days=ahead + 7 * week)).isoformat() for week in (-1, 0, 1, 2)}
        if "week" in message:
            monday = today - timedelta(days=today.weekday())
            texts |= {(monday + timedelta(days=day)).isoformat() for day in range(21)}
        for count, unit in _RELATIVE.findall(message):
            texts |= self._shifted(texts, count, unit)
        return texts | _month_ends(message, today)

    def _shifted(self, days: set[str], count: str, unit: str) -> set[str]:
        number = int(count) if count.isdecimal() else comparison.NUMBER_WORDS.get(count, 1)
        length = min({"day": 1, "week": 7, "month": 30, "year": 365}[unit] * number, _FARTHEST)
        near = range(-2, 3) if unit in ("month", "year") else range(1)
        return {
            (date.fromisoformat(day) + timedelta(days=sign * length + more)).isoformat()
            for day in days
            for sign in (1, -1)
            for more in near
            if date.fromisoformat(day).year in _YEARS
        }


class _TextValues(NamedTuple):
    """What is in a text."""

    numbers: tuple[int | float, ...]
    """Amounts too."""
    days: frozenset[str]


def _values_in(text: str, year: int) -> _TextValues:
    numbers = (*comparison.numbers(text), *comparison.amounts(text))
    return _TextValues(numbers, frozenset(comparison.dates(text, year)))


_cached_values = lru_cache(maxsize=2_048)(_values_in)


def _values_of(text: str, year: int) -> _TextValues:
    """What is in a text; the results of task after task show the same ones."""
    return _cached_values(text, year) if len(text) <= _LONGEST_KNOWN else _values_in(text, year)


def names_an_entity(name: str, value: JsonValue) -> bool:
    """Whether an argument is an id or a code, which nobody can derive: it must have been seen."""
    if isinstance(value, list):
        return any(names_an_entity(name, item) for item in value)
    return bool(_ID.search(name)) or (
        isinstance(value, str)
        and bool(_CODE.fullmatch(value.strip()))
        and not re.match(r"\d{4}-\d\d-\d\d", value.strip())
    )


def _near(one: float, other: float) -> bool:
    """Equal but for rounding the first to the second, which is whole."""
    return one == other or (other == int(other) and abs(one - other) < _ROUNDING)


def _scalars(value: JsonValue, key: str = "") -> list[tuple[str, Any]]:
    """Every scalar of a value with the key it stands under."""
    if isinstance(value, dict):
        return [scalar for name, inner in value.items() for scalar in _scalars(inner, name)]
    if isinstance(value, list):
        return [scalar for inner in value for scalar in _scalars(inner, key)]
    return [(key, value)]


def _in_schema(tool: Tool, name: str, value: JsonValue) -> bool:
    """Whether a tool's own description names the value: an enumeration, a default, a bound."""
    schema: dict[str, Any] = tool.input_schema
    rule: dict[str, Any] = schema.get("properties", {}).get(name, {})
    for option in (
        rule,
        *rule.get("anyOf", ()),
        *([rule["items"]] if isinstance(rule.get("items"), dict) else ()),
    ):
        if value in option.get("enum", ()) or ("const" in option and option["const"] == value):
            return True
        if value in (option.get("default"), option.get("minimum"), option.get("maximum")):
            return True
    return name in ("limit", "offset")


def _month_ends(text: str, today: date) -> set[str]:
    texts = set()
    for number, month in enumerate(comparison.MONTHS, start=1):
        if month in text or month[:3] in text.split() or "month" in text:
            for year in (today.year, today.year + 1):
                first = date(year, number, 1)
                after = date(year + number // 12, number % 12 + 1, 1)
                texts |= {first.isoformat(), (after - timedelta(days=1)).isoformat()}
    return texts
