"""Prices: what models cost by the studio's settings."""

from __future__ import annotations

from django.conf import settings

from synthesis.llm.prices import PriceTable, price_table


def prices() -> PriceTable:
    """The listed prices, overridden by the file that WORLDWRIGHT_PRICES names.

    Raises:
        InvalidInput: The file is missing or is no price table.
    """
    return price_table(settings.WORLDWRIGHT.prices)
