"""The quality ladder: draft, executable, proved, reviewed, approved, exported. Nothing skips a rung."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Prefetch
from django.utils import timezone

from studio.models import (
    BundleRecord,
    CheckReportRecord,
    CheckResultRecord,
    Decision,
    EnvironmentRecord,
    EnvironmentState,
    FlagSeverity,
    FlagState,
    Review,
    Revision,
)
from studio.services import risk, tolerance
from synthesis.documents.finding import PartName

RUNNING_PARTS: frozenset[PartName] = frozenset({"schema", "seed_data", "tools"})
"""Parts that must be free of errors before an environment counts as executable."""


@dataclass(frozen=True)
class Gate:
    """One step of the ladder: whether it is passed, and in one line why or why not."""

    state: EnvironmentState
    passed: bool
    reason: str


def latest_report(revision: Revision, *, whole: bool = False) -> CheckReportRecord | None:
    """The report that counts for a revision, with its results.

    Args:
        revision: Whose report.
        whole: Whether what was tried is read, too: hundreds of ends and calls, which only few readers show.
    """
    results = CheckResultRecord.objects.all()
    if not whole:
        results = results.defer("trials", "scores")
    return revision.reports.prefetch_related(Prefetch("results", queryset=results)).first()


def needed_reviewers() -> int:
    """Approvals by different people that an environment needs."""
    return int(settings.ENV["WORLDWRIGHT_REVIEWERS"])


def submitted_reviews(record: EnvironmentRecord) -> list[Review]:
    """Every review that counts, of any revision, oldest first."""
    return list(record.reviews.submitted().select_related("reviewer", "revision").order_by("id"))


def coverage(record: EnvironmentRecord, reviews: list[Review] | None = None) -> dict[str, dict[int, bool]]:
    """Per unit of the current revision, who looked at exactly this content, and whether they approve of it.

    A review of an earlier revision still counts for every unit that did not change since; a person's latest
    word counts.

    Args:
        record: Whose units.
        reviews: Its submitted reviews, where they were read already.
    """
    assert record.current is not None
    current: dict[str, str] = record.current.units
    said: dict[str, dict[int, bool]] = {unit: {} for unit in current}
    for review in submitted_reviews(record) if reviews is None else reviews:
        for unit, fingerprint in review.units.items():
            if current.get(unit) == fingerprint:
                said[unit][review.reviewer_id] = approves(review, unit)
    return said


def approves(review: Review, unit: str) -> bool:
    """Whether a review approves one unit it covers."""
    decision = review.unit_decisions.get(unit, review.decision)
    return bool(decision == Decision.APPROVE)


def open_blockers(record: EnvironmentRecord) -> int:
    """How many open flags stand in the way of approval: those of WORLDWRIGHT_GATE_FLAGS and worse."""
    worst_first = [severity.value for severity in FlagSeverity]
    least = worst_first.index(settings.ENV["WORLDWRIGHT_GATE_FLAGS"])
    return record.flags.filter(state=FlagState.OPEN, severity__in=worst_first[: least + 1]).count()


def gates(
    record: EnvironmentRecord,
    report: CheckReportRecord | None = None,
    reviews: list[Review] | None = None,
) -> tuple[Gate, ...]:
    """Every gate above draft for the current revision, lowest first.

    Args:
        record: Whose gates.
        report: The report that counts for it, where it was read already.
        reviews: Its submitted reviews, where they were read already.
    """
    return tuple(_each_gate(record, report, reviews))


def blocker(
    record: EnvironmentRecord,
    report: CheckReportRecord | None = None,
    reviews: list[Review] | None = None,
) -> str:
    """In one line what stands in the way of approval, or "" when nothing does; looks no further than that."""
    for gate in _each_gate(record, report, reviews):
        if gate.state is EnvironmentState.EXPORTED:
            break
        if not gate.passed:
            return gate.reason
    return ""


def _each_gate(
    record: EnvironmentRecord, report: CheckReportRecord | None = None, reviews: list[Review] | None = None
) -> Iterator[Gate]:
    """The gates one after the other: each costs queries of its own only when it is asked for."""
    if report is None and record.current:
        report = latest_report(record.current)
    yield _executable(report)
    yield _proved(report)
    reviews = submitted_reviews(record) if reviews is None else reviews
    said = coverage(record, reviews)
    yield _reviewed(said)
    yield _approved(record, said, [review for review in reviews if review.revision_id == record.current_id])
    yield _exported(record)


def settle(record: EnvironmentRecord) -> EnvironmentState:
    """Put the environment on the rung it has reached and no higher; called after all that may move it."""
    state = EnvironmentState.DRAFT
    report = latest_report(record.current) if record.current else None
    reviews = submitted_reviews(record)
    for gate in gates(record, report, reviews):
        if not gate.passed:
            break
        state = gate.state
    record.state = state
    found = risk.risk_of(record, report, reviews)
    record.risk, record.risk_reasons = found.weight, list(found.reasons)
    record.updated_at = timezone.now()
    record.save(update_fields=["state", "risk", "risk_reasons", "updated_at"])
    return state


def _executable(report: CheckReportRecord | None) -> Gate:
    state = EnvironmentState.EXECUTABLE
    if report is None:
        return Gate(state, False, "The checks have not been run yet.")
    for result in report.results.all():
        if tolerance.runs(result):
            continue
        for finding in result.found():
            if finding.blocks and finding.part in RUNNING_PARTS:
                return Gate(state, False, f"It does not run yet: {finding.message}")
    return Gate(state, True, "Schema, rows and tools work.")


def _proved(report: CheckReportRecord | None) -> Gate:
    state = EnvironmentState.PROVED
    results = report.results.all() if report else ()
    failed = [result for result in results if not result.passed and not tolerance.forgiven(result)]
    if failed:
        more = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
        return Gate(state, False, f"A check does not hold: {failed[0].title}{more}")
    if all(result.passed for result in results):
        return Gate(state, True, "Every check holds.")
    return Gate(state, True, "Every check holds as far as the gates of the settings ask.")


def _reviewed(said: dict[str, dict[int, bool]]) -> Gate:
    state = EnvironmentState.REVIEWED
    needed = needed_reviewers()
    looked = {unit: len(people) for unit, people in said.items()}
    have = min(looked.values(), default=0)
    if have >= needed:
        return Gate(state, True, f"{have} of {needed} reviews are in.")
    if not have and any(looked.values()):
        lacking = [unit for unit, people in looked.items() if not people]
        return Gate(state, False, f"Changed since it was reviewed: {_named(lacking)}.")
    return Gate(state, False, f"{have} of {needed} reviews are in.")


def _approved(record: EnvironmentRecord, said: dict[str, dict[int, bool]], reviews: list[Review]) -> Gate:
    state = EnvironmentState.APPROVED
    if blockers := open_blockers(record):
        return Gate(state, False, f"{blockers} open flag{'s' if blockers > 1 else ''} must be settled first.")
    settled = [review for review in reviews if review.is_adjudication]
    if refusal := _standing_refusal(settled[-1:] or reviews):
        return Gate(state, False, refusal)
    needed = 1 if settled else needed_reviewers()
    lacking = [unit for unit, people in said.items() if sum(people.values()) < needed]
    if lacking:
        return Gate(state, False, f"Approval is missing for {_named(lacking)}.")
    return Gate(state, True, "Every part is approved as it is.")


def _named(units: list[str]) -> str:
    """The first few of some units, in words."""
    more = f" and {len(units) - 3} more" if len(units) > 3 else ""
    return ", ".join(unit.replace(":", " ") for unit in units[:3]) + more


def _standing_refusal(reviews: list[Review]) -> str:
    """A submitted review of this revision that does not approve; of a settled conflict only the lead's."""
    against = next((review for review in reversed(reviews) if review.decision != Decision.APPROVE), None)
    return f"A reviewer decided: {against.get_decision_display().lower()}." if against else ""


def _exported(record: EnvironmentRecord) -> Gate:
    there = (
        record.current is not None
        and BundleRecord.objects.filter(
            environment=record, revision__fingerprint=record.current.fingerprint, waiver=""
        ).exists()
    )
    return Gate(
        EnvironmentState.EXPORTED, there, "A bundle of it exists." if there else "No bundle was exported yet."
    )
