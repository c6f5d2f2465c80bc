# ruff: noqa: S608 - it writes SQL into source; every name of the schema is quoted
"""Reports: the tools that count and add up over many rows."""

from __future__ import annotations

from synthesis.procedural.composing.signatures import docstring, signature
from synthesis.procedural.composing.wording import sentence
from synthesis.procedural.derived.data_model import DataModel
from synthesis.procedural.derived.identifiers import ascii_name
from synthesis.procedural.derived.operation import Operation
from synthesis.procedural.derived.relation import Relation
from synthesis.procedural.derived.source.text import label_alias, view_name
from synthesis.worlds.tables import quoted


def count_key(relation: Relation) -> str:
    """The key under which reports show how many rows there are."""
    return f"{ascii_name(relation.many) or relation.id}_count"


def sum_key(operation: Operation) -> str:
    """The key under which reports show a sum; empty without one."""
    return f"total_{operation.amount.name}" if operation.amount else ""


def _summed(operation: Operation) -> str:
    if operation.amount is None:
        return ""
    return f", round(coalesce(sum({quoted(operation.amount.name)}), 0), 2) AS {quoted(sum_key(operation))}"


def count_by_source(model: DataModel, operation: Operation) -> str:
    """How many rows there are per row they refer to, or per state."""
    relation = operation.relation
    field = relation.field(operation.column)
    shown = [field.name]
    if field.kind == "ref" and (alias := label_alias(model, relation, field)):
        shown.append(alias)
    count = quoted(count_key(relation))
    columns = ", ".join(quoted(name) for name in shown)
    head = f"SELECT {columns}, count(*) AS {count}{_summed(operation)} FROM ("
    tail = f") WHERE {quoted(field.name)} IS NOT NULL GROUP BY {quoted(field.name)}"
    added = f" and add up their {operation.amount.words}" if operation.amount else ""
    details = {"limit": "Most lines to return, 1 to 50.", "offset": "Lines to skip."}
    return (
        "\n".join(
            [
                *signature(operation.name, ["limit: int = 20", "offset: int = 0"]),
                *docstring(f"Count {relation.many} by {field.words}{added}, most first.", details),
                f"    sql = {head!r} + {view_name(relation)} + {tail!r}",
                f"    return _page(db, sql, [], {f'{count} DESC, {quoted(field.name)}'!r}, limit, offset)",
            ]
        )
        + "\n"
    )


def sum_up_source(operation: Operation) -> str:
    """How many rows a period has, and what they come to."""
    relation, day = operation.relation, operation.day
    assert day is not None
    added = f" and add up their {operation.amount.words}" if operation.amount else ""
    details = {"from_day": "First day, YYYY-MM-DD.", "to_day": "Last day, YYYY-MM-DD."}
    head = f"SELECT count(*) AS {quoted(count_key(relation))}{_summed(operation)} FROM ("
    tail = f") WHERE substr({quoted(day.name)}, 1, 10) BETWEEN ? AND ?"
    return (
        "\n".join(
            [
                *signature(operation.name, ["from_day: str", "to_day: str"]),
                *docstring(f"Count the {relation.many} whose {day.words} lies in a period{added}.", details),
                '    first, last = _day(from_day, "from_day"), _day(to_day, "to_day")',
                "    if first > last:",
                f'        raise ToolError("{sentence("from_day must not be after to_day.")}")',
                f"    sql = {head!r} + {view_name(relation)} + {tail!r}",
                "    return db.one(sql, first, last)",
            ]
        )
        + "\n"
    )
