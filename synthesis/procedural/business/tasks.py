"""Tasks: the mix of one world, each task composed by playing it on a live instance."""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from synthesis.documents.environment import Environment
from synthesis.documents.policy import Policy
from synthesis.documents.state_diff import StateDiff
from synthesis.documents.tasks import Difficulty, Task, fewest_of_each_kind
from synthesis.documents.tools import Toolset
from synthesis.errors import InvalidInput
from synthesis.procedural.business.entry_rules import entry_limits
from synthesis.procedural.business.fewest_calls import fewest_calls
from synthesis.procedural.business.model import Business, Process
from synthesis.procedural.business.offered_goals import (
    OF_BUSINESS,
    OF_CHARGES,
    OF_PRICED,
    OF_PROCESS,
    OF_RECORDS,
    OF_RECURRING,
    OF_STATED,
    Goal,
)
from synthesis.procedural.business.play import TaskBuilder, TaskDraft
from synthesis.procedural.business.recurrence import recurrence_of
from synthesis.procedural.business.voices import spoken
from synthesis.procedural.composing.playing import Abandoned, Playable
from synthesis.procedural.composing.wording import snake
from synthesis.verification.answer_facts import facts_hold
from synthesis.verification.answers import answer_outcomes
from synthesis.verification.distractors import distractors_of
from synthesis.verification.wrong_answers import in_words, wrong_answers

_SHARES: dict[Difficulty, float] = {"easy": 0.3, "medium": 0.4, "hard": 0.3}
_ATTEMPTS, _REPEATING = 4, 2
"""How often all goals are gone through, and from which time on a goal may be played once more."""
_DECLINED = ("refuse", "namesake")
"""How goals begin whose right end is to decline; tried first, so that no world lacks them."""
_MOST_REFUSALS = 0.15
_MOST_OF_A_KIND = 2


def _group(kind: str) -> str:
    return kind if kind in ("read", "refuse") else "changing"


@dataclass
class Played:
    """A goal that was played to its end: what its task is made of, and the task once it is wanted."""

    function: str
    """The name of the goal, whatever process it is of."""
    play: TaskBuilder
    draft: TaskDraft
    instruction: str
    depth: int
    difficulty: Difficulty
    diff: StateDiff
    done: tuple[Task, StateDiff] | None = None

    @property
    def kind(self) -> str:
        """What its task does to the state."""
        return self.draft.kind


def _names(play: TaskBuilder) -> list[str]:
    """Names of everybody on record."""
    parties = {process.party.name: process.party for process in play.business.processes}
    seen = [process.subject for process in play.business.processes if process.staffed]
    tables = [play.business.staff, play.business.party, *parties.values(), *seen]
    return [row["name"] for table in tables for row in play.rows(table)]


def _of(goal: Callable[[TaskBuilder, Process], TaskDraft], process: Process) -> Goal:
    """A goal of one process."""

    def play(play: TaskBuilder) -> TaskDraft:
        return goal(play, process)

    return play


