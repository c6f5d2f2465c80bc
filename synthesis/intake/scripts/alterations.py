"""Alterations: ALTER TABLE and COMMENT ON, put back into the tables they speak of."""

from __future__ import annotations

import re

from sqlglot import exp

from synthesis.intake.convert.kinds import type_name
from synthesis.intake.foreign import Expression, ForeignColumn, ForeignModel, ForeignTable
from synthesis.intake.notes import Notes
from synthesis.intake.scripts.definitions import Definitions, qualified
from synthesis.intake.scripts.script import ScriptStatement

_IDENTITY = re.compile(
    r"ALTER\s+TABLE\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?(?P<table>\S+)\s+ALTER\s+(?:COLUMN\s+)?(?P<column>\"[^\"]+\"|\w+)"
    r"\s+ADD\s+GENERATED\s",
    re.IGNORECASE,
)
_ATTACHED = re.compile(
    r"ALTER\s+TABLE\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?(?P<whole>\S+)\s+ATTACH\s+PARTITION\s+(?P<part>\S+)",
    re.IGNORECASE,
)
_QUIET = re.compile(
    r"\b(OWNER\s+TO|RENAME\s+CONSTRAINT|REPLICA\s+IDENTITY|CLUSTER\s+ON|SET\s+STATISTICS|SET\s+STORAGE|"
    r"(?:DISABLE|ENABLE)\s+KEYS|SET\s+\(|VALIDATE\s+CONSTRAINT|SET\s+SCHEMA|SET\s+TABLESPACE|SET\s+COMPRESSION)",
    re.IGNORECASE,
)
_NOTED = (
    (
        re.compile(r"\b(?:ATTACH|DETACH|ADD|DROP)\s+PARTITION\b", re.IGNORECASE),
        "partitions_are_not_converted",
        "its partitions become one table",
    ),
    (
        re.compile(r"\bROW\s+LEVEL\s+SECURITY\b", re.IGNORECASE),
        "rights_are_not_converted",
        "row-level security is left out, the tools decide what is allowed",
    ),
    (
        re.compile(r"\bINHERIT\b", re.IGNORECASE),
        "inheritance_is_not_converted",
        "its rows do not count as another table's",
    ),
    (
        re.compile(r"\b(?:DISABLE|ENABLE)\b.*\b(?:TRIGGER|RULE)\b", re.IGNORECASE),
        "triggers_are_not_converted",
        "it switches a trigger, and triggers are not supported",
    ),
)


