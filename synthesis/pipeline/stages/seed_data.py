"""The seed data: the rows the world starts with; every row is loaded with foreign keys on."""

from __future__ import annotations

import json
import re
from datetime import datetime, time
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, JsonValue, ValidationError, WithJsonSchema, model_serializer, model_validator
from typing_extensions import override

from synthesis.documents.environment import Draft
from synthesis.documents.finding import Finding, PartName
from synthesis.documents.schema import Schema, Table
from synthesis.documents.seed_data import SeedData
from synthesis.errors import BrokenEnvironment, ReplyUnreadable
from synthesis.pipeline.reply import Piece, Reply, UnreadablePieces
from synthesis.pipeline.request import SynthesisRequest
from synthesis.pipeline.stage import Stage
from synthesis.pipeline.stages.listing import outlines_text, policy_text, scenario_text, schema_text
from synthesis.worlds.database import build, seed_findings

_SQL = re.compile(
    r"\s*(?:date|time|datetime|julianday|unixepoch|strftime|current_timestamp|random)\s*\(", re.IGNORECASE
)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d")
_MOMENTS = re.compile(r"_(?:on|at)$|(?:^|_)date$")
MAX_PROBLEMS = 30
"""Misshapen cells of one table told at once."""


_LISTS = {"type": "array", "items": {"type": "array", "items": {"type": ["string", "number", "null"]}}}
"""Rows as a model is to write them: objects would name every column once more with every row."""


class RowsReply(Piece):
    """The rows of one table: lists of values in the order of `columns`, or objects by column."""

    table: str
    columns: list[str] = Field(default_factory=list, description="Of the rows, in the order of their values.")
    rows: Annotated[list[dict[str, JsonValue]], WithJsonSchema(_LISTS)]

    @model_validator(mode="before")
    @classmethod
    def _rows_by_column(cls, value: Any) -> Any:
        if not isinstance(value, dict) or not isinstance(value.get("rows"), list):
            return value
        columns = value.get("columns") or []
        others = {name: each for name, each in value.items() if name != "columns"}
        return {**others, "rows": [_by_column(columns, row) for row in value["rows"]]}

    @model_serializer
    def _as_lists(self) -> dict[str, Any]:
        columns = list(dict.fromkeys(column for row in self.rows for column in row))
        if not all(len(row) == len(columns) for row in self.rows):
            return {"table": self.table, "rows": self.rows}
        rows = [[row[column] for column in columns] for row in self.rows]
        return {"table": self.table, "columns": columns, "rows": rows}


def _by_column(columns: Any, row: Any) -> Any:
    """A row that lists its values as an object.

    Raises:
        ValueError: It has not one value for each column.
    """
    if not isinstance(row, list) or not isinstance(columns, list):
        return row
    if len(row) != len(columns):
        shown = json.dumps(row, ensure_ascii=False)[:200]
        raise ValueError(f"a row has {len(row)} values for {len(columns)} columns: {shown}")
    return dict(zip(map(str, columns), row, strict=True))


class ActorReply(Piece):
    """The row that stands for the user the agent acts for."""

    table: str
    key: int | str


class SeedDataReply(Reply):
    """The rows by table."""

    listed: ClassVar[tuple[str, str] | None] = ("tables", "table")
    tables: list[RowsReply]
    actor: ActorReply | None = None

    def merged(self, correction: Self, schema: Schema | None = None) -> Self:
        """As for all pieces; of a table that comes with few of its rows only these are changed or added.

        Args:
            correction: What is to be changed.
            schema: By which rows that lack what they must have are known as parts of rows.
        """
        changed = []
        for table in correction.tables:
            shape = schema.table(table.table) if schema else None
            standing = self.pieces.get(table.table)
            rows = _with_rows(standing.rows, table.rows, shape) if standing else table.rows
            changed.append(table.model_copy(update={"rows": rows}))
        return super().merged(correction.model_copy(update={"tables": changed}))


