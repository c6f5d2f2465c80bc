"""Definitions: what is between the brackets of a CREATE TABLE, as a table of the foreign model."""

from __future__ import annotations

from sqlglot import exp

from synthesis.intake.convert.kinds import type_name
from synthesis.intake.foreign import (
    Expression,
    ForeignColumn,
    ForeignIndex,
    ForeignReference,
    ForeignTable,
)
from synthesis.intake.notes import Notes
from synthesis.intake.scripts.user_types import UserTypes

_ACTIONS = ("ON DELETE", "ON UPDATE")
_SERIALS = frozenset({"SERIAL", "SMALLSERIAL", "BIGSERIAL"})
_EXOTIC = ("FULLTEXT", "SPATIAL")
_ORDERED_METHODS = frozenset({"", "BTREE"})


class Definitions:
    """Reads columns and constraints of one table into it.

    Args:
        types: Types that the source declared itself.
        notes: Where anything left behind is told.
    """

    def __init__(self, types: UserTypes, notes: Notes) -> None:
        self._types, self._notes = types, notes

    def take(self, table: ForeignTable, item: Expression) -> None:
        """Add one column definition or table constraint."""
        if isinstance(item, exp.ColumnDef):
            self.column(table, item)
        elif isinstance(item, exp.Identifier):  # SQLite allows a column that is no more than its name
            self.column(table, exp.ColumnDef(this=item))
        elif isinstance(item, exp.Constraint):
            for inner in item.expressions:
                self.take(table, inner)
        elif isinstance(item, exp.PrimaryKey):
            table.primary_key = _names(item.expressions)
        elif isinstance(item, exp.ForeignKey):
            self._foreign_key(table, item)
        elif isinstance(item, exp.UniqueColumnConstraint | exp.IndexColumnConstraint):
            self._key(table, item)
        elif isinstance(item, exp.CheckColumnConstraint):
            table.checks.append(item.this)
        else:
            self._exotic(table, item)

    def column(self, table: ForeignTable, item: exp.ColumnDef) -> ForeignColumn:
        """Add one column, or put it in the place of the one it redefines."""
        name = item.this.name
        declared = item.args.get("kind")
        if not isinstance(declared, exp.DataType):  # SQLite allows a column without a type
            declared = exp.DataType.build("text")
        column = ForeignColumn(name, declared)
        if type_name(declared) in _SERIALS:
            column.identity, column.nullable = True, False
        if type_name(declared) == "ENUM":
            column.values = tuple(str(value.name) for value in declared.expressions)
        self._types.resolve(table, column)
        table.columns[name] = column
        for constraint in item.args.get("constraints") or ():
            self._constrain(table, column, constraint.args.get("kind"))
        return column

    def _constrain(self, table: ForeignTable, column: ForeignColumn, kind: Expression | None) -> None:
        if isinstance(kind, exp.NotNullColumnConstraint):
            column.nullable = bool(kind.args.get("allow_null"))
        elif isinstance(kind, exp.PrimaryKeyColumnConstraint):
            table.primary_key, column.nullable = (column.name,), False
        elif isinstance(kind, exp.UniqueColumnConstraint):
            table.uniques.append((column.name,))
        elif isinstance(kind, exp.CheckColumnConstraint):
            table.checks.append(kind.this)
        elif isinstance(kind, exp.Reference):
            table.references.append(_reference((column.name,), kind))
        elif isinstance(kind, exp.CommentColumnConstraint):
            column.comment = kind.name
        else:
            self._value(table, column, kind)

    def _value(self, table: ForeignTable, column: ForeignColumn, kind: Expression | None) -> None:
        if isinstance(kind, exp.DefaultColumnConstraint):
            column.default = kind.this
        elif isinstance(kind, exp.AutoIncrementColumnConstraint):
            column.identity = True
        elif isinstance(kind, exp.GeneratedAsIdentityColumnConstraint):
            column.identity, column.nullable = True, False
        elif isinstance(kind, exp.ComputedColumnConstraint | exp.GeneratedAsRowColumnConstraint):
            column.computed = kind.this
        elif isinstance(kind, exp.OnUpdateColumnConstraint):
            self._notes.add(
                "updates_by_themselves_are_not_converted",
                f"{table.name}.{column.name} changes automatically ON UPDATE; in a world only tools change "
                "it.",
                where=f"{table.name}.{column.name}",
            )
        elif isinstance(kind, exp.CollateColumnConstraint):
            self._notes.add(
                "collations_are_not_converted",
                f"{table.name}.{column.name}: {kind.sql()} is left out, texts compare byte by byte.",
                where=f"{table.name}.{column.name}",
                warn=False,
            )

    def _foreign_key(self, table: ForeignTable, item: exp.ForeignKey) -> None:
        reference = item.args.get("reference")
        if isinstance(reference, exp.Reference):
            table.references.append(_reference(_names(item.expressions), reference))

    def _key(self, table: ForeignTable, item: exp.UniqueColumnConstraint | exp.IndexColumnConstraint) -> None:
        """A UNIQUE or, in MySQL, a KEY; MySQL's prefix lengths are left out."""
        unique = isinstance(item, exp.UniqueColumnConstraint)
        kind = str(item.args.get("kind") or "").upper()
        listed = item.this.expressions if isinstance(item.this, exp.Schema) else item.expressions
        columns = index_columns(listed)
        if kind in _EXOTIC or columns is None:
            self.exotic_index(table, kind or "an index over expressions")
        elif unique:
            table.uniques.append(columns)
        else:
            table.indexes.append(ForeignIndex(columns))

    def index(self, table: ForeignTable, create: exp.Create) -> None:
        """Add what a CREATE INDEX declares."""
        parameters = create.this.args.get("params")
        arguments = parameters.args if parameters is not None else {}
        method = str(arguments.get("using") or "").upper()
        columns = index_columns(arguments.get("columns") or ())
        if method not in _ORDERED_METHODS or columns is None:
            self.exotic_index(table, f"{method or 'an'} index {create.this.name}".strip())
            return
        where = arguments.get("where")
        unique = bool(create.args.get("unique"))
        table.indexes.append(ForeignIndex(columns, unique, where.this if where is not None else None))

    def exotic_index(self, table: ForeignTable, what: str) -> None:
        """Say that an index is left behind."""
        self._notes.add(
            "exotic_indexes_are_not_converted",
            f"{table.name}: {what} is left out; only indexes over plain columns are converted.",
            where=f"{table.name}: {what}",
        )

    def _exotic(self, table: ForeignTable, item: Expression) -> None:
        if isinstance(item, exp.ExcludeColumnConstraint):
            check, what = "exclusion_constraints_are_not_converted", "an EXCLUDE constraint"
        elif isinstance(item, exp.LikeProperty):
            check, what = "copied_definitions_are_not_converted", f"LIKE {item.this.name}"
        else:
            check, what = "clauses_are_not_converted", item.sql()[:100]
        self._notes.add(check, f"{table.name}: {what} is left out.", where=f"{table.name}: {item.sql()[:60]}")


