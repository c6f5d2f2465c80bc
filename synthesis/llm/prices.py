"""Prices: what a model costs, by the lists of genai-prices and by a file of one's own that overrides them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationError

from synthesis.documents.document import Document
from synthesis.documents.trajectory import Usage
from synthesis.errors import InvalidInput

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice


_EXAMPLE = {"input": 1.25, "cached_input": 0.125, "output": 10.0}


class Price(Document):
    """US dollars per million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached_input: float | None = Field(default=None, ge=0)
    """Input tokens the endpoint had cached; the full price where it is not given."""

    def of(self, usage: Usage) -> float:
        """What this usage costs, in US dollars."""
        cached = min(usage.cached_tokens, usage.input_tokens)
        cached_price = self.input if self.cached_input is None else self.cached_input
        fresh = usage.input_tokens - cached
        return (fresh * self.input + cached * cached_price + usage.output_tokens * self.output) / 1_000_000


class PriceTable(Document):
    """Prices by model; a name matches itself and its dated versions ("gpt-5" also "gpt-5-2025-08-07")."""

    models: dict[str, Price] = Field(default_factory=dict)
    listed: bool = False
    """Whether models that are not in the table are looked up in the lists of genai-prices."""

    def price(self, model: str) -> Price | None:
        """The price of a model, or None where none is known; of prices in tiers, the lowest."""
        if (own := self._own(model)) is not None or not self.listed:
            return own
        price = _listed(model)
        return None if price is None else _lowest(price)

    def cost(self, model: str, usage: Usage) -> float | None:
        """What a usage costs in US dollars, or None where the price is not known: unknown is not free."""
        if (own := self._own(model)) is not None:
            return own.of(usage)
        price = _listed(model) if self.listed else None
        return None if price is None else _listed_cost(price, usage)

    def require(self, model: str) -> None:
        """Pass when the price of a model is known.

        Raises:
            InvalidInput: It is not; the text says what to add, and where.
        """
        if self.price(model) is None:
            entry = json.dumps({"models": {model: _EXAMPLE}})
            raise InvalidInput(
                f"The budget is in money, but there is no price for {model or '(no model)'!r}. Write its US "
                f"dollars per million tokens into a file, {entry}, and name the file in WORLDWRIGHT_PRICES; "
                "or set the limit in tokens."
            )

    def _own(self, model: str) -> Price | None:
        if model in self.models:
            return self.models[model]
        dated = [name for name in self.models if model.startswith((f"{name}-2", f"{name}:"))]
        return self.models[max(dated, key=len)] if dated else None


def read_price_table(path: Path) -> PriceTable:
    """The price table in a JSON file: {"models": {"name": {"input": 1.25, "output": 10}}}.

    Raises:
        InvalidInput: The file is missing or is no price table.
    """
    try:
        return PriceTable.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InvalidInput(f"The price table {path.name} cannot be opened: {error.strerror}.") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"]) or "the file"
        raise InvalidInput(f"The price table {path.name} is invalid: {where}: {first['msg']}.") from None


@cache
def price_table(own: Path | None = None) -> PriceTable:
    """The prices of genai-prices, with those of a file in their place where it has any.

    Raises:
        InvalidInput: The file is missing or is no price table.
    """
    table = PriceTable() if own is None else read_price_table(own)
    return table.replace(listed=True)


@cache
def _listed(model: str) -> ModelPrice | None:
    """What genai-prices lists for a model, also for one named with its vendor: "openai/gpt-5"."""
    # Here, since reading all the lists takes longer than the rest of this package.
    from genai_prices import Usage as ListedUsage
    from genai_prices import calc_price

    for name in dict.fromkeys((model, model.rpartition("/")[2])):
        try:
            return calc_price(ListedUsage(input_tokens=1, output_tokens=1), model_ref=name).model_price
        except LookupError:
            continue
    return None


def _listed_cost(price: ModelPrice, usage: Usage) -> float:
    from genai_prices import Usage as ListedUsage

    counted = ListedUsage(
        input_tokens=usage.input_tokens,
        cache_read_tokens=min(usage.cached_tokens, usage.input_tokens),
        output_tokens=usage.output_tokens,
    )
    return float(price.calc_price(counted)["total_price"])


def _lowest(price: ModelPrice) -> Price:
    def dollars(name: str) -> float | None:
        value: Any = getattr(price, name, None)
        value = getattr(value, "base", value)
        return None if value is None else float(value)

    return Price(
        input=dollars("input_mtok") or 0.0,
        output=dollars("output_mtok") or 0.0,
        cached_input=dollars("cache_read_mtok"),
    )
