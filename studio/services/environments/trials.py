"""Trials: how far the claims about one revision have been tried, while it happens and afterwards."""

from __future__ import annotations

from dataclasses import dataclass

from studio.models import CheckReportRecord, CheckResultRecord, Revision, Run, RunKind
from studio.services.environments import quality_gates

RECENT_RUNS = 20
"""Newest check runs of an environment among which a revision's own is looked for."""


@dataclass(frozen=True)
class RevisionTrial:
    """The claims about one revision.

    Attributes:
        run: The run that checks them; None where they came with the revision.
        report: The outcome; None while it is not in.
        waiting: Claims that are still to be tried.
        tried_claims: Claims that were tried by the run under way, with whether they hold.
    """

    run: Run | None
    report: CheckReportRecord | None
    waiting: tuple[str, ...] = ()
    tried_claims: tuple[tuple[str, bool], ...] = ()

    @property
    def tried(self) -> list[CheckResultRecord]:
        """Results of the claims that were tried on this revision itself."""
        return [result for result in self.report.results.all() if not result.reused] if self.report else []

    @property
    def reused(self) -> list[CheckResultRecord]:
        """Results taken over from the revision before: nothing they depend on changed."""
        return [result for result in self.report.results.all() if result.reused] if self.report else []

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to be expected."""
        return self.report is not None or self.run is None or self.run.is_over


def trial_of(revision: Revision) -> RevisionTrial:
    """How far the trial of a revision's claims has come."""
    report = quality_gates.latest_report(revision)
    run = _run_of(revision)
    if report is not None or run is None:
        return RevisionTrial(run, report)
    from synthesis.verification.checks import CHECKS

    wanted = run.request["claims"]
    asked = tuple(CHECKS) if wanted is None else tuple(claim for claim in CHECKS if claim in wanted)
    events = run.events.filter(kind="claim_checked").order_by("id")
    details = {event.payload["claim"]: bool(event.payload["passed"]) for event in events}
    return RevisionTrial(
        run, None, tuple(claim for claim in asked if claim not in details), tuple(details.items())
    )


def _run_of(revision: Revision) -> Run | None:
    runs = Run.objects.filter(environment=revision.environment_id, kind=RunKind.CHECKS).order_by("-id")
    return next((run for run in runs[:RECENT_RUNS] if run.request.get("revision") == revision.pk), None)
