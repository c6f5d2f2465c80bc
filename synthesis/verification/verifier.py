"""The verdict of code: a task's verifier and the facts its answer must hold, as one measurement."""

from __future__ import annotations

import weakref
from collections.abc import Sequence

from synthesis.documents.tasks import Task
from synthesis.documents.verdict import CheckOutcome, Label, Scored, Unscored, Verdict
from synthesis.errors import BrokenEnvironment, SandboxError, UnknownName
from synthesis.verification.answer_facts import facts_hold
from synthesis.verification.rewards import RewardTable
from synthesis.verification.rivals import rivals_of
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
    answer: str,
    *,
    rewards: RewardTable = DEFAULT_REWARDS,
    failed_calls: int = 0,
) -> Verdict:
    """What the end of an episode is worth, by the code of the environment alone.

    Every check and every fact holds: Completed. Some goals: Partially Completed with their share; guards
    and goals
    that held before anything was done count towards none. No goal: Agent Error. The verifier raised, ran
    out of
    time or died: Unscored.

    Args:
        world: The world the episode took place in.
        task_id: Its task.
        before: The state it began with.
        after: The state it ended with.
        answer: The agent's final text, "" where there was none.
        rewards: The reward of each label.
        failed_calls: Calls that ended in status "error". With any of them, an episode that does not
        complete its
            task is an Environment Error and not for training.

    Raises:
        UnknownName: There is no such task.
    """
    task = task_of(world, task_id)
    try:
        outcomes = outcomes_of(world, task, before, after, answer)
        if all(outcome.passed for outcome in outcomes):
            return _scored("completed", 1.0, outcomes, rewards, "Every check holds.")
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
            f"The environment failed in {calls}; open: {failed}.",
        )
    label: Label = "partially_completed" if share > 0 else "agent_error"
    return _scored(label, share, outcomes, rewards, f"Does not hold: {failed}.")


def outcomes_of(
    world: World, task: Task, before: Snapshot, after: Snapshot, answer: str, *, source: str | None = None
) -> tuple[CheckOutcome, ...]:
    """The outcomes of a task's verifier followed by those of its answer facts; names are unique.

    Raises:
        BrokenEnvironment: The verifier raised, ran out of time or made no check.
        SandboxError: Its process died or broke the protocol.
    """
    return with_facts(world.verify_code(task.id, before, after, answer, source=source), world, task, answer)


def with_facts(
    made: tuple[CheckOutcome, ...], world: World, task: Task, answer: str
) -> tuple[CheckOutcome, ...]:
    """What a verifier's code said, followed by the outcomes of the answer facts; names are unique.

    Raises:
        BrokenEnvironment: The code made no check.
    """
    if not made:
        raise BrokenEnvironment(f"The verifier of {task.id} made no check.", part="verifiers", where=task.id)
    facts = fact_outcomes(world, task, answer)
    taken = {outcome.name for outcome in made}
    return (
        *made,
        *(fact.replace(name=f"{fact.name} (fact)") if fact.name in taken else fact for fact in facts),
    )


def fact_outcomes(world: World, task: Task, answer: str) -> tuple[CheckOutcome, ...]:
    """The outcomes of a task's answer facts alone; on read tasks the answer must also commit itself."""
    commits = task.kind == "read"
    return facts_hold(
        task.answer_facts,
        answer,
        commits=commits,
        instruction=task.instruction,
        rivals=rivals_of(world.environment, task) if commits else None,
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
        outcomes = outcomes_of(world, task, before, before, "")
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
        trainable=label != "environment_error",
    )
