"""Amounts of money that are stored as whole cents and written as people write them: 6000 as 60.00."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Any

from django import forms

_GROUPED = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")
MOST_DIGITS = 18
"""Of an amount: more are no money, and would take long to compute with."""


def amount(cents: int) -> str:
    """Cents as an amount."""
    return f"{Decimal(cents) / 100:.2f}"


def cents_of(text: str) -> int:
    """An amount as cents.

    Raises:
        ValueError: The text is no amount, or has more than two decimals. "60,00" is none: here a comma only
            stands between thousands, so that nobody's sixty become six thousand.
    """
    text = text.strip()
    try:
        money = Decimal(text.replace(",", "") if _GROUPED.fullmatch(text) else text)
    except InvalidOperation:
        raise ValueError(f"{text!r} is no amount: enter one like 60.00.") from None
    if not money.is_finite() or abs(money.adjusted()) > MOST_DIGITS:
        raise ValueError(f"{text!r} is no amount: enter one like 60.00.")
    cents = money * 100
    if cents != cents.to_integral_value():
        raise ValueError(f"{text!r} has more than two decimals: enter an amount like 60.00.")
    return int(cents)


class CentsField(forms.CharField):
    """A field whose value is in cents and whose text is an amount."""

    def prepare_value(self, value: Any) -> Any:
        """Cents as an amount; what somebody typed stays as it is."""
        return amount(value) if isinstance(value, int) and not isinstance(value, bool) else value

    def clean(self, value: Any) -> Any:
        """The cents; None for nothing."""
        text = super().clean(value)
        if not text:
            return None
        try:
            return cents_of(text)
        except ValueError as error:
            raise forms.ValidationError(str(error), code="invalid") from None
