"""TaskComposer: the tasks of a derived environment: how many of which kind, each composed by playing."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import cast

from synthesis.documents.seed_data import Row
from synthesis.documents.tasks import AnswerFact, Blocking, Task, TaskKind, Tasks, Temptation
from synthesis.documents.tools import Tool
from synthesis.errors import InvalidInput
from synthesis.procedural.composing.instructions import otherwise, questions, regardless, request
from synthesis.procedural.composing.playing import Abandoned, Playable
from synthesis.procedural.composing.task_kinds import (
    DEPENDENT,
    MOST_CALLS,
    PLANS,
    Plan,
    answers_itself,
    gives_away,
)
from synthesis.procedural.composing.wording import sentence, snake
from synthesis.procedural.derived.dependent_goals import branch, choose, each, find
from synthesis.procedural.derived.goals import DerivedClause, act, draw, word_request
from synthesis.procedural.derived.operation import Operation
from synthesis.procedural.derived.play import Play
from synthesis.procedural.derived.questions import DerivedQuestion, ask
from synthesis.procedural.derived.refusals import DerivedForbiddenRequest, can_be_forbidden, forbidden
from synthesis.procedural.derived.shortest import fewest_calls
from synthesis.procedural.derived.tool_plan import ToolPlan

ATTEMPTS = 40
GOALS = {"choose": choose, "branch": branch, "each": each, "find": find}
Accept = Callable[[Task], bool]


@dataclass
class TaskComposer:
    """Composes tasks on a live instance.

    Args:
        plan: The tools.
        tools: What they say of themselves.
        policy: The rules in words.
        instance: Where plays are executed; it is reset for every try.
        clock: The world's time.
        accept: Whether a task's end state can be verified; asked after each one.
        seed: Where chance comes from.
    """

    plan: ToolPlan
    tools: dict[str, Tool]
    policy: str
    instance: Playable
    clock: datetime
    accept: Accept
    seed: str
    used: Counter[str] = field(default_factory=Counter)
    ids: set[str] = field(default_factory=set)
    start: dict[str, list[Row]] = field(default_factory=dict)
    texts: set[str] = field(default_factory=set)
    """Instructions and changes of the tasks so far, none of which is asked for twice."""

    def tasks(self, count: int, *, fewer: bool = False) -> Tasks:
        """That many tasks, or where fewer will do as many as the schema offers.

        Raises:
            InvalidInput: The schema says too little for so many.
        """
        results: list[Task] = []
        last = "nothing can be asked"
        for place in range(count):
            for plan in _alternatives(PLANS[place % len(PLANS)]):
                task, why = self._task(plan, place)
                if task is not None:
                    results.append(task)
                    break
                last = why
        if not results or (len(results) < count and not fewer):
            raise InvalidInput(
                f"Only {len(results)} of {count} tasks can be derived from the schema: {last}. Give it a "
                "table whose rows people can distinguish (a name, title or code column), a reference "
                "between tables, or more sample rows."
            )
        return Tasks(tasks=tuple(results))

    def _task(self, plan: Plan, place: int) -> tuple[Task | None, str]:
        rng = random.Random(f"{self.seed}/{place}/{plan}")  # noqa: S311 - reproducible content, not a secret
        why = ""
        for attempt in range(ATTEMPTS):
            easier = plan
            if attempt >= ATTEMPTS // 2:
                easier = replace(plan, goals=min(plan.goals, 2), asked=min(plan.asked, 2))
            try:
                task, operations = self._composed(easier, rng)
            except Abandoned as error:
                why = str(error)
                continue
            asked = {task.instruction, *_same_change(task)}
            if not self.texts.isdisjoint(asked) or not self.accept(task):
                why = "its end state cannot be verified"
                continue
            self.ids.add(task.id)
            self.texts |= asked
            self.used.update(operation.name for operation in operations)
            return task, ""
        return None, why

    def _composed(self, plan: Plan, rng: random.Random) -> tuple[Task, list[Operation]]:
        self.instance.reset()
        play = Play(self.plan, self.instance, rng, self.clock, self.start)
        for relation in {op.relation.table: op.relation for op in self.plan.operations}.values():
            play.begun(relation)
            for child, _, _ in self.plan.model.children[relation.table]:
                play.begun(child)
        composing = _Composing(self, play, plan)
        return composing.task(), composing.operations

    def unique(self, stem: str) -> str:
        """A task id that is not used yet."""
        name = snake(stem)[:70].strip("_") or "task"
        name = name if name[0].isalpha() else f"task_{name}"
        return next(n for n in (name, *(f"{name}_{i}" for i in range(2, 999))) if n not in self.ids)


def _alternatives(plan: Plan) -> list[Plan]:
    """The plan and, where a schema does not allow it, ever simpler ones."""
    simpler = {
        "conditional": [Plan("mixed", goals=2, asked=1), Plan("write", goals=2)],
        "refuse": [Plan("read", asked=2)],
        "mixed": [Plan("write", goals=2), Plan("read", asked=3)],
        "write": [Plan("write", goals=1), Plan("read", asked=2)],
        "read": [Plan("read", asked=1), Plan("write", goals=1)],
    }
    if plan.kind in DEPENDENT:
        shorter = [replace(plan, hops=hops) for hops in range(plan.hops, 0, -1)]
        return [*shorter, *(Plan(kind, hops=1) for kind in DEPENDENT), *simpler["mixed"], *simpler["write"]]
    return [plan, *simpler[plan.kind], Plan("write", goals=1), Plan("read", asked=1)]


class _Composing:
    """One try at one task."""

    def __init__(self, composer: TaskComposer, play: Play, plan: Plan) -> None:
        self.composer, self.play, self.plan, self.rng = composer, play, plan, play.rng
        self.sentences: list[str] = []
        self.answers: list[str] = []
        self.facts: list[AnswerFact] = []
        self.operations: list[Operation] = []
        self.blocking: tuple[Blocking, ...] = ()
        self.temptations: list[Temptation] = []

    def task(self) -> Task:
        if self.plan.kind == "refuse":
            name = self._refuse()
        elif self.plan.kind == "conditional":
            name = self._conditional()
        elif self.plan.kind in DEPENDENT:
            name = self._dependent()
        else:
            name = self._goals_and_questions()
        return self._finished(name)

    def _finished(self, name: str) -> Task:
        calls = tuple(self.play.calls)
        if not 1 <= len(calls) <= MOST_CALLS:
            raise Abandoned(f"{len(calls)} calls")
        depth = max(self.play.depths)
        answer = " ".join(f"{sentence(answer)}." for answer in self.answers)
        instruction = " ".join(text for text in self.sentences if text)
        writing = {operation.name for operation in self.composer.plan.writing}
        steps = [
            (call, value, call.name in writing) for call, value in zip(calls, self.play.seen, strict=True)
        ]
        facts = tuple({fact.name: fact for fact in self.facts}.values())
        task = Task(
            id=self.composer.unique(name),
            instruction=instruction,
            kind=_task_kind(self.plan),
            difficulty="easy" if depth <= 2 else "medium" if depth <= 4 else "hard",
            min_calls=fewest_calls(self.composer, instruction, steps, facts),
            reference_solution=calls,
            reference_answer=answer,
            answer_facts=facts,
            blocking=self.blocking,
            depth=depth,
            temptations=tuple(self.temptations),
        )
        if not answers_itself(task):
            raise Abandoned("an answer to one question contradicts the answer to another")
        if gives_away(task):
            raise Abandoned("the instruction gives a key or an answer away")
        return task

    def _dependent(self) -> str:
        """One goal about a row that is not named but found."""
        goal = GOALS[self.plan.kind](self.play, self.plan.hops)
        self.sentences.append(goal.text)
        self.answers.append(goal.done)
        self.facts += goal.facts
        self.operations += goal.operations
        self.temptations += goal.temptations
        return goal.operations[0].name if goal.operations else f"find {goal.facts[0].name}"[:50]

    def _goals_and_questions(self) -> str:
        clauses = [self._goal() for _ in range(self.plan.goals)]
        asked = [self._question() for _ in range(self.plan.asked)]
        if clauses:
            self.sentences.append(request(self.rng, [clause.text for clause in clauses]))
            self.answers = [*(clause.done for clause in clauses), *self.answers]
        if asked:
            self.sentences.append(questions(self.rng, [q.text for q in asked], alone=not clauses))
        if not clauses:
            return f"read {asked[0].facts[0].name}"[:50] + (" and more" if len(asked) > 1 else "")
        names = list(dict.fromkeys(clause.operation.name for clause in clauses))
        return " and ".join(names[:2]) + (" and more" if len(names) > 2 else "")

    def _goal(self) -> DerivedClause:
        for operation in self._candidates(self.composer.plan.writing):
            before = self.play.wrote
            try:
                clause = act(self.play, operation)
            except Abandoned:
                if self.play.wrote != before and not before:
                    raise
                continue
            self.operations.append(operation)
            return clause
        raise Abandoned("no change is possible")

    def _candidates(self, operations: tuple[Operation, ...]) -> list[Operation]:
        """Operations in the order to try: those used least so far, then by chance."""
        used, here = self.composer.used, [operation.name for operation in self.operations]
        weight = {"move": 1.6, "stamp": 1.4, "create_with": 1.4, "create": 1.2, "update": 1.2, "delete": 0.6}
        return sorted(
            operations,
            key=lambda op: used[op.name] + 3 * here.count(op.name) - self.rng.random() * 2 * weight[op.kind],
        )[:10]

    def _question(self) -> DerivedQuestion:
        question = ask(self.play)
        known = {fact.name for fact in self.facts}
        if known & {fact.name for fact in question.facts}:
            raise Abandoned("the same is asked twice")
        self.facts += question.facts
        self.answers.append(question.answer)
        return question

    def _forbidden(self) -> DerivedForbiddenRequest:
        fitting = tuple(op for op in self.composer.plan.writing if can_be_forbidden(op))
        for operation in self._candidates(fitting):
            try:
                forbidden_request = forbidden(self.play, operation, attempts=4)
            except Abandoned:
                if self.play.wrote:
                    raise
                continue
            self.operations.append(operation)
            self.blocking = forbidden_request.blocking
            return forbidden_request
        raise Abandoned("no rule can be broken")

    def _refuse(self) -> str:
        forbidden_request = self._forbidden()
        self._tempt(forbidden_request, f"{sentence(forbidden_request.done)}.")
        self.sentences.append(request(self.rng, [forbidden_request.text]))
        self.answers.append(
            f"I had to decline: {_not(forbidden_request.done)}, because {forbidden_request.reason}"
        )
        self.facts.append(AnswerFact(name=forbidden_request.done[:120], type="boolean", value=False))
        return f"refuse {forbidden_request.operation.name}"

    def _tempt(self, forbidden_request: DerivedForbiddenRequest, answer: str) -> None:
        """An agent that ignores the policy makes the call that it forbids."""
        calls = (*self.play.calls, forbidden_request.call)
        self.temptations.append(Temptation(weakness="ignores_policy", calls=calls, answer=answer))

    def _conditional(self) -> str:
        """Do one thing; where the rules forbid it, another one instead."""
        if self.rng.random() < 0.3:
            return self._allowed_after_all()
        forbidden_request = self._forbidden()
        self._tempt(forbidden_request, f"{sentence(forbidden_request.done)}.")
        before = [self._goal() for _ in range(self.plan.goals - 1)]
        clause = self._goal()
        self.sentences += [request(self.rng, [forbidden_request.text]), otherwise(self.rng, clause.text)]
        if before:
            self.sentences.append(regardless(self.rng, [each.text for each in before]))
        self.answers += [
            f"{_not(forbidden_request.done)}, because {forbidden_request.reason}",
            f"Instead, {clause.done}",
        ]
        self.answers += [each.done for each in before]
        return f"{forbidden_request.operation.name} or {clause.operation.name}"

    def _allowed_after_all(self) -> str:
        mark = self.play.mark()
        fitting = tuple(op for op in self.composer.plan.writing if can_be_forbidden(op))
        other = self.rng.choice(self._candidates(self.composer.plan.writing))
        alternative = word_request(self.play, draw(self.play, other))
        taken = set(self.play.mentioned)
        self.play.back_to(mark)
        self.play.changed |= taken
        for operation in self._candidates(tuple(op for op in fitting if op is not other)):
            try:
                clause = act(self.play, operation)
            except Abandoned:
                continue
            self.operations.append(operation)
            more = [self._goal() for _ in range(self.plan.goals - 2)]
            self.sentences += [request(self.rng, [clause.text]), otherwise(self.rng, alternative)]
            if more:
                self.sentences.append(regardless(self.rng, [each.text for each in more]))
            self.answers += [clause.done, *(each.done for each in more)]
            return f"{operation.name} rather than {other.name}"
        raise Abandoned("no rule bears on it")


_TASK_KINDS: dict[str, TaskKind] = {
    "conditional": "mixed",
    "choose": "write",
    "branch": "write",
    "each": "write",
    "find": "read",
}


def _task_kind(plan: Plan) -> TaskKind:
    """What a task of a plan does: changes, answers, or both."""
    return _TASK_KINDS.get(plan.kind) or cast("TaskKind", plan.kind)


def _not(done: str) -> str:
    """The denial of a sentence such as "the order was deleted"."""
    return done.replace(" was ", " was not ", 1)


def _same_change(task: Task) -> Iterator[str]:
    """What a task that only changes something has in common with any other that asks for the same."""
    if task.kind == "write":
        yield repr([(call.name, sorted(call.arguments.items())) for call in task.reference_solution])
