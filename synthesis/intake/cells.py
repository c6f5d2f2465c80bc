"""Cells: a value of another system in the form its column's kind has here."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from synthesis.documents.seed_data import Scalar
from synthesis.intake.expressions import cents
from synthesis.intake.kinds import KindName

LONGEST_TEXT = 2_000
_TRUE = frozenset({"t", "true", "1", "y", "yes", "\x01"})
_FALSE = frozenset({"f", "false", "0", "n", "no", "\x00"})
_MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2})?)")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")
_ARRAY = re.compile(r'"((?:[^"\\]|\\.)*)"|([^,{}]+)')


class NotAValue(Exception):
    """A value does not have the form of its kind."""


def carried(value: Any, kind: KindName) -> Scalar:
    """The value here; NULL stays NULL.

    Raises:
        NotAValue: It cannot be said in the kind's form.
    """
    if value is None:
        return None
    try:
        return _CARRIERS[kind](value)
    except (ValueError, InvalidOperation, OverflowError, KeyError) as error:
        raise NotAValue(str(error)) from error


def _integer(value: Any) -> Scalar:
    number = int(Decimal(str(value)))
    if not -(2**63) <= number < 2**63:
        raise ValueError("beyond 64 bits")
    return number


def _flag(value: Any) -> Scalar:
    said = str(value).lower() if not isinstance(value, bytes) else str(int.from_bytes(value, "big"))
    if said in _TRUE:
        return 1
    if said in _FALSE:
        return 0
    raise ValueError("neither true nor false")


def _text(value: Any) -> Scalar:
    if isinstance(value, bytes):
        raise ValueError("binary")
    return str(value).replace("\x00", "")[:LONGEST_TEXT]


def _moment(value: Any) -> Scalar:
    text = value.isoformat(sep=" ") if isinstance(value, datetime) else str(value)
    found = _MOMENT.match(text)
    if found is None and _DAY.fullmatch(text) is None:
        raise ValueError("no moment")
    day, time = (found[1], found[2]) if found is not None else (text, "00:00:00")
    said = f"{day}T{time if len(time) == 8 else time + ':00'}"
    datetime.fromisoformat(said)
    return said


def _day(value: Any) -> Scalar:
    found = _DAY.match(str(value))
    if found is None:
        raise ValueError("no day")
    datetime.fromisoformat(found[0])
    return found[0]


def _time(value: Any) -> Scalar:
    found = _TIME.match(str(value))
    if found is None or int(found[1]) > 23:
        raise ValueError("no time of day")
    return f"{int(found[1]):02d}:{found[2]}:{found[3] or '00'}"


def _json(value: Any) -> Scalar:
    if not isinstance(value, str):
        return json.dumps(value, default=str)[:LONGEST_TEXT]
    try:
        json.loads(value)
    except ValueError:
        if not (value.startswith("{") and value.endswith("}")):
            raise
        members = [found[1] or found[2] for found in _ARRAY.finditer(value[1:-1])]
        return json.dumps(members)
    return value


_CARRIERS: dict[KindName, Callable[[Any], Scalar]] = {
    "integer": _integer,
    "year": _integer,
    "real": float,
    "money": lambda value: cents(Decimal(re.sub(r"[^\d.-]", "", str(value)))),
    "flag": _flag,
    "text": _text,
    "choice": _text,
    "uuid": _text,
    "day": _day,
    "moment": _moment,
    "time": _time,
    "json": _json,
}
