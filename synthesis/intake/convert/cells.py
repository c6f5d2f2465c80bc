"""Cells: a value of another system in the form its column's kind has here."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from synthesis.documents.seed_data import Scalar
from synthesis.intake.convert.decimals import cents, decimal, integer, real
from synthesis.intake.convert.kinds import KindName

LONGEST_TEXT = 2_000
_TRUE = frozenset({"t", "true", "1", "y", "yes", "\x01"})
_FALSE = frozenset({"f", "false", "0", "n", "no", "\x00"})
_MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2})?)")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")
_ARRAY = re.compile(r'"((?:[^"\\]|\\.)*)"|([^,{}]+)')


class NotAValue(Exception):
    """A value does not have the form of its kind."""


def converted_value(value: Any, kind: KindName) -> Scalar:
    """The value here; NULL stays NULL.

    Raises:
        NotAValue: It cannot be said in the kind's form.
    """
    if value is None:
        return None
    try:
        return _CARRIERS[kind](value)
    except (ValueError, TypeError, OverflowError, KeyError) as error:
        raise NotAValue(str(error)) from error


def _integer(value: Any) -> Scalar:
    return integer(decimal(str(value)))


def _flag(value: Any) -> Scalar:
    text = str(value).lower() if not isinstance(value, bytes) else str(int.from_bytes(value, "big"))
    if text in _TRUE:
        return 1
    if text in _FALSE:
        return 0
    raise ValueError("neither true nor false")


def _text(value: Any) -> Scalar:
    if isinstance(value, bytes):
        raise ValueError("binary")
    return str(value).replace("\x00", "")[:LONGEST_TEXT]


def _moment(value: Any) -> Scalar:
    text = value.isoformat(sep=" ") if isinstance(value, datetime) else str(value)
    match = _MOMENT.match(text)
    if match is None and _DAY.fullmatch(text) is None:
        raise ValueError("not a timestamp")
    day, time = (match[1], match[2]) if match is not None else (text, "00:00:00")
    message = f"{day}T{time if len(time) == 8 else time + ':00'}"
    datetime.fromisoformat(message)
    return message


def _day(value: Any) -> Scalar:
    match = _DAY.match(str(value))
    if match is None:
        raise ValueError("not a date")
    datetime.fromisoformat(match[0])
    return match[0]


def _time(value: Any) -> Scalar:
    match = _TIME.match(str(value))
    if match is None or int(match[1]) > 23:
        raise ValueError("not a time of day")
    return f"{int(match[1]):02d}:{match[2]}:{match[3] or '00'}"


def _json(value: Any) -> Scalar:
    if not isinstance(value, str):
        return json.dumps(value, default=str)[:LONGEST_TEXT]
    try:
        json.loads(value)
    except ValueError:
        if not (value.startswith("{") and value.endswith("}")):
            raise
        members = [match[1] or match[2] for match in _ARRAY.finditer(value[1:-1])]
        return json.dumps(members)
    return value


_CARRIERS: dict[KindName, Callable[[Any], Scalar]] = {
    "integer": _integer,
    "year": _integer,
    "real": real,
    "money": lambda value: cents(decimal(re.sub(r"[^\d.-]", "", str(value)))),
    "flag": _flag,
    "text": _text,
    "choice": _text,
    "uuid": _text,
    "day": _day,
    "moment": _moment,
    "time": _time,
    "json": _json,
}
