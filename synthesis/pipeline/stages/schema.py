"""The schema: the tables of the world; every statement is run on a real database."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, Any, ClassVar

from pydantic import (
    SerializerFunctionWrapHandler,
    WithJsonSchema,
    model_serializer,
    model_validator,
)
from typing_extensions import override

from synthesis.documents.environment import Draft
from synthesis.documents.finding import Finding, PartName
from synthesis.documents.schema import Schema, Table
from synthesis.errors import BrokenEnvironment, ReplyUnreadable
from synthesis.pipeline.reply import Piece, Reply
from synthesis.pipeline.request import SynthesisRequest
from synthesis.pipeline.stage import Stage
from synthesis.pipeline.stages.listing import outlines_text, policy_text, scenario_text
from synthesis.worlds.database import read_schema, schema_findings
from synthesis.worlds.ddl import statements

LONGEST_NAME = 40
"""Characters by which statements are called that make no table."""


class TableReply(Piece):
    """One table, by its statements; or as an object that names it besides."""

    name: str
    sql: str

    @model_validator(mode="before")
    @classmethod
    def _named(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return {"name": next(_tables(value), value[:LONGEST_NAME]), "sql": value}

    @model_serializer(mode="wrap")
    def _as_statements(self, as_object: SerializerFunctionWrapHandler) -> Any:
        return self.sql if next(_tables(self.sql), "") == self.name else as_object(self)


_Table = Annotated[
    TableReply, WithJsonSchema({"type": "string", "description": "CREATE TABLE, and a UNIQUE INDEX of it."})
]


class SchemaReply(Reply):
    """The tables of one application, in an order in which they can be created."""

    listed: ClassVar[tuple[str, str] | None] = ("tables", "name")
    tables: list[_Table]


class SchemaStage(Stage[Schema, SchemaReply]):
    """Makes the schema."""

    name: ClassVar[PartName] = "schema"
    reads: ClassVar[tuple[PartName, ...]] = ("scenario", "outlines", "policy")
    reply: ClassVar[type[Reply]] = SchemaReply

    @override
    def facts(self, draft: Draft, request: SynthesisRequest) -> dict[str, str]:
        """What the tables must be able to hold."""
        return {
            "scenario": scenario_text(draft),
            "outlines": outlines_text(draft.outlines),
            "policy": policy_text(draft),
            "tables": str(request.targets.tables),
        }

    @override
    def read(self, reply: SchemaReply, draft: Draft) -> Schema:
        """The DDL in an answer; what it declares is found by building it."""
        if not reply.tables:
            raise ReplyUnreadable("The reply contains no table.")
        return _built(_indexed(reply))[1]

    @override
    def reply_of(self, part: Schema) -> SchemaReply:
        """The tables as pieces, each with the statements that follow it."""
        tables: list[TableReply] = []
        for statement in statements(part.sql):
            if statement.makes_table or not tables:
                tables.append(TableReply(name=statement.table_name, sql=_ended(statement.sql)))
            else:
                tables[-1].sql += f"\n{_ended(statement.sql)}"
        return SchemaReply(tables=tables)

    @override
    def check(self, part: Schema, draft: Draft, request: SynthesisRequest) -> tuple[Finding, ...]:
        """Every statement builds, and there are enough tables."""
        findings = _built(part.sql)[0]
        if any(finding.blocks for finding in findings):
            return findings
        return findings + _too_few(len(part.tables), request)


def _too_few(tables: int, request: SynthesisRequest) -> tuple[Finding, ...]:
    """That there are fewer tables than wanted: a fault of a model, which can write more.

    A world without a model has the tables that its sentence is about; more would be of another business.
    """
    least = request.targets.tables
    if tables >= least:
        return ()
    message = f"There are {tables} tables; at least {least} are needed."
    finding = Finding(part="schema", check="there_are_enough_tables", message=message)
    if request.author_of("schema") != "procedural":
        return (finding,)
    message = f"There are {tables} tables, fewer than {least}; a sentence that names more work gets more."
    return (finding.replace(message=message, severity="warning"),)


@lru_cache(maxsize=16)
def _built(sql: str) -> tuple[tuple[Finding, ...], Schema]:
    """What is wrong with the statements, and what they declare; kept, since reading and checking both ask."""
    try:
        return (), read_schema(sql)
    except BrokenEnvironment:
        return schema_findings(sql), Schema(sql=sql)


def _indexed(reply: SchemaReply) -> str:
    """The script; where it has no index, with one for every reference, behind the table that refers."""
    sql = "\n\n".join(_ended(table.sql) for table in reply.tables) + "\n"
    if any(statement.words[:2] == ("CREATE", "INDEX") for statement in statements(sql)):
        return sql
    indexes = {table.name: _indexes(table) for table in _built(sql)[1].tables}
    texts = []
    for each in reply.tables:
        added = [index for name in _tables(each.sql) for index in indexes.get(name, ())]
        texts.append("\n".join([_ended(each.sql), *added]))
    return "\n\n".join(texts) + "\n"


def _tables(sql: str) -> Iterator[str]:
    """Names of the tables that statements make."""
    return (statement.table_name for statement in statements(sql) if statement.makes_table)


def _indexes(table: Table) -> list[str]:
    columns = dict.fromkeys(key.columns[0] for key in table.foreign_keys)
    names = [column for column in columns if column not in table.primary_key[:1]]
    return [f"CREATE INDEX {table.name}_by_{name} ON {table.name} ({name});" for name in names]


def _ended(sql: str) -> str:
    sql = sql.strip()
    return sql if sql.endswith(";") else f"{sql};"