class SeedDataStage(Stage[SeedData, SeedDataReply]):
    """Makes the seed data."""

    name: ClassVar[PartName] = "seed_data"
    reads: ClassVar[tuple[PartName, ...]] = ("scenario", "outlines", "policy", "schema")
    reply: ClassVar[type[Reply]] = SeedDataReply
    optional_checks: ClassVar[frozenset[str]] = frozenset(["no_table_is_empty"])

    @override
    def facts(self, draft: Draft, request: SynthesisRequest) -> dict[str, str]:
        """The tables to fill and the tasks that need the rows."""
        return {
            "scenario": scenario_text(draft),
            "outlines": outlines_text(draft.outlines),
            "policy": policy_text(draft),
            "schema": schema_text(draft),
            "rows": str(request.targets.rows),
        }

    @override
    def read(self, reply: SeedDataReply, draft: Draft) -> SeedData:
        """The rows in an answer."""
        if problems := {table.table: message for table in reply.tables if (message := _misshapen(table))}:
            raise UnreadablePieces(problems)
        rows = {table.table: [_row(row) for row in table.rows] for table in reply.tables}
        actor = reply.actor.model_dump() if reply.actor else None
        try:
            return SeedData.model_validate({"rows": rows, "actor": actor})
        except ValidationError as error:
            raise ReplyUnreadable(f"These are not valid rows: {error.errors()[0]['msg']}") from None

    @override
    def corrected(self, standing: SeedDataReply, correction: SeedDataReply, draft: Draft) -> SeedDataReply:
        """The rows after a correction, of which the schema tells whether they are whole."""
        return standing.merged(correction, draft.schema)

    @override
    def reply_of(self, part: SeedData) -> SeedDataReply:
        """The tables' rows as pieces."""
        tables = [
            RowsReply(table=table, rows=[dict(row) for row in rows]) for table, rows in part.rows.items()
        ]
        actor = ActorReply(table=part.actor.table, key=part.actor.key) if part.actor else None
        return SeedDataReply(tables=tables, actor=actor)

    @override
    def check(self, part: SeedData, draft: Draft, request: SynthesisRequest) -> tuple[Finding, ...]:
        """Every row loads, there are enough of them, and two builds are the same."""
        assert draft.schema is not None
        assert draft.scenario is not None
        schema, clock = draft.schema, draft.scenario.clock
        known = {table.name for table in schema.tables}
        strangers = sorted(set(part.rows) - known)
        if strangers:
            return tuple(
                _finding("every_row_has_a_table", f"There is no table {name!r} in the schema.", name)
                for name in strangers
            )
        findings = (*_unwritten(part), *_mixed(part), *_enough(part, known, request.targets.rows))
        try:
            first, second = (build(schema, part, clock=clock).hash for _ in range(2))
        except BrokenEnvironment as error:
            messages = seed_findings(schema, part) or (_finding("every_row_loads", str(error), error.where),)
            return (*messages, *findings)
        if first != second:
            text = "Two builds of these rows give different states."
            return (*findings, _finding("two_builds_are_equal", text))
        return findings


_CellsByColumn = dict[str, JsonValue]


def _with_rows(
    standing: list[_CellsByColumn], given: list[_CellsByColumn], table: Table | None
) -> list[_CellsByColumn]:
    """The rows of a table after a correction: what is given, or the rest of a table that came in part.

    An author that is told of one row often sends only that one, whatever it was asked for. Fewer than half of
    the rows, with ids that are there or new ones, are such a part, and so are rows without what the schema
    wants of them; to take rows out, a table is given without them, and so is a column that may be left out.
    """
    by_id = {row["id"]: row for row in given if isinstance(row.get("id"), int | str)}
    known = {row["id"]: row for row in standing if isinstance(row.get("id"), int | str)}
    if not given or len(by_id) != len(given):
        return given
    if by_id.keys().isdisjoint(known):
        return [*standing, *given] if 2 * len(given) < len(known) else given
    whole = {key: _whole(row, known.get(key, {}), table) for key, row in by_id.items()}
    in_part = all(key in known and whole[key] is not row for key, row in by_id.items())
    if 2 * len(given) >= len(standing) and not in_part:
        return given
    rest = [row for key, row in whole.items() if key not in known]
    return [*(whole.get(row.get("id"), row) for row in standing), *rest]


