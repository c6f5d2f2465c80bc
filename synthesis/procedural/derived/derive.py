"""Derive: an environment from a schema alone, proved by the same claims as any other."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol

from synthesis.documents.environment import Draft, Environment, Origin, Provenance
from synthesis.documents.finding import Finding
from synthesis.documents.intake import Intake
from synthesis.documents.scenario import Scenario
from synthesis.documents.schema import Schema
from synthesis.documents.seed_data import SeedData
from synthesis.documents.tasks import Task, Tasks
from synthesis.documents.tools import ToolCall, Toolset
from synthesis.documents.verifiers import Verifier, Verifiers
from synthesis.errors import InvalidInput
from synthesis.procedural.composing.playing import Abandoned
from synthesis.procedural.derived.data_model import DataModel, read_data_model
from synthesis.procedural.derived.field_values import LONGEST_GENERATED
from synthesis.procedural.derived.policy import policy_of
from synthesis.procedural.derived.seeding import Seeding
from synthesis.procedural.derived.source.module import tools_source
from synthesis.procedural.derived.tasks import TaskComposer
from synthesis.procedural.derived.tool_plan import ToolPlan, tool_plan
from synthesis.procedural.derived.verifier import DerivedVerifier
from synthesis.verification.answer_facts import facts_hold
from synthesis.verification.distractors import distractors_of
from synthesis.verification.wrong_answers import wrong_answers
from synthesis.worlds.toolset import read_toolset
from synthesis.worlds.world import World

ORDER = ("scenario", "schema", "seed_data", "tools", "policy", "tasks", "verifiers")


class Source(Protocol):
    """What an environment is derived from; `synthesis.intake` reads one from DDL, a database or OpenAPI."""

    @property
    def scenario(self) -> Scenario:
        """What the application is about."""
        ...

    @property
    def schema(self) -> Schema:
        """Its tables, in SQLite's dialect; written into the environment unchanged."""
        ...

    @property
    def seed_data(self) -> SeedData | None:
        """Sample rows, if there are any; they are kept and topped up."""
        ...


WorldFactory = Callable[[Environment], AbstractContextManager[Any]]


def trial_world(environment: Environment) -> World:
    """The world in which tasks are tried; its tools are written here, so instances share a process."""
    return World(environment, isolation="shared")


def derive(
    source: Source,
    *,
    seed: int,
    tasks: int = 10,
    fewer_tasks: bool = False,
    world_factory: WorldFactory | None = None,
) -> Environment:
    """A whole environment for a schema.

    Args:
        source: Scenario, schema and sample rows.
        seed: Chooses rows and tasks; the same source and seed give the same bytes.
        tasks: How many tasks.
        fewer_tasks: Whether fewer will do where the schema does not offer as many.
        world_factory: Makes the world in which tasks are tried.

    Raises:
        InvalidInput: Nothing can be derived; the text names the table or what is missing, and the remedy.
    """
    return Derivation(source, seed, tasks, world_factory or trial_world, fewer=fewer_tasks).environment()


def derivation_findings(schema: Schema) -> tuple[Finding, ...]:
    """What keeps an environment from being derived from a schema, each with the remedy."""
    findings = [
        _finding(
            f"Table {table.name} has no primary key: declare one, its rows cannot be distinguished.",
            table.name,
        )
        for table in schema.tables
        if not table.primary_key
    ]
    if not schema.tables:
        findings.append(_finding("The schema has no table: declare at least one."))
    elif not findings and (demanding := tuple(_too_long(read_data_model(schema)))):
        findings += demanding
    elif not findings and not any(
        _has_asked_field(read_data_model(schema), table.name) for table in schema.tables
    ):
        findings.append(
            _finding(
                "No table has a column by which people could name a row: add a name, title, code, date or "
                "amount to at least one."
            )
        )
    return tuple(findings)


def _too_long(model: DataModel) -> Iterator[Finding]:
    for relation in model.relations.values():
        for field in relation.fields:
            if field.shortest > LONGEST_GENERATED and not field.nullable:
                yield _finding(
                    f"Table {relation.table}, column {field.column}: its CHECK requires text of at least "
                    f"{field.shortest:,} characters; at most {LONGEST_GENERATED:,} are generated: loosen it.",
                    relation.table,
                )


def _has_asked_field(model: DataModel, table: str) -> bool:
    relation = model.relations[table]
    return any(
        f.asked and not (f.key and relation.generated_key) and f.kind != "ref" for f in relation.fields
    )


def _finding(message: str, where: str = "") -> Finding:
    return Finding(part="schema", check="an_environment_can_be_derived", message=message, where=where)


