"""Sound parts: an environment that does not build without what is at fault, so that the rest can be proved.

What is left out is overwritten with empty lines: every line that a later finding names is the author's own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from synthesis.documents.environment import Environment
from synthesis.documents.finding import Finding
from synthesis.documents.schema import Schema
from synthesis.documents.seed_data import Row, SeedData
from synthesis.documents.tasks import Task, Tasks
from synthesis.documents.tools import Toolset
from synthesis.verification.sound_tools import SoundTools, mentions
from synthesis.worlds import database
from synthesis.worlds.ddl import Statement, statements
from synthesis.worlds.definitions import reached_texts
from synthesis.worlds.invariants import compile_invariants

_MOST_ROUNDS = 12
"""Times that what depends on something left out is left out, too, before nothing of the part is used."""
_MOST_NAMED = 6
_FEWEST_IN_VAIN = 3


@dataclass(frozen=True, slots=True)
class Remainder:
    """What of an environment can be proved.

    Attributes:
        environment: It; its parts need not be complete.
        left_out: In words, what is not in it.
    """

    environment: Environment
    left_out: tuple[str, ...]


class SoundParts:
    """The parts of one environment and what is wrong with them before anything is run.

    Args:
        environment: The whole of it.
    """

    def __init__(self, environment: Environment) -> None:
        self._environment = environment

    @cached_property
    def schema_findings(self) -> tuple[Finding, ...]:
        """Everything wrong with the schema."""
        if self._is_built_soundly:
            return ()
        return database.schema_findings(self._environment.schema.sql)

    @cached_property
    def _is_built_soundly(self) -> bool:
        """Whether schema and rows build without a finding, as nearly all do; else each is looked at alone."""
        return database.is_sound(self._environment.schema, self._environment.seed_data)

    @cached_property
    def seed_findings(self) -> tuple[Finding, ...]:
        """Everything wrong with the rows of sound tables."""
        if self._is_built_soundly:
            return ()
        schema = self._building_schema or self._environment.schema
        return database.seed_findings(schema, self._rows_of(schema))

    @cached_property
    def tool_findings(self) -> tuple[Finding, ...]:
        """Everything wrong with the tools before they are called, also behind what does not parse."""
        return self._tools.findings

    @cached_property
    def invariants_findings(self) -> tuple[Finding, ...]:
        """Everything wrong with the declared invariants before they are tried."""
        declared = self._environment.invariants
        return compile_invariants(declared.source).findings if declared else ()

    def remainder(self) -> Remainder | None:
        """The environment without what is at fault; None where nothing is, or where too little would be left.

        Raises:
            WorldError: What seemed sound does not build either.
        """
        findings = (
            *self.schema_findings,
            *self.seed_findings,
            *self.tool_findings,
            *self.invariants_findings,
        )
        if not any(finding.blocks for finding in findings) or self._schema is None:
            return None
        seed_data = _sound_rows(self._schema, self._rows_of(self._schema))
        if seed_data is None:
            return None
        tools = self._tools.without(self._tables_left_out, actor=self._is_actor_lost(seed_data))
        if tools is None or not tools.tools:
            return None
        short = self._tables_left_out | {name for name, rows in self._lost_rows(seed_data).items() if rows}
        tasks = [task for task in self._environment.tasks.tasks if self._can_be_tried(task, tools, short)]
        return Remainder(
            self._built(self._schema, seed_data, tools, tasks, whole=not short),
            tuple(self._words(seed_data, tools, tasks)),
        )

    @cached_property
    def _tools(self) -> SoundTools:
        return SoundTools(self._environment.tools.source)

    @cached_property
    def _building_schema(self) -> Schema | None:
        """The schema without faulty tables and those that refer to them."""
        return _shrunk(self._environment.schema, {each.where for each in self.schema_findings if each.blocks})

    @cached_property
    def _schema(self) -> Schema | None:
        """The same without tables most of whose rows do not load, too: nothing can be tried on the others."""
        if self._building_schema is None:
            return None
        in_vain = {table for table, _ in mostly_in_vain(self.seed_findings, self._environment.seed_data)}
        return _shrunk(self._building_schema, in_vain)

    @cached_property
    def _tables_left_out(self) -> frozenset[str]:
        return self._declared_besides(self._schema)

    def _declared_besides(self, schema: Schema | None) -> frozenset[str]:
        sound = {table.name for table in schema.tables} if schema else set()
        declared = {each.table_name for each in statements(self._environment.schema.sql) if each.makes_table}
        return frozenset(declared - sound)

    def _rows_of(self, schema: Schema) -> SeedData:
        """The rows of a schema's tables, and those of tables that were never declared."""
        seed_data, lost = self._environment.seed_data, self._declared_besides(schema)
        rows = {name: rows for name, rows in seed_data.rows.items() if name not in lost}
        actor = None if seed_data.actor is None or seed_data.actor.table in lost else seed_data.actor
        return SeedData.model_construct(rows=rows, actor=actor)

    def _is_actor_lost(self, seed_data: SeedData) -> bool:
        return self._environment.seed_data.actor is not None and seed_data.actor is None

    @property
    def _are_invariants_lost(self) -> bool:
        return any(finding.blocks for finding in self.invariants_findings)

    def _lost_rows(self, seed_data: SeedData) -> dict[str, int]:
        """By table that is there: how many rows are not."""
        rows = self._environment.seed_data.rows
        return {
            name: len(rows[name]) - len(members) for name, members in seed_data.rows.items() if name in rows
        }

    def _can_be_tried(self, task: Task, tools: Toolset, short: Collection[str]) -> bool:
        """Whether all its tools are there, and neither they nor its verifier ask for rows that are not."""
        names = {tool.name for tool in tools.tools}
        verifier = self._environment.verifier(task.id)
        texts = reached_texts(tools.source)
        called = {call.name for call in task.reference_solution}
        sources = [verifier.source if verifier else "", *(texts.get(name, "") for name in called)]
        return called <= names and not any(mentions(source, short) for source in sources)

    def _built(
        self, schema: Schema, seed_data: SeedData, tools: Toolset, tasks: list[Task], *, whole: bool
    ) -> Environment:
        environment = self._environment
        policy, lost = environment.policy, self._tables_left_out
        if policy is not None:
            rules = tuple(rule for rule in policy.row_rules if not mentions(repr(rule.breaches), lost))
            policy = policy.replace(row_rules=rules)
        return _with_parts(
            environment,
            schema=schema,
            seed_data=seed_data,
            tools=tools,
            policy=policy,
            invariants=environment.invariants if whole and not self._are_invariants_lost else None,
            tasks=Tasks.model_construct(tasks=tuple(tasks)),
        )

    def _words(self, seed_data: SeedData, tools: Toolset, tasks: list[Task]) -> Iterable[str]:
        whole = self._environment
        yield from _named("table", sorted(self._tables_left_out))
        rows = sum(self._lost_rows(seed_data).values())
        yield from [f"{rows} row{'s' if rows > 1 else ''}"] if rows else []
        sound = {tool.name for tool in tools.tools}
        known = [tool.name for tool in whole.tools.tools]
        yield from _named("tool", [name for name in known if name not in sound])
        yield from ["all invariants"] if self._are_invariants_lost else []
        remaining = {task.id for task in tasks}
        yield from _named("task", [task.id for task in whole.tasks.tasks if task.id not in remaining])


