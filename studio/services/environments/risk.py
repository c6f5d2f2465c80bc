"""Risk: how much an environment needs a person's look, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from studio.models import CheckReportRecord, EnvironmentRecord, FlagState, Review

FAR_APART = 2
"""Difference of two people's grades on one criterion (1-5) that counts as low agreement."""

WeightedReason = tuple[int, str]


@dataclass(frozen=True)
class Risk:
    """What makes a look urgent.

    Attributes:
        weight: From 0; the queue shows the highest first.
        reasons: Why, in words, the heaviest first.
    """

    weight: float
    reasons: tuple[str, ...]


def risk_of(record: EnvironmentRecord, report: CheckReportRecord | None, reviews: Sequence[Review]) -> Risk:
    """The risk of the current revision.

    A check that fails weighs 3, a claim that holds only with warnings 1; a trajectory whose verdicts differ
    (verifier, judge or person), or whose environment or measurement failed, 2; an open flag 1; people who
    decide differently 4; grades that are far apart 2.

    Args:
        record: The environment.
        report: What was proved about its current revision.
        reviews: Its submitted reviews, of any revision.
    """
    if record.current is None:
        return Risk(0.0, ())
    current = [review for review in reviews if review.revision_id == record.current_id]
    weighed = [*_of_proofs(record, report), *_of_trajectories(record), *_of_people(record, current)]
    results = sorted((each for each in weighed if each[0]), key=lambda each: -each[0])
    return Risk(float(sum(weight for weight, _ in results)), tuple(words for _, words in results))


def _of_proofs(record: EnvironmentRecord, report: CheckReportRecord | None) -> Iterator[WeightedReason]:
    assert record.current is not None
    failed = record.current.checks_failed
    yield 3 * failed, _counted(failed, "check fails", "checks fail")
    results = report.results.all() if report else ()
    weak = sum(
        result.passed and any(finding["severity"] == "warning" for finding in result.findings)
        for result in results
    )
    yield weak, _counted(weak, "check passes with warnings", "checks pass with warnings")


def _of_trajectories(record: EnvironmentRecord) -> Iterator[WeightedReason]:
    assert record.current is not None
    tried = record.current.trajectories
    disputed = tried.filter(disputed=True).count()
    yield 2 * disputed, _counted(disputed, "verdict is disputed", "verdicts are disputed")
    broken = tried.filter(label__in=("environment_error", "unscored")).count()
    yield 2 * broken, _counted(broken, "episode failed or is unscored", "episodes failed or are unscored")


def _of_people(record: EnvironmentRecord, reviews: Sequence[Review]) -> Iterator[WeightedReason]:
    flags = record.flags.filter(state=FlagState.OPEN).count()
    yield flags, _counted(flags, "open flag", "open flags")
    yield 4 * (len({review.decision for review in reviews}) > 1), "reviewers disagree"
    yield 2 * _far_apart(reviews), "grades are far apart"


def _far_apart(reviews: Sequence[Review]) -> bool:
    grades: dict[str, list[int]] = {}
    for review in reviews:
        for criterion, grade in review.scores.items():
            grades.setdefault(criterion, []).append(grade)
    return any(max(given) - min(given) >= FAR_APART for given in grades.values())


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
