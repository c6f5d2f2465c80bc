"""Relation: one table as it is understood: its noun, its fields, how people tell its rows apart."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from synthesis.documents.schema import ForeignKey
from synthesis.procedural.derived.identifiers import ascii_name

Kind = Literal[
    "ref", "flag", "choice", "state", "count", "year", "decimal", "money", "cents", "ratio", "day",
    "moment", "time", "epoch", "first_name", "last_name", "full_name", "company", "name", "email", "phone",
    "url", "city", "country", "region", "postcode", "street", "code", "uuid", "word", "text", "json",
    "secret", "blob", "computed", "pointer",
]  # fmt: skip
"""What a column holds; decides its values, its parameter's type and its wording."""

NUMBERS = frozenset({"count", "year", "decimal", "money", "cents", "ratio"})
NAMES = frozenset({"first_name", "last_name", "full_name", "company", "name"})
SILENT = frozenset({"json", "secret", "blob", "computed", "epoch", "pointer"})
"""Kinds that no request speaks of."""

PEOPLE = re.compile(
    r"\b(customer|employee|user|author|actor|student|patient|teacher|member|person|people|contact|staff|client|guest"
    r"|driver|doctor|passenger|candidate|owner|manager|artist|player|lecturer|instructor|borrower|reader|agent)$"
)
"""Nouns of people, by their last word."""

WHOLE_DAY = re.compile(r"\b(birth|born|birthday|birthdate|dob|hire|hired|required|due|expir\w+|release)\b")
"""Words of moments that are days, whatever the column could hold."""

Value = int | float | str | None


@dataclass(frozen=True)
class Field:
    """One column."""

    column: str
    """What the schema calls it."""
    name: str
    """What tools and observations call it."""
    words: str
    """What people call it."""
    kind: Kind
    affinity: str
    """INTEGER, REAL, NUMERIC, TEXT or BLOB, as SQLite reads the declared type."""
    nullable: bool = True
    default: bool = False
    key: bool = False
    unique: bool = False
    values: tuple[str | int | float, ...] = ()
    low: float | None = None
    high: float | None = None
    shortest: int = 0
    longest: int = 0
    """Most characters; 0 where nothing limits them."""
    target: str = ""
    """ref: table that is referred to."""
    target_column: str = ""
    separator: str = " "
    """moment: what stands between day and time."""
    stamped: bool = False
    """Whether the system fills it in when a row is made or changed."""
    generated: bool = False
    """Whether it is a text that only serves as a key, so that the system makes it."""
    pattern: str = ""
    """LIKE pattern that values must match."""

    @property
    def whole(self) -> bool:
        """Whether values are whole numbers."""
        return self.kind in ("count", "year", "cents", "flag") or (
            self.kind == "ref" and self.affinity == "INTEGER"
        )

    @property
    def at_midnight(self) -> bool:
        """Whether it is a moment that people only know the day of, such as a birth date."""
        return self.kind == "moment" and not self.stamped and WHOLE_DAY.search(self.words) is not None

    @property
    def binary(self) -> bool:
        """Whether it says yes or no."""
        return self.kind == "flag" or set(self.values) == {"0", "1"}

    @property
    def stem(self) -> str:
        """ref: what the row it refers to is to this one."""
        for ending in ("_id", "_code", "_key", "_no", "_number", "_ref", "_fk"):
            if self.name.endswith(ending) and len(self.name) > len(ending):
                return self.name.removesuffix(ending)
        return self.name

    @property
    def asked(self) -> bool:
        """Whether a request may speak of it."""
        return self.kind not in SILENT and not self.stamped


@dataclass(frozen=True)
class Pointer:
    """Two columns of one table: which other table is meant, and the key of its row."""

    type_column: str
    key_column: str
    tables: tuple[tuple[str, str], ...]
    """What the first column holds for a table, and the table."""


@dataclass(frozen=True)
class Relation:
    """One table."""

    table: str
    noun: str
    many: str
    fields: tuple[Field, ...]
    foreign_keys: tuple[ForeignKey, ...] = ()
    uniques: tuple[tuple[str, ...], ...] = ()
    """Column sets that are unique besides the primary key."""
    before: tuple[tuple[str, str], ...] = ()
    """Pairs of columns in their order."""
    label: tuple[str, ...] = ()
    """Columns that make up what people call a row; empty where rows have no name."""
    auto: bool = False
    """Whether the database gives the key."""
    checked: frozenset[str] = frozenset()
    literals: dict[str, tuple[str | int | float, ...]] = field(
        default_factory=dict, hash=False, compare=False
    )
    owner: str = ""
    """Column that refers to the row which a row of this table is a part of."""
    flow: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """State machine: a state and the states from which it is reached."""
    stamps: tuple[tuple[str, str], ...] = ()
    """Columns that hold when something happened, NULL before, and what the row is then: "shipped"."""
    pointers: tuple[Pointer, ...] = ()
    """Pairs of columns that name a row of one of several tables."""

    @cached_property
    def id(self) -> str:
        """A Python name for the noun."""
        return ascii_name(self.noun) or "record"

    @cached_property
    def by_column(self) -> dict[str, Field]:
        """Fields by column."""
        return {field.column: field for field in self.fields}

    def field(self, column: str) -> Field:
        """The field of a column."""
        return self.by_column[column]

    @cached_property
    def key(self) -> tuple[Field, ...]:
        """Fields of the primary key, in the order of the table's key."""
        return tuple(field for field in self.fields if field.key)

    @cached_property
    def refs(self) -> tuple[Field, ...]:
        """Fields that refer to other rows by one column."""
        return tuple(field for field in self.fields if field.kind == "ref")

    @cached_property
    def state(self) -> Field | None:
        """The field with the state of a row, or None."""
        return next((field for field in self.fields if field.kind == "state"), None)

    @cached_property
    def label_name(self) -> str:
        """What observations and filters call the label; empty without one."""
        if len(self.label) == 1:
            return self.field(self.label[0]).name
        return (
            "name"
            if self.label and not any(f.name == "name" for f in self.fields)
            else "full_name" * bool(self.label)
        )

    @cached_property
    def given(self) -> tuple[Field, ...]:
        """Fields that are given when a row is made."""
        return tuple(
            f
            for f in self.fields
            if not f.stamped
            and f.kind not in SILENT
            and (f.kind != "uuid" or f.key)
            and not (f.key and self.generated_key)
            and f.kind != "state"
            and f.column not in dict(self.stamps)
        )

    @cached_property
    def generated_key(self) -> bool:
        """Whether the key of a new row is made rather than given: a number, a UUID, a text called id."""
        if len(self.key) != 1:
            return False
        only = self.key[0]
        return not only.target and (only.kind in ("count", "uuid") or only.generated)

    def with_owner(self, column: str) -> Relation:
        """The same with an owner."""
        return replace(self, owner=column)
