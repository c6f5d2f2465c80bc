"""TaskPlan: the tasks of one environment: how many of which kind, how long, each composed by walking."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from synthesis.documents.tasks import AnswerFact, Task, Tasks
from synthesis.documents.tools import ToolCall
from synthesis.documents.verdict import CheckOutcome
from synthesis.errors import SynthesisError
from synthesis.procedural.action import Action
from synthesis.procedural.blueprint import Blueprint
from synthesis.procedural.goals import Clause, act, draw, word_request
from synthesis.procedural.instructions import opener, otherwise, questions, regardless, request
from synthesis.procedural.pronouns import spoken
from synthesis.procedural.questions import Question, ask
from synthesis.procedural.references import reveal, with_pronouns
from synthesis.procedural.refusals import Forbidden, forbidden
from synthesis.procedural.walk import Abandoned, Playable, Row, Walk
from synthesis.procedural.wording import sentence, snake
from synthesis.verification.answer_facts import facts_hold, mentions, normalised, values
from synthesis.verification.wrong_answers import wrong_answers

Kind = Literal["read", "write", "mixed", "refuse", "conditional"]
TRIES = 60
MOST_CALLS = 20


@dataclass(frozen=True)
class Plan:
    """One task to compose."""

    kind: Kind
    goals: int = 0
    asked: int = 0


PLANS = (
    Plan("read", asked=1),
    Plan("write", goals=1),
    Plan("refuse"),
    Plan("write", goals=4),
    Plan("read", asked=5),
    Plan("conditional", goals=4),
    Plan("mixed", goals=4, asked=2),
    Plan("write", goals=6),
    Plan("mixed", goals=7, asked=1),
    Plan("write", goals=9),
)
"""The ten tasks of an environment, easiest first."""


class TaskPlan:
    """Composes the tasks of one environment on a live instance.

    Args:
        made: The blueprint.
        instance: Where walks are executed; it is reset for every try.
        salt: Another number composes other tasks.
    """

    def __init__(self, made: Blueprint, instance: Playable, salt: int = 0) -> None:
        self.made, self.instance, self.salt = made, instance, salt
        self.used: Counter[str] = Counter()
        self.ids: set[str] = set()
        self._start: dict[str, list[Row]] = {}
        self._fresh = False

    def tasks(self) -> Tasks:
        """All tasks.

        Raises:
            SynthesisError: Some task could not be composed in many tries.
        """
        count = self.made.size.tasks
        plans = [PLANS[place % len(PLANS)] for place in range(count)]
        return Tasks(tasks=tuple(self._task(plan, place) for place, plan in enumerate(plans)))

    def _task(self, plan: Plan, place: int) -> Task:
        rng = self.made.random(f"task {place}", self.salt)
        last: Abandoned | None = None
        self._fresh = False  # each call moves the clock: every task begins at the world's own time
        for attempt in range(TRIES):
            easier = plan if attempt < TRIES // 2 else Plan(plan.kind, min(plan.goals, 2), min(plan.asked, 2))
            try:
                task = self._composed(easier, rng)
            except Abandoned as error:
                last = error
                continue
            self.ids.add(task.id)
            return task
        raise SynthesisError(f"Task {place + 1} ({plan.kind}) could not be composed in {TRIES} tries: {last}")

    def _composed(self, plan: Plan, rng: random.Random) -> Task:
        if not self._fresh:
            self.instance.reset()
        walk = Walk(self.made, self.instance, rng, looked_up=self._start)
        composer = _Composer(self, walk, plan)
        try:
            task = composer.task()
        finally:
            self._fresh = not walk.wrote
        for action in composer.actions:
            self.used[action.name] += 1
        return task

    def unique(self, stem: str) -> str:
        """A task id that is not used yet."""
        name = snake(stem)[:70]
        return next(n for n in (name, *(f"{name}_{i}" for i in range(2, 99))) if n not in self.ids)


class _Composer:
    """One try at one task."""

    def __init__(self, plans: TaskPlan, walk: Walk, plan: Plan) -> None:
        self.plans, self.walk, self.plan = plans, walk, plan
        self.made, self.rng = walk.made, walk.rng
        self.sentences: list[str] = []
        self.answers: list[str] = []
        self.facts: list[AnswerFact] = []
        self.actions: list[Action] = []
        self.asking: set[int] = set()
        """Places of the calls that find out what is asked, or why a wish is forbidden."""

    def task(self) -> Task:
        kind = self.plan.kind
        if kind == "refuse":
            name = self._refuse()
        elif kind == "conditional":
            name = self._conditional()
        else:
            self._choose_party()
            name = self._goals_and_questions()
        return self._finished(name)

    def _finished(self, name: str) -> Task:
        calls = tuple(self.walk.calls)
        least = 3 if self.plan.kind in ("write", "mixed") else 2
        if not min(least, len(calls)) <= len(calls) <= MOST_CALLS or not calls:
            raise Abandoned(f"{len(calls)} calls")
        kind = "mixed" if self.plan.kind == "conditional" else self.plan.kind
        task = Task(
            id=self.plans.unique(name),
            instruction=with_pronouns(self.walk, " ".join(text for text in self.sentences if text)),
            kind=kind,
            difficulty="easy" if len(calls) <= 4 else "medium" if len(calls) <= 9 else "hard",
            min_calls=len(calls) - self._spare_calls(),
            reference_solution=calls,
            reference_answer=" ".join(f"{sentence(spoken(answer))}." for answer in self.answers),
            answer_facts=_distinct(self.facts),
        )
        if not answers_itself(task):
            raise Abandoned("an answer to one question contradicts the answer to another")
        if gives_away(task):
            raise Abandoned("the instruction gives a key or an answer away")
        return task

    def _spare_calls(self) -> int:
        """How many lookups an agent could do without, since other answers show the same keys."""
        writing = {action.name for action in self.made.actions}
        calls, shown = self.walk.calls, [_keys(value) for value in self.walk.seen]
        left = list(range(len(calls)))
        for place in range(len(calls)):
            without = [other for other in left if other != place]
            droppable = calls[place].name not in writing and place not in self.asking
            if droppable and _is_fed([(calls[i], shown[i]) for i in without]):
                left = without
        return len(calls) - len(left)

    def _choose_party(self) -> None:
        """Decide whom the task is about; some tasks are about nobody in particular."""
        party = self.made.entity("party")
        if self.rng.random() < (0.35 if self.plan.goals + self.plan.asked <= 1 else 0.12):
            return
        rows = self.walk.rows(party)
        self.walk.party = self.rng.choice(rows[: max(4, 2 * len(rows) // 3)])["id"]

    def _open(self) -> None:
        """Introduce the party in a sentence of its own."""
        if self.walk.party is not None and not self.walk.named and self.rng.random() < 0.7:
            who = reveal(self.walk, self.made.entity("party"), self.walk.party)
            self.sentences.append(opener(self.rng, who))

    def _goals_and_questions(self) -> str:
        self._open()
        clauses = [self._goal() for _ in range(self.plan.goals)]
        asked = [self._question() for _ in range(self.plan.asked)]
        if clauses:
            self.sentences.append(request(self.rng, [clause.text for clause in clauses]))
            self.answers = [*(clause.done for clause in clauses), *self.answers]
            self._ask_for_numbers(clauses)
        if asked:
            texts = [question.text for question in asked]
            self.sentences.append(questions(self.rng, texts, alone=not clauses))
        if not clauses:
            return f"read {asked[0].facts[0].name} {'and more' if len(asked) > 1 else ''}"
        names = list(dict.fromkeys(clause.action.name for clause in clauses))
        return " and ".join(names[:2]) + (" and more" if len(names) > 2 else "")

    def _goal(self) -> Clause:
        for action in self._candidates():
            try:
                clause = act(self.walk, action, tries=4)
            except Abandoned:
                continue
            self.actions.append(action)
            return clause
        raise Abandoned("no action is possible")

    def _candidates(self) -> list[Action]:
        """Actions in the order to try: those used least so far, then by weight and chance."""
        here = [action.name for action in self.actions]
        fitting = [a for a in self.made.actions if a.name not in here and self._suits(a)]
        used = self.plans.used
        return sorted(fitting, key=lambda a: used[a.name] - self.rng.random() * a.spec.weight)[:10]

    def _suits(self, action: Action) -> bool:
        """Whether an action can be part of a request about the party, or about nobody."""
        party = self.made.entity("party").key
        new_party = action.creates and action.entity.key == party
        if new_party:
            return self.walk.party is None
        reaches = _reaches(self.made, action, party)
        return reaches if self.walk.party is not None else not reaches or not self.actions

    def _question(self) -> Question:
        begun = len(self.walk.calls)
        question = ask(self.walk)
        self.asking |= set(range(begun, len(self.walk.calls)))
        known = {fact.name for fact in self.facts}
        if known & {fact.name for fact in question.facts}:
            raise Abandoned("the same is asked twice")
        self.facts += question.facts
        self.answers.append(question.answer)
        return question

    def _ask_for_numbers(self, clauses: list[Clause]) -> None:
        numbered = [clause for clause in clauses if clause.number]
        if len(numbered) == 1 and self.rng.random() < 0.6:
            noun = numbered[0].action.entity.noun
            self.sentences.append(f"Tell me the number of the new {noun}.")
            self.facts.append(
                AnswerFact(name=f"number of the new {noun}", type="text", value=numbered[0].number)
            )

    def _forbidden(self) -> Forbidden:
        self._choose_party()
        if self.walk.party is not None and self.rng.random() < 0.5:
            self._open()
        for action in [*self._by_policy(), *self._candidates()]:
            if action.plain_update:
                continue
            try:
                found = forbidden(self.walk, action)
            except Abandoned:
                continue
            self.actions.append(action)
            self.asking |= set(range(len(self.walk.calls)))
            return found
        raise Abandoned("no rule can be broken")

    def _by_policy(self) -> list[Action]:
        """Actions with a rule that stands in the policy alone, until a task was built on it."""
        used = self.plans.used
        return [a for a in self.made.actions if a.relies_on_policy and not used[a.name] and self._suits(a)]

    def _refuse(self) -> str:
        found = self._forbidden()
        self.sentences.append(request(self.rng, [found.text]))
        self.answers.append(f"I had to decline: {_not(found.done)}, because {found.reason}")
        self.facts.append(AnswerFact(name=found.done, type="boolean", value=False))
        return f"refuse {found.action.name}"

    def _conditional(self) -> str:
        """Do A; where the rules forbid A, do B instead."""
        if self.rng.random() < 0.3:
            return self._allowed_after_all()
        found = self._forbidden()
        if self.walk.party is None:
            raise Abandoned("the alternative needs somebody")
        self.walk.barred |= found.touched
        clause = self._goal()
        before = [self._goal() for _ in range(self.plan.goals - 1)]
        self.sentences += [request(self.rng, [found.text]), otherwise(self.rng, clause.text)]
        if before:
            self.sentences.append(regardless(self.rng, [each.text for each in before]))
        self.answers += [f"{_not(found.done)}, because {found.reason}", f"Instead, {clause.done}"]
        self.answers += [each.done for each in before]
        self._ask_for_numbers([clause, *before])
        return f"{found.action.name} or {clause.action.name}"

    def _allowed_after_all(self) -> str:
        self._choose_party()
        self._open()
        clause = self._goal()
        tempting = [guard for guard in clause.action.spec.guards if guard.tempting and guard.because]
        if self.walk.party is None or not tempting:
            raise Abandoned("no rule bears on it")
        mark = self.walk.mark()
        other = next((a for a in self._candidates() if not a.plain_update), None)
        if other is None:
            raise Abandoned("there is no alternative")
        alternative = word_request(self.walk, draw(self.walk, other))
        self.walk.back_to(mark)
        self.sentences += [request(self.rng, [clause.text]), otherwise(self.rng, alternative)]
        self.answers.append(clause.done)
        return f"{clause.action.name} rather than {other.name}"


def _keys(value: JsonValue) -> set[int]:
    """Every key of a row that an observation shows; keys of different tables never meet."""
    if isinstance(value, list):
        return set().union(*map(_keys, value))
    if not isinstance(value, dict):
        return set()
    own = {part for name, part in value.items() if name.endswith("_id") and isinstance(part, int)}
    return own.union(*map(_keys, value.values()))


def _is_fed(calls: list[tuple[ToolCall, set[int]]]) -> bool:
    """Whether every key that a call takes was shown by a call before it."""
    known: set[int] = set()
    for call, shown in calls:
        taken = {value for name, value in call.arguments.items() if name.endswith("_id")}
        if not taken <= known:
            return False
        known |= shown
    return True


def _reaches(made: Blueprint, action: Action, party: str) -> bool:
    """Whether an action's rows belong to parties."""
    if any(column.kind == "ref" and column.entity == party for column in action.params):
        return True
    entity, seen = action.entity, set()
    while entity.key not in seen:
        seen.add(entity.key)
        if entity.key == party or any(ref.entity == party for ref in entity.refs):
            return True
        if entity.parent is None:
            return False
        entity = made.target(entity.parent)
    return False


