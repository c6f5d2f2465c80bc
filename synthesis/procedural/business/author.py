"""Author: writes the parts of an environment from a sentence and a seed, without a model.

The sentence becomes the model of a business; tables, rows, tools and policy follow from it, and tasks with
their verifiers are played on a world of the draft. The same sentence and seed give the same bytes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from synthesis.documents.document import digest
from synthesis.documents.environment import Draft, Environment, Part, Provenance
from synthesis.documents.finding import Finding, PartName
from synthesis.documents.policy import Policy, RowRule
from synthesis.documents.reading import LEAST_FIDELITY, ScenarioReading
from synthesis.documents.scenario import MAX_SENTENCE, Scenario
from synthesis.documents.schema import Schema
from synthesis.documents.seed_data import SeedData
from synthesis.documents.tasks import Task, TaskOutline, TaskOutlines, Tasks
from synthesis.documents.tools import ToolCall
from synthesis.documents.verifiers import Verifier, Verifiers
from synthesis.errors import InvalidDraft, InvalidInput
from synthesis.procedural.business.build import build
from synthesis.procedural.business.common_rules import set_limits
from synthesis.procedural.business.consistency import consistency_of
from synthesis.procedural.business.ddl import schema_sql
from synthesis.procedural.business.homes import with_reading
from synthesis.procedural.business.model import Business, Style
from synthesis.procedural.business.pattern_choice import pattern_of_clause
from synthesis.procedural.business.plan import is_abstract, plan
from synthesis.procedural.business.planned import BusinessPlan
from synthesis.procedural.business.policy_text import policy_text
from synthesis.procedural.business.problems import problem_of, problem_of_length
from synthesis.procedural.business.rows import seed_data
from synthesis.procedural.business.source import tools_source
from synthesis.procedural.business.tasks import TaskMix
from synthesis.procedural.business.verifier_text import verifier_source
from synthesis.procedural.composing.wording import listing, snake
from synthesis.procedural.sentence.clauses import OBJECT, Parse
from synthesis.procedural.sentence.inflection import article
from synthesis.procedural.sentence.lexicon import NEUTRAL
from synthesis.procedural.sentence.reader import parse
from synthesis.worlds.database import read_schema
from synthesis.worlds.toolset import read_toolset
from synthesis.worlds.world import World

STAGES: tuple[PartName, ...] = (
    "scenario",
    "outlines",
    "schema",
    "seed_data",
    "tools",
    "policy",
    "tasks",
    "verifiers",
)
"""The order in which parts are written."""

MOST_TASKS = 10
_LONGEST_NAME = 60
"""Letters of what may be called a business; longer ones are no words."""


class Playground(Protocol):
    """What is needed of a world; `synthesis.worlds.world.World` is one."""

    def instance(self, *, seed: int = 0) -> Any:
        """A fresh copy."""
        ...


WorldFactory = Callable[[Environment], AbstractContextManager[Playground]]


@dataclass(frozen=True)
class Size:
    """How large an environment is to be."""

    tasks: int = MOST_TASKS
    fewer: bool = False
    """Whether fewer tasks will do where the world does not offer as many."""


def trial_world(environment: Environment) -> World:
    """The world in which tasks are played; its code is this author's own, so instances share a process."""
    return World(environment, isolation="shared")


@dataclass(frozen=True)
class Understanding:
    """What was read from a sentence, before anything is made."""

    reading: ScenarioReading | None
    problem: str
    """Why nothing can be made of it, and what to do; "" where it can."""


def understand(sentence: str, *, seed: int = 0, least: float = LEAST_FIDELITY) -> Understanding:
    """What is read from a sentence, and whether a world can be made of it.

    Args:
        sentence: The scenario sentence.
        seed: The seed of the run.
        least: Share of the content words that must be represented.
    """
    if problem := problem_of_length(sentence):
        return Understanding(None, problem)
    parsed, planned = _parsed(sentence)
    problem = problem_of(sentence, parsed)
    if problem or not planned.processes or not _does_something(parsed):
        return Understanding(None, problem or _nothing_done(planned))
    reading = _business(sentence, seed).reading
    if reading.fidelity < least:
        return Understanding(
            reading,
            f"Only {reading.fidelity:.0%} of the words are represented; {least:.0%} must be. Without a home:"
            f" {', '.join(reading.unread[:12])}.{_rules_of(reading)} Say it in plainer words, leave them out,"
            " or let a model write the world.",
        )
    return Understanding(reading, "")


def _rules_of(reading: ScenarioReading) -> str:
    """The rules of a sentence that its world would not have, as a sentence of a message; "" without any."""
    rules = ", ".join(f"“{rule}”" for rule in reading.unkept)
    return f" No rule of the world: {rules}." if rules else ""


def _does_something(parsed: Parse) -> bool:
    """Whether some verb is of the lexicon or is done to something, unlike in "a poet dreams of rain"."""
    clauses = parsed.clauses
    return not clauses or any(
        pattern_of_clause(clause) != NEUTRAL
        or clause.agent is not None
        or any(not is_abstract(phrase.text) for phrase in clause.roles.get(OBJECT, ()))
        for clause in clauses
    )


