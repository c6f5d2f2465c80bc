"""Trial: a scenario's statements and verifiers really tried, all of it inside the sandbox.

Its tools are tried where they are hosted, see `synthesis.bundles.awm.application`.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from synthesis.bundles.awm.folder import AwmScenario
from synthesis.documents.environment import Environment
from synthesis.documents.scenario import Scenario
from synthesis.documents.schema import Schema
from synthesis.documents.seed_data import Row, SeedData
from synthesis.documents.tasks import Task, Tasks
from synthesis.documents.verdict import CheckOutcome
from synthesis.documents.verifiers import Verifier, Verifiers
from synthesis.errors import BrokenEnvironment, SandboxError
from synthesis.worlds.database import read_schema, schema_findings
from synthesis.worlds.limits import Limits
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.tables import quoted
from synthesis.worlds.toolset import read_toolset
from synthesis.worlds.world import Instance, World

_LOADER = '''
def load(db, statement: str) -> dict:
    """Run one statement.

    Args:
        statement: The statement.
    """
    return {"rows": db.execute(statement)}
'''
_NEVER = 'def verify(before, after, changes, answer):\n    yield check("never", False)\n'
_NOW = re.compile(r"'now'|current_(?:timestamp|date|time)|random(?:blob)?\s*\(", re.IGNORECASE)
_ENTRY = re.compile(r"^\s*def (verify_\w*)\s*\(", re.MULTILINE)
_ROWS = 10_000
_SHOWN = 500
"""Characters of a failing statement that its finding shows."""
_LIMITS = Limits(verify_seconds=3.0)
"""A verifier of this format takes milliseconds."""


@dataclass
class ScenarioTrial:
    """What came of it."""

    schema: Schema | None = None
    rows: dict[str, tuple[Row, ...]] = field(default_factory=dict)
    failed_inserts: int = 0
    idle_passes: tuple[int, ...] = ()
    """Indices of tasks whose verifier accepts an agent that did nothing."""
    tried_verifiers: int = 0
    verifiers: dict[str, str] = field(default_factory=dict)
    """Task id to the source of its verifier as one of ours, where it could be run."""


def try_scenario(scenario: AwmScenario) -> ScenarioTrial:
    """Build its database, run its verifiers for an idle agent; what is wrong is noted on the scenario.

    Raises:
        SandboxError: This host cannot run generated code.
    """
    trial = ScenarioTrial(schema=_schema(scenario))
    if trial.schema is None:
        return trial
    try:
        with (
            World(_placeholder_environment(scenario, trial.schema), limits=_LIMITS) as world,
            world.instance() as instance,
        ):
            _load(scenario, instance, trial)
            _read_back(scenario, instance, trial)
            _try_verifiers(scenario, world, instance.snapshot(), trial)
    except BrokenEnvironment as error:
        scenario.finding("schema", "the_database_builds", str(error), where=error.where)
    _note_moving_statements(scenario)
    return trial


def _schema(scenario: AwmScenario) -> Schema | None:
    """The schema without the statements that fail; None where nothing can be built."""
    statements = [f"{statement.strip().rstrip(';')};" for statement in scenario.ddl]
    while statements:
        sql = "\n".join(statements)
        blocking = [finding for finding in schema_findings(sql) if finding.blocks]
        if not blocking:
            return read_schema(sql)
        scenario.findings += blocking
        failing = {str(finding.evidence) for finding in blocking if finding.evidence}
        left = [each for each in statements if each.rstrip(";")[:_SHOWN] not in failing]
        if len(left) == len(statements):
            return None
        statements = left
    return None


def _placeholder_environment(scenario: AwmScenario, schema: Schema) -> Environment:
    """An environment whose one tool runs a statement: so third-party SQL runs where generated code does."""
    task = Task(
        id="load",
        instruction="Load every row of the scenario.",
        kind="write",
        difficulty="easy",
        min_calls=0,
        reference_solution=(),
        reference_answer="",
    )
    return Environment(
        scenario=Scenario(
            name=scenario.name,
            title=scenario.title[:120],
            category="imported",
            description="Imported.",
            clock=scenario.clock,
        ),
        schema=schema,
        seed_data=SeedData(rows={}),
        tools=read_toolset(_LOADER),
        tasks=Tasks(tasks=(task,)),
        verifiers=Verifiers(verifiers=(Verifier(task_id="load", source=_NEVER),)),
    )


def _load(scenario: AwmScenario, instance: Instance, trial: ScenarioTrial) -> None:
    """Each INSERT alone with foreign keys on, the way the predecessor does it."""
    for number, insert in enumerate(scenario.inserts, start=1):
        result = instance.call("load", {"statement": insert.strip().rstrip(";")})
        if result.ok:
            continue
        trial.failed_inserts += 1
        loader = "FOREIGN KEY" in result.message.upper()
        scenario.finding(
            "seed_data",
            "every_loader_builds_the_same_rows" if loader else "every_insert_succeeds",
            f"INSERT {number}: {result.message} "
            + (
                "Loaders without foreign keys keep the row, others drop it."
                if loader
                else "The row is dropped."
            )
            + f" {insert[:200]}",
            where=f"insert {number}",
        )


def _read_back(scenario: AwmScenario, instance: Instance, trial: ScenarioTrial) -> None:
    assert trial.schema is not None
    for table in trial.schema.tables:
        listed = ", ".join(map(quoted, table.stored_columns))
        everything = f"SELECT {listed} FROM {quoted(table.name)}"  # noqa: S608 - quoted, and the sandbox runs it
        rows = instance.query(everything, limit=_ROWS + 1)
        if len(rows) > _ROWS:
            scenario.finding(
                "seed_data",
                "every_row_is_read",
                f"Table {table.name} has more than {_ROWS:,} rows; the others are left out.",
                where=table.name,
            )
        trial.rows[table.name] = tuple(rows[:_ROWS])
        if not trial.rows[table.name]:
            scenario.finding(
                "seed_data",
                "every_table_has_rows",
                f"Table {table.name} is empty.",
                where=table.name,
                severity="note",
            )
    users = trial.rows.get("users")
    if users and not any(row.get("id") == 1 for row in users):
        scenario.finding(
            "seed_data", "the_logged_in_user_exists", "The table users has no row with id 1.", where="users"
        )


def _note_moving_statements(scenario: AwmScenario) -> None:
    moving = sum(1 for insert in scenario.inserts if _NOW.search(insert))
    if moving:
        scenario.finding(
            "seed_data",
            "two_builds_are_the_same",
            f"{moving} of {len(scenario.inserts)} INSERTs depend on time or chance; no two builds agree.",
            severity="warning",
        )


def _try_verifiers(scenario: AwmScenario, world: World, state: Snapshot, trial: ScenarioTrial) -> None:
    """An agent that does nothing and says nothing must not pass."""
    passes = []
    for index, source in sorted(scenario.verifiers.items()):
        where = f"task {index}"
        entries = _ENTRY.findall(source)
        if not entries:
            scenario.finding(
                "verifiers", "every_verifier_has_an_entry", "It defines no verify_ function.", where=where
            )
            continue
        if entries[0] != "verify_task_completion" and "verify_task_completion" in entries:
            scenario.finding(
                "verifiers",
                "every_verifier_has_an_entry",
                f"Readers call {entries[0]}, the first verify_ function, and not verify_task_completion.",
                where=where,
            )
        try:
            adapted = wrapped(source, entries[0])
            outcomes = world.verify_code("load", state, state, "", source=adapted)
        except (BrokenEnvironment, SandboxError, SyntaxError) as error:
            scenario.finding(
                "verifiers",
                "every_verifier_can_be_tried",
                f"It could not be run: {error}",
                where=where,
                severity="warning",
            )
            continue
        trial.tried_verifiers += 1
        trial.verifiers[f"task_{index}"] = adapted
        _note_failed_queries(scenario, where, outcomes)
        if outcomes[0].passed:
            passes.append(index)
            scenario.finding(
                "verifiers",
                "no_verifier_passes_an_idle_agent",
                "It returns 'complete' for an agent that did nothing and answered nothing.",
                where=where,
            )
    trial.idle_passes = tuple(passes)


def _note_failed_queries(scenario: AwmScenario, where: str, outcomes: tuple[CheckOutcome, ...]) -> None:
    """Verifiers swallow the errors of their own queries and then say "others" whatever the agent did."""
    if not outcomes[1].passed:
        scenario.finding(
            "verifiers",
            "every_query_of_a_verifier_runs",
            f"Queries fail on this schema: {outcomes[1].detail}",
            where=where,
        )


_GIVEN = {
    "initial_db_path": '"INITIAL_DATABASE"',
    "final_db_path": '"FINAL_DATABASE"',
    "final_answer": "answer",
}
"""Parameters of the format's verifiers, in order, and what the adapted one gives for each."""