class Derivation:
    """One environment being derived.

    Args:
        source: Scenario, schema and sample rows.
        seed: Where chance comes from.
        count: How many tasks.
        world_factory: Makes worlds.
        fewer: Whether fewer tasks will do.
    """

    def __init__(
        self, source: Source, seed: int, count: int, world_factory: WorldFactory, *, fewer: bool = False
    ) -> None:
        self.source, self.seed, self.count, self.world_factory = source, seed, count, world_factory
        self.fewer = fewer
        if findings := derivation_findings(source.schema):
            raise InvalidInput(" ".join(finding.message for finding in findings[:10]))
        self.model = read_data_model(source.schema, source.seed_data)
        self.verifiers: dict[str, Verifier] = {}
        self.unfilled: tuple[str, ...] = ()

    def environment(self) -> Environment:
        """The environment."""
        scenario, schema = self.source.scenario, self.source.schema
        rows = self._rows()
        plan = tool_plan(self.model, rows)
        tools = read_toolset(tools_source(plan, scenario.title))
        policy = policy_of(plan, scenario.title)
        draft = (
            Draft()
            .with_part("scenario", scenario)
            .with_part("schema", schema)
            .with_part("seed_data", rows)
            .with_part("tools", tools)
            .with_part("policy", policy)
        )
        tasks = self._tasks(draft, plan, tools, policy.text)
        verifiers = Verifiers(verifiers=tuple(self.verifiers[task.id] for task in tasks.tasks))
        draft = draft.with_part("tasks", tasks).with_part("verifiers", verifiers)
        marked = {name: Provenance(author="procedural", seed=self.seed) for name in ORDER}
        marked["schema"] = marked["schema"].replace(origin=self._origin())
        return draft.model_copy(update={"provenance": marked}).finish()

    def _origin(self) -> Origin | None:
        """Where the schema was read, if it was."""
        if not isinstance(self.source, Intake):
            return None
        empty = tuple(
            Finding(
                part="seed_data",
                check="every_table_has_rows",
                message=f"{table} has no rows: its checks and references allow none that can be guessed. "
                "Provide sample rows, or loosen the checks.",
                where=table,
                severity="warning",
            )
            for table in self.unfilled
        )
        return Origin(source=self.source.source, findings=(*empty, *self.source.findings))

    def _random(self, purpose: str) -> random.Random:
        text = f"{self.seed}/{purpose}/{self.source.schema.fingerprint}"
        return random.Random(text)  # noqa: S311 - reproducible content, not a secret

    def _rows(self) -> SeedData:
        seeding = Seeding(
            self.model,
            self.source.schema,
            self.source.scenario.clock,
            self._random("rows"),
            self.source.seed_data,
        )
        rows = seeding.rows_of_all()
        self.unfilled = tuple(seeding.unfilled)
        if len(seeding.unfilled) == len(self.model.relations):
            raise InvalidInput(
                f"No rows could be generated for {', '.join(seeding.unfilled[:8])}: their checks and "
                "references "
                "allow none that can be guessed. Provide sample rows, or loosen the checks."
            )
        return rows

    def _tasks(self, draft: Draft, plan: ToolPlan, tools: Toolset, policy: str) -> Tasks:
        clock = self.source.scenario.clock
        trial = _trial(draft)
        with self.world_factory(trial) as world, world.instance() as instance:
            composer = TaskComposer(
                plan=plan,
                tools={tool.name: tool for tool in tools.tools},
                policy=policy,
                instance=instance,
                clock=clock,
                accept=lambda task: (
                    is_distinguishable(trial, task) and self._verifiable(instance, task, clock)
                ),
                seed=f"{self.seed}/{self.source.schema.fingerprint}",
            )
            return composer.tasks(self.count, fewer=self.fewer)

    def _verifiable(self, instance: Any, task: Task, clock: datetime) -> bool:
        """Whether the end state of a task can be verified; keeps the verifier."""
        instance.reset()
        for call in task.reference_solution:
            if not instance.call(call.name, call.arguments).ok:
                return False
        diff = instance.diff()
        if bool(diff) != (task.kind in ("write", "mixed")):
            return False
        try:
            source = DerivedVerifier(self.model, task, diff, clock).source()
        except Abandoned:
            return False
        self.verifiers[task.id] = Verifier(task_id=task.id, source=source)
        return True


def is_distinguishable(environment: Environment, task: Task) -> bool:
    """Whether the reference answer holds the task's facts beside all other names, and wrong ones do not."""
    distractors = distractors_of(environment, task)

    def holds(answer: str) -> bool:
        commits = task.kind == "read"
        check_outcomes = facts_hold(
            task.answer_facts,
            answer,
            commits=commits,
            instruction=task.instruction,
            distractors=distractors if commits else None,
        )
        return all(outcome.passed for outcome in check_outcomes)

    if not task.answer_facts:
        return True
    return holds(task.reference_answer) and not any(holds(w.text) for w in wrong_answers(task, distractors))


def _trial(draft: Draft) -> Environment:
    """An environment with the draft's world and one empty task, to try calls in."""
    assert draft.tools is not None
    nothing = Task(
        id="trial",
        instruction="Nothing is asked here.",
        kind="read",
        difficulty="easy",
        min_calls=0,
        reference_solution=(ToolCall(name=draft.tools.tools[0].name),),
        reference_answer="",
    )
    verifier = Verifier(task_id="trial", source="def verify(before, after, changes, answer):\n    yield\n")
    trial = draft.with_part("tasks", Tasks(tasks=(nothing,)))
    return trial.with_part("verifiers", Verifiers(verifiers=(verifier,))).finish()
