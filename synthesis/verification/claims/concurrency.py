"""Claim 2, with more than one client: repeated and concurrent calls behave."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import islice, pairwise, zip_longest
from threading import Barrier
from typing import TypeVar

from pydantic import JsonValue

from synthesis.documents.tasks import Task
from synthesis.documents.tools import ToolCall, ToolResult
from synthesis.verification.claims.claim import ClaimOutcome
from synthesis.verification.proof_context import ProofContext
from synthesis.verification.replayer import later
from synthesis.worlds.world import Instance

MOST_PAIRS = 8
"""Pairs of writing calls that two clients make at the same moment."""
MOST_KINDS = 4
"""Looks of one tool that are taken twice."""
SEEDS = 4
"""Seeds with which a look that changed is taken again."""
MOST_RUNS = 4
"""Pairs of reference solutions that are played at the same time on two instances."""
_WAIT_SECONDS = 60.0

T = TypeVar("T")
Seen = tuple[JsonValue, ...]
ConcurrentEnd = tuple[Seen, str]
"""What each call showed, and the hash of the state afterwards."""


def repeated_looks_agree(context: ProofContext, answer: ClaimOutcome) -> None:
    """The same look taken twice comes to the same, unless the time alone makes the difference."""
    asked = 0
    with context.instance() as instance:
        for call in _good_calls(context, writing=False):
            asked += 1
            results = instance.call_many([call, call])
            if differ(*results) and not follows_the_clock(context, instance, call, results[1]):
                answer.finds(
                    "tools",
                    f"{call.name}, called twice with the same arguments, answers differently the second "
                    "time: it keeps state between calls, or draws random numbers.",
                    where=call.name,
                    evidence=_evidence((call, call), results),
                )
            if instance.calls > 2 or any(result.changes for result in results):
                instance.reset()
    answer.counts(looks=asked)


def concurrent_calls_stay_apart(context: ProofContext, answer: ClaimOutcome) -> None:
    """Calls that two clients make at once, on one instance or on two, come to what they do one by one."""
    answer.counts(pairs=_on_one_instance(context, answer), runs=_on_two_instances(context, answer))


def _on_one_instance(context: ProofContext, answer: ClaimOutcome) -> int:
    """Two clients at the same moment: both see, and leave, what one of the two orders comes to."""
    pairs = _pairs(list(_good_calls(context, writing=True)))
    with context.instance() as instance:
        for pair in pairs:
            first, second = _one_by_one(instance, pair), _one_by_one(instance, pair[::-1])
            instance.reset()
            results = _together([partial(instance.call, call.name, call.arguments) for call in pair])
            end = tuple(map(_shown, results)), instance.state_hash()
            if end not in (first, (second[0][::-1], second[1])):
                answer.finds(
                    "tools",
                    f"{pair[0].name} and {pair[1].name}, called at the same time, give a result that neither "
                    "order of the two gives.",
                    where=pair[0].name,
                    evidence=_evidence(pair, results),
                )
    return len(pairs)


def _on_two_instances(context: ProofContext, answer: ClaimOutcome) -> int:
    """Two reference solutions at the same time: each shows and leaves what it does alone."""
    clean = [task for task in context.tasks if context.reference(task).clean]
    pairs = list(islice(zip(clean[::2], clean[1::2], strict=False), MOST_RUNS))
    with context.instance() as one, context.instance() as other:
        for pair in pairs:
            end_states = _together(
                [partial(_played, on, task) for on, task in zip((one, other), pair, strict=True)]
            )
            for task, (shown, state) in zip(pair, end_states, strict=True):
                run = context.reference(task)
                if shown != tuple(map(_shown, run.results)) or state != run.after.hash:
                    competitor = pair[task is pair[0]]
                    answer.finds(
                        "tools",
                        f"{task.id}, run while another instance ran {competitor.id}, gave another result.",
                        where=task.id,
                        evidence={"shown": list(shown)[:20], "state": state, "alone": run.after.hash},
                    )
    return len(pairs)


def _good_calls(context: ProofContext, *, writing: bool) -> Iterator[ToolCall]:
    """Of every tool that writes, or that does not, calls that succeed on the untouched world.

    One of each tool that writes; of the others one of each set of arguments, since code may turn on them.
    """
    for trial in context.tool_trials:
        if trial.tool.mutates_state is writing:
            good = (
                probed_call.probe.call
                for probed_call in trial.calls
                if probed_call.probe.kind == "valid"
                and probed_call.result.ok
                and bool(probed_call.result.changes) is writing
                and not probed_call.preceding
            )
            kinds = {frozenset(call.arguments): call for call in reversed(list(good))}
            yield from islice(reversed(kinds.values()), 1 if writing else MOST_KINDS)


def _pairs(calls: Sequence[ToolCall]) -> list[tuple[ToolCall, ToolCall]]:
    """The same call twice, and neighbours, from the whole length of the toolset."""
    twice = [(call, call) for call in calls]
    mixed = [pair for both in zip_longest(twice, pairwise(calls)) for pair in both if pair]
    return mixed[:: max(1, len(mixed) // MOST_PAIRS)][:MOST_PAIRS]


def follows_the_clock(context: ProofContext, instance: Instance, call: ToolCall, second: ToolResult) -> bool:
    """Whether a first call at the time of the second one comes to the same, whatever the instance's seed.

    Random numbers follow the number of the call as the clock does; only another seed tells the two apart.
    Afterwards the instance is in the world's first state.
    """
    at = later(context.world.base, instance.calls - 1)
    same = True
    for seed in range(at.seed, at.seed + SEEDS):
        instance.restore(replace(at, seed=seed))
        same = same and not differ(instance.call(call.name, call.arguments), second)
    instance.restore(context.world.base)
    return same


def _one_by_one(instance: Instance, calls: Sequence[ToolCall]) -> ConcurrentEnd:
    instance.reset()
    results = instance.call_many(calls)
    return tuple(map(_shown, results)), instance.state_hash()


def _played(instance: Instance, task: Task) -> ConcurrentEnd:
    instance.reset()
    results = [instance.call(call.name, call.arguments) for call in task.reference_solution]
    return tuple(map(_shown, results)), instance.state_hash()


def _together(actions: Sequence[Callable[[], T]]) -> list[T]:
    """Do them all at once, each in a thread of its own that waits for the others to be ready."""
    ready = Barrier(len(actions), timeout=_WAIT_SECONDS)

    def act(action: Callable[[], T]) -> T:
        ready.wait()
        return action()

    with ThreadPoolExecutor(len(actions), thread_name_prefix="client") as pool:
        return list(pool.map(act, actions))


def _evidence(calls: Sequence[ToolCall], results: Sequence[ToolResult]) -> JsonValue:
    return [
        {"call": call.model_dump(mode="json"), "status": result.status, "observation": result.observation()}
        for call, result in zip(calls, results, strict=True)
    ]


def _shown(result: ToolResult) -> JsonValue:
    return [result.status, result.observation()]


def differ(one: ToolResult, other: ToolResult) -> bool:
    """Whether an agent would see a difference between two results."""
    return _shown(one) != _shown(other)