def _nothing_done(planned: BusinessPlan) -> str:
    name = planned.business if len(planned.business) <= _LONGEST_NAME else "business"
    return (
        f"A business was read ({name}), but nothing that it does that records can keep. Say in a plain clause"
        f' what it does to what and for whom: "{article(name).capitalize()} lends (repairs, books, sells,'
        ' inspects, delivers ...) something to somebody". Or let a model write the world.'
    )


@lru_cache(maxsize=64)
def _parsed(sentence: str) -> tuple[Parse, BusinessPlan]:
    parsed = parse(sentence)
    return parsed, plan(parsed)


@lru_cache(maxsize=16)
def _business(sentence: str, seed: int) -> Business:
    parsed, planned = _parsed(sentence)
    business = build(planned, sentence, seed)
    set_limits(business, seed_data(business).rows)
    return with_reading(business, parsed, planned)


def style_of(sentence: str, *, seed: int) -> Style:
    """How the world of a sentence and a seed differs from others besides its business."""
    return _business(sentence, seed).style


def compose(
    sentence: str, *, seed: int, size: Size | None = None, world_factory: WorldFactory | None = None
) -> Environment:
    """A whole environment.

    Args:
        sentence: What the application does, in a person's words.
        seed: Chooses among everything the sentence leaves open.
        size: How large it is to be.
        world_factory: Makes the world in which tasks are played.

    Raises:
        InvalidInput: No business can be made of the sentence; the text says why and what to do.
    """
    draft = Draft()
    for part in STAGES:
        if part == "outlines":
            continue
        result = write_part(part, draft, sentence=sentence, seed=seed, size=size, world_factory=world_factory)
        draft = draft.with_part(part, result, Provenance(author="procedural", seed=seed))
    return draft.finish()


def write_part(
    part: PartName,
    draft: Draft,
    *,
    sentence: str,
    seed: int,
    size: Size | None = None,
    findings: Sequence[Finding] = (),
    attempt: int = 0,
    world_factory: WorldFactory | None = None,
) -> Part:
    """One part of an environment, derived from the parts the draft has, the sentence and the seed.

    Args:
        part: Which part.
        draft: What there is so far.
        sentence: The scenario sentence.
        seed: The seed of the run.
        size: How large the environment is to be.
        findings: What was wrong with the last attempt at this part: another one is written.
        attempt: How many attempts were made before this one.
        world_factory: Makes the world in which tasks are played.

    Raises:
        InvalidInput: No business can be made of the sentence.
        InvalidDraft: The draft's earlier parts were not made from this sentence and seed.
    """
    if not sentence.strip():
        raise InvalidInput("The scenario sentence is empty; say in a few words what the application does.")
    if len(sentence) > MAX_SENTENCE:
        raise InvalidInput(
            f"The scenario has {len(sentence)} characters; at most {MAX_SENTENCE} are allowed."
        )
    understood = understand(sentence, seed=seed, least=0.0)
    if understood.problem:
        raise InvalidInput(understood.problem)
    salt = max(attempt, 1) if findings else 0
    writing = Writing(
        draft, _business(sentence, seed), size or Size(fewer=True), salt, world_factory or trial_world
    )
    return writing.part(part)


