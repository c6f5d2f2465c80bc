"""Operation: one tool of a derived environment: what it does to which relation, with which parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from synthesis.procedural.composing.wording import plural, snake, words
from synthesis.procedural.derived.relation import Field, Relation, Value

OperationKind = Literal[
    "list", "get", "create", "create_with", "update", "move", "stamp", "delete", "count_by", "sum_up"
]


@dataclass(frozen=True)
class Closing:
    """What tells that a row is closed, and by the policy alone is not changed any more."""

    column: str
    states: tuple[str, ...] = ()
    """The values of the column that say so; empty where any value does, a day on which it was paid."""
    done: str = ""
    """What the row is then, where any value says so: "paid"."""

    def is_closed(self, row: Mapping[str, Value]) -> bool:
        """Whether a row is closed."""
        value = row.get(self.column)
        return value in self.states if self.states else value is not None


@dataclass(frozen=True)
class Operation:
    """One tool."""

    kind: OperationKind
    name: str
    relation: Relation
    params: tuple[Field, ...] = ()
    """create, update: what is given or changed; list: what is filtered by."""
    state: str = ""
    """move: the state that is entered; stamp: the participle."""
    sources: tuple[str, ...] = ()
    """move: the states it is entered from."""
    column: str = ""
    """stamp: the column that gets the time; count_by: the column that rows are grouped by."""
    amount: Field | None = None
    """count_by, sum_up: what is added up."""
    day: Field | None = None
    """list, sum_up: the day by which a period is chosen."""
    parts: Relation | None = None
    """create_with, delete: the relation whose rows are made or removed along."""
    part_fields: tuple[Field, ...] = ()
    distinct: bool = False
    """create: whether the schema lets no two rows have the same label, which the tool says in words."""
    closing: Closing | None = None
    """update: which rows are not changed any more; the tool would change them."""

    @property
    def writes(self) -> bool:
        """Whether it changes rows."""
        return self.kind in ("create", "create_with", "update", "move", "stamp", "delete")


def list_name(field: Field) -> str:
    """What a parameter is called that takes one value per part."""
    if field.name.endswith(("s", "_on", "_at", "qty")):
        return f"{field.name}_list"
    return snake(plural(words(field.name)))