class TaskMix:
    """Composes the tasks of one environment.

    Args:
        business: Whose.
        instance: Where they are played; it is reset for each.
        environment: The world's design, as far as it is written.
        policy: What the agent is told besides the instruction.
        tools: The toolset, for what arguments it names by itself.
        actor: The actor's key.
        salt: Another number composes other tasks.
    """

    def __init__(
        self,
        business: Business,
        instance: Playable,
        environment: Environment,
        policy: Policy,
        tools: Toolset,
        actor: int | str,
        salt: int = 0,
    ) -> None:
        self.business, self.instance, self.environment, self.policy, self.tools, self.actor = (
            business,
            instance,
            environment,
            policy,
            tools,
            actor,
        )
        self.rng = business.random("tasks", salt)
        self.results: list[tuple[Task, StateDiff]] = []
        self.ids: set[str] = set()
        self.used: Counter[str] = Counter()
        self.of_kind: Counter[str] = Counter()

    def tasks(self, count: int, *, fewer: bool = False) -> list[tuple[Task, StateDiff]]:
        """So many tasks, easy ones first, each with what its reference solution changes.

        Args:
            count: How many.
            fewer: Whether fewer will do where the rows do not offer as many.

        Raises:
            InvalidInput: The rows offer fewer; the text says how many they do offer.
        """
        spare: list[Played] = []
        failed: set[str] = set()
        for again in range(_ATTEMPTS):
            if again == _REPEATING:
                self._fill_with_others(spare, count)
            for name, goal in self._in_turn():
                function = name.partition(" ")[0]
                if (
                    name in failed
                    or self.used[name] > again // _REPEATING
                    or self.of_kind[function] >= _MOST_OF_A_KIND
                ):
                    continue
                played = self._composed(function, goal, count)
                if played is None:
                    failed.add(name)
                    continue
                self.used[name] += 1
                if played.done is None:
                    spare.append(played)
                    continue
                self.results.append(played.done)
                self.of_kind[function] += 1
                if len(self.results) >= count:
                    return self._ordered(self.results)
        self._fill(spare, count)
        if len(self.results) < count or any(self._lacking(count).values()):
            self._cut(spare, count, fewer=fewer)
        return self._ordered(self.results)

    def _cut(self, spare: list[Played], count: int, *, fewer: bool) -> None:
        """Leave as many tasks as the world offers in which every kind has its share.

        Raises:
            InvalidInput: They were asked for, or there are none; the text says how many there are.
        """
        late = [done for played in spare if (done := self._late(played)) is not None]
        offered = [*self.results, *late]
        kinds = Counter(_group(task.kind) for task, _ in offered)
        groups = ("changing", "read", "refuse")
        most = next(
            (
                number
                for number in range(min(count, len(offered)), 0, -1)
                if all(
                    kinds[group] >= least
                    for group, least in zip(groups, fewest_of_each_kind(number), strict=True)
                )
            ),
            0,
        )
        if not fewer or not most:
            raise InvalidInput(
                f"{count} tasks are asked for, but this world offers {most} in which every kind of task has"
                f" its share: {kinds['changing']} that change something, {kinds['read']} that only read and"
                f" {kinds['refuse']} that are rightly declined could be composed. Ask for {most} tasks at"
                " most, or say more of what the business does."
            )
        self.results = []
        for fits in (self._is_lacking, self._leaves_room):
            for done in [*offered]:
                if len(self.results) < most and fits(done[0], most):
                    self.results.append(done)
                    offered.remove(done)

    def _fill(self, spare: list[Played], count: int) -> None:
        """Take what was left aside, first what a kind still lacks, while there is room."""
        for fits in (self._is_lacking, self._leaves_room, lambda played, _: played.kind != "refuse"):
            for played in [*spare]:
                if len(self.results) < count and fits(played, count):
                    spare.remove(played)
                    self.results += [done for done in (self._late(played),) if done is not None]

    def _fill_with_others(self, spare: list[Played], count: int) -> None:
        """Take what was left aside for how hard it is, before any goal is played a second time."""
        for played in [*spare]:
            declined = played.kind == "refuse" and not self._is_lacking(played, count)
            alike = self.of_kind[played.function] >= _MOST_OF_A_KIND
            if len(self.results) >= count or declined or alike or not self._leaves_room(played, count):
                continue
            spare.remove(played)
            if (done := self._late(played)) is not None:
                self.results.append(done)
                self.of_kind[played.function] += 1

    def _lacking(self, count: int) -> dict[str, int]:
        """How many tasks of each group of kinds are still to come."""
        kinds = Counter(_group(task.kind) for task, _ in self.results)
        fewest = zip(("changing", "read", "refuse"), fewest_of_each_kind(count), strict=True)
        return {group: max(least - kinds[group], 0) for group, least in fewest}

    def _is_lacking(self, played: Played | Task, count: int) -> bool:
        return self._lacking(count)[_group(played.kind)] > 0

    def _leaves_room(self, played: Played | Task, count: int) -> bool:
        """Whether the kinds that are still lacking fit in beside it."""
        lacking = sum(self._lacking(count).values()) - self._is_lacking(played, count)
        return len(self.results) + 1 + lacking <= count

    def _in_turn(self) -> list[tuple[str, Goal]]:
        """The goals by chance, first those that were used least.

        Those about what the sentence states go before those that decline, and these before the others.
        """
        goals = self._goals()
        self.rng.shuffle(goals)
        firsts = (tuple(goal.__name__ for goal in (*OF_STATED, *OF_RECURRING, *OF_PRICED)), _DECLINED)

        def turn(name: str) -> tuple[int, ...]:
            return (self.used[name], *(not name.startswith(first) for first in firsts))

        return sorted(goals, key=lambda goal: turn(goal[0]))

    def _goals(self) -> list[tuple[str, Goal]]:
        own = OF_CHARGES if self.business.has_charges else OF_RECORDS
        goals: list[tuple[str, Goal]] = [(goal.__name__, goal) for goal in (*OF_BUSINESS, *own)]
        for process in self.business.processes:
            goals += [
                (f"{goal.__name__} {process.record.name}", _of(goal, process))
                for goal in (
                    *OF_PROCESS[process.shape],
                    *(OF_STATED if entry_limits(self.business, process) else ()),
                    *(OF_PRICED if process.category_cents and process.shape == "hold" else ()),
                    *(OF_RECURRING if recurrence_of(self.business, process) else ()),
                )
            ]
        return goals

    def _wanted(self, played: Played, count: int) -> bool:
        if not self._leaves_room(played, count):
            return False
        counts = Counter(each.difficulty for each, _ in self.results)
        refused = sum(each.kind == "refuse" for each, _ in self.results)
        if played.kind == "refuse" and refused >= max(1, round(count * _MOST_REFUSALS)):
            return False
        return counts[played.difficulty] < max(1, round(_SHARES[played.difficulty] * count))

    def _composed(self, function: str, goal: Goal, count: int) -> Played | None:
        """A goal played, and its task where one like it is wanted; None where nothing came of it."""
        for _ in range(3):
            self.instance.reset()
            play = TaskBuilder(self.business, self.instance, random.Random(self.rng.random()))  # noqa: S311
            with contextlib.suppress(Abandoned):
                played = self._played(function, play, goal(play))
                if self._wanted(played, count):
                    played.done = self._done(played)
                return played
        return None

    def _played(self, function: str, play: TaskBuilder, draft: TaskDraft) -> Played:
        """A play at its end; what is dear to find out waits until its task is wanted."""
        depth = max(play.depths, default=0)
        difficulty: Difficulty = "easy" if depth <= 2 else "medium" if depth <= 4 else "hard"
        instruction = spoken(self.business, play.rng, draft.text, self._people)
        return Played(function, play, draft, instruction, depth, difficulty, self.instance.diff())

    @cached_property
    def _people(self) -> list[str]:
        """Names of everybody on record; no task changes them."""
        return _names(TaskBuilder(self.business, self.instance, self.rng))

    def _done(self, played: Played) -> tuple[Task, StateDiff]:
        """The task of a play.

        Raises:
            Abandoned: Another task changes the same, its answers cannot be told apart, or a weak agent
                completes it.
        """
        if played.diff and any(diff == played.diff for _, diff in self.results):
            raise Abandoned("another task changes the same")
        task = self._task(played)
        self._check_temptations(task, played.diff)
        self.ids.add(task.id)
        return task, played.diff

    def _late(self, played: Played) -> tuple[Task, StateDiff] | None:
        """The task of a play that was left aside; None where its answers cannot be told apart."""
        with contextlib.suppress(Abandoned):
            return self._done(played)
        return None

    def _task(self, played: Played) -> Task:
        play, draft = played.play, played.draft
        answer = draft.answer if draft.kind == "refuse" else play.answer(draft)
        calls = tuple(play.calls)
        task = Task(
            id=self._id(draft.name),
            instruction=played.instruction,
            kind=draft.kind,
            difficulty=played.difficulty,
            min_calls=0,
            reference_solution=calls,
            reference_answer=answer,
            answer_facts=tuple(draft.facts),
            blocking=tuple(draft.blocking),
            depth=played.depth,
            temptations=tuple(each.replace(answer=answer) for each in play.temptations),
        )
        self._check_answers(task, changed=bool(played.diff))
        changing = [place for place, call in enumerate(calls) if self._writes(call.name)]
        least = fewest_calls(
            task, play.seen, changing, self.policy, self.tools, self.business.clock, self.actor
        )
        return task.replace(min_calls=least)

    def _check_answers(self, task: Task, *, changed: bool) -> None:
        """Give up a task whose reference answer is not read as right, or whose wrong ones are."""

        def right(answer: str) -> bool:
            outcomes = answer_outcomes(self.environment, task, answer, changed=changed)
            return all(outcome.passed for outcome in outcomes)

        if not right(task.reference_answer):
            raise Abandoned("the answer is not read as right")
        facts = [fact for fact in task.answer_facts if fact.type != "boolean"]
        if facts and len(facts) == len(task.answer_facts) and not right(in_words(task, {})):
            raise Abandoned("the bare facts are not read as right")
        wrong = wrong_answers(task, distractors_of(self.environment, task))
        if any(right(each.text) for each in wrong):
            raise Abandoned("a wrong answer is read as right")
        if task.kind == "read" and any(outcome.passed for outcome in facts_hold(facts, task.instruction)):
            raise Abandoned("the instruction gives an answer away")

    def _check_temptations(self, task: Task, diff: StateDiff) -> None:
        """Give up a task that a weak agent leaves as the reference does: the tools refused what was wrong."""
        for temptation in task.temptations:
            self.instance.reset()
            for call in temptation.calls:
                self.instance.call(call.name, dict(call.arguments))
            if self.instance.diff() == diff:
                raise Abandoned(f"an agent that {temptation.weakness} completes it")

    def _writes(self, name: str) -> bool:
        tool = self.tools.tool(name)
        return tool is not None and tool.mutates_state

    def _id(self, name: str) -> str:
        stem = snake(name)[:70]
        return next(each for each in (stem, *(f"{stem}_{n}" for n in range(2, 999))) if each not in self.ids)

    def _ordered(self, results: list[tuple[Task, StateDiff]]) -> list[tuple[Task, StateDiff]]:
        order = {"easy": 0, "medium": 1, "hard": 2}
        return sorted(results, key=lambda each: (order[each[0].difficulty], each[0].depth or 0, each[0].id))
