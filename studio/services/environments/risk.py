"""Risk: how much an environment needs a person's look, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from studio.models import CheckReportRecord, CheckResultRecord, EnvironmentRecord, FlagState, Review
from studio.services.environments.claim_sentences import claim_in_words

FAR_APART = 2
"""Difference of two people's grades on one criterion (1-5) that counts as low agreement."""

MOST_NAMED = 2
"""Checks with warnings that the queue names; the others are counted."""

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
    warned = warned_checks(report)
    yield len(warned), warnings_in_words(warned)


def warned_checks(report: CheckReportRecord | None) -> list[CheckResultRecord]:
    """The checks that pass with warnings, in the order in which they were tried."""
    results = report.results.all() if report else ()
    return [
        result
        for result in results
        if result.passed and any(finding["severity"] == "warning" for finding in result.findings)
    ]


def warnings_in_words(warned: Sequence[CheckResultRecord]) -> str:
    """Which checks pass with warnings; only the first by name where there are many."""
    names = [f"“{claim_in_words(each.claim, each.title).rstrip('.')}”" for each in warned[:MOST_NAMED]]
    if remaining := len(warned) - len(names):
        names.append(f"{remaining} more")
    count = _counted(len(warned), "check passes with warnings", "checks pass with warnings")
    return f"{count}: {' and '.join(filter(None, (', '.join(names[:-1]), *names[-1:])))}"


def _of_trajectories(record: EnvironmentRecord) -> Iterator[WeightedReason]:
    assert record.current is not None
    tried = record.current.trajectories
    disputed = tried.filter(disputed=True).count()
    yield 2 * disputed, _counted(disputed, "result is disputed", "results are disputed")
    broken = tried.filter(label__in=("environment_error", "unscored")).count()
    yield 2 * broken, _counted(broken, "attempt could not be judged", "attempts could not be judged")


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