def _whole(row: _CellsByColumn, known: _CellsByColumn, table: Table | None) -> _CellsByColumn:
    """The row itself; what it leaves out is put to it where it could not be loaded so."""
    columns = {column.name: column for column in table.columns} if table else {}
    left_out = {name: value for name, value in known.items() if name in columns and name not in row}
    if any(columns[name].not_null and columns[name].default is None for name in left_out):
        return {**left_out, **row}
    return row


def _mixed(part: SeedData) -> list[Finding]:
    """Columns whose moments are written in several ways, which SQL compares wrongly."""
    findings = []
    for table, rows in part.rows.items():
        for column in dict.fromkeys(name for row in rows for name in row):
            forms: dict[str, str] = {}
            for row in rows:
                value = row.get(column)
                if isinstance(value, str) and _MOMENT.match(value):
                    forms.setdefault(re.sub(r"\d", "0", value), value)
            if len(forms) > 1:
                shown = " and ".join(map(repr, list(forms.values())[:3]))
                text = f"{column} is written in several ways: {shown}. Write all as YYYY-MM-DDTHH:MM:SS."
                findings.append(_finding("every_moment_is_written_out", text, table))
    return findings


def _misshapen(table: RowsReply) -> str:
    """Cells that no column can hold, as sentences."""
    messages = [
        f"Row {number}: {column} is {'an object' if isinstance(value, dict) else 'a list'}; "
        "a cell is a number, a text or null."
        for number, row in enumerate(table.rows, start=1)
        for column, value in row.items()
        if isinstance(value, dict | list)
    ]
    return " ".join(messages[:MAX_PROBLEMS])


def _row(row: dict[str, Any]) -> dict[str, Any]:
    """The row with booleans as 0 and 1, which is how the database keeps them."""
    return {column: int(value) if isinstance(value, bool) else value for column, value in row.items()}


def _unwritten(part: SeedData) -> list[Finding]:
    """Days and moments that are no ISO text, in columns where they should be: SQL, or another format."""
    findings = []
    for table, rows in part.rows.items():
        wrong = [
            f"Row {number}: {column} is {value!r}."
            for number, row in enumerate(rows, start=1)
            for column, value in row.items()
            if isinstance(value, str) and (_SQL.match(value) or (_MOMENTS.search(column) and _no_day(value)))
        ]
        if wrong:
            how = "Write days as YYYY-MM-DD and moments as YYYY-MM-DDTHH:MM:SS."
            text = f"{' '.join(wrong[:MAX_PROBLEMS])} {how}"
            findings.append(_finding("every_moment_is_written_out", text, table))
    return findings


def _no_day(value: str) -> bool:
    """Whether a text has the digits of a day, time or moment and is none."""
    if not any(character.isdigit() for character in value):
        return False
    for kind in (datetime, time):
        try:
            kind.fromisoformat(value)
        except ValueError:
            continue
        return False
    return True


def _enough(part: SeedData, tables: set[str], least: int) -> list[Finding]:
    findings = []
    if part.count < least:
        findings.append(
            _finding("there_are_enough_rows", f"There are {part.count} rows; at least {least} are needed.")
        )
    findings += [
        _finding("no_table_is_empty", f"Table {name!r} has no row; tools need one.", name, "warning")
        for name in sorted(tables)
        if not part.rows.get(name)
    ]
    if part.actor is not None and part.actor.table not in tables:
        findings.append(
            _finding("the_actor_is_a_row", f"The actor's table {part.actor.table!r} does not exist.", "actor")
        )
    return findings


def _finding(check: str, message: str, where: str = "", severity: str = "error") -> Finding:
    return Finding.model_validate(
        {"part": "seed_data", "check": check, "message": message, "where": where, "severity": severity}
    )
