"""Author: writes the parts of an environment from a sentence and a seed, without a model.

The same sentence and seed give the same bytes in any process. Parts after the schema are derived from the
draft's own parts: tasks are walks executed on a world of the draft, verifiers follow from what the reference
solutions change.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any, Protocol

from synthesis.documents.document import digest
from synthesis.documents.environment import Draft, Environment, Part, Provenance
from synthesis.documents.finding import Finding, PartName
from synthesis.documents.policy import Policy
from synthesis.documents.scenario import MAX_SENTENCE, Scenario
from synthesis.documents.schema import Schema
from synthesis.documents.seed_data import SeedData
from synthesis.documents.tasks import Task, TaskOutline, TaskOutlines, Tasks
from synthesis.documents.tools import ToolCall, Toolset
from synthesis.documents.verifiers import Verifier, Verifiers
from synthesis.errors import InvalidDraft, InvalidInput, SynthesisError
from synthesis.procedural.blueprint import Blueprint, Size
from synthesis.procedural.composer import blueprint, scenario_words
from synthesis.procedural.ddl import schema_sql
from synthesis.procedural.policy_text import policy_text
from synthesis.procedural.seed_rows import seed_data
from synthesis.procedural.task_plan import TaskPlan
from synthesis.procedural.tool_source.module import tools_source
from synthesis.procedural.verifier_source import VerifierSource
from synthesis.procedural.walk import Abandoned
from synthesis.procedural.wording import snake
from synthesis.worlds.database import read_schema
from synthesis.worlds.toolset import read_toolset
from synthesis.worlds.world import World

STAGES: tuple[PartName, ...] = (
    "scenario", "outlines", "schema", "seed_data", "tools", "policy", "tasks", "verifiers",
)  # fmt: skip
"""The order in which parts are written."""

SALTS = 6
"""Blueprints of one sentence and seed that are looked through for the one a draft was made from."""


class Playground(Protocol):
    """What is needed of a world; `synthesis.worlds.world.World` is one."""

    def instance(self, *, seed: int = 0) -> Any:
        """A fresh copy."""
        ...


WorldFactory = Callable[[Environment], AbstractContextManager[Playground]]


def trial_world(environment: Environment) -> World:
    """The world in which tasks are tried; its code is the catalogue's own, so instances share a process."""
    return World(environment, isolation="shared")


def compose(
    sentence: str, *, seed: int, size: Size | None = None, world_factory: WorldFactory | None = None
) -> Environment:
    """A whole environment.

    Args:
        sentence: What the application does, in a person's words.
        seed: Chooses among everything the sentence leaves open.
        size: How large it is to be.
        world_factory: Makes the world in which tasks are tried.

    Raises:
        InvalidInput: The sentence is empty or longer than `MAX_SENTENCE`.
    """
    draft = Draft()
    for part in STAGES:
        if part == "outlines":
            continue
        made = write_part(part, draft, sentence=sentence, seed=seed, size=size, world_factory=world_factory)
        draft = draft.with_part(part, made, Provenance(author="procedural", seed=seed))
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
        world_factory: Makes the world in which tasks are tried.

    Raises:
        InvalidInput: The sentence is empty or too long.
        InvalidDraft: The draft's earlier parts were not made from this sentence and seed.
    """
    if len(sentence) > MAX_SENTENCE:
        raise InvalidInput(
            f"The scenario has {len(sentence)} characters; at most {MAX_SENTENCE} are allowed."
        )
    salt = max(attempt, 1) if findings else 0
    writing = Writing(draft, sentence, seed, size, salt, world_factory or trial_world)
    return writing.part(part)


class Writing:
    """One part being written.

    Args:
        draft: What there is so far.
        sentence: The scenario sentence.
        seed: The seed of the run.
        size: How large the environment is to be.
        salt: 0 at first; another number writes the part differently.
        world_factory: Makes worlds.
    """

    def __init__(
        self,
        draft: Draft,
        sentence: str,
        seed: int,
        size: Size | None,
        salt: int,
        world_factory: WorldFactory,
    ) -> None:
        self.draft, self.sentence, self.seed, self.size = draft, sentence, seed, size
        self.salt, self.world_factory = salt, world_factory

    def part(self, name: PartName) -> Part:
        """The part of that name."""
        writers: dict[PartName, Callable[[], Part]] = {
            "scenario": self._scenario,
            "outlines": self._outlines,
            "schema": self._schema,
            "seed_data": self._seed_data,
            "tools": self._tools,
            "policy": self._policy,
            "tasks": self._tasks,
            "verifiers": self._verifiers,
        }
        return writers[name]()

    def _made(self) -> Blueprint:
        """The blueprint that the draft was made from.

        Raises:
            InvalidDraft: None of this sentence and seed was.
        """
        for salt in range(SALTS):
            made = blueprint(self.sentence, self.seed, self.size, salt)
            if self.draft.schema is not None:
                if schema_sql(made) == self.draft.schema.sql:
                    return made
            elif self.draft.scenario is None or self.draft.scenario.name == scenario_of(made).name:
                return made
        raise InvalidDraft(
            "The procedural author did not write this draft's scenario or schema from this sentence and "
            "seed, so it cannot derive the other parts from it: choose it for all parts, or the model "
            "author for the rest."
        )

    def _scenario(self) -> Scenario:
        return scenario_of(blueprint(self.sentence, self.seed, self.size, self.salt))

    def _schema(self) -> Schema:
        made = self._made() if not self.salt else blueprint(self.sentence, self.seed, self.size, self.salt)
        return read_schema(schema_sql(made))

    def _seed_data(self) -> SeedData:
        return seed_data(self._made(), self.salt)

    def _tools(self) -> Toolset:
        return read_toolset(tools_source(self._made()))

    def _policy(self) -> Policy:
        return Policy(text=policy_text(self._made()))

    def _outlines(self) -> TaskOutlines:
        made = self._made()
        tasks = composed_tasks(self.sentence, self.seed, self.size, made.salt, self.salt, self.world_factory)
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
        made = self._made()
        with self.world_factory(_trial(self.draft, made)) as world, world.instance() as instance:
            return _provable(made, instance, self.salt, self._memory_key())

    def _verifiers(self) -> Verifiers:
        made, tasks = self._made(), self.draft.tasks
        if tasks is None:
            raise InvalidDraft("Verifiers need the tasks first.")
        known = _VERIFIERS.get((self._memory_key(), tasks.fingerprint))
        if known is not None:
            return known
        with self.world_factory(_trial(self.draft, made)) as world, world.instance() as instance:
            try:
                return Verifiers(verifiers=tuple(_verifier(made, instance, task) for task in tasks.tasks))
            except Abandoned as error:
                raise InvalidDraft(f"No verifier can be derived from the draft's tasks: {error}.") from error

    def _memory_key(self) -> str:
        """What tasks and verifiers follow from besides the sentence and the seed."""
        parts = (self.draft.schema, self.draft.seed_data, self.draft.tools)
        return "/".join(part.fingerprint for part in parts if part is not None)


_VERIFIERS: OrderedDict[tuple[str, str], Verifiers] = OrderedDict()
"""Verifiers that were written while their tasks were tried, by what they follow from; the latest few."""


def scenario_of(made: Blueprint) -> Scenario:
    """The scenario of a blueprint; a person's sentence stands first in its description."""
    mark = digest(f"{made.seed} {made.salt} {made.sentence}".encode("utf-8", "replace"))[:6]
    about = scenario_words(made)
    asked = " ".join(made.sentence.encode("utf-8", "replace").decode().split())
    asked = asked[: MAX_SENTENCE - len(about) - 60].rstrip(".")
    return Scenario(
        name=f"{snake(made.organisation)[:60]}_{mark}",
        title=made.organisation,
        category=made.industry.category,
        description=f"{asked}. {about} All people and companies are invented.",
        clock=made.clock,
    )


