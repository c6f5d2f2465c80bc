"""Write relations: what the changes of a call must have in common with its arguments and each other."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from synthesis.documents.schema import Schema, Table
from synthesis.documents.state_diff import RowChange
from synthesis.documents.tools import ToolCall, ToolResult
from synthesis.verification.argument_values import singular
from synthesis.verification.reference_run import MOST_ROWS, Rows

_FROM, _TO = ("from_", "source_"), ("to_", "target_", "destination_")
_FEWEST_OF_AMENDMENT = 2
"""Optional parameters that name columns of one table, from which a tool counts as one that amends rows."""
_AUTHORS = ("_by", "_by_id")
"""Ends of columns that say who did something: rows of one clerk have nothing else in common."""


def faults_of(
    call: ToolCall, result: ToolResult, schema: Schema, rows: Rows, optional: Collection[str] = ()
) -> Iterator[str]:
    """What is wrong with the changes of a call that succeeded, as sentences that begin with the tool.

    Args:
        call: The call.
        result: What it came to.
        schema: The tables.
        rows: Rows of the state before, by table; tables with `MOST_ROWS` rows or more are not looked into.
        optional: Parameters of the tool that a call may leave out.
    """
    if not result.ok or not result.changes:
        return
    yield from _error_answer(call, result)
    yield from _unnamed_rows(call, result, schema)
    yield from _orphans(call, result, schema, rows)
    yield from _lost_sums(call, result)
    yield from _emptied(call, result, optional)
    yield from _another_row_shown(call, result)


def doubts_about(call: ToolCall, result: ToolResult, schema: Schema) -> Iterator[str]:
    """What may be wrong with the changes of a call that succeeded and may be meant, as sentences likewise."""
    if result.ok:
        yield from _siblings(call, result, schema)


def references_without_key(table: Table, schema: Schema) -> dict[str, Table]:
    """Columns that name a row of another table by their name alone, with that table.

    A column "item_id" without a foreign key names a row of "items", where that table has one key column.
    """
    declared = {name for key in table.foreign_keys for name in key.columns}
    named = {singular(other.name): other for other in schema.tables if len(other.primary_key) == 1}
    return {
        column.name: named[column.name.removesuffix("_id")]
        for column in table.columns
        if column.name.endswith("_id")
        and column.name not in declared
        and column.name not in table.primary_key
        and column.name.removesuffix("_id") in named
    }


def _error_answer(call: ToolCall, result: ToolResult) -> Iterator[str]:
    value = result.value if isinstance(result.value, dict) else {}
    failed = bool(value.get("error")) or value.get("success") is False or value.get("ok") is False
    if failed:
        yield (
            f"{call.name} answers that it failed and has changed {len(result.changes)} rows: raise "
            "ToolError, which undoes what was written."
        )


def _unnamed_rows(call: ToolCall, result: ToolResult, schema: Schema) -> Iterator[str]:
    """Rows that were changed like one that the arguments name, and that nothing connects with it."""
    for change, alike in _unnamed_alike(call, result):
        if not _connected(change, alike, schema):
            yield (
                f"{call.name} also changed {change.table} {_shown(change.key)}, which no argument names, in "
                f"the same way as {_shown(alike[0].key)}: restrict the statement to the row that is meant."
            )
            return


def _siblings(call: ToolCall, result: ToolResult, schema: Schema) -> Iterator[str]:
    """Rows that were changed like one that the arguments name, and that belong to the same other row."""
    for change, alike in _unnamed_alike(call, result):
        if _connected(change, alike, schema):
            yield (
                f"{call.name} changed {change.table} {_shown(alike[0].key)}, which its arguments name, and "
                f"in the same way {_shown(change.key)}, which belongs to the same row: restrict the "
                "statement if only the named row is meant, or say in the description that all change."
            )
            return


def _unnamed_alike(call: ToolCall, result: ToolResult) -> Iterator[tuple[RowChange, list[RowChange]]]:
    """Updated rows that no argument names, with those that one names and that were changed the same way."""
    given = {
        name: value
        for name, value in call.arguments.items()
        if isinstance(value, int | str) and not isinstance(value, bool) and _names_rows(name)
    }
    updates = [change for change in result.changes.changes if change.kind == "updated"]
    for change in updates:
        if _is_named(change, given) or _mentions(change, given):
            continue
        alike = [
            other
            for other in updates
            if other.table == change.table and _is_named(other, given) and _same_edit(other, change)
        ]
        if alike:
            yield change, alike


def _another_row_shown(call: ToolCall, result: ToolResult) -> Iterator[str]:
    """An answer that names, as the one new row of a table, another row than the one that was added."""
    value = result.value if isinstance(result.value, dict) else {}
    added = [change for change in result.changes.changes if change.kind == "inserted"]
    for change in added:
        name = f"{singular(change.table)}_id"
        shown = value.get(name)
        alone = sum(other.table == change.table for other in added) == 1
        if alone and name not in call.arguments and type(shown) is type(change.key) and shown != change.key:
            yield (
                f"{call.name} added {change.table} {_shown(change.key)} and answers with {name} "
                f"{_shown(shown)}: show the row that was added."
            )
            return


def _names_rows(name: str) -> bool:
    return name == "id" or name.endswith(("_id", "_number", "_code", "_key"))


def _is_named(change: RowChange, given: Mapping[str, Any]) -> bool:
    """Whether an argument is a row's key: entry_id for a row of waitlist_entries."""
    whole = f"{singular(change.table)}_id"
    return any(
        value == change.key and (whole.endswith(name) or name.endswith(whole) or isinstance(value, str))
        for name, value in given.items()
    )


