"""Statistics of rollouts: how often tasks are solved, how sure that is, and whether one agent is better.

pass@k is the unbiased estimator of Chen et al. 2021 (arXiv 2107.03374): the chance that at least one of k
episodes succeeds. pass^k (Yao et al. 2024, arXiv 2406.12045) is the chance that all k episodes succeed. Both
average over tasks; their intervals come from resampling tasks, since episodes of one task are not independent
of each other. Episodes that are Unscored or Environment Errors say nothing about the agent and are left
out, never counted as 0.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from pydantic import Field

from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.document import Document
from synthesis.documents.verdict import Label, Scored
from synthesis.errors import InvalidInput

_Z95 = 1.959964
_RESAMPLES = 1_000
MOST_RESAMPLED = 500
"""Values above which the mean's interval comes from the central limit theorem: it is the same, at once."""


class ShareEstimate(Document):
    """A share with its 95% interval."""

    value: float
    low: float
    high: float


class TaskResult(Document):
    """All episodes of one task that were measured."""

    task_id: str
    episodes: int = Field(ge=0)
    completed: int = Field(ge=0)

    @property
    def band(self) -> str:
        """Whether it was solved "always", "sometimes" or "never"."""
        if self.completed == 0:
            return "never"
        return "always" if self.completed == self.episodes else "sometimes"


class Rates(Document):
    """How often tasks are solved, over any number of tasks."""

    pass_at_1: ShareEstimate
    pass_at: dict[int, ShareEstimate]
    """By k, for every k that some task has episodes for."""
    pass_hat: dict[int, ShareEstimate]
    bands: dict[str, int]
    """Number of tasks solved always, sometimes, never."""


class Summary(Rates):
    """What a set of rollouts came to."""

    rollouts: int
    labels: dict[str, int]
    measured: int
    """Rollouts that count: scored, and not an error of the environment."""
    mean_reward: float
    mean_steps: float
    tasks: tuple[TaskResult, ...]


def pass_at_k(episodes: int, completed: int, k: int) -> float:
    """Chance that at least one of k episodes succeeds, estimated from `episodes` of which `completed` did.

    Raises:
        InvalidInput: k is smaller than 1 or larger than the number of episodes.
    """
    _check(episodes, completed, k)
    return 1.0 - math.comb(episodes - completed, k) / math.comb(episodes, k)


def pass_hat_k(episodes: int, completed: int, k: int) -> float:
    """Chance that all of k episodes succeed, estimated from `episodes` of which `completed` did.

    Raises:
        InvalidInput: k is smaller than 1 or larger than the number of episodes.
    """
    _check(episodes, completed, k)
    return math.comb(completed, k) / math.comb(episodes, k)


def wilson(successes: int, trials: int) -> ShareEstimate:
    """A share with Wilson's 95% interval, which is sound for small numbers and for shares of 0 and 1."""
    if trials == 0:
        return ShareEstimate(value=0.0, low=0.0, high=1.0)
    share, z2 = successes / trials, _Z95**2
    centre = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    half = _Z95 / (1 + z2 / trials) * math.sqrt(share * (1 - share) / trials + z2 / (4 * trials**2))
    return ShareEstimate(value=share, low=max(0.0, centre - half), high=min(1.0, centre + half))


def bootstrap(
    values: Sequence[float], *, seed: int = 0, statistic: Callable[[Sequence[float]], float] | None = None
) -> ShareEstimate:
    """The mean (or another statistic) of some values with its 95% interval by resampling, reproducible by
    its seed.
    """
    compute = statistic or _mean
    if not values:
        return ShareEstimate(value=0.0, low=0.0, high=1.0)
    if statistic is None and len(values) > MOST_RESAMPLED:
        return _normal(values)
    generator = random.Random(seed)  # noqa: S311 - a reproducible resampling
    drawn = sorted(compute(generator.choices(values, k=len(values))) for _ in range(_RESAMPLES))
    low, high = drawn[int(0.025 * _RESAMPLES)], drawn[int(0.975 * _RESAMPLES) - 1]
    return ShareEstimate(value=compute(values), low=low, high=high)


def summarize(rollouts: Iterable[JudgedTrajectory], *, ks: Sequence[int] = (1, 2, 4, 8)) -> Summary:
    """What a set of rollouts of one agent came to.

    Args:
        rollouts: Trajectories with their verdicts; the first verdict counts.
        ks: Numbers of episodes to estimate for; those larger than the episodes of a task leave it out.
    """
    trajectories = list(rollouts)
    labels = Counter(_label(judged) for judged in trajectories)
    counted = [judged for judged in trajectories if _counts(judged)]
    results = by_task(counted)
    rewards = [v.reward for judged in counted for v in judged.verdicts[:1] if isinstance(v, Scored)]
    steps = [float(len(judged.trajectory.steps)) for judged in counted]
    return Summary(
        rollouts=len(trajectories),
        labels=dict(labels),
        measured=len(counted),
        mean_reward=_mean(rewards),
        mean_steps=_mean(steps),
        tasks=tuple(results),
        **dict(rates(results, ks=ks)),
    )


