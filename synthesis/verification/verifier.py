"""The verdict of code: a task's verifier and the facts its answer must hold, as one measurement."""

from __future__ import annotations

import weakref
from collections.abc import Sequence

from synthesis.documents.evidence import Evidence
from synthesis.documents.tasks import Task
from synthesis.documents.trajectory import FinalAnswer
from synthesis.documents.verdict import PUT_BACK, CheckOutcome, Label, Scored, Unscored, Verdict
from synthesis.errors import BrokenEnvironment, SandboxError, UnknownName
from synthesis.reading.answer import Answer
from synthesis.reading.observations import Observations
from synthesis.verification.answer_facts import unclear_facts
from synthesis.verification.answer_text import with_fields_in_words
from synthesis.verification.answers import answer_outcomes, observed_in
from synthesis.verification.rewards import RewardTable
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.world import World

DEFAULT_REWARDS = RewardTable()

_held_before: weakref.WeakKeyDictionary[World, dict[tuple[str, str, str], frozenset[str]]] = (
    weakref.WeakKeyDictionary()
)
"""Per world: by task, its verifier's source and the first state, the goals that hold before anything is
done."""


def verify(
    world: World,
    task_id: str,
    before: Snapshot,
    after: Snapshot,
    answer: FinalAnswer | str,
    *,
    rewards: RewardTable = DEFAULT_REWARDS,
    failed_calls: int = 0,
    evidence: Evidence | None = None,
) -> Verdict:
    """What the end of an episode is worth, by the code of the environment alone.

    Every check and every fact holds, a refusal names its reason and nothing that is said is untrue:
    Completed. Some goals: Partially Completed with their share; guards and goals that held before anything
    was done count towards none. No goal: Agent Error. The verifier raised, ran out of time or died: Unscored.

    Args:
        world: The world the episode took place in.
        task_id: Its task.
        before: The state it began with.
        after: The state it ended with.
        answer: The agent's final answer, "" where there was none.
        rewards: The reward of each label.
        failed_calls: Calls that ended in status "error". With any of them, an episode that does not
        complete its
            task is an Environment Error and not for training.
        evidence: What was called, said and touched, where it is known.

    Raises:
        UnknownName: There is no such task.
    """
    task = task_of(world, task_id)
    try:
        outcomes = outcomes_of(world, task, before, after, as_answer(answer), evidence=evidence or Evidence())
        if rewards.put_back_is_damage:
            outcomes = tuple(map(_as_damage, outcomes))
        if all(outcome.passed for outcome in outcomes):
            return _scored("completed", 1.0, outcomes, rewards, "All checks passed.")
        share = _share(world, task, before, after, outcomes)
    except (BrokenEnvironment, SandboxError) as error:
        return Unscored(error=str(error))
    failed = ", ".join(outcome.name for outcome in outcomes if not outcome.passed)
    if failed_calls:
        calls = "a tool call" if failed_calls == 1 else f"{failed_calls} tool calls"
        return _scored(
            "environment_error",
            share,
            outcomes,
            rewards,
            f"The environment failed in {calls}; failed checks: {failed}.",
        )
    label: Label = "partially_completed" if share else "agent_error"
    return _scored(label, share, outcomes, rewards, f"Failed checks: {failed}.")


def as_answer(answer: FinalAnswer | str) -> str:
    """A final answer as it is read: a text that has the fields it was given in."""
    if isinstance(answer, str):
        return answer
    return Answer(answer.text, answer.outcome, answer.reason, answer.values)


def _as_damage(outcome: CheckOutcome) -> CheckOutcome:
    return outcome.replace(passed=False) if outcome.name == PUT_BACK and outcome.guard else outcome


def outcomes_of(
    world: World,
    task: Task,
    before: Snapshot,
    after: Snapshot,
    answer: str,
    *,
    source: str | None = None,
    evidence: Evidence | None = None,
) -> tuple[CheckOutcome, ...]:
    """The outcomes of a task's verifier followed by what the project reads in the answer; names are unique.

    Raises:
        BrokenEnvironment: The verifier raised, ran out of time or made no check.
        SandboxError: Its process died or broke the protocol.
    """
    shown = with_fields_in_words(answer)
    code = world.verify_code(task.id, before, after, shown, source=source, evidence=evidence)
    observed = observed_in(world.environment, task, evidence)
    return with_answer(code, world, task, answer, changed=before.hash != after.hash, observed=observed)


def with_answer(
    check_outcomes: tuple[CheckOutcome, ...],
    world: World,
    task: Task,
    answer: str,
    *,
    changed: bool,
    observed: Observations | None = None,
) -> tuple[CheckOutcome, ...]:
    """What a verifier's code said, followed by what the project reads in the answer; names are unique.

    Raises:
        BrokenEnvironment: The code made no check.
    """
    if not check_outcomes:
        raise BrokenEnvironment(f"The verifier of {task.id} made no check.", part="verifiers", where=task.id)
    read = answer_outcomes(world.environment, task, answer, changed=changed, observed=observed)
    taken = {outcome.name for outcome in check_outcomes}
    return (
        *check_outcomes,
        *(one.replace(name=f"{one.name} (fact)") if one.name in taken else one for one in read),
    )


def task_of(world: World, task_id: str) -> Task:
    """The task of that id.

    Raises:
        UnknownName: There is no such task.
    """
    task = world.environment.task(task_id)
    if task is None:
        raise UnknownName("task", task_id, [task.id for task in world.environment.tasks.tasks])
    return task


def _share(
    world: World, task: Task, before: Snapshot, after: Snapshot, outcomes: Sequence[CheckOutcome]
) -> float:
    """Share of the goals that the episode reached, in [0, 1]; what held from the start is no goal."""
    if task.kind in ("write", "mixed") and after.hash == before.hash:
        return 0.0  # words alone are no part of a deed
    held = _held_at_start(world, task, before)
    goals = [outcome for outcome in outcomes if not outcome.guard and outcome.name not in held]
    return sum(goal.passed for goal in goals) / len(goals) if goals else 0.0


def _held_at_start(world: World, task: Task, before: Snapshot) -> frozenset[str]:
    verifier = world.environment.verifier(task.id)
    known = _held_before.setdefault(world, {})
    place = (task.id, verifier.source if verifier else "", before.hash)
    if place not in known:
        outcomes = outcomes_of(world, task, before, before, "", evidence=Evidence())
        known[place] = frozenset(outcome.name for outcome in outcomes if outcome.passed and not outcome.guard)
    return known[place]


def _scored(
    label: Label, share: float, outcomes: tuple[CheckOutcome, ...], rewards: RewardTable, explanation: str
) -> Scored:
    return Scored(
        label=label,
        reward=rewards.reward(label),
        basis="verifier",
        share=share,
        outcomes=outcomes,
        explanation=explanation,
        unclear=unclear_facts(outcomes),
        trainable=label != "environment_error",
    )
