"""Inside a worker: the state editor, a database of a world that no tool touches, on which rows are edited."""

from __future__ import annotations

from typing import Any

from synthesis.worlds.sandbox.soft_limit import SOFT_LIMIT
from synthesis.worlds.tables import quoted
from synthesis.worlds.worker.live import WorldBlueprint
from synthesis.worlds.worker.recorder import Recorder
from synthesis.worlds.worker.state import Change, read, state_hash, table_text
from synthesis.worlds.worker.tool_database import ToolDatabase

_COMMIT = "COMMIT /* of the state editor */"
_ROLLBACK = "ROLLBACK /* of the state editor */"
_BEGIN = "BEGIN /* of the state editor */"

Edit = dict[str, Any]
"""A `RowEdit` as plain values."""


class SealedStateEditor:
    """Makes states that differ from a given one by edits of rows, with the schema's constraints on.

    Args:
        blueprint: The world whose schema it has.
    """

    def __init__(self, blueprint: WorldBlueprint) -> None:
        self._blueprint, self._tables = blueprint, blueprint.tables
        self._connection = blueprint.connect()
        self._db = ToolDatabase(self._connection, self._tables, blueprint.actor)
        self._image = blueprint.image
        self._texts = dict(blueprint.texts)
        self._pristine = True

    def start_from(self, image: bytes | None) -> None:
        """Edit this state from now on; the world's own without an image."""
        self._image = self._blueprint.image if image is None else image
        self._pristine = False
        self._renew()
        if image is None and self._blueprint.texts:
            self._texts = dict(self._blueprint.texts)
            return
        rows = read(self._connection, self._tables)
        self._texts = {table.name: table_text(table, rows[table.name]) for table in self._tables}

    def first_possible(
        self, variants: list[list[Edit]], *, number: int, seed: int, unlike: str
    ) -> tuple[dict[str, Any], bytes]:
        """The state after the first variant that the schema allows and that is another one than it was.

        Args:
            variants: Lists of edits.
            number: Calls that were made until here, which the clock follows.
            seed: Seed of random numbers in column defaults.
            unlike: Hash of a state that it must not be.

        Returns:
            Its hash and its changes, and its image; an empty hash where no variant is possible.
        """
        for edits in variants:
            self._renew()
            context = self._connection.context
            context.seed = seed
            context.begin(number)
            changes = self._apply(edits)
            if not changes:
                continue
            written = {change["table"] for change in changes}
            entries = {name: text for name, text in self._texts.items() if name not in written}
            result = state_hash(self._connection, self._tables, entries)
            if result != unlike:
                return {"hash": result, "changes": changes}, self._connection.image()
        return {"hash": "", "changes": []}, b""

    def _renew(self) -> None:
        if not self._pristine:
            self._connection.load(self._image)
            self._pristine = True

    def _apply(self, edits: list[Edit]) -> list[Change]:
        """Apply edits in one transaction, in order: the rows that changed, none where it is not allowed."""
        connection, self._pristine = self._connection, False
        recorder = Recorder(connection, self._tables)
        recorder.begin()
        connection.own(_BEGIN)
        try:
            with SOFT_LIMIT:
                possible = all(self._edit(edit) for edit in edits)
            changes = recorder.changes() if possible else []
            connection.own(_COMMIT if possible else _ROLLBACK)
        except Exception:  # noqa: BLE001 - whatever SQLite or a constraint has against it: it is not allowed
            return []
        else:
            return changes
        finally:
            if connection.in_transaction:
                connection.own(_ROLLBACK)
            recorder.close()

    def _edit(self, edit: Edit) -> bool:
        """Whether there was a row to edit."""
        table, key, values = edit["table"], edit["key"], edit["values"]
        if edit["kind"] == "insert":
            self._db.insert(table, **values)
            return True
        where = " AND ".join(f"{quoted(column)} IS ?" for column in key)
        if edit["kind"] == "delete":
            sql = f"DELETE FROM {quoted(table)} WHERE {where}"  # noqa: S608 - names are quoted
            return self._db.execute(sql, *key.values()) == 1
        assigned = ", ".join(f"{quoted(column)} = ?" for column in values)
        sql = f"UPDATE {quoted(table)} SET {assigned} WHERE {where}"  # noqa: S608 - names are quoted
        return self._db.execute(sql, *values.values(), *key.values()) == 1