class _WithoutDrivers(ast.NodeTransformer):
    """Takes imports out that the sandbox does not have; the names are given instead."""

    def visit_Import(self, node: ast.Import) -> ast.AST:
        aliases = [alias for alias in node.names if alias.name not in ("sqlite3", "os")]
        return ast.copy_location(ast.Import(names=aliases) if aliases else ast.Pass(), node)


def wrapped(source: str, entry: str) -> str:
    """A code-mode verifier as one of ours: its two database files are the states before and after.

    Raises:
        SyntaxError: It is not Python.
    """
    tree = ast.fix_missing_locations(_WithoutDrivers().visit(ast.parse(source)))
    call = ast.parse(_CALL.replace("ENTRY", entry).replace("ARGUMENTS", _arguments(tree, entry)))
    (verify,) = call.body
    assert isinstance(verify, ast.FunctionDef)
    # Within the function, so that it finds its driver there: nothing of a module may change.
    verify.body[_PLACE:_PLACE] = tree.body
    return f"{_SHIM}\n{ast.unparse(call)}\n"


def _arguments(tree: ast.Module, entry: str) -> str:
    """What a verifier is called with: by name what it names, else the databases and the answer in order."""
    function = next(
        (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == entry), None
    )
    taken = function.args if function else None
    names = [argument.arg for argument in (*taken.args, *taken.kwonlyargs)] if taken else list(_GIVEN)
    if taken and taken.kwarg:
        names = list(_GIVEN)
    if set(names) <= set(_GIVEN):
        return ", ".join(f"{name}={_GIVEN[name]}" for name in names)
    return ", ".join(list(_GIVEN.values())[: len(names)])


