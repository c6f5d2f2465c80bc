"""Measurements: what the verifiers of one environment say of many ends, each end measured once.

A verdict that counts is given in a fresh sealed process (`verification.verifier.verify`). A proof asks
hundreds of times, and a process of its own costs several times what most verifiers take. So ends that are
measured at once share a process, with a new namespace each, where the verifier's source shows no way to
remember; the last of them, the one with the longest past, is measured again in a fresh process, and where the
two disagree in anything, the ends of each task are measured by themselves, and those of one task apart.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from synthesis.documents.tasks import Task
from synthesis.documents.verdict import CheckOutcome
from synthesis.errors import BrokenEnvironment, SandboxError
from synthesis.reading.answer import Answer
from synthesis.reading.observations import Observations
from synthesis.verification.answers import HONEST
from synthesis.verification.verifier import with_answer
from synthesis.verification.verifier_habits import Habits, habits_of
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.world import World

AT_ONCE = min(4, os.cpu_count() or 1)
"""Processes in which verifiers run at the same time."""
FEWEST_TOGETHER = 4
"""Ends for which it is worth while to share a process and cross-check one of them."""
MOST_TOGETHER = 64
"""Ends in one process."""
MOST_TIMEOUTS = 3
"""Times that a verifier may use up its time before it is asked no more."""
_MOST_BYTES = 16 * 2**20
"""Database images sent to one process."""


class Measured:
    """What a verifier came to: outcomes, or the reason why there are none."""

    __slots__ = ("error", "outcomes")

    def __init__(self, outcomes: tuple[CheckOutcome, ...] = (), error: str = "") -> None:
        self.outcomes, self.error = outcomes, error

    @property
    def completed(self) -> bool:
        """Whether every check holds."""
        return not self.error and bool(self.outcomes) and all(outcome.passed for outcome in self.outcomes)

    @property
    def open(self) -> list[str]:
        """Names of the checks that do not hold."""
        return [outcome.name for outcome in self.outcomes if not outcome.passed]


def untrue_in(measured: Measured) -> str:
    """What the project read in an answer that is not so; "" where nothing is, or it could not be read."""
    for outcome in measured.outcomes:
        if outcome.name == HONEST and not outcome.passed and isinstance(outcome.detail, dict):
            return str(outcome.detail.get("problem") or "")
    return ""


class EndState(NamedTuple):
    """How an episode of a task might have ended."""

    task: Task
    state: Snapshot
    answer: str


Place = tuple[str, str, str]
"""(task, hash of the end state, answer); the answer is "" for code that does not read it."""


class Measurements:
    """Everything that was measured of one environment until now.

    Args:
        world: Gives its world; asked when it is first needed.
        observed: What the calls that led to an end showed, where they are known: an answer is read beside it.
    """

    def __init__(
        self,
        world: Callable[[], World],
        observed: Callable[[EndState], Observations | None] = lambda _: None,
    ) -> None:
        self._world, self._observed = world, observed
        self._code: dict[Place, Measured] = {}
        self._habits: dict[str, Habits] = {}
        self._measured: dict[Place, Measured] = {}
        self._timeouts: Counter[str] = Counter()

    def of(self, end: EndState) -> Measured:
        """What the task's verifier and facts say; measured in a fresh process where it is not known yet."""
        place = (end.task.id, end.state.hash, _spoken(end.answer))
        if place not in self._measured:
            self._measured[place] = self._with_answer(end, self.code_of(end))
        return self._measured[place]

    def code_of(self, end: EndState) -> Measured:
        """What the task's verifier says, without the project's own reading of the answer."""
        code = self._code_place(end)
        if code not in self._code:
            self._code[code] = self._alone(end)
        return self._code[code]

    def take(self, end_states: Iterable[EndState]) -> None:
        """Measure several ends at once, `AT_ONCE` processes at a time; `of` has them afterwards."""
        fresh = {place: end for end in end_states if (place := self._code_place(end)) not in self._code}
        groups = list(self._grouped(fresh.values()))
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="measure") as pool:
            for future in [pool.submit(self._measure, group) for group in groups]:
                future.result()

    def _measure(self, group: list[EndState]) -> None:
        unknown: list[Measured | None] = [None] * len(group)
        measureds = self._together(group) if len(group) >= FEWEST_TOGETHER else unknown
        tasks = dict.fromkeys(end.task.id for end in group)
        if measureds is None and len(tasks) > 1:
            for task in tasks:
                self._measure([end for end in group if end.task.id == task])
            return
        for place, end in enumerate(group):
            measured = measureds[place] if measureds else None
            self._code[self._code_place(end)] = measured or self._alone(end)

    def _together(self, group: list[EndState]) -> list[Measured | None] | None:
        """What came of each end in one process; None where that process is not to be believed."""
        try:
            results = self._world().verify_many([(end.task.id, end.state, end.answer) for end in group])
        except (BrokenEnvironment, SandboxError):
            return None
        measureds = [Measured(outcomes) if outcomes else None for outcomes in results]
        again = self._alone(group[-1])
        last = measureds[-1]
        agree = bool(again.error) if last is None else not again.error and again.outcomes == last.outcomes
        return [*measureds[:-1], again] if agree else None

    def _alone(self, end: EndState) -> Measured:
        """What the code says of an end in a fresh process; nothing more is asked of a verifier that hangs."""
        world, task = self._world(), end.task.id
        if self._timeouts[task] >= MOST_TIMEOUTS:
            return Measured(
                error=f"The verifier of {task} took too long {MOST_TIMEOUTS} times: it is not asked again."
            )
        began = time.monotonic()
        try:
            return Measured(world.verify_code(task, world.base, end.state, end.answer))
        except (BrokenEnvironment, SandboxError) as error:
            self._timeouts[task] += time.monotonic() - began >= world.limits.verify_seconds
            return Measured(error=str(error))

    def _with_answer(self, end: EndState, code: Measured) -> Measured:
        if code.error:
            return code
        try:
            world, observed = self._world(), self._observed(end)
            changed = end.state != world.base
            return Measured(
                with_answer(code.outcomes, world, end.task, end.answer, changed=changed, observed=observed)
            )
        except BrokenEnvironment as error:
            return Measured(error=str(error))

    def _grouped(self, end_states: Iterable[EndState]) -> Iterator[list[EndState]]:
        """Ends that share a process: those of one state next to each other."""
        group: list[EndState] = []
        images: dict[int, int] = {}
        for end in sorted(end_states, key=lambda end: (end.state.hash, end.task.id)):
            if self.habits_of_task(end.task).may_remember:
                yield [end]
                continue
            images[id(end.state)] = len(end.state.image)
            if group and (len(group) == MOST_TOGETHER or sum(images.values()) > _MOST_BYTES):
                yield group
                group, images = [], {id(end.state): len(end.state.image)}
            group.append(end)
        if group:
            yield group

    def _code_place(self, end: EndState) -> Place:
        answer = _spoken(end.answer) if self.habits_of_task(end.task).reads_answer else ""
        return end.task.id, end.state.hash, answer

    def habits_of_task(self, task: Task) -> Habits:
        """What the source of its verifier shows about how it may be measured; read once."""
        if task.id not in self._habits:
            verifier = self._world().environment.verifier(task.id)
            self._habits[task.id] = habits_of(verifier.source if verifier else "")
        return self._habits[task.id]


def _spoken(answer: str) -> str:
    """An answer with what it declares beside its text."""
    if not isinstance(answer, Answer) or not answer.declared:
        return str(answer)
    return f"{answer}\n{answer.outcome}\n{answer.reason}\n{answer.values!r}"
