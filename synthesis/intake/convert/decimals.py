"""Decimals: numbers in texts of other systems, within bounds.

`1e999999999` is a short text and, as a whole number, four hundred megabytes.
"""

from __future__ import annotations

import math
from decimal import Decimal, InvalidOperation

_LONGEST = 1_000
_MOST_EXPONENT = 400
"""Beyond every real number, so that only `real` has to tell what it cannot hold."""
_MOST_INTEGER = 2**63 - 1


def decimal(text: str) -> Decimal:
    """The number that a text writes.

    Raises:
        ValueError: It writes none, or one that no column can hold.
    """
    try:
        number = Decimal(text[: _LONGEST + 1])
    except InvalidOperation as error:
        raise ValueError("is not a number") from error
    if len(text) > _LONGEST or not number.is_finite() or abs(number.adjusted()) > _MOST_EXPONENT:
        raise ValueError("is out of range")
    return number


def integer(number: Decimal) -> int:
    """The whole part of a number.

    Raises:
        ValueError: It is beyond 64 bits.
    """
    whole = int(number)
    if not -_MOST_INTEGER - 1 <= whole <= _MOST_INTEGER:
        raise ValueError("is beyond 64 bits")
    return whole


def cents(number: Decimal) -> int:
    """An amount in whole cents, halves rounded to even.

    Raises:
        ValueError: It is beyond 64 bits.
    """
    integer(number)
    return integer((number * 100).quantize(Decimal(1)))


def real(number: Decimal | float | str) -> float:
    """A number as SQLite stores it.

    Raises:
        ValueError: It is none, or too large.
    """
    value = float(number)
    if not math.isfinite(value):
        raise ValueError("is out of range")
    return value
