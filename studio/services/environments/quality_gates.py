"""The quality gates: draft, executable, proved, reviewed, approved, exported. Nothing skips a level."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from django.conf import settings
from django.db.models import Prefetch
from django.utils import timezone

from studio.models import (
    BundleRecord,
    ChangeList,
    ChangeListState,
    CheckReportRecord,
    CheckResultRecord,
    EnvironmentRecord,
    EnvironmentState,
    Flag,
    FlagState,
    Review,
    ReviewDecision,
    Revision,
    Run,
    RunKind,
)
from studio.services.environments import returns, risk, tolerance
from studio.services.environments.claim_sentences import claim_in_words
from studio.services.environments.flag_words import flag_words
from studio.services.environments.titles import Titles, titles_of
from studio.services.environments.unit_words import unit_in_text
from studio.services.notifications import notifications
from synthesis.documents.finding import PartName

RUNNING_PARTS: frozenset[PartName] = frozenset({"schema", "seed_data", "tools"})
"""Parts that must be free of errors before an environment counts as executable."""


@dataclass(frozen=True)
class QualityGate:
    """One quality gate.

    Attributes:
        state: The level it leads to.
        passed: Whether it is passed.
        reasons: Why, or everything that keeps it shut; () while it only waits for the gates below.
    """

    state: EnvironmentState
    passed: bool
    reasons: tuple[str, ...]

    WAITS: ClassVar = "Comes after the steps before it."

    @property
    def reason(self) -> str:
        """The reasons in one line."""
        return " ".join(self.reasons) or self.WAITS


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
    return int(settings.WORLDWRIGHT.reviewers)


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
    answers: dict[str, dict[int, bool]] = {unit: {} for unit in current}
    for review in submitted_reviews(record) if reviews is None else reviews:
        for unit, fingerprint in review.units.items():
            if current.get(unit) == fingerprint:
                answers[unit][review.reviewer_id] = approves(review, unit)
    return answers


def approves(review: Review, unit: str) -> bool:
    """Whether a review approves one unit it covers."""
    decision = review.unit_decisions.get(unit, review.decision)
    return bool(decision == ReviewDecision.APPROVE)


def gates(
    record: EnvironmentRecord,
    report: CheckReportRecord | None = None,
    reviews: list[Review] | None = None,
    blocking: list[Flag] | None = None,
) -> tuple[QualityGate, ...]:
    """Every gate above draft for the current revision, lowest first.

    Args:
        record: Whose gates.
        report: The report that counts for it, where it was read already.
        reviews: Its submitted reviews, where they were read already.
        blocking: Its flags that block, oldest first, where they were read already.
    """
    return tuple(_each_gate(record, report, reviews, blocking))


def blocker(
    record: EnvironmentRecord,
    report: CheckReportRecord | None = None,
    reviews: list[Review] | None = None,
    blocking: list[Flag] | None = None,
) -> str:
    """In one line everything that blocks approval, or "" when nothing does.

    Args:
        record: The environment.
        report: The report that counts for it, where it was read already.
        reviews: Its submitted reviews, where they were read already.
        blocking: Its flags that block, where they were read already.
    """
    return blocker_of(_each_gate(record, report, reviews, blocking))


def blocker_of(quality_gates: Iterable[QualityGate]) -> str:
    """The same of gates that were asked already."""
    shut = [gate for gate in quality_gates if not gate.passed and gate.state is not EnvironmentState.EXPORTED]
    return " ".join(gate.reason for gate in shut if gate.reasons)


def barriers(
    record: EnvironmentRecord,
    report: CheckReportRecord | None = None,
    blocking: list[Flag] | None = None,
) -> str:
    """In one line why nobody can approve it now, or "" when it only waits for people to decide.

    Those are checks that do not hold and open flags that block.
    """
    if report is None and record.current:
        report = latest_report(record.current)
    titles = titles_of(record)
    shut = [gate for gate in (_executable(report, titles), _proved(report)) if not gate.passed]
    blocking = blocking_flags(record) if blocking is None else blocking
    return " ".join([*(gate.reason for gate in shut), *_flagged(blocking, titles)])


def _each_gate(
    record: EnvironmentRecord,
    report: CheckReportRecord | None = None,
    reviews: list[Review] | None = None,
    blocking: list[Flag] | None = None,
) -> Iterator[QualityGate]:
    """The gates one after the other: each costs queries of its own only when it is asked for."""
    if report is None and record.current:
        report = latest_report(record.current)
    titles = titles_of(record)
    yield _executable(report, titles)
    yield _proved(report)
    reviews = submitted_reviews(record) if reviews is None else reviews
    answers = coverage(record, reviews)
    reviewed = _reviewed(answers, titles)
    yield reviewed
    of_this = [review for review in reviews if review.revision_id == record.current_id]
    blocking = blocking_flags(record) if blocking is None else blocking
    against = [*_flagged(blocking, titles), *_refusals(of_this)]
    yield _approved(answers, of_this, against, titles, reviewed=reviewed.passed)
    yield _exported(record)


def settle(record: EnvironmentRecord) -> EnvironmentState:
    """Set the environment to the level it has reached and no higher; called after all that may move it."""
    state = EnvironmentState.DRAFT
    report = latest_report(record.current) if record.current else None
    reviews = submitted_reviews(record)
    for gate in gates(record, report, reviews):
        if not gate.passed:
            break
        state = gate.state
    record.state = state
    result = risk.risk_of(record, report, reviews)
    record.risk, record.risk_reasons = result.weight, list(result.reasons)
    record.updated_at = timezone.now()
    record.save(update_fields=["state", "risk", "risk_reasons", "updated_at"])
    if state in (EnvironmentState.PROVED, EnvironmentState.REVIEWED):
        notifications.returned(record, returns.answered(record))
    return state


def answer_flags(record: EnvironmentRecord) -> None:
    """Settle the flags for which the current revision or one before it was changed; called after each proof.

    Where it is not proved they are open again. Those who raised them are told what changed, and raise
    another where it is not enough. What somebody works at again waits for that.
    """
    report = latest_report(record.current) if record.current else None
    if record.current is None or report is None:
        return
    proved = _executable(report, titles_of(record)).passed and _proved(report).passed
    lists = ChangeList.objects.filter(
        environment=record, state=ChangeListState.FINISHED, outcome__number__lte=record.current.number
    )
    corrected = Run.objects.active().filter(environment=record, kind=RunKind.CORRECTION)
    in_work = {flag for request in corrected.values_list("request", flat=True) for flag in request["flags"]}
    for changes in lists.select_related("assignee", "accepted_by", "outcome", "environment"):
        sent = changes.flags.filter(state=FlagState.SENT_BACK).exclude(pk__in=in_work)
        sent = sent.exclude(change_lists__state=ChangeListState.OPEN)
        assert changes.outcome is not None
        if proved:
            sent.update(
                state=FlagState.RESOLVED,
                resolution=f"Changed in revision {changes.outcome.number}.",
                resolved_by=changes.assignee,
                resolved_at=timezone.now(),
            )
        else:
            sent.update(state=FlagState.OPEN)
            if changes.outcome_id == record.current_id:
                notifications.changes_unproved(changes)


def _executable(report: CheckReportRecord | None, titles: Titles) -> QualityGate:
    state = EnvironmentState.EXECUTABLE
    if report is None:
        return QualityGate(state, False, ("It has not been proved yet.",))
    broken = [
        titles.text(finding.message)
        for result in report.results.all()
        if not tolerance.runs(result)
        for finding in result.finding_documents()
        if finding.blocks and finding.part in RUNNING_PARTS
    ]
    if broken:
        return QualityGate(state, False, (f"It does not run yet: {_listed(broken, '; ')}",))
    return QualityGate(state, True, ("Tables, rows and tools work.",))


def _proved(report: CheckReportRecord | None) -> QualityGate:
    state = EnvironmentState.PROVED
    results = report.results.all() if report else ()
    failed = [
        result
        for result in results
        if tolerance.falls_short(result) or (not result.passed and not tolerance.forgiven(result))
    ]
    if failed:
        verb = f"{len(failed)} checks fail" if failed[1:] else "A check fails"
        titles = " ".join(claim_in_words(result.claim, result.title) for result in failed)
        return QualityGate(state, False, (f"{verb}: {titles}",))
    if all(result.passed for result in results):
        return QualityGate(state, True, ("All checks pass.",))
    return QualityGate(state, True, ("All checks pass as far as the settings require.",))


def _reviewed(answers: dict[str, dict[int, bool]], titles: Titles) -> QualityGate:
    state = EnvironmentState.REVIEWED
    needed = needed_reviewers()
    looked = {unit: len(people) for unit, people in answers.items()}
    have = min(looked.values(), default=0)
    if have >= needed:
        return QualityGate(
            state, True, (f"{have} of {needed} review{'' if needed == 1 else 's'} submitted.",)
        )
    if not have and any(looked.values()):
        lacking = [unit for unit, people in looked.items() if not people]
        return QualityGate(state, False, (f"Changed since it was reviewed: {_named(lacking, titles)}.",))
    return QualityGate(state, False, (f"{have} of {needed} review{'' if needed == 1 else 's'} submitted.",))


def _approved(
    answers: dict[str, dict[int, bool]],
    reviews: list[Review],
    against: list[str],
    titles: Titles,
    *,
    reviewed: bool,
) -> QualityGate:
    state = EnvironmentState.APPROVED
    settled = any(review.is_adjudication for review in reviews)
    needed = 1 if settled else needed_reviewers()
    lacking = [unit for unit, people in answers.items() if sum(people.values()) < needed]
    if lacking and reviewed and not against:
        against.append(f"Approval is missing for {_named(lacking, titles)}.")
    if against or lacking:
        return QualityGate(state, False, tuple(against))
    return QualityGate(state, True, ("Every part is approved in its current version.",))


def blocking_flags(record: EnvironmentRecord) -> list[Flag]:
    """The open flags that block approval, oldest first."""
    return list(record.flags.blocking().order_by("id"))


def _flagged(blocking: list[Flag], titles: Titles) -> list[str]:
    """The open flags that block, each by what is wrong and where."""
    if not blocking:
        return []
    verb = f"{len(blocking)} open flags block" if blocking[1:] else "1 open flag blocks"
    words = [flag_words(flag, titles) for flag in blocking]
    return [f"{verb} approval: {_listed(words, ', ', most=5)}."]


def _listed(words: Sequence[str], between: str, most: int = 3) -> str:
    """The first few of a list, and how many more there are."""
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return between.join(words[:most]) + more


def _named(units: list[str], titles: Titles) -> str:
    """The first few of some units, in words."""
    return _listed([unit_in_text(titles, unit) for unit in units], ", ")


def _refusals(reviews: list[Review]) -> list[str]:
    """The submitted reviews of this revision that do not approve; of a settled conflict only the lead's."""
    settled = [review for review in reviews if review.is_adjudication]
    against = [review for review in settled[-1:] or reviews if review.decision != ReviewDecision.APPROVE]
    decisions = dict.fromkeys(review.get_decision_display().lower() for review in reversed(against))
    return [f"A reviewer decided: {decision}." for decision in decisions]


def _exported(record: EnvironmentRecord) -> QualityGate:
    there = (
        record.current is not None
        and BundleRecord.objects.filter(
            environment=record, revision__fingerprint=record.current.fingerprint, waiver=""
        ).exists()
    )
    reason = "A bundle has been exported." if there else "No bundle has been exported after approval yet."
    return QualityGate(EnvironmentState.EXPORTED, there, (reason,))