def index_columns(listed: object) -> tuple[str, ...] | None:
    """The plain columns of an index; None where one of them is an expression."""
    names = []
    for item in listed if isinstance(listed, list | tuple) else ():
        inner = item.this if isinstance(item, exp.Ordered) else item
        if isinstance(inner, exp.Anonymous | exp.ColumnPrefix):  # MySQL: `name`(10)
            inner = inner.this if isinstance(inner.this, exp.Expr) else exp.column(str(inner.this))
        if not isinstance(inner, exp.Column | exp.Identifier):
            return None
        names.append(inner.name)
    return tuple(names) or None


def _reference(columns: tuple[str, ...], item: exp.Reference) -> ForeignReference:
    target = item.this
    table = target.this if isinstance(target, exp.Schema) else target
    references = _names(target.expressions) if isinstance(target, exp.Schema) else ()
    reference = ForeignReference(columns, qualified(table), references)
    for option in item.args.get("options") or ():
        words = str(option).upper()
        if words.startswith(_ACTIONS[0]):
            reference.on_delete = words[len(_ACTIONS[0]) :].strip()
        elif words.startswith(_ACTIONS[1]):
            reference.on_update = words[len(_ACTIONS[1]) :].strip()
    return reference


def qualified(table: Expression) -> str:
    """The name of a table with its schema before it, where it says one that is not the default."""
    schema = str(table.args.get("db") or "").strip('"`')
    name = str(table.name)
    return name if schema.lower() in ("", "public", "main", "dbo") else f"{schema}.{name}"


def _names(items: object) -> tuple[str, ...]:
    listed = items if isinstance(items, list | tuple) else ()
    return tuple((item.this if isinstance(item, exp.Ordered) else item).name for item in listed)