def _mentions(change: RowChange, given: Mapping[str, Any]) -> bool:
    """Whether a row has an argument in a column of the argument's name; a text anywhere."""
    cells = [*(change.before or {}).items(), *(change.after or {}).items()]
    return any(
        value == cell and (isinstance(value, str) or column == name or name.endswith(f"_{column}"))
        for name, value in given.items()
        for column, cell in cells
        if column != "id"
    )


def _same_edit(one: RowChange, other: RowChange) -> bool:
    return one.columns == other.columns and all(
        (one.after or {}).get(name) == (other.after or {}).get(name) for name in one.columns
    )


def _connected(change: RowChange, alike: list[RowChange], schema: Schema) -> bool:
    """Whether a row shares a reference with a row that is named: one order's lines, one person's bookings."""
    table = schema.table(change.table)
    references = {name for key in table.foreign_keys for name in key.columns} if table else set()
    columns = {name for name in references if not name.endswith(_AUTHORS)}
    before = change.before or {}
    return any(
        before.get(name) is not None and before.get(name) == (other.before or {}).get(name)
        for other in alike
        for name in columns
    )


def _orphans(call: ToolCall, result: ToolResult, schema: Schema, rows: Rows) -> Iterator[str]:
    """Rows that name, in a column without a foreign key, a row which is not there."""
    keys = _keys_after(result, schema, rows)
    for change in result.changes.changes:
        table = schema.table(change.table)
        if table is None or change.after is None:
            continue
        for column, other in references_without_key(table, schema).items():
            value = change.after.get(column)
            if value is not None and column in change.columns and value not in keys.get(other.name, {value}):
                yield (
                    f"{call.name} wrote {column} = {value!r} into {change.table} {_shown(change.key)}, and "
                    f"{other.name} has no such row: look the row up first, and declare a foreign key."
                )
                return
    for change in result.changes.changes:
        yield from _left_behind(call, change, result, schema, rows)


def _keys_after(result: ToolResult, schema: Schema, rows: Rows) -> Mapping[str, set[Any]]:
    keys: dict[str, set[Any]] = {}
    for table in schema.tables:
        known = rows.get(table.name)
        if known is not None and len(table.primary_key) == 1 and len(known) < MOST_ROWS:
            keys[table.name] = {row.get(table.primary_key[0]) for row in known}
    for change in result.changes.changes:
        if change.table in keys and change.kind == "inserted":
            keys[change.table].add(change.key)
    return keys


def _left_behind(
    call: ToolCall, change: RowChange, result: ToolResult, schema: Schema, rows: Rows
) -> Iterator[str]:
    """Rows that still name a row which was deleted."""
    if change.kind != "deleted":
        return
    written = {(other.table, other.key) for other in result.changes.changes}
    for table in schema.tables:
        for column, other in references_without_key(table, schema).items():
            left = [
                row
                for row in rows.get(table.name, ())
                if other.name == change.table
                and row.get(column) == change.key
                and (table.name, row.get(table.primary_key[0]) if table.primary_key else None) not in written
            ]
            if left:
                yield (
                    f"{call.name} deleted {change.table} {_shown(change.key)}, which {len(left)} rows of "
                    f"{table.name} still name in {column}: delete or change them too, or refuse."
                )
                return


def _lost_sums(call: ToolCall, result: ToolResult) -> Iterator[str]:
    """A transfer whose two sides do not add up to nothing."""
    names = tuple(call.arguments)
    both = any(name.startswith(_FROM) for name in names) and any(name.startswith(_TO) for name in names)
    moved: list[int] = [
        value
        for name, value in call.arguments.items()
        if type(value) is int and not _names_rows(name) and not name.startswith((*_FROM, *_TO))
    ]
    if not (both and moved):
        return
    for (table, column), differences in _differences(result).items():
        if len(differences) != 2 or not any(abs(each) in moved for each in differences):
            continue
        low, high = sorted(differences)
        if low + high:
            yield (
                f"{call.name} changed {column} of two rows of {table} by {low:+} and {high:+}: what one side "
                "loses the other must gain."
            )


def _emptied(call: ToolCall, result: ToolResult, optional: Collection[str]) -> Iterator[str]:
    """A cell emptied by a call that leaves its column out, of a tool which changes what it is given.

    One such parameter alone may mean by its absence that the cell is to be emptied.
    """
    given = {name for name, value in call.arguments.items() if value is not None}
    for change in result.changes.changes:
        before, after = change.before or {}, change.after or {}
        if change.kind != "updated" or len(set(optional) & set(before)) < _FEWEST_OF_AMENDMENT:
            continue
        for column in change.columns:
            if column in optional and column not in given and after[column] in (None, "") and before[column]:
                yield (
                    f"{call.name} emptied {column} of {change.table} {_shown(change.key)}, which the call "
                    "leaves out: keep what is there where nothing is given."
                )
                return


def _differences(result: ToolResult) -> dict[tuple[str, str], list[int]]:
    """By table and column: by how much each row's whole number changed."""
    differences: dict[tuple[str, str], list[int]] = {}
    for change in result.changes.changes:
        if change.kind != "updated" or change.before is None or change.after is None:
            continue
        for column in change.columns:
            old, new = change.before[column], change.after[column]
            if type(old) is int and type(new) is int and not column.endswith("_id"):
                differences.setdefault((change.table, column), []).append(new - old)
    return differences


def _shown(key: Any) -> str:
    return "/".join(map(str, key)) if isinstance(key, tuple | list) else str(key)
