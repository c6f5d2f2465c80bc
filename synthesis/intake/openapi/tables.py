"""Api tables: the schemas of an API's records as tables, nested ones as tables of their own."""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp

from synthesis.intake.foreign import ForeignColumn, ForeignModel, ForeignReference, ForeignTable
from synthesis.intake.names import words_of
from synthesis.intake.notes import Notes
from synthesis.intake.openapi.columns import declared, default_of, is_scalar, limit_checks, nullable
from synthesis.intake.openapi.document import ApiDocument, Node, listed
from synthesis.intake.openapi.resources import Resource

_DEEPEST = 4
_PAGING = frozenset(
    {"limit", "offset", "page", "cursor", "sort", "order", "fields", "q", "per_page", "page_size"}
)


class ApiTables:
    """Makes the tables.

    Args:
        document: The API.
        resources: What its operations are about.
        notes: Where anything left behind is told.
    """

    def __init__(self, document: ApiDocument, resources: list[Resource], notes: Notes) -> None:
        self._document, self._resources, self._notes = document, resources, notes
        self._model = ForeignModel("postgres")
        self.names: dict[str, str] = {}
        """Component schema to table."""
        self._waiting: list[tuple[str, object, str]] = []
        self._links: dict[str, tuple[str, str]] = {}

    def model(self) -> ForeignModel:
        """The tables of all resources and of what their schemas refer to."""
        for resource in self._resources:
            for schema in resource.schemas:
                name = self._document.name_of(schema)
                if name:
                    self.names.setdefault(name, snake(resource.name))
        for resource in self._resources:
            self._resource(resource)
        if not self._resources:
            for name in self._document.schemas:
                self._table_of({"$ref": f"#/components/schemas/{name}"})
        while self._waiting:
            name, schema, key = self._waiting.pop(0)
            self._fill(self._table(name), self._document.whole(schema), key)
        self._finish()
        return self._model

    def _resource(self, resource: Resource) -> None:
        name = snake(resource.name)
        for schema in resource.schemas:
            other = self.names.get(self._document.name_of(schema), name)
            self._waiting.append((other, schema, resource.key if other == name else ""))
        if resource.schemas:
            return
        if not (resource.key or resource.parameters):
            message = f"/{resource.name} does not describe its records; it is left out."
            self._notes.add("operations_are_not_converted", message, where=f"/{resource.name}")
            return
        wanted = {key: value for key, value in resource.parameters.items() if key.lower() not in _PAGING}
        self._waiting.append((name, {"properties": wanted}, resource.key))
        message = f"/{resource.name} has no schema for its records; its columns are its list's parameters."
        self._notes.add("tables_are_told_by_schemas", message, where=name)

    def _table(self, name: str) -> ForeignTable:
        return self._model.tables.setdefault(name, ForeignTable(name))

    def _table_of(self, schema: object) -> str:
        """The table of a component schema; it is filled later, so a circle of references ends."""
        name = self._document.name_of(schema)
        if name not in self.names:
            self.names[name] = snake(name)
        table = self.names[name]
        if table not in self._model.tables and not any(table == waiting[0] for waiting in self._waiting):
            self._waiting.append((table, schema, ""))
        return table

    def _fill(self, table: ForeignTable, schema: Node, key: str, depth: int = 0) -> None:
        schema = self._chosen(table.name, schema)
        required = set(schema.get("required") or ())
        for name, node in (schema.get("properties") or {}).items():
            if table.column(snake(name)) is None:
                self._property(table, str(name), node, name in required, depth)
        if not table.primary_key:
            table.primary_key = self._key(table, key)
        if schema.get("description") and not table.comment:
            table.comment = str(schema["description"])[:200]

    def _chosen(self, place: str, schema: Node) -> Node:
        """A choice between schemas as one with the properties of all; what is not in all may be missing."""
        choices = [one for key in ("oneOf", "anyOf") for one in listed(schema.get(key)) if not _is_null(one)]
        if not choices:
            return schema
        wholes = [self._document.whole(one) for one in choices]
        properties = dict(schema.get("properties") or {})
        for one in wholes:
            properties = {**(one.get("properties") or {}), **properties}
        required = set(schema.get("required") or ())
        if len(wholes) > 1:
            message = (
                f"{place}: a choice between {len(wholes)} schemas becomes one record with the fields of all."
            )
            self._notes.add("choices_are_merged", message, where=place)
        shared = set.intersection(*(set(one.get("required") or ()) for one in wholes))
        return {**schema, "properties": properties, "required": sorted(required | shared)}

    def _property(self, table: ForeignTable, name: str, node: object, required: bool, depth: int) -> None:
        whole = self._document.whole(node)
        place = f"{table.name}.{name}"
        choices = [one for key in ("oneOf", "anyOf") for one in listed(whole.get(key))]
        real = [one for one in choices if not _is_null(one)]
        if len(real) == 1:
            self._property(table, name, real[0], required and len(real) == len(choices), depth)
        elif "items" in whole or whole.get("type") == "array":
            self._list(table, name, whole.get("items") or {}, depth)
        elif is_scalar(whole):
            self._scalar(table, name, whole, required)
        elif self._is_record(node, whole):
            self._to_one(table, name, node, required, depth)
        else:
            self._free(table, name, whole, place)

    def _is_record(self, node: object, whole: Node) -> bool:
        return bool(
            whole.get("properties")
            or (self._document.name_of(node) and (whole.get("oneOf") or whole.get("anyOf")))
        )

    def _free(self, table: ForeignTable, name: str, whole: Node, place: str) -> None:
        table.columns[snake(name)] = ForeignColumn(
            snake(name), exp.DataType.build("jsonb", dialect="postgres")
        )
        words = "a map with free keys" if whole.get("additionalProperties") else "a value without a schema"
        if whole.get("oneOf") or whole.get("anyOf"):
            words = "a choice between schemas"
        self._notes.add("types_are_not_converted", f"{place}: {words} becomes JSON text.", where=place)

    def _scalar(self, table: ForeignTable, name: str, whole: Node, required: bool) -> None:
        column = ForeignColumn(snake(name), declared(whole))
        column.nullable = not required or nullable(whole)
        values = whole.get("enum")
        if isinstance(values, list) and values and all(isinstance(value, str | None) for value in values):
            column.values = tuple(value for value in values if value is not None)
        column.default = default_of(whole)
        column.comment = str(whole.get("description") or "")[:200]
        table.columns[column.name] = column
        table.checks += limit_checks(column.name, whole)
        for clause in ("pattern", "not", "multipleOf", "if"):
            if clause in whole:
                place = f"{table.name}.{name}"
                message = f"{place}: {clause} {str(whole[clause])[:80]!r} is not checked."
                self._notes.add("checks_are_not_converted", message, where=f"{place} {clause}")

    def _to_one(self, table: ForeignTable, name: str, node: object, required: bool, depth: int) -> None:
        if self._document.name_of(node):
            column = f"{snake(name)}_id"
            table.columns[column] = ForeignColumn(column, _unknown(), nullable=not required)
            table.references.append(ForeignReference((column,), self._table_of(node)))
            return
        self._child(table, name, self._document.whole(node), depth, once=True)

    def _list(self, table: ForeignTable, name: str, items: object, depth: int) -> None:
        whole = self._document.whole(items)
        if self._document.name_of(items) and not is_scalar(whole):
            self._to_many(table, name, self._table_of(items))
        elif whole.get("properties"):
            self._child(table, name, whole, depth, once=False)
        else:
            value = {"properties": {"value": items}, "required": ["value"]}
            self._child(table, name, value, depth, once=False)

    def _to_many(self, table: ForeignTable, name: str, target: str) -> None:
        """A list of records of another table: a table of pairs."""
        link = self._table(f"{table.name}_{snake(name)}")
        if link.columns:
            return
        own, other = f"{singular(table.name)}_id", f"{singular(target)}_id"
        other = f"other_{other}" if other == own else other
        for column, to in ((own, table.name), (other, target)):
            link.columns[column] = ForeignColumn(column, _unknown(), nullable=False)
            link.references.append(ForeignReference((column,), to, on_delete="CASCADE"))
        link.primary_key = (own, other)
        if target != table.name:
            self._links[link.name] = (table.name, target)

    def _child(self, table: ForeignTable, name: str, schema: Node, depth: int, *, once: bool) -> None:
        place = f"{table.name}.{name}"
        if depth >= _DEEPEST:
            self._free(table, name, schema, place)
            return
        child = self._table(f"{table.name}_{snake(name)}")
        if child.columns:
            return
        own = f"{singular(table.name)}_id"
        child.columns["id"] = ForeignColumn("id", exp.DataType.build("bigint"), nullable=False, identity=True)
        child.primary_key = ("id",)
        child.columns[own] = ForeignColumn(own, _unknown(), nullable=False)
        child.references.append(ForeignReference((own,), table.name, on_delete="CASCADE"))
        if once:
            child.uniques.append((own,))
        renamed = {("number" if key == "id" else key): value for key, value in schema["properties"].items()}
        self._fill(child, {**schema, "properties": renamed}, "", depth + 1)

    def _key(self, table: ForeignTable, key: str) -> tuple[str, ...]:
        stem = singular(table.name)
        for wanted in ("id", snake(key), f"{stem}_id", "uuid", "key", "code", "slug"):
            column = table.column(wanted) if wanted else None
            referred = any(wanted in reference.columns for reference in table.references)
            if column is not None and not referred:
                column.nullable = False
                return (column.name,)
        return ()

    def _finish(self) -> None:
        """Give references the type of what they name, and find those that only their names tell."""
        self._model.tables = {name: table for name, table in self._model.tables.items() if table.columns}
        for table in self._model.tables.values():
            if not table.primary_key:
                name = "id" if table.column("id") is None else f"{table.name}_id"
                fresh = ForeignColumn(name, exp.DataType.build("bigint"), nullable=False, identity=True)
                table.columns = {name: fresh, **table.columns}
                table.primary_key = (name,)
                message = f"{table.name} has no field that identifies a record; {name} is proposed."
                self._notes.add("every_table_has_a_primary_key", message, where=table.name)
        for table in self._model.tables.values():
            self._refer_by_name(table)
        for link, (owner, target_name) in self._links.items():
            foreign_table = self._model.tables.get(target_name)
            if foreign_table is not None and any(one.table == owner for one in foreign_table.references):
                self._model.tables.pop(link, None)  # the rows of the list name their owner themselves
        for table in self._model.tables.values():
            for reference in table.references:
                target = self._model.table(reference.table)
                if target is not None:
                    key = target.columns[target.primary_key[0]]
                    table.columns[reference.columns[0]].type = key.type

    def _refer_by_name(self, table: ForeignTable) -> None:
        """`owner_id` names a row of `owners` where there is such a table with a key of the same type."""
        taken = {reference.columns[0] for reference in table.references}
        for column in table.columns.values():
            if column.name in taken or (column.name,) == table.primary_key or not column.name.endswith("_id"):
                continue
            stem = column.name.removesuffix("_id")
            target = next(
                (one for one in self._model.tables.values() if singular(one.name) == singular(stem)), None
            )
            if target is not None and len(target.primary_key) == 1:
                key = target.columns[target.primary_key[0]]
                if key.type.sql() == column.type.sql():
                    table.references.append(ForeignReference((column.name,), target.name))


def snake(name: str) -> str:
    """A name in lower case with underscores."""
    return re.sub(r"\s+", "_", words_of(name)) or "field"


def singular(name: str) -> str:
    """A table's name for one of its rows, roughly."""
    if name.endswith("ies"):
        return name[:-3] + "y"
    if name.endswith(("sses", "xes", "ches", "shes")):
        return name[:-2]
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else name


def _is_null(node: Any) -> bool:
    return isinstance(node, dict) and node.get("type") == "null"


def _unknown() -> exp.DataType:
    return exp.DataType.build("bigint")
