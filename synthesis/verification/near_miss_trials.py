"""Near-miss trials: every verifier held against all near-misses of its task, and weakened against them.

The near-misses of one task are tried in one sealed process, as edits of the right end state that are taken
back again. Where a verifier's source shows a way to remember from one end state to the next, all of them are
tried once more in the opposite order in another process; else one is measured once more in a process of its
own. Where the two disagree, the verifier is at fault: what it says depends on more than what it is shown.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest
from typing import Any

from synthesis.documents.tasks import Task
from synthesis.errors import BrokenEnvironment, SandboxError
from synthesis.verification.near_misses import Edits, NearMiss
from synthesis.verification.verifier_habits import Habits
from synthesis.verification.weakenings import Weakenings
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.verifier_trial import Rejection, VerifierTrial
from synthesis.worlds.world import World

AT_ONCE = min(4, os.cpu_count() or 1)
"""Processes in which verifiers are tried at the same time."""
MOST_SECONDS = 30.0
"""Of one task; what is left of its near-misses then is not tried, and the report says how many."""
_TOGETHER = 96
"""Near-misses in one request."""
_FIRST_VARIANTS = 2
"""Variants of a near-miss in the first request; most of the others are never asked for."""
_SHOWN_PER_KIND = 4
_MOST_FAILURES = 3
"""Near-misses on which a verifier may give up before the others are left alone."""


@dataclass(slots=True)
class NearMissTrial:
    """What one verifier said of all near-misses of its task."""

    task: Task
    tried: list[tuple[NearMiss, Rejection]] = field(default_factory=list)
    """Those that the schema allows."""
    impossible: list[NearMiss] = field(default_factory=list)
    left_out: int = 0
    """Near-misses for which no time was left."""
    weakenings: Weakenings = field(default_factory=lambda: Weakenings("", ()))
    killed: frozenset[int] = frozenset()
    """Places of weakenings that let through what the verifier rejects."""
    inconsistent: str = ""
    """The near-miss of which it says one thing here and another there; "" where there is none."""
    cause: str = ""
    """Why it does, as the rest of a sentence about the verifier."""
    error: str = ""
    """Why it could not be tried."""


@dataclass(frozen=True, slots=True)
class Subject:
    """One verifier to be tried."""

    task: Task
    right: Snapshot
    """The right end state."""
    near_misses: tuple[NearMiss, ...]
    weakenings: Weakenings
    habits: Habits
    """What its source shows, such as a way to remember."""


def try_near_misses(world: World, subjects: Sequence[Subject]) -> list[NearMissTrial]:
    """Try verifiers, several at a time, in the order given."""
    ends = {subject.task.id: (subject.right, subject.task.reference_answer) for subject in subjects}
    prepared = {
        subject.task.id: subject.weakenings.prepared() for subject in subjects if subject.weakenings.all
    }
    trials = world.verifier_trials(ends, prepared)
    again = world.verifier_trials(
        {subject.task.id: ends[subject.task.id] for subject in subjects if subject.habits.may_remember}, {}
    )

    def attempted(subject: Subject) -> NearMissTrial:
        task = subject.task.id
        once_more = lambda: world.verifier_trials({task: ends[task]}, {}).get(task)  # noqa: E731
        return _try(subject, trials.get(task), again.get(task), once_more)

    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="near-misses") as pool:
        return list(pool.map(attempted, subjects))


def _try(
    subject: Subject,
    trial: VerifierTrial | None,
    again: VerifierTrial | None,
    once_more: Callable[[], VerifierTrial | None],
) -> NearMissTrial:
    result = NearMissTrial(subject.task, weakenings=subject.weakenings)
    if trial is None:
        result.error = "it does not compile"
        return result
    ordered = _mixed(subject.near_misses)
    shown = _shown(ordered)
    try:
        with trial:
            rejections = _rejections(trial, ordered, shown)
            result.killed = frozenset(trial.killed)
        if again is not None and len(rejections) == len(ordered):
            with again:
                reversed_order = _rejections(again, ordered[::-1], set())[::-1]
            result.inconsistent = disagreement(ordered, rejections, reversed_order)
        if result.inconsistent and (third := once_more()) is not None:
            with third:
                repeated = _rejections(third, ordered, set())
            result.cause = _cause(subject.habits, is_same=not disagreement(ordered, rejections, repeated))
    except (BrokenEnvironment, SandboxError) as error:
        result.error = str(error)
        return result
    result.left_out = len(ordered) - len(rejections)
    for near_miss, rejection in zip(ordered, rejections, strict=False):
        if rejection is None:
            result.impossible.append(near_miss)
        else:
            result.tried.append((near_miss, rejection))
    return result


def _cause(habits: Habits, *, is_same: bool) -> str:
    """Why a verifier says something else in another order; `is_same`: in the same order it does not."""
    if not is_same:
        return "shown the same once more in the same order, it says something else: chance decides"
    place = f" ({habits.place})" if habits.place else ""
    return f"it remembers what it was shown before{place}: keep nothing between runs"


def _rejections(
    trial: VerifierTrial, near_misses: Sequence[NearMiss], shown: set[int]
) -> list[Rejection | None]:
    rejections: list[Rejection | None] = []
    began = time.monotonic()
    while len(rejections) < len(near_misses):
        first = len(rejections)
        wanted = [
            (near_miss, first + number in shown)
            for number, near_miss in enumerate(near_misses[first : first + _TOGETHER])
        ]
        rejections += _attempted(trial, wanted)
        failed = sum(1 for one in rejections if one is not None and one.error)
        if time.monotonic() - began > MOST_SECONDS or failed > _MOST_FAILURES:
            break
    return rejections


def _attempted(trial: VerifierTrial, wanted: Sequence[tuple[NearMiss, bool]]) -> list[Rejection | None]:
    """What is said of near-misses by their first variants; of those that are impossible, by all others."""
    results = trial.attempt(
        [_plain(one, islice(one.variants, _FIRST_VARIANTS), shown=shown) for one, shown in wanted]
    )
    again = [
        (place, rest)
        for place, (result, (one, _)) in enumerate(zip(results, wanted, strict=False))
        if result is None and (rest := list(islice(one.variants, _FIRST_VARIANTS, None)))
    ]
    if again:
        bodies = [_plain(wanted[place][0], rest, shown=wanted[place][1]) for place, rest in again]
        later = trial.attempt(bodies)
        for (place, _), result in zip(again, later, strict=False):
            results[place] = result
        if len(later) < len(again):  # the time was over: what follows was not tried with all variants
            return results[: again[len(later)][0]]
    return results


def disagreement(
    near_misses: Sequence[NearMiss],
    one: Sequence[Rejection | None],
    other: Sequence[Rejection | None],
) -> str:
    """The first near-miss of which two trials say different things; "" where there is none."""
    for near_miss, first, second in zip(near_misses, one, other, strict=False):
        if (first is None) != (second is None):
            return near_miss.description
        if (
            first is not None
            and second is not None
            and (first.open, first.error)
            != (
                second.open,
                second.error,
            )
        ):
            return near_miss.description
    return ""


def _mixed(near_misses: Iterable[NearMiss]) -> list[NearMiss]:
    """One of each kind after the other, so that what is left out in the end is of every kind."""
    by_kind: dict[str, list[NearMiss]] = {}
    for near_miss in near_misses:
        by_kind.setdefault(near_miss.kind, []).append(near_miss)
    rounds: Iterator[tuple[NearMiss | None, ...]] = zip_longest(*by_kind.values())
    return [near_miss for near_miss in chain.from_iterable(rounds) if near_miss is not None]


def _shown(near_misses: Sequence[NearMiss]) -> set[int]:
    """Places of those of which the report shows every row, even where they were rejected."""
    counts: dict[str, int] = {}
    places = set()
    for place, near_miss in enumerate(near_misses):
        counts[near_miss.kind] = counts.get(near_miss.kind, 0) + 1
        if counts[near_miss.kind] <= _SHOWN_PER_KIND and near_miss.required:
            places.add(place)
    return places


def _plain(near_miss: NearMiss, variants: Iterable[Edits], *, shown: bool) -> Mapping[str, Any]:
    return {
        "variants": [[edit.plain() for edit in edits] for edits in variants],
        "reached": near_miss.reached,
        "shown": shown,
    }