_SHIM = '''
import json
import re


class _Row(tuple):
    """A row by position and by name, like sqlite3.Row."""

    def __getitem__(self, key):
        return (*self,)[self.names.index(key) if isinstance(key, str) else key]

    def keys(self):
        return list(self.names)


class _Cursor:
    def __init__(self, db, failures):
        self.db, self.failures = db, failures
        self.rows, self.description, self.rowcount = [], None, -1

    def execute(self, sql, params=()):
        if isinstance(params, dict):
            raise ValueError("named parameters are not supported here")
        try:
            found = self.db.query(sql, *params)
        except Exception as error:
            self.failures.append(f"{error}: {sql}"[:300])
            raise
        names = list(found[0]) if found else []
        self.description = [(name, None, None, None, None, None, None) for name in names]
        self.rows = []
        for each in found:
            row = _Row(each.values())
            row.names = names
            self.rows.append(row)
        return self

    def fetchone(self):
        return self.rows.pop(0) if self.rows else None

    def fetchall(self):
        rows, self.rows = self.rows, []
        return rows

    def fetchmany(self, size=1):
        rows, self.rows = self.rows[:size], self.rows[size:]
        return rows

    def __iter__(self):
        return iter(self.fetchall())

    def close(self):
        pass


class _Connection:
    row_factory = None

    def __init__(self, db, failures):
        self.db, self.failures = db, failures

    def cursor(self):
        return _Cursor(self.db, self.failures)

    def execute(self, sql, params=()):
        return self.cursor().execute(sql, params)

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


class _Driver:
    """As much of sqlite3 as verifiers use, over the states they are given."""

    Row, Error, OperationalError, DatabaseError = _Row, Exception, Exception, Exception
    Connection, Cursor = _Connection, _Cursor

    def __init__(self, before, after, failures):
        self.before, self.after, self.failures = before, after, failures

    def connect(self, path, *_, **__):
        return _Connection(self.before if "INITIAL_DATABASE" in str(path) else self.after, self.failures)
'''

_CALL = '''
def verify(before, after, changes, answer):
    """The verifier within, asked about these two states."""
    failures = []
    sqlite3 = _Driver(before, after, failures)
    result = ENTRY(ARGUMENTS)
    label = result.get("result") if isinstance(result, dict) else None
    yield check("complete", label == "complete", detail=str(label))
    yield check("every query ran", not failures, detail=failures[:3])
'''
_PLACE = 3
"""Statements of this function before the verifier's own."""
