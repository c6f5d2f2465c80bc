"""Pointers: pairs of columns that name a row of one of several tables ("commentable_type", "commentable_id").

No foreign key can say this; object-relational mappers call it a polymorphic or generic relation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from synthesis.documents.schema import Column, Table
from synthesis.procedural.composing.wording import plural, snake
from synthesis.procedural.derived.column_kinds import affinity
from synthesis.procedural.derived.constraints import Constraints
from synthesis.procedural.derived.relation import Pointer

_STEMS = re.compile(
    r"(able|ized)$|^(container|owner|subject|object|target|source|resource|item|record|parent|entity|holder|reference|related"
    r"|linked|context|actor|origin)$"
)
_MOST_TABLES = 3
_FEWEST_OWN_COLUMNS = 2
"""Of a table that is pointed to, besides its keys: what only joins others is no subject of its own."""


def pointers_of(
    table: Table,
    tables: Sequence[Table],
    nouns: Mapping[str, str],
    rules: Constraints,
    samples: Mapping[str, Sequence[object]],
) -> tuple[Pointer, ...]:
    """The pointers of one table.

    Args:
        table: The table.
        tables: All tables.
        nouns: The noun of each, by its name.
        rules: What the table's statements demand.
        samples: Values of its columns in sample rows.
    """
    pointers = []
    columns = {snake(_spaced(column.name)): column for column in table.columns}
    bound = {column for key in table.foreign_keys for column in key.columns}
    for name, kind in columns.items():
        stem, _, ending = name.rpartition("_")
        key = columns.get(f"{stem}_id")
        if ending != "type" or key is None or affinity(kind.type) != "TEXT":
            continue
        if any(column.name in bound or column.primary_key for column in (kind, key)):
            continue
        texts = [
            str(value) for value in (*rules.members.get(kind.name.lower(), ()), *samples.get(kind.name, ()))
        ]
        fitting = [one for one in tables if one.name != table.name and _is_pointed_to(one, key)]
        known = {form: one.name for one in fitting for form in _forms(one.name, nouns[one.name])}
        details = {value: known[form] for value in texts if (form := snake(_spaced(value))) in known}
        if not details and not texts and _STEMS.search(stem):
            bound_to = {foreign.table.lower() for foreign in table.foreign_keys}
            others = [one for one in fitting if one.name.lower() not in bound_to] or fitting
            details = {_class_name(nouns[one.name]): one.name for one in others[:_MOST_TABLES]}
        if details:
            pointers.append(Pointer(kind.name, key.name, tuple(details.items())))
    return tuple(pointers)


def _is_pointed_to(table: Table, key: Column) -> bool:
    """Whether rows of the table may be meant by a column of that type."""
    if len(table.primary_key) != 1:
        return False
    bound = {column for foreign in table.foreign_keys for column in foreign.columns}
    own = [column for column in table.columns if not column.primary_key and column.name not in bound]
    only = next(column for column in table.columns if column.primary_key)
    return affinity(only.type) == affinity(key.type) and len(own) >= _FEWEST_OWN_COLUMNS


def _forms(table: str, noun: str) -> set[str]:
    """How a table may be called, in snake case."""
    return {snake(_spaced(table)), snake(noun), snake(plural(noun))}


def _class_name(noun: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"[^0-9A-Za-z]+", noun))


def _spaced(name: str) -> str:
    """CamelCase as words: "BlogPost" as "Blog Post"."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
