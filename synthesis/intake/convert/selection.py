"""Selection: of a large data model the part that fits one environment, with all it refers to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from synthesis.errors import InvalidInput
from synthesis.intake.foreign import ForeignModel, ForeignTable
from synthesis.intake.notes import Notes

MOST_TABLES = 60
"""Tables of one environment at most."""


def select(model: ForeignModel, *, tables: Sequence[str], notes: Notes, most: int = MOST_TABLES) -> None:
    """Leave in the model what is wanted, and all that it refers to.

    Args:
        model: The tables; those left out are removed.
        tables: Names of the tables that are wanted; empty for the best connected ones.
        notes: Where it is told what is left out.
        most: Tables to keep at most.

    Raises:
        InvalidInput: A wanted table does not exist, or the wanted ones with what they refer to are too many.
    """
    if tables:
        remaining = _closure(model, [_wanted(model, name) for name in tables])
        if len(remaining) > most:
            raise InvalidInput(
                f"{len(tables)} tables were asked for; with the tables they refer to they are "
                f"{len(remaining)}, and at most {most} fit into one environment. Request fewer."
            )
    elif len(model.tables) <= most:
        return
    else:
        remaining = _connected(model, most)
    left = [name for name in model.tables if name not in remaining]
    if not left:
        return
    count = len(model.tables)
    model.tables = {name: table for name, table in model.tables.items() if name in remaining}
    reason = "were requested" if tables else f"are the best connected {len(remaining)}"
    notes.add(
        "tables_are_left_out",
        f"{len(left)} of {count} tables are left out; those imported {reason}. Choose with the option "
        "tables. "
        f"Left out: {', '.join(left[:30])}{', ...' if len(left) > 30 else ''}.",
        where=f"{len(left)} tables",
    )


def _wanted(model: ForeignModel, name: str) -> ForeignTable:
    table = model.table(name)
    if table is None:
        known = ", ".join(sorted(model.tables)[:40])
        raise InvalidInput(f"There is no table {name!r}. Tables: {known}.")
    return table


def _closure(model: ForeignModel, tables: Iterable[ForeignTable]) -> set[str]:
    """The names of the tables and of all that they refer to."""
    texts: set[str] = set()
    waiting = list(tables)
    while waiting:
        table = waiting.pop()
        if table.name not in texts:
            texts.add(table.name)
            waiting.extend(model.parents(table))
    return texts


def _connected(model: ForeignModel, most: int) -> set[str]:
    """From the best connected table outwards, each with all it refers to, as long as that fits."""
    neighbours: dict[str, set[str]] = {name: set() for name in model.tables}
    for table in model.tables.values():
        for parent in model.parents(table):
            neighbours[table.name].add(parent.name)
            neighbours[parent.name].add(table.name)
    ranked = sorted(neighbours, key=lambda name: (-len(neighbours[name]), name))
    remaining: set[str] = set()
    for start in ranked:
        if start in remaining:
            continue
        waiting = [start]
        seen = {start}
        while waiting and len(remaining) < most:
            waiting.sort(key=lambda name: (-len(neighbours[name] & remaining), -len(neighbours[name]), name))
            name = waiting.pop(0)
            grown = remaining | _closure(model, [model.tables[name]])
            if len(grown) <= most:
                remaining = grown
                fresh = [other for other in neighbours[name] if other not in seen]
                seen.update(fresh)
                waiting.extend(fresh)
        if len(remaining) >= most * 2 // 3:
            break
    return remaining or set(ranked[:most])