def answers_itself(task: Task) -> bool:
    """Whether the reference answer holds the task's facts, and answers made wrong by machine do not."""
    held = _held(task, task.reference_answer)
    return all(outcome.passed for outcome in held) and not any(
        all(outcome.passed for outcome in _held(task, wrong.text)) for wrong in wrong_answers(task, {})
    )


def _held(task: Task, answer: str) -> tuple[CheckOutcome, ...]:
    commits = task.kind == "read"
    return facts_hold(task.answer_facts, answer, commits=commits, instruction=task.instruction)


def gives_away(task: Task) -> bool:
    """Whether the instruction says a row's key by coincidence, or the answer to its own question."""
    said = normalised(task.instruction)
    numbers = {str(number) for number in re.findall(r"\d+", said)}
    for call in task.reference_solution:
        if any(name.endswith("_id") and str(value) in numbers for name, value in call.arguments.items()):
            return True
    if task.kind != "read":
        return False
    for fact in task.answer_facts:
        told = values(fact.type, said, year=task_year(fact))
        if fact.value in told or (fact.type in ("name", "text") and mentions(said, str(fact.value))):
            return True
    return False


def task_year(fact: AnswerFact) -> int | None:
    """The year that a day without a year means for a fact."""
    return int(str(fact.value)[:4]) if fact.type == "date" else None


def _not(done: str) -> str:
    """The denial of a sentence such as "the order was cancelled"."""
    return done.replace(" was ", " was not ", 1)


def _distinct(facts: list[AnswerFact]) -> tuple[AnswerFact, ...]:
    return tuple({fact.name: fact for fact in facts}.values())
