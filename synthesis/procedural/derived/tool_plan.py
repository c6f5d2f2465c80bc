"""ToolPlan: which tools an environment gets: a connected core of its tables, bounded in all."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property

from synthesis.documents.seed_data import SeedData
from synthesis.procedural.derived.data_model import DataModel
from synthesis.procedural.derived.flow import closing_of
from synthesis.procedural.derived.identifiers import ascii_name
from synthesis.procedural.derived.operation import Operation
from synthesis.procedural.derived.relation import Field, Relation

MOST_TOOLS = 60
MOST_CORE = 14
"""Tables that get the whole range of tools."""
MOST_PARAMS = 10
_RATE = re.compile(
    r"\b(price|rate|limit|latitude|longitude|lat|lng|ratio|depth|position|rank|order|version|number)\b"
)
"""Amounts that say nothing when they are added up."""
_NEVER_SUMMED = re.compile(
    r"\b(id|age|year|severity|rating|score|level|priority|rank|per (?:hour|day|week|month|year))$"
    r"|^(max|min|maximum|minimum)\b"
)
"""Counts of which the same is true."""
_WORTH = {
    "list": 0, "get": 1, "create": 2, "move": 2, "update": 3, "stamp": 3, "delete": 4, "create_with": 3,
    "count_by": 4, "sum_up": 5,
}  # fmt: skip
"""Kinds of tools in the order in which they are kept where not all fit."""


@dataclass(frozen=True)
class ToolPlan:
    """The tools of one environment."""

    model: DataModel
    operations: tuple[Operation, ...]

    @cached_property
    def by_kind(self) -> dict[tuple[str, str], Operation]:
        """The first operation of a kind for a table."""
        results: dict[tuple[str, str], Operation] = {}
        for operation in self.operations:
            results.setdefault((operation.kind, operation.relation.table), operation)
        return results

    def listing(self, relation: Relation) -> Operation | None:
        """The tool that lists the rows of a relation."""
        return self.by_kind.get(("list", relation.table))

    def getting(self, relation: Relation) -> Operation | None:
        """The tool that shows one row of a relation."""
        return self.by_kind.get(("get", relation.table))

    @cached_property
    def writing(self) -> tuple[Operation, ...]:
        """Tools that change rows."""
        return tuple(operation for operation in self.operations if operation.writes)


def tool_plan(model: DataModel, seed_data: SeedData) -> ToolPlan:
    """The tools for a data model whose tables hold these rows."""
    return _Planning(model, seed_data).plan()


class _Planning:
    def __init__(self, model: DataModel, seed_data: SeedData) -> None:
        self.model, self.rows = model, seed_data.rows
        self.core = self._core()
        self.listed = self._listed()
        self.taken: set[str] = set()

    def plan(self) -> ToolPlan:
        wanted = [op for table in self.listed for op in self._of(self.model.relations[table])]
        return ToolPlan(self.model, tuple(self._trimmed(wanted)))

    def _trimmed(self, wanted: list[Operation]) -> list[Operation]:
        """The most useful ones, evenly over the tables, in the tables' order."""
        rank: dict[int, tuple[int, int]] = {}
        per_table: Counter[tuple[str, str]] = Counter()
        for place, operation in enumerate(wanted):
            spot = (operation.relation.table, operation.kind)
            rank[place] = (_WORTH[operation.kind] + per_table[spot], place)
            per_table[spot] += 1
        remaining = set(sorted(rank, key=lambda place: rank[place])[:MOST_TOOLS])
        named = []
        for place, operation in enumerate(wanted):
            if place in remaining:
                named.append(self._named(operation))
        return named

    def _named(self, operation: Operation) -> Operation:
        name = operation.name
        if name in self.taken:
            name = next(n for i in range(2, 999) if (n := f"{operation.name}_{i}") not in self.taken)
        self.taken.add(name)
        return replace(operation, name=name)

    def _core(self) -> list[str]:
        """The tables that most depends on, each next to one that is in already."""
        score: dict[str, float] = {}
        near: dict[str, set[str]] = {table: set() for table in self.model.relations}
        for relation in self.model.relations.values():
            asked = sum(field.asked for field in relation.fields)
            score[relation.table] = asked / 3 + len(relation.foreign_keys) + (2 if relation.label else 0)
            for key in relation.foreign_keys:
                near[relation.table].add(key.table)
                near[key.table].add(relation.table)
        for table, others in near.items():
            score[table] += min(len(others), 12) + (3 if self.model.relations[table].flow else 0)
        chosen: list[str] = []
        waiting = {table for table in score if self.rows.get(table) and self._speaks(table)}
        while waiting and len(chosen) < MOST_CORE:
            edge = {table for table in waiting if any(other in near[table] for other in chosen)}
            best = max(sorted(edge or waiting), key=lambda table: score[table])
            chosen.append(best)
            waiting.remove(best)
        return [table for table in self.model.relations if table in chosen]

    def _speaks(self, table: str) -> bool:
        return any(
            field.asked for field in self.model.relations[table].fields if not field.key or field.target
        )

    def _listed(self) -> list[str]:
        """The core and what its rows cannot be without."""
        wanted = set(self.core)
        for table in self.core:
            relation = self.model.relations[table]
            needed = {f.target for f in relation.refs if not f.nullable} | {
                f.target for f in relation.refs[:3]
            }
            wanted |= {target for target in needed if self.rows.get(target)}
        return [table for table in self.model.relations if table in wanted]

    def _of(self, relation: Relation) -> list[Operation]:
        operations = [self._list(relation)]
        if relation.table not in self.core:
            return operations
        if (
            len(relation.key) == 1
            or self.model.parts_of(relation)
            or any(f.kind == "text" for f in relation.fields)
        ):
            operations.append(Operation("get", f"get_{relation.id}", relation))
        operations += self._creating(relation)
        operations += self._changing(relation)
        operations += self._deleting(relation)
        return operations + self._reporting(relation)

    def _many(self, relation: Relation) -> str:
        return ascii_name(relation.many) or f"{relation.id}_list"

    def _list(self, relation: Relation) -> Operation:
        verb = "find" if relation.label else "list"
        filters = [f for f in relation.fields if self._filters(f)][:7]
        days = [f for f in relation.fields if f.kind in ("day", "moment") and not f.stamped]
        return Operation(
            "list", f"{verb}_{self._many(relation)}", relation, tuple(filters), day=next(iter(days), None)
        )

    def _filters(self, field: Field) -> bool:
        if field.kind == "ref":
            return field.target in self.listed
        return field.kind in ("state", "choice", "flag", "city", "country") and not field.key

    def _givable(self, field: Field) -> bool:
        return field.kind != "ref" or field.target in self.listed

    def _creating(self, relation: Relation) -> list[Operation]:
        if any(len(key.columns) > 1 for key in relation.foreign_keys):
            return []
        given = [f for f in relation.given if self._givable(f)]
        missing = [f for f in relation.given if not self._givable(f) and not f.nullable and not f.default]
        blind = [f for f in relation.fields if f.kind == "blob" and not f.nullable and not f.default]
        if missing or blind or not given or relation.pointers:
            return []
        needed = [f for f in given if not (f.nullable or f.default)]
        optional = [f for f in given if f.nullable or f.default]
        params = (*needed, *optional[: max(0, MOST_PARAMS - len(needed))])
        operation = Operation(
            "create",
            f"add_{relation.id}",
            relation,
            params,
            distinct=self._is_distinct(relation, params),
        )
        return [operation, *self._creating_with(operation)]

    @staticmethod
    def _is_distinct(relation: Relation, params: tuple[Field, ...]) -> bool:
        """Whether the schema says that no two rows share their label."""
        label = set(relation.label)
        stated = any(set(columns) <= label for columns in relation.uniques)
        return bool(label) and stated and {f.column for f in params} >= label

    def _creating_with(self, creation: Operation) -> list[Operation]:
        relation = creation.relation
        if not relation.generated_key:
            return []
        for parts, own in self.model.parts_of(relation):
            operations = (
                [op for op in self._creating(parts) if op.kind == "create"]
                if parts.table in self.core
                else []
            )
            if not operations or own.target_column != relation.key[0].column:
                continue
            needed = tuple(
                f for f in operations[0].params if f.column != own.column and not (f.nullable or f.default)
            )
            keyed = tuple(
                f for f in parts.key if f.column != own.column and f not in needed and not parts.generated_key
            )
            if needed and len(needed) <= 4 and not keyed:
                name = f"add_{relation.id}_with_{self._many(parts)}"
                return [replace(creation, kind="create_with", name=name, parts=parts, part_fields=needed)]
        return []

    def _changing(self, relation: Relation) -> list[Operation]:
        composite = {c for key in relation.foreign_keys if len(key.columns) > 1 for c in key.columns}
        stamps = dict(relation.stamps)
        fields = [
            f
            for f in relation.given
            if not f.key and f.column not in composite and f.column != relation.owner and self._givable(f)
        ][:MOST_PARAMS]
        operations = []
        if fields:
            operations.append(
                Operation(
                    "update",
                    f"update_{relation.id}",
                    relation,
                    tuple(fields),
                    closing=closing_of(relation),
                )
            )
        for state, sources in relation.flow:
            name = f"mark_{relation.id}_{ascii_name(state)}"
            operations.append(Operation("move", name, relation, state=state, sources=sources))
        entered = {ascii_name(state) for state, _ in relation.flow}
        for column, done in stamps.items():
            if ascii_name(done) not in entered:
                name = f"mark_{relation.id}_{ascii_name(done)}"
                operations.append(Operation("stamp", name, relation, state=done, column=column))
        return operations

    def _deleting(self, relation: Relation) -> list[Operation]:
        parts = [
            child for child, own in self.model.parts_of(relation) if not self.model.children[child.table]
        ]
        return [Operation("delete", f"delete_{relation.id}", relation, parts=next(iter(parts), None))]

    def _reporting(self, relation: Relation) -> list[Operation]:
        amounts = [
            f for f in relation.fields if f.kind in ("money", "cents", "decimal") and f.affinity != "TEXT"
        ]
        counts = [
            f
            for f in relation.fields
            if f.kind == "count" and not f.key and f.affinity != "TEXT" and not _NEVER_SUMMED.search(f.words)
        ]
        summed = [f for f in (*amounts, *counts) if not _RATE.search(f.words)]
        amount = next(iter(summed), None)
        groups = [
            f
            for f in relation.fields
            if (f.kind == "ref" and self.model.target(f).label and f.target != relation.table)
            or f.kind in ("state", "choice")
        ]
        many = self._many(relation)
        operations = [
            Operation(
                "count_by",
                f"count_{many}_by_{f.stem if f.kind == 'ref' else f.name}",
                relation,
                column=f.column,
                amount=amount,
            )
            for f in groups[:2]
        ]
        days = [
            f for f in relation.fields if f.kind in ("day", "moment") and not f.stamped and not f.nullable
        ]
        if days and len(self.rows[relation.table]) >= 8:
            operations.append(Operation("sum_up", f"summarise_{many}", relation, amount=amount, day=days[0]))
        return operations
