"""Entity: a kind of row with the names it has in one environment."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from synthesis.procedural.archetype import ColumnSpec, EntitySpec
from synthesis.procedural.wording import alias, plural, snake, variable, words

TEXT_KINDS = frozenset(
    [
        "label",
        "text",
        "choice",
        "day",
        "moment",
        "number",
        "first_name",
        "last_name",
        "email",
        "phone",
        "birth_date",
        "company",
        "city",
        "code",
    ]
)
"""Column kinds that are stored as TEXT; all others are INTEGER."""


@dataclass(frozen=True)
class Column:
    """One column of a table."""

    key: str
    """What the catalogue calls it."""
    name: str
    """What the schema calls it."""
    spec: ColumnSpec
    entity: str = ""
    """ref: key of the entity it refers to."""

    @property
    def kind(self) -> str:
        """What it holds, see `ColumnKind`."""
        return self.spec.kind

    @property
    def nullable(self) -> bool:
        """Whether NULL is allowed."""
        return self.spec.null > 0 or bool(self.spec.when)

    @property
    def words(self) -> str:
        """What people call it."""
        return self.spec.about or words(self.name.removesuffix("_cents").removesuffix("_id"))

    @property
    def stem(self) -> str:
        """ref: the column's name without _id, which names the row it refers to."""
        return self.name.removesuffix("_id")


@dataclass(frozen=True)
class Entity:
    """One kind of row, with its noun, its table and its columns."""

    key: str
    noun: str
    spec: EntitySpec
    columns: tuple[Column, ...]
    fragment: str
    """Name of the archetype it belongs to."""

    @cached_property
    def table(self) -> str:
        """Its table."""
        name = snake(plural(self.noun))
        return f"{name}_list" if alias(plural(self.noun)) != name else name

    @cached_property
    def var(self) -> str:
        """A Python name for one row."""
        return variable(self.noun)

    @cached_property
    def id(self) -> str:
        """What views and tools call its key."""
        return f"{snake(self.noun)}_id"

    @cached_property
    def view(self) -> str:
        """The constant that holds its SELECT."""
        return f"{snake(self.noun).upper()}_VIEW"

    @cached_property
    def states(self) -> tuple[str, ...]:
        """The states a row can be in; empty when it has none."""
        return tuple(self.spec.status)

    def column(self, key: str) -> Column:
        """The column of that key.

        Raises:
            KeyError: There is none; a fault of the catalogue.
        """
        try:
            return self._by_key[key]
        except KeyError:
            raise KeyError(f"{self.key} has no column {key!r}") from None

    def has(self, key: str) -> bool:
        """Whether there is a column of that key."""
        return key in self._by_key

    @cached_property
    def _by_key(self) -> dict[str, Column]:
        return {column.key: column for column in reversed(self.columns)}

    @cached_property
    def refs(self) -> tuple[Column, ...]:
        """Columns that refer to other rows."""
        return tuple(column for column in self.columns if column.kind == "ref")

    @cached_property
    def label(self) -> str:
        """SQL over the bare columns for what people call a row; empty when rows have no name or number."""
        if self.has("first_name"):
            return "first_name || ' ' || last_name"
        return next((c.name for c in self.columns if c.kind in ("label", "company", "number")), "")

    @cached_property
    def label_name(self) -> str:
        """The key under which observations carry the label: "name" or "number"."""
        if self.has("first_name"):
            return "name"
        return self.label

    @cached_property
    def numbered(self) -> bool:
        """Whether rows are known by a number rather than a name."""
        return any(column.kind == "number" for column in self.columns)

    @cached_property
    def parent(self) -> Column | None:
        """The reference through which people reach a row, or None."""
        wanted = self.spec.parent or "party"
        return self.column(wanted) if self.has(wanted) else None

    @cached_property
    def order(self) -> str:
        """The column lists are sorted by."""
        return self.column(self.spec.order).name if self.spec.order else "id"