def rates(results: Sequence[TaskResult], *, ks: Sequence[int] = (1, 2, 4, 8)) -> Rates:
    """How often some tasks are solved, from their episodes and successes alone.

    Args:
        results: One per task; tasks without a try count for nothing.
        ks: Numbers of episodes to estimate for; those larger than the episodes of a task leave it out.
    """
    tried = [result for result in results if result.episodes]
    return Rates(
        pass_at_1=_over_tasks(tried, 1, pass_at_k),
        pass_at={k: _over_tasks(tried, k, pass_at_k) for k in ks if _enough(tried, k)},
        pass_hat={k: _over_tasks(tried, k, pass_hat_k) for k in ks if _enough(tried, k)},
        bands=dict(Counter(result.band for result in tried)),
    )


def by_task(rollouts: Iterable[JudgedTrajectory]) -> list[TaskResult]:
    """Episodes and successes per task of each environment, in the order of their first try."""
    episodes: dict[str, list[bool]] = defaultdict(list)
    for judged in rollouts:
        trajectory = judged.trajectory
        episodes[f"{trajectory.environment_name}/{trajectory.task_id}"].append(_label(judged) == "completed")
    return [
        TaskResult(task_id=id, episodes=len(results), completed=sum(results))
        for id, results in episodes.items()
    ]


class Comparison(Document):
    """Whether one of two sets of rollouts is better on the same tasks."""

    tasks: int
    difference: ShareEstimate
    """Mean over tasks of the second's share of successes minus the first's."""
    better: int
    """Tasks on which the second is better."""
    worse: int
    p_value: float
    """Two-sided sign test over the tasks that differ: chance of a split as uneven if neither were better."""

    @property
    def significant(self) -> bool:
        """Whether the difference would be a surprise (p < 0.05) if neither were better."""
        return self.p_value < 0.05


def compare(first: Iterable[JudgedTrajectory], second: Iterable[JudgedTrajectory]) -> Comparison:
    """Compare two sets of rollouts on the tasks that both have measured."""
    return compare_results(*(by_task(j for j in rollouts if _counts(j)) for rollouts in (first, second)))


def compare_results(first: Iterable[TaskResult], second: Iterable[TaskResult]) -> Comparison:
    """Compare episodes and successes on the tasks that both have; a task is known by its id."""
    one, other = ({each.task_id: each for each in results if each.episodes} for results in (first, second))
    shared = [task for task in one if task in other]
    gains = [_share(other[task]) - _share(one[task]) for task in shared]
    better, worse = sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)
    drawn = bootstrap(gains) if gains else ShareEstimate(value=0.0, low=0.0, high=0.0)
    return Comparison(
        tasks=len(shared), difference=drawn, better=better, worse=worse, p_value=_sign_test(better, worse)
    )


def grouped(
    rollouts: Iterable[JudgedTrajectory], key: Callable[[JudgedTrajectory], str]
) -> Mapping[str, Summary]:
    """Summaries by a property of the rollouts, for example the model or the task's difficulty."""
    groups: dict[str, list[JudgedTrajectory]] = defaultdict(list)
    for judged in rollouts:
        groups[key(judged)].append(judged)
    return {name: summarize(members) for name, members in groups.items()}


def _label(judged: JudgedTrajectory) -> Label:
    return judged.verdicts[0].label if judged.verdicts else "unscored"


def _counts(judged: JudgedTrajectory) -> bool:
    return _label(judged) not in ("unscored", "environment_error")


def _share(result: TaskResult) -> float:
    return result.completed / result.episodes


def _enough(results: Sequence[TaskResult], k: int) -> bool:
    return any(result.episodes >= k for result in results)


def _over_tasks(
    results: Sequence[TaskResult], k: int, estimator: Callable[[int, int, int], float]
) -> ShareEstimate:
    if len(results) == 1 and k == 1:
        return wilson(results[0].completed, results[0].episodes)
    values = [estimator(r.episodes, r.completed, k) for r in results if r.episodes >= k]
    if all(value in (0.0, 1.0) for value in values):  # resampling would be sure of what it saw only once
        return wilson(int(sum(values)), len(values))
    return bootstrap(values)


def _normal(values: Sequence[float]) -> ShareEstimate:
    """The mean of many values with its 95% interval by their standard error."""
    mean = _mean(values)
    half = _Z95 * math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))
    return ShareEstimate(value=mean, low=mean - half, high=mean + half)


def _sign_test(better: int, worse: int) -> float:
    trials = better + worse
    if trials == 0:
        return 1.0
    tail: float = sum(math.comb(trials, at) for at in range(min(better, worse) + 1)) / float(2**trials)
    return min(1.0, 2 * tail)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _check(episodes: int, completed: int, k: int) -> None:
    if not 1 <= k <= episodes or not 0 <= completed <= episodes:
        raise InvalidInput(f"k must be from 1 to the number of episodes ({episodes}), not {k}.")
