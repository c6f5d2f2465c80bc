"""Values found in a text, and rows compared by value: how it is read what an agent said and did.

Pure functions over text and plain rows; verifiers have them by name (see `given.pyi`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any, Protocol

MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
NUMBER_WORDS = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
}

_MONTH = "|".join(f"{month}|{month[:3]}" for month in MONTHS) + "|sept"
_ISO_DAY = r"\b(\d{4})-(\d\d)-(\d\d)"
_DOTTED_DAY = r"\b(\d\d?)\.(\d\d?)\.(\d{4})\b"
_DAY_MONTH = rf"\b(\d\d?)(?:st|nd|rd|th)?(?:\s+of)?\s+({_MONTH})\b\.?,?(?:\s+(\d{{4}})\b)?"
_MONTH_DAY = rf"\b({_MONTH})\b\.?\s+(\d\d?)(?:st|nd|rd|th)?\b(?!:)(?:,?\s+(\d{{4}})\b)?"

_TIME = r"(?<![\d.,:-])(\d\d?)[:.](\d\d)(?::\d\d)?(?:\s*([ap])\.?\s?m\b\.?)?(?![\d.,]{0,20}\d)"
_HOUR = r"(?<![\d.,:])\b(\d\d?)\s*([ap])\.?\s?m\b\.?"

_WHOLE = r"\d{1,3}(?:[,' ]\d{3}){1,6}|\d{1,40}"
_CURRENCY = r"(?:€|\$|£|\b(?:eur(?:os?)?|usd|gbp|chf|dollars?|pounds?)\b)"
_MONEY = re.compile(
    rf"{_CURRENCY}\s*(?P<a>{_WHOLE})(?:[.,](?P<ac>\d\d))?(?![.,]?\d)"
    rf"|(?<![\d.,:])(?P<b>{_WHOLE})(?:[.,](?P<bc>\d\d))?(?![.,:]?\d)\s*{_CURRENCY}"
    rf"|(?<![\d.,:])(?P<c>{_WHOLE})[.,](?P<cc>\d\d)(?![.,:]?\d)(?!\s*[ap]\.?m\b)"
    rf"|(?<![\d.,])(?P<d>\d{{1,40}})\s?cents?\b",
)
_MOST_DIGITS = 18
LONGEST_TEXT = 20_000
"""Characters of a text that are read: what an agent says may be any length, and reading is not free."""
_MOST_PLACES = 400
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(
    rf"(?<![\w.,])-?(?:{_WHOLE})(?:\.\d{{1,40}})?(?![\w]|[.,]\d)|\b(?:{'|'.join(NUMBER_WORDS)})\b"
)


_STRAIGHT = str.maketrans({"\u2019": "'", "\u2018": "'", "\u2212": "-", "\u2011": "-", "\u202f": " "})


class Database(Protocol):
    """What the row comparisons need of `before` and `after`."""

    def query(self, sql: str, *params: Any) -> list[dict[str, Any]]:
        """All rows of a SELECT."""
        ...

    def one(self, sql: str, *params: Any) -> dict[str, Any] | None:
        """The first row of a SELECT, or None."""
        ...


def amounts(text: str) -> set[int]:
    """Amounts of money in a text, in cents: 30.00, EUR 30, 1,250.50, 30 euro, $4, 50 cents."""
    results = set()
    for match in _MONEY.finditer(_plain(text)):
        whole = match["a"] or match["b"] or match["c"] or "0"
        cents = match["ac"] or match["bc"] or match["cc"] or match["d"] or "0"
        digits = re.sub(r"[,' ]", "", whole)
        if max(len(digits), len(cents)) <= _MOST_DIGITS:  # more is no amount, and int() refuses thousands
            results.add(int(digits) * 100 + int(cents))
    return results


def dates(text: str, year: int | None = None) -> set[str]:
    """Days in a text as YYYY-MM-DD: 2026-01-12, 12.01.2026, 12 January 2026, January 12th, 2026.

    Args:
        text: Where to look.
        year: What a day without a year means; such a day is left out when this is None.
    """
    message, texts = _plain(text), set[str]()
    for y, m, d in re.findall(_ISO_DAY, message):
        _add_day(texts, y, m, d)
    for d, m, y in re.findall(_DOTTED_DAY, message):
        _add_day(texts, y, m, d)
    for d, name, y in re.findall(_DAY_MONTH, message):
        _add_day(texts, y or year, _month(name), d)
    for name, d, y in re.findall(_MONTH_DAY, message):
        _add_day(texts, y or year, _month(name), d)
    return texts


def times(text: str) -> set[str]:
    """Times of day in a text as HH:MM: 09:40, 9.40, 9:40 am, 3 pm."""
    message = re.sub(rf"{_ISO_DAY}t?|{_DOTTED_DAY}", " ", _plain(text))
    texts = {_time(hour, minute, half) for hour, minute, half in re.findall(_TIME, message)}
    texts |= {_time(hour, "00", half) for hour, half in re.findall(_HOUR, message)}
    return {time for time in texts if time}


def numbers(text: str) -> set[int | float]:
    """Numbers in a text, in digits or in words up to twenty, that are no part of a day or a time of day."""
    message = _plain(text)
    for pattern in (
        rf"{_ISO_DAY}(?:t\d\d:\d\d(?::\d\d)?)?",
        _DOTTED_DAY,
        _DAY_MONTH,
        _MONTH_DAY,
        _CLOCK_TIME,
        _HOUR,
    ):
        message = re.sub(pattern, " ", message)
    return {_number(word) for word in _NUMBER.findall(message)}


_CLOCK_TIME = (
    r"(?<![\d.,:])\d\d?:\d\d(?::\d\d)?(?:\s*[ap]\.?\s?m\b\.?)?|(?<![\d.,:])\d\d?\.\d\d\s*[ap]\.?\s?m\b\.?"
)


def names(text: str, candidates: Iterable[str]) -> set[str]:
    """Those candidates that a text names as whole words, whatever the case and the white space."""
    message = _plain(text)
    begins: dict[str, list[int]] = {}
    for match in _WORD.finditer(message):
        begins.setdefault(match[0], []).append(match.start())
    return {name for name in candidates if _is_named(_plain(name), message, begins)}


def _is_named(name: str, message: str, begins: Mapping[str, list[int]]) -> bool:
    """Whether a message has a name as whole words, given where each of its words begins."""
    first = _WORD.search(name)
    if first is None:
        return bool(name) and name in message
    for begin in begins.get(first[0], ())[:_MOST_PLACES]:
        start = begin - first.start()
        end = start + len(name)
        if start >= 0 and message.startswith(name, start) and _ends_a_word(message, start, end):
            return True
    return False


def _ends_a_word(message: str, start: int, end: int) -> bool:
    return not (_WORD.match(message, end) or (start and _WORD.match(message, start - 1)))


def matches(row: Mapping[str, Any] | None, **expected: Any) -> bool:
    """Whether a row is there and has every one of these values; 1 and 1.0 are equal, 1 and True are not."""
    if row is None:
        return False
    return all(column in row and _equal(row[column], value) for column, value in expected.items())


def holds(rows: Iterable[Mapping[str, Any]], **expected: Any) -> bool:
    """Whether there is exactly one row and it has these values."""
    results = list(rows)
    return len(results) == 1 and matches(results[0], **expected)


def added(before: Database, after: Database, table: str, key: str | None = None) -> list[dict[str, Any]]:
    """Rows of a table whose key was not there before, in the order of the key.

    Args:
        before: The earlier state.
        after: The later state.
        table: Its name.
        key: The column that identifies a row; the primary key, of one column or of several, when None.
    """
    columns = _key(after, table, key)
    listed = ", ".join(_quoted(column) for column in columns)
    name = _quoted(table)
    known = {tuple(row.values()) for row in before.query(f"SELECT {listed} FROM {name}")}  # noqa: S608 - names are quoted
    rows = after.query(f"SELECT * FROM {name} ORDER BY {listed}")  # noqa: S608 - names are quoted
    return [row for row in rows if tuple(row[column] for column in columns) not in known]


def removed(before: Database, after: Database, table: str, key: str | None = None) -> list[dict[str, Any]]:
    """Rows of a table whose key is gone, as they were before."""
    return added(after, before, table, key)


def changed(
    before: Database, after: Database, table: str, value: Any, key: str | None = None
) -> dict[str, Any] | None:
    """New values of the columns of one row that changed; {} if none did, None if there is no such row.

    Args:
        before: The earlier state.
        after: The later state.
        table: Its name.
        value: The row's key; a tuple for a primary key of several columns.
        key: As for `added`.
    """
    columns = _key(after, table, key)
    values = tuple(value) if isinstance(value, (list, tuple)) else (value,)
    place = " AND ".join(f"{_quoted(column)} = ?" for column in columns)
    sql = f"SELECT * FROM {_quoted(table)} WHERE {place}"  # noqa: S608 - names are quoted
    old, new = before.one(sql, *values), after.one(sql, *values)
    if old is None or new is None:
        return None
    return {column: new[column] for column in old if not _equal(new[column], old[column])}


def _key(database: Database, table: str, key: str | None) -> tuple[str, ...]:
    """The columns that identify a row: the one named, or those of the primary key."""
    if key is not None:
        return (key,)
    sql = "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk"
    if columns := tuple(row["name"] for row in database.query(sql, table)):
        return columns
    raise ValueError(f"There is no table {table!r} with a primary key.")


def _plain(text: str) -> str:
    """Lower case, straight quotes and hyphens, single spaces; what is beyond `LONGEST_TEXT` is not read."""
    return " ".join(text[:LONGEST_TEXT].translate(_STRAIGHT).lower().split())


def _add_day(texts: set[str], year: str | int | None, month: str | int, day: str | int) -> None:
    if year is None or year == "":
        return
    try:
        texts.add(date(int(year), int(month), int(day)).isoformat())
    except ValueError:
        return


def _month(name: str) -> int:
    return [month[:3] for month in MONTHS].index(name[:3]) + 1


def _time(hour: str, minute: str, half: str) -> str:
    hours, minutes = int(hour), int(minute)
    if half:
        if not 1 <= hours <= 12:
            return ""
        hours = hours % 12 + (12 if half == "p" else 0)
    return f"{hours:02d}:{minutes:02d}" if hours < 24 and minutes < 60 else ""


def _number(word: str) -> int | float:
    if word in NUMBER_WORDS:
        return NUMBER_WORDS[word]
    digits = re.sub(r"[,' ]", "", word)
    try:
        value = Decimal(digits)
    except InvalidOperation:  # pragma: no cover - the pattern only lets numbers through
        return 0
    return int(value) if value == value.to_integral_value() else float(value)


def _equal(one: Any, other: Any) -> bool:
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
