"""Record costs: what a record keeps of prices and deposits."""

from __future__ import annotations

from synthesis.procedural.business.model import Business, Process, Row

_OF_USE = ("unit_price_cents", "daily_cents", "hourly_cents", "monthly_cents", "price_cents")
"""Columns with what a thing costs those who buy or have it."""


def drop_second_prices(b: Business) -> None:
    """Take the standard price and the target days of work from what is sold or lent as well, of which people
    would read another price there."""
    for process in b.processes:
        table = process.subject
        if process.shape == "work" and any(map(table.has, _OF_USE)):
            dropped = ("standard_cents", "target_days")
            table.columns = [column for column in table.columns if column.name not in dropped]


def price_of(process: Process, priced: Row) -> Row:
    """What a unit or service costs, kept with a record of it; nothing of what is free."""
    return {} if process.free else {process.price: priced[process.price]}


def costs_of(process: Process, item: Row, quantity: int) -> Row:
    """supply: what one unit of an order and all of it cost; nothing of what is free."""
    if process.free:
        return {}
    price = item["unit_price_cents"]
    return {"unit_price_cents": price, "total_cents": quantity * price}


def deposit_of(process: Process, unit: Row, status: str) -> Row:
    """What is left as a security with a record in some state: nothing where no such thing is asked for."""
    if process.deposit is None:
        return {}
    over = {process.states[2]: "given_back", process.states[3]: "given_back", process.states[4]: "kept"}
    return {"deposit_cents": unit["deposit_cents"], "deposit_status": over.get(status, "held")}
