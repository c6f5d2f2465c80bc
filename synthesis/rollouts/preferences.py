"""Preferences: pairs of episodes of one task of which one earned more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from synthesis.documents.bundle import JudgedTrajectory
from synthesis.errors import InvalidInput
from synthesis.rollouts.training_samples import is_trainable, scored

MOST_PER_TASK = 8
"""Pairs of one task, so that a task with many episodes does not drown the others."""


@dataclass(frozen=True, slots=True)
class PreferencePair:
    """Two episodes of one task of one environment."""

    chosen: JudgedTrajectory
    rejected: JudgedTrajectory
    margin: float
    """Reward of the chosen minus that of the rejected; above 0."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    reward: float
    judged: JudgedTrajectory
    fingerprint: str


def preference_pairs(
    rollouts: Iterable[JudgedTrajectory], *, most_per_task: int = MOST_PER_TASK, least_margin: float = 0.0
) -> list[PreferencePair]:
    """Pairs of different rewards, by environment and task in the order of their first try.

    Only trainable episodes are paired, and only within one task of one environment. Episodes
    that did and said the same count once, as the best of them. Best goes with worst first, and one is used
    again only after every other had its turn. The same rollouts in any order give the same pairs of each
    task.

    Args:
        rollouts: Trajectories with their verdicts.
        most_per_task: Pairs of one task, at least 1.
        least_margin: Rewards must differ by more than this.

    Raises:
        InvalidInput: A setting is too small.
    """
    if most_per_task < 1 or least_margin < 0:
        raise InvalidInput(
            f"At least 1 pair per task and a margin of at least 0 are needed, not {most_per_task} "
            f"and {least_margin}."
        )
    episodes: dict[tuple[str, str], dict[str, _Candidate]] = defaultdict(dict)
    for judged in rollouts:
        verdict = scored(judged)
        if verdict is None or not is_trainable(judged):
            continue
        trajectory = judged.trajectory
        one = _Candidate(verdict.reward, judged, trajectory.fingerprint)
        same = episodes[trajectory.environment, trajectory.task_id]
        message = _conversation_text(judged)
        same[message] = min(same.get(message, one), one, key=lambda each: (-each.reward, each.fingerprint))
    pairs: list[PreferencePair] = []
    for same in episodes.values():
        ranked = sorted(same.values(), key=lambda each: (-each.reward, each.fingerprint))
        pairs += islice(_pairs(ranked, least_margin), most_per_task)
    return pairs


def _conversation_text(judged: JudgedTrajectory) -> str:
    """What was done and said, without who did it and with which seed."""
    return "\n".join(step.action.fingerprint for step in judged.trajectory.steps)


def _pairs(ranked: list[_Candidate], least_margin: float) -> Iterator[PreferencePair]:
    """Pairs over places that add up to the same sum: the widest first, each try once per sum."""
    last = len(ranked) - 1
    for total in sorted(range(1, 2 * last), key=lambda total: (abs(total - last), total)):
        for better in range(max(0, total - last), (total + 1) // 2):
            chosen, rejected = ranked[better], ranked[total - better]
            margin = chosen.reward - rejected.reward
            if margin <= least_margin:
                break  # further in, places come closer
            yield PreferencePair(chosen.judged, rejected.judged, margin)
