"""Prices: what a model costs, as data that anybody may edit."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pydantic import Field, ValidationError

from synthesis.documents.document import Document
from synthesis.documents.trajectory import Usage
from synthesis.errors import InvalidInput


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

    def price(self, model: str) -> Price | None:
        """The price of a model, or None where the table has none."""
        if model in self.models:
            return self.models[model]
        dated = [name for name in self.models if model.startswith((f"{name}-2", f"{name}:"))]
        return self.models[max(dated, key=len)] if dated else None

    def cost(self, model: str, usage: Usage) -> float | None:
        """What a usage costs in US dollars, or None where the price is not known: unknown is not free."""
        price = self.price(model)
        return price.of(usage) if price else None


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
        raise InvalidInput(f"The price table {path.name} is not usable: {where}: {first['msg']}.") from None


@cache
def shipped_price_table() -> PriceTable:
    """The table that comes with the package; prices change, so edit a copy and name it in the settings."""
    return read_price_table(Path(__file__).with_name("prices.json"))