def mostly_in_vain(findings: Iterable[Finding], seed_data: SeedData) -> dict[tuple[str, str], int]:
    """By table and the one that it refers to: how many rows name no row there, where most of them do."""
    in_vain = Counter((each.where, parent) for each in findings if (parent := parent_of(each)))
    return {
        (table, parent): count
        for (table, parent), count in in_vain.items()
        if count >= _FEWEST_IN_VAIN and count * 2 > len(seed_data.rows.get(table, ()))
    }


def parent_of(finding: Finding) -> str:
    """The table that a row refers to in vain, "" for another finding."""
    evidence = finding.evidence
    parent = evidence.get("parent") if isinstance(evidence, dict) else None
    return parent if isinstance(parent, str) else ""


def _with_parts(environment: Environment, **parts: Any) -> Environment:
    """The environment with other parts, whether or not they fit each other."""
    fields = {name: getattr(environment, name) for name in Environment.model_fields}
    return Environment.model_construct(**{**fields, **parts})


def _named(kind: str, names: list[str]) -> list[str]:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    words = f"{kind}{'s' if len(names) > 1 else ''} {', '.join(names[:_MOST_NAMED])}{more}"
    return [words] if names else []


def _shrunk(schema: Schema, faulty: set[str]) -> Schema | None:
    """A schema without faulty tables and those that refer to them; None where that does not build."""
    sql = schema.sql
    for _ in range(_MOST_ROUNDS):
        if not faulty:
            return schema if sql == schema.sql else database.read_schema(sql)
        shorter = _without_statements(sql, faulty)
        if shorter == sql:
            return None
        sql = shorter
        faulty = {finding.where for finding in database.schema_findings(sql) if finding.blocks}
    return None


def _without_statements(sql: str, faulty: set[str]) -> str:
    for statement in statements(sql):
        if not _is_at_fault(statement, faulty):
            continue
        begin = sql.find(statement.sql)
        end = begin + len(statement.sql)
        end += len(sql[end:]) - len(sql[end:].lstrip()) + 1 if sql[end:].lstrip().startswith(";") else 0
        sql = f"{sql[:begin]}{chr(10) * sql[begin:end].count(chr(10))}{sql[end:]}"
    return sql


def _is_at_fault(statement: Statement, faulty: set[str]) -> bool:
    if statement.makes_table and statement.table_name:
        return statement.table_name in faulty
    names = {token.name for token in statement.tokens}
    return f"line {statement.line}" in faulty or bool(names & faulty)


def _sound_rows(schema: Schema, seed_data: SeedData) -> SeedData | None:
    """Rows that load, without those that refer to a row which does not; None where there is no end to it."""
    for _ in range(_MOST_ROUNDS):
        findings = [each for each in database.seed_findings(schema, seed_data) if each.blocks]
        if not findings:
            return seed_data
        actor, rows = seed_data.actor, dict(seed_data.rows)
        if any(each.check == "the_actor_exists" for each in findings):
            actor = None
        for table in {each.where for each in findings if each.check != "the_actor_exists"}:
            numbers = [_row_number(each) for each in findings if each.where == table]
            rows[table] = _without_rows(rows.get(table, ()), numbers)
        known = {table.name for table in schema.tables}
        rows = {name: members for name, members in rows.items() if name in known}
        seed_data = SeedData.model_construct(rows=rows, actor=actor)
    return None


def _row_number(finding: Finding) -> int | None:
    number = finding.evidence.get("row") if isinstance(finding.evidence, dict) else None
    return number if isinstance(number, int) else None


def _without_rows(rows: tuple[Row, ...], numbers: list[int | None]) -> tuple[Row, ...]:
    """Rows but for those of some numbers from 1; none at all where a number is not known."""
    if None in numbers:
        return ()
    return tuple(row for number, row in enumerate(rows, start=1) if number not in numbers)
