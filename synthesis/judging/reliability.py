"""Reliability of judges: how often they say the same of the same, and how sure these figures are.

The protocol is AWM's (arXiv 2602.10090): K trajectories, each judged N times. Published figures: 100
trajectories, 5 times each, pairwise agreement 95.5%, reward flip rate 9.2%, Fleiss' kappa 0.891.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations

from pydantic import Field

from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.document import Document
from synthesis.documents.environment import Environment
from synthesis.errors import InvalidInput
from synthesis.judging.evidence import evidence_of
from synthesis.judging.judgement import Judge, Judgement

PUBLISHED = {"pairwise_agreement": 0.955, "flip_rate": 0.092, "fleiss_kappa": 0.891}
"""AWM's figures, to stand beside ours."""
_RESAMPLES = 1_000

Ratings = Sequence[Sequence[str]]
"""Per subject the labels it was given, at least two."""


class Interval(Document):
    """A figure with its 95% interval from resampling subjects."""

    value: float
    low: float
    high: float


class Reliability(Document):
    """How reliable the ratings of some subjects are."""

    subjects: int = Field(ge=0)
    ratings: int = Field(ge=0)
    pairwise_agreement: Interval
    """Share of pairs of ratings of one subject that agree."""
    flip_rate: Interval
    """Share of subjects that were not given the same label every time."""
    fleiss_kappa: Interval
    """Agreement beyond chance (Fleiss 1971): 1 is perfect, 0 is chance."""


def judge_repeatedly(
    judge: Judge, environment: Environment, rollouts: Sequence[JudgedTrajectory], *, times: int = 5
) -> list[list[Judgement]]:
    """Judge each trajectory several times.

    Args:
        judge: Who judges.
        environment: The environment of all of them.
        rollouts: What is judged.
        times: How often each is, at least twice.

    Raises:
        InvalidInput: `times` is smaller than 2.
        ProviderError: The judge's model did not answer.
    """
    if times < 2:
        raise InvalidInput(f"Reliability needs at least 2 judgements of each trajectory, not {times}.")
    evidence = [evidence_of(environment, judged) for judged in rollouts]
    return [[judge.judge(one) for _ in range(times)] for one in evidence]


def labels_of(judgements: Sequence[Sequence[Judgement]]) -> list[list[str]]:
    """The labels of repeated judgements."""
    return [[judgement.verdict.label for judgement in one] for one in judgements]


def reliability(ratings: Ratings, *, seed: int = 0) -> Reliability:
    """The three figures with their intervals.

    Args:
        ratings: Per subject the labels it was given.
        seed: Of the resampling, so that the intervals are reproducible.

    Raises:
        InvalidInput: There is no subject, or one with fewer than two ratings.
    """
    if not ratings or any(len(one) < 2 for one in ratings):
        raise InvalidInput("Reliability needs at least one subject, each with at least two ratings.")
    return Reliability(
        subjects=len(ratings),
        ratings=sum(len(one) for one in ratings),
        pairwise_agreement=_interval(ratings, pairwise_agreement, seed),
        flip_rate=_interval(ratings, flip_rate, seed),
        fleiss_kappa=_interval(ratings, fleiss_kappa, seed),
    )


def pairwise_agreement(ratings: Ratings) -> float:
    """Share of pairs of ratings of one subject that agree, over all pairs."""
    pairs = [first == second for one in ratings for first, second in combinations(one, 2)]
    return sum(pairs) / len(pairs)


def flip_rate(ratings: Ratings) -> float:
    """Share of subjects whose ratings are not all the same."""
    return sum(len(set(one)) > 1 for one in ratings) / len(ratings)


def fleiss_kappa(ratings: Ratings) -> float:
    """Fleiss' kappa; subjects may have different numbers of ratings. 1.0 where every rating is the same
    label.

    Observed agreement is the mean over subjects of the share of agreeing pairs, expected agreement the chance
    that two ratings drawn from all of them agree.
    """
    observed = sum(_agreement(one) for one in ratings) / len(ratings)
    everything = Counter(label for one in ratings for label in one)
    total = sum(everything.values())
    expected = sum((count / total) ** 2 for count in everything.values())
    return 1.0 if expected == 1.0 else (observed - expected) / (1 - expected)


def confusion(first: Sequence[str], second: Sequence[str]) -> dict[tuple[str, str], int]:
    """How often one judge said this and the other that, for example a judge against people.

    Raises:
        InvalidInput: They judged different numbers of subjects.
    """
    if len(first) != len(second):
        raise InvalidInput(f"There are {len(first)} labels of one judge and {len(second)} of the other.")
    return dict(Counter(zip(first, second, strict=True)))


def disagreements(first: Sequence[Judgement], second: Sequence[Judgement]) -> list[int]:
    """Places at which two judges gave different labels: a person sees these first."""
    pairs = zip(first, second, strict=True)
    return [at for at, (one, other) in enumerate(pairs) if one.verdict.label != other.verdict.label]


def _agreement(labels: Sequence[str]) -> float:
    count = len(labels)
    return sum(n * (n - 1) for n in Counter(labels).values()) / (count * (count - 1))


def _interval(ratings: Ratings, statistic: Callable[[Ratings], float], seed: int) -> Interval:
    generator = random.Random(seed)  # noqa: S311 - a reproducible resampling
    drawn = sorted(statistic(generator.choices(ratings, k=len(ratings))) for _ in range(_RESAMPLES))
    return Interval(
        value=statistic(ratings), low=drawn[int(0.025 * _RESAMPLES)], high=drawn[int(0.975 * _RESAMPLES) - 1]
    )