class Alterations:
    """Applies what a script says of tables after it has made them."""

    def __init__(self, model: ForeignModel, definitions: Definitions, notes: Notes) -> None:
        self._model, self._definitions, self._notes = model, definitions, notes

    def take(self, statement: ScriptStatement, tree: Expression) -> None:
        """Apply one ALTER TABLE."""
        if not isinstance(tree, exp.Alter):
            self._unparsed(statement)
            return
        table = self._model.table(qualified(tree.this))
        if table is None:
            self._unknown(statement, qualified(tree.this))
            return
        for action in tree.args.get("actions") or ():
            self._act(table, action)

    def comment(self, tree: exp.Comment) -> None:
        """Keep a comment with its table or column."""
        text = tree.expression.name
        target = tree.this
        if isinstance(target, exp.Table) and (table := self._model.table(qualified(target))) is not None:
            table.comment = text
        elif isinstance(target, exp.Column):
            schema = target.args.get("db")
            owner = exp.table_(target.table, db=schema.name if schema is not None else None)
            foreign_table = self._model.table(qualified(owner))
            column = foreign_table.column(target.name) if foreign_table is not None else None
            if column is not None:
                column.comment = text

    def _act(self, table: ForeignTable, action: Expression) -> None:
        if isinstance(action, exp.AddConstraint):
            for item in action.expressions:
                self._definitions.take(table, item)
        elif isinstance(action, exp.ColumnDef):
            if not (action.args.get("exists") and table.column(action.name) is not None):
                self._definitions.column(table, action)
        elif isinstance(action, exp.ModifyColumn):
            self._modify(table, action)
        elif isinstance(action, exp.AlterColumn):
            self._alter_column(table, action)
        elif isinstance(action, exp.Drop):
            self._drop(table, action)
        else:
            self._rename(table, action)

    def _modify(self, table: ForeignTable, action: exp.ModifyColumn) -> None:
        old = action.args.get("rename_from")
        if old is not None:
            _rename_column(table, old.name, action.this.name)
        self._definitions.column(table, action.this)

    def _alter_column(self, table: ForeignTable, action: exp.AlterColumn) -> None:
        column = table.column(action.this.name)
        if column is None:
            return
        allow_null, default, declared = (action.args.get(key) for key in ("allow_null", "default", "dtype"))
        if isinstance(declared, exp.DataType):
            again = exp.ColumnDef(this=exp.to_identifier(column.name), kind=declared)
            fresh = self._definitions.column(table, again)
            fresh.nullable, fresh.default, fresh.identity = column.nullable, column.default, column.identity
        elif allow_null is not None:
            column.nullable = bool(allow_null)
        else:
            column.default = default

    def _drop(self, table: ForeignTable, action: exp.Drop) -> None:
        kind = str(action.args.get("kind") or "").upper()
        for dropped in action.args.get("tables") or ():
            if kind == "COLUMN":
                table.columns.pop(dropped.name, None)
            else:
                self._notes.add(
                    "dropped_constraints_stay",
                    f"{table.name}: the script drops {kind.lower()} {dropped.name}; if it was declared "
                    "above, it is still imported.",
                    where=f"{table.name}.{dropped.name}",
                    warn=False,
                )

    def _rename(self, table: ForeignTable, action: Expression) -> None:
        if isinstance(action, exp.RenameColumn):
            _rename_column(table, action.this.name, action.args["to"].name)
        elif isinstance(action, exp.AlterRename):
            old, table.name = table.name, qualified(action.this)
            self._model.tables = {
                (table.name if name == old else name): one for name, one in self._model.tables.items()
            }
            for other in self._model.tables.values():
                for reference in other.references:
                    reference.table = table.name if reference.table == old else reference.table
        else:
            self._definitions.take(table, action)

    def _unparsed(self, statement: ScriptStatement) -> None:
        text = statement.sql
        match = _IDENTITY.match(text)
        if match is not None:
            table = self._model.table(match["table"].replace('"', "").removeprefix("public."))
            column = table.column(match["column"].strip('"')) if table is not None else None
            if column is not None:
                column.identity = True
            return
        if _QUIET.search(text):
            return
        if (attached := _ATTACHED.match(text)) is not None:
            self._attach(attached["whole"], attached["part"])
        begins = " ".join(text.split())[:100]
        for pattern, check, words in _NOTED:
            if pattern.search(text):
                self._notes.add(check, f"{begins}: {words}.", where=begins)
                return
        message = f"Line {statement.line}: {begins}: this change is not supported and left out."
        self._notes.add("alterations_are_not_converted", message, where=f"line {statement.line}")

    def _attach(self, whole: str, part: str) -> None:
        """Take a partition for what it is: rows of the whole."""
        names = [name.replace('"', "").removeprefix("public.") for name in (whole, part)]
        table, other = (self._model.table(name) for name in names)
        if table is not None and other is not None and table is not other:
            table.rows += other.rows
            self._model.tables.pop(other.name)
            self._model.parts[other.name] = table.name

    def _unknown(self, statement: ScriptStatement, name: str) -> None:
        begins = " ".join(statement.sql.split())[:100]
        message = f"Line {statement.line}: {begins}: table {name!r} is not imported, so it is left out."
        self._notes.add("alterations_are_not_converted", message, where=f"line {statement.line}")


def _rename_column(table: ForeignTable, old: str, new: str) -> None:
    column = table.columns.pop(old, None)
    if column is not None:
        column.name = new
        table.columns[new] = column


def is_serial(column: ForeignColumn) -> bool:
    """Whether a column counts by itself."""
    default = column.default
    counted = isinstance(default, exp.Expr) and default.find(exp.Anonymous) is not None
    return column.identity or (
        counted and default is not None and "NEXTVAL" in default.sql().upper() and _is_integer(column)
    )


def _is_integer(column: ForeignColumn) -> bool:
    return type_name(column.type) in ("INT", "BIGINT", "SMALLINT")