def _provable(made: Blueprint, instance: Any, salt: int, key: str) -> Tasks:
    """Tasks whose end states a verifier can describe."""
    for attempt in range(3):
        tasks = TaskPlan(made, instance, salt * 10 + attempt).tasks()
        try:
            verifiers = Verifiers(verifiers=tuple(_verifier(made, instance, task) for task in tasks.tasks))
        except Abandoned:
            continue
        _VERIFIERS[key, tasks.fingerprint] = verifiers
        while len(_VERIFIERS) > 8:
            _VERIFIERS.popitem(last=False)
        return tasks
    raise SynthesisError("No set of tasks was found whose end states can be verified.")


def _verifier(made: Blueprint, instance: Any, task: Task) -> Verifier:
    instance.reset()
    for call in task.reference_solution:
        result = instance.call(call.name, call.arguments)
        if not result.ok:
            raise Abandoned(f"the reference solution of {task.id} fails at {call.name}: {result.message}")
    return Verifier(task_id=task.id, source=VerifierSource(made, task, instance.diff()).source())


def _trial(draft: Draft, made: Blueprint) -> Environment:
    """An environment with the draft's world and one empty task, to try calls in."""
    missing = [name for name in ("schema", "seed_data", "tools") if draft.part(name) is None]
    if missing:
        raise InvalidDraft(
            f"Tasks and verifiers are derived by playing; the draft lacks: {', '.join(missing)}."
        )
    tools = draft.tools
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
    trial = draft.with_part("scenario", draft.scenario or scenario_of(made))
    trial = trial.with_part("tasks", Tasks(tasks=(nothing,)))
    verifier = Verifier(task_id="trial", source="def verify(before, after, changes, answer):\n    yield\n")
    return trial.with_part("verifiers", Verifiers(verifiers=(verifier,))).finish()


@lru_cache(maxsize=8)
def composed_tasks(
    sentence: str, seed: int, size: Size | None, salt: int, task_salt: int, world_factory: WorldFactory
) -> Tasks:
    """The tasks that a blueprint leads to, before the other parts are kept anywhere."""
    made = blueprint(sentence, seed, size, salt)
    draft = (
        Draft()
        .with_part("scenario", scenario_of(made))
        .with_part("schema", read_schema(schema_sql(made)))
        .with_part("seed_data", seed_data(made))
        .with_part("tools", read_toolset(tools_source(made)))
    )
    with world_factory(_trial(draft, made)) as world, world.instance() as instance:
        return _provable(made, instance, task_salt, f"outlines/{made.seed}/{made.salt}")
