"""The quality ladder: draft, executable, proved, reviewed, approved, exported. Nothing skips a rung."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings
from django.utils import timezone

from studio.models import (
    BundleRecord,
    CheckReportRecord,
    Decision,
    EnvironmentRecord,
    EnvironmentState,
    FlagSeverity,
    FlagState,
    Review,
    Revision,
)
from synthesis.documents.finding import PartName

RUNNING_PARTS: frozenset[PartName] = frozenset({"schema", "seed_data", "tools"})
"""Parts that must be free of errors before an environment counts as executable."""


@dataclass(frozen=True)
class Gate:
    """One step of the ladder: whether it is passed, and in one line why or why not."""

    state: EnvironmentState
    passed: bool
    reason: str


def latest_report(revision: Revision) -> CheckReportRecord | None:
    """The report that counts for a revision, with its results."""
    return revision.reports.prefetch_related("results").first()


def needed_reviewers() -> int:
    """Approvals by different people that an environment needs."""
    return int(settings.ENV["WORLDWRIGHT_REVIEWERS"])


def coverage(record: EnvironmentRecord) -> dict[str, dict[int, bool]]:
    """Per unit of the current revision, who looked at exactly this content, and whether they approve of it.

    A review of an earlier revision still counts for every unit that did not change since; a person's latest
    word counts.
    """
    assert record.current is not None
    current: dict[str, str] = record.current.units
    said: dict[str, dict[int, bool]] = {unit: {} for unit in current}
    for review in record.reviews.submitted().order_by("id"):
        for unit, fingerprint in review.units.items():
            if current.get(unit) == fingerprint:
                said[unit][review.reviewer_id] = approves(review, unit)
    return said


def approves(review: Review, unit: str) -> bool:
    """Whether a review approves one unit it covers."""
    decision = review.unit_decisions.get(unit, review.decision)
    return bool(decision == Decision.APPROVE)


def open_blockers(record: EnvironmentRecord) -> int:
    """How many open flags stand in the way of approval."""
    return record.flags.filter(state=FlagState.OPEN, severity=FlagSeverity.BLOCKING).count()


def gates(record: EnvironmentRecord, report: CheckReportRecord | None = None) -> tuple[Gate, ...]:
    """Every gate above draft for the current revision, lowest first.

    Args:
        record: Whose gates.
        report: The report that counts for it, where it was read already.
    """
    return tuple(_each_gate(record, report))


def blocker(record: EnvironmentRecord) -> str:
    """In one line what stands in the way of approval, or "" when nothing does; looks no further than that."""
    for gate in _each_gate(record):
        if gate.state is EnvironmentState.EXPORTED:
            break
        if not gate.passed:
            return gate.reason
    return ""


def _each_gate(record: EnvironmentRecord, report: CheckReportRecord | None = None) -> Iterator[Gate]:
    """The gates one after the other: each costs queries of its own only when it is asked for."""
    if report is None and record.current:
        report = latest_report(record.current)
    yield _executable(report)
    yield _proved(report)
    said = coverage(record)
    yield _reviewed(said)
    yield _approved(record, said)
    yield _exported(record)


def settle(record: EnvironmentRecord) -> EnvironmentState:
    """Put the environment on the rung it has reached and no higher; called after all that may move it."""
    state = EnvironmentState.DRAFT
    for gate in gates(record):
        if not gate.passed:
            break
        state = gate.state
    record.state = state
    record.risk = risk(record)
    record.updated_at = timezone.now()
    record.save(update_fields=["state", "risk", "updated_at"])
    return state


def risk(record: EnvironmentRecord) -> float:
    """How much a person's look is needed, from 0; the queue shows the highest first.

    Failed checks weigh 3 each; trajectories whose verdicts differ, or whose environment or measurement
    failed, 2; open flags 1; people who disagree about the current revision 4.
    """
    revision = record.current
    if revision is None:
        return 0.0
    disputed = revision.trajectories.filter(disputed=True).count()
    broken = revision.trajectories.filter(label__in=("environment_error", "unscored")).count()
    decisions = set(revision.reviews.submitted().values_list("decision", flat=True))
    flags = record.flags.filter(state=FlagState.OPEN).count()
    return float(
        3 * revision.checks_failed + 2 * (disputed + broken) + flags + (4 if len(decisions) > 1 else 0)
    )


def _executable(report: CheckReportRecord | None) -> Gate:
    state = EnvironmentState.EXECUTABLE
    if report is None:
        return Gate(state, False, "The checks have not been run yet.")
    for result in report.results.all():
        for finding in result.found():
            if finding.blocks and finding.part in RUNNING_PARTS:
                return Gate(state, False, f"It does not run yet: {finding.message}")
    return Gate(state, True, "Schema, rows and tools work.")


def _proved(report: CheckReportRecord | None) -> Gate:
    state = EnvironmentState.PROVED
    failed = [] if report is None else [result for result in report.results.all() if not result.passed]
    if failed:
        more = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
        return Gate(state, False, f"A check does not hold: {failed[0].title}{more}")
    return Gate(state, True, "Every check holds.")


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


def _approved(record: EnvironmentRecord, said: dict[str, dict[int, bool]]) -> Gate:
    state = EnvironmentState.APPROVED
    if blockers := open_blockers(record):
        return Gate(state, False, f"{blockers} open flag{'s' if blockers > 1 else ''} must be settled first.")
    if refusal := _standing_refusal(record):
        return Gate(state, False, refusal)
    needed = 1 if _adjudicated(record) else needed_reviewers()
    lacking = [unit for unit, people in said.items() if sum(people.values()) < needed]
    if lacking:
        return Gate(state, False, f"Approval is missing for {_named(lacking)}.")
    return Gate(state, True, "Every part is approved as it is.")


def _named(units: list[str]) -> str:
    """The first few of some units, in words."""
    more = f" and {len(units) - 3} more" if len(units) > 3 else ""
    return ", ".join(unit.replace(":", " ") for unit in units[:3]) + more


def _adjudicated(record: EnvironmentRecord) -> bool:
    assert record.current is not None
    return record.current.reviews.submitted().filter(is_adjudication=True).exists()


def _standing_refusal(record: EnvironmentRecord) -> str:
    """A submitted review of this revision that does not approve, unless a lead settled the conflict."""
    assert record.current is not None
    reviews = record.current.reviews.submitted().select_related("reviewer")
    settled = reviews.filter(is_adjudication=True).first()
    if settled is not None:
        reviews = reviews.filter(pk=settled.pk)
    against = reviews.exclude(decision=Decision.APPROVE).first()
    if against is None:
        return ""
    return f"A reviewer decided: {against.get_decision_display().lower()}."


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
