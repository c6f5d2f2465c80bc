"""Rows: a few rows per table from the INSERT and COPY statements of a script."""

from __future__ import annotations

import re
from collections import Counter

from sqlglot import exp

from synthesis.intake.foreign import Cell, Expression, ForeignModel, ForeignTable
from synthesis.intake.notes import Notes
from synthesis.intake.scripts.definitions import qualified
from synthesis.intake.scripts.script import ScriptStatement

_INTO = re.compile(r"(?:INTO|COPY)\s+([\w.\"`$]+)\s*(?:\(([^)]*)\))?", re.IGNORECASE)
_VALUES = re.compile(r"\bVALUES\b", re.IGNORECASE)
_SIGNS = re.compile(r"'(?:[^'\\]|''|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[(),]", re.DOTALL)
_LONGEST = 400_000
_COPY_SIGNS = {"\\t": "\t", "\\n": "\n", "\\r": "\r", "\\\\": "\\", "\\b": "\b", "\\f": "\f", "\\v": "\v"}
_COPY_SIGN = re.compile(r"\\[tnrbfv\\]")


class Rows:
    """Keeps at most so many rows of each table and counts the rest.

    Args:
        model: The tables as far as they are read.
        notes: Where it is told that rows stayed behind.
        most: Rows per table; 0 keeps none.
    """

    def __init__(self, model: ForeignModel, notes: Notes, most: int) -> None:
        self._model, self._notes, self._most = model, notes, most
        self._left: Counter[str] = Counter()

    def cut(self, statement: ScriptStatement) -> str | None:
        """The INSERT with as many rows as are still wanted; None where none are."""
        match = _INTO.search(statement.sql[:2_000])
        table = self._table(match[1]) if match else None
        wanted = self._most - len(table.rows) if table is not None else 0
        values = _VALUES.search(statement.sql, match.end() if match else 0)
        if table is None or wanted <= 0 or values is None:
            self._left[match[1].strip('"`') if match else "?"] += 1
            return None
        depth = 0
        for sign in _SIGNS.finditer(statement.sql, values.end(), values.end() + _LONGEST):
            depth += {"(": 1, ")": -1}.get(sign[0], 0)
            wanted -= sign[0] == ")" and depth == 0
            if wanted == 0:
                if statement.sql[sign.end() :].strip():
                    self._left[table.name] += 1
                return statement.sql[: sign.end()]
        return statement.sql if len(statement.sql) < _LONGEST else None

    def inserted(self, tree: Expression) -> None:
        """Keep the rows of a parsed INSERT."""
        target = tree.this if isinstance(tree, exp.Insert) else None
        values = tree.args.get("expression")
        if target is None or not isinstance(values, exp.Values):
            return
        schema = isinstance(target, exp.Schema)
        table = self._model.table(qualified(target.this if schema else target))
        if table is None:
            return
        names = [item.name for item in target.expressions] if schema else list(table.columns)
        for row in values.expressions:
            cells = row.expressions if isinstance(row, exp.Tuple) else [row]
            table.rows.append({name: _cell(cell) for name, cell in zip(names, cells, strict=False)})

    def copied(self, statement: ScriptStatement) -> None:
        """Keep the first rows of a COPY."""
        match = _INTO.match(statement.sql)
        table = self._table(match[1]) if match else None
        if match is None or table is None or self._most <= 0:
            self._left[match[1].strip('"') if match else "?"] += max(statement.copied, 1)
            return
        names = [name.strip().strip('"') for name in (match[2] or "").split(",")]
        if names == [""]:
            names = list(table.columns)
        for line in statement.data[: self._most]:
            table.rows.append(dict(zip(names, map(_copied_cell, line.split("\t")), strict=False)))
        if statement.copied > self._most:
            self._left[table.name] += statement.copied - self._most

    def finish(self) -> None:
        """Say which tables' rows stayed behind."""
        for name, count in self._left.items():
            self._notes.add(
                "rows_stay_behind",
                f"{name.removeprefix('public.')}: {count:,} INSERT statements or COPY lines were not read; "
                f"at most {self._most} sample rows per table were requested.",
                where=name,
                part="seed_data",
                warn=False,
            )

    def _table(self, name: str) -> ForeignTable | None:
        plain = name.replace('"', "").replace("`", "")
        return self._model.table(plain.removeprefix("public.")) or self._model.table(plain.rpartition(".")[2])


def _cell(node: Expression) -> Cell:
    while isinstance(node, exp.Cast | exp.Paren):
        node = node.this
    if isinstance(node, exp.Introducer):
        node = node.expression
    if isinstance(node, exp.Boolean):
        return bool(node.this)
    negative = isinstance(node, exp.Neg)
    inner = node.this if negative else node
    if not isinstance(inner, exp.Literal):
        return None
    if inner.is_string:
        return str(inner.this)
    return _number(("-" if negative else "") + str(inner.this))


def _number(text: str) -> Cell:
    try:
        return int(text)
    except ValueError:
        return text  # a decimal stays as it is written: its column's kind decides


def _copied_cell(text: str) -> Cell:
    if text == "\\N":
        return None
    return _COPY_SIGN.sub(lambda match: _COPY_SIGNS[match[0]], text)
