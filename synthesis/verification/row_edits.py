"""Row edits: changes to a state that no tool made, applied in a sealed process with foreign keys on."""

from __future__ import annotations

from types import TracebackType
from typing import Literal, NamedTuple, Self

from pydantic import Field

from synthesis.documents.document import Document, Identifier
from synthesis.documents.environment import Environment
from synthesis.documents.schema import Table
from synthesis.documents.seed_data import Scalar
from synthesis.documents.state_diff import RowChange, StateDiff
from synthesis.worlds.limits import Limits
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.toolset import read_toolset
from synthesis.worlds.world import World


class RowEdit(Document):
    """One row to insert, update or delete."""

    kind: Literal["insert", "update", "delete"]
    table: Identifier
    key: dict[Identifier, Scalar] = Field(default_factory=dict)
    """Columns that name the row; empty for an insert."""
    values: dict[Identifier, Scalar] = Field(default_factory=dict)
    """New values; empty for a delete."""


class Edited(NamedTuple):
    """A state that was made by edits."""

    state: Snapshot
    changes: StateDiff
    """Rows that differ from the state that was edited."""


_TOOLS = '''
def edit(db, edits: list[dict]) -> dict:
    """Apply row edits in one transaction, in order.

    Args:
        edits: Objects with kind, table, key and values.
    """
    for change in edits:
        table, key, values = _quoted(change["table"]), change["key"], change["values"]
        where = " AND ".join(_quoted(column) + " IS ?" for column in key)
        if change["kind"] == "insert":
            db.insert(change["table"], **values)
            continue
        if change["kind"] == "delete":
            done = db.execute("DELETE FROM " + table + " WHERE " + where, *key.values())
        else:
            assigned = ", ".join(_quoted(column) + " = ?" for column in values)
            sql = "UPDATE " + table + " SET " + assigned + " WHERE " + where
            done = db.execute(sql, *values.values(), *key.values())
        if done != 1:
            raise ToolError("There is no such row.")
    return {}


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
'''


class Laboratory:
    """Makes states that differ from a given one by row edits, for any world of one schema.

    It is a world of the same schema whose only tool applies edits: that tool is ours, so one sealed process
    serves all of it.

    Args:
        environment: Whose schema and rows.
        limits: Ceilings.
        base: Its first state, where it is built already.
    """

    def __init__(
        self, environment: Environment, *, limits: Limits | None = None, base: Snapshot | None = None
    ) -> None:
        bench = Environment.model_construct(
            scenario=environment.scenario,
            schema=environment.schema,
            seed_data=environment.seed_data,
            tools=read_toolset(_TOOLS),
            tasks=environment.tasks,
            verifiers=environment.verifiers,
            policy=None,
            provenance={},
        )
        self._world = World(bench, isolation="shared", limits=limits, base=base)
        self._instance = self._world.instance()

    def edited(self, snapshot: Snapshot, edits: tuple[RowEdit, ...]) -> Snapshot | None:
        """The state after the edits, or None when the schema does not allow them."""
        made = self.make(snapshot, edits)
        return made.state if made else None

    def make(self, snapshot: Snapshot, edits: tuple[RowEdit, ...]) -> Edited | None:
        """The state after the edits with what they changed, or None when the schema does not allow them."""
        self._instance.restore(snapshot)
        result = self._instance.call("edit", {"edits": [edit.model_dump(mode="json") for edit in edits]})
        if not result.ok or not result.changes:
            return None
        made = self._instance.snapshot()
        # The edit is no call of the agent: the clock stands where it stood.
        state = Snapshot(
            image=made.image, hash=made.hash, clock=snapshot.clock, calls=snapshot.calls, seed=snapshot.seed
        )
        return Edited(state, result.changes)

    def close(self) -> None:
        """End its process."""
        self._world.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def undoing(change: RowChange, table: Table) -> RowEdit:
    """The edit that takes back one change."""
    if change.kind == "inserted":
        return RowEdit(kind="delete", table=change.table, key=key_of(table, change.after or {}))
    before = change.before or {}
    if change.kind == "deleted":
        return RowEdit(kind="insert", table=change.table, values=stored(table, before))
    values = {column: before[column] for column in change.columns if column in before}
    return RowEdit(kind="update", table=change.table, key=key_of(table, change.after or {}), values=values)


def key_of(table: Table, row: dict[str, Scalar]) -> dict[str, Scalar]:
    """The columns that name a row: its primary key, or all of them where the table has none."""
    columns = table.primary_key or tuple(row)
    return {column: row.get(column) for column in columns}


def stored(table: Table, row: dict[str, Scalar]) -> dict[str, Scalar]:
    """A row without its generated columns."""
    generated = {column.name for column in table.columns if column.generated}
    return {column: value for column, value in row.items() if column not in generated}