class Writing:
    """One part being written.

    Args:
        draft: What there is so far.
        business: The model of the business.
        size: How many tasks.
        salt: 0 at first; another number writes rows and tasks differently.
        world_factory: Makes worlds.
    """

    def __init__(
        self, draft: Draft, business: Business, size: Size, salt: int, world_factory: WorldFactory
    ) -> None:
        self.draft, self.business, self.size = draft, business, size
        self.salt, self.world_factory = salt, world_factory

    def part(self, name: PartName) -> Part:
        """The part of that name."""
        writers: dict[PartName, Callable[[], Part]] = {
            "scenario": lambda: scenario_of(self.business),
            "outlines": self._outlines,
            "schema": self._schema,
            "seed_data": lambda: seed_data(self.business, self.salt),
            "tools": lambda: read_toolset(tools_source(self._checked())),
            "policy": self._policy,
            "tasks": self._tasks,
            "verifiers": self._verifiers,
        }
        return writers[name]()

    def _policy(self) -> Policy:
        business = self._checked()
        rules = tuple(
            RowRule(name=rule.key, breaches=rule.breaches)
            for rule in business.rules.values()
            if rule.breaches
        )
        return Policy(
            text=policy_text(business, self._actor()), row_rules=(*rules, *consistency_of(business))
        )

    def _schema(self) -> Schema:
        return read_schema(schema_sql(self.business))

    def _checked(self) -> Business:
        """The business, if the draft was made from it.

        Raises:
            InvalidDraft: It was not.
        """
        if self.draft.schema is not None and self.draft.schema.sql != schema_sql(self.business):
            raise InvalidDraft(
                "The procedural author did not write this draft's schema from this sentence and seed, so it"
                " cannot derive the other parts from it: choose it for all parts, or the model author for the"
                " rest."
            )
        return self.business

    def _rows(self) -> SeedData:
        return self.draft.seed_data or seed_data(self.business)

    def _actor(self) -> str:
        rows = self._rows().rows[self.business.staff.name]
        return str(rows[0]["name"])

    def _outlines(self) -> TaskOutlines:
        draft = self.draft
        for name in ("scenario", "schema", "seed_data", "tools", "policy"):
            if draft.part(name) is None:
                draft = draft.with_part(
                    name, Writing(draft, self.business, self.size, 0, self.world_factory).part(name)
                )
        tasks = Writing(draft, self.business, self.size, self.salt, self.world_factory).part("tasks")
        assert isinstance(tasks, Tasks)
        return TaskOutlines(
            outlines=tuple(
                TaskOutline(
                    id=task.id,
                    instruction=task.instruction,
                    kind=task.kind,
                    difficulty=task.difficulty,
                    expectation=task.reference_answer,
                )
                for task in tasks.tasks
            )
        )

    def _tasks(self) -> Tasks:
        business, tools, rows = self._checked(), self.draft.tools, self._rows()
        environment = self._trial()
        policy = self.draft.policy or self._policy()
        assert tools is not None
        actor = rows.actor.key if rows.actor is not None else 0
        with self.world_factory(environment) as world, world.instance() as instance:
            results = TaskMix(business, instance, environment, policy, tools, actor, self.salt).tasks(
                self.size.tasks, fewer=self.size.fewer
            )
        tasks = Tasks(tasks=tuple(task for task, _ in results))
        _VERIFIERS[tasks.fingerprint] = Verifiers(
            verifiers=tuple(
                Verifier(task_id=task.id, source=verifier_source(business, task, diff))
                for task, diff in results
            )
        )
        while len(_VERIFIERS) > 8:
            _VERIFIERS.popitem(last=False)
        return tasks

    def _verifiers(self) -> Verifiers:
        business, tasks = self._checked(), self.draft.tasks
        if tasks is None:
            raise InvalidDraft("Verifiers need the tasks first.")
        known = _VERIFIERS.get(tasks.fingerprint)
        if known is not None:
            return known
        with self.world_factory(self._trial()) as world, world.instance() as instance:
            return Verifiers(verifiers=tuple(_verifier(business, instance, task) for task in tasks.tasks))

    def _trial(self) -> Environment:
        """An environment with the draft's world and one empty task, to try calls in."""
        missing = [name for name in ("schema", "seed_data", "tools") if self.draft.part(name) is None]
        if missing:
            raise InvalidDraft(
                f"Tasks and verifiers are derived by playing; the draft lacks: {', '.join(missing)}."
            )
        tools = self.draft.tools
        assert tools is not None
        nothing = Task(
            id="trial",
            instruction="Nothing is asked here.",
            kind="read",
            difficulty="easy",
            min_calls=0,
            reference_solution=(ToolCall(name=tools.tools[0].name),),
            reference_answer="",
        )
        trial = self.draft.with_part("scenario", self.draft.scenario or scenario_of(self.business))
        trial = trial.with_part("tasks", Tasks(tasks=(nothing,)))
        verifier = Verifier(
            task_id="trial", source="def verify(before, after, changes, answer):\n    yield\n"
        )
        return trial.with_part("verifiers", Verifiers(verifiers=(verifier,))).finish()


_VERIFIERS: OrderedDict[str, Verifiers] = OrderedDict()
"""Verifiers that follow from tasks played just now, by the tasks' fingerprint; the latest few."""


def _verifier(business: Business, instance: Any, task: Task) -> Verifier:
    instance.reset()
    for call in task.reference_solution:
        result = instance.call(call.name, call.arguments)
        if not result.ok:
            raise InvalidDraft(f"The reference solution of {task.id} fails at {call.name}: {result.message}")
    return Verifier(task_id=task.id, source=verifier_source(business, task, instance.diff()))


def scenario_of(business: Business) -> Scenario:
    """The scenario of a business; a person's sentence stands first in its description."""
    mark = digest(f"{business.seed} {business.sentence}".encode("utf-8", "replace"))[:6]
    records = listing([process.record.many for process in business.processes])
    about = (
        f"{business.title} keeps {business.party.many}, {records}, with what is"
        f" {'charged, paid and ' if business.has_charges else ''}written about them."
        " All people and companies are invented."
    )
    asked = " ".join(business.sentence.encode("utf-8", "replace").decode().split())
    asked = asked[: MAX_SENTENCE - len(about) - 10].rstrip(".")
    return Scenario(
        name=f"{snake(business.title)[:60]}_{mark}",
        title=business.title[:120],
        category=business.noun[:80],
        description=f"{asked}. {about}",
        clock=business.clock,
        reading=business.reading,
    )
