"""Checks: claims are tried on a revision, and what was proved is stored with it."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence

from django.contrib.auth.models import User
from django.db import transaction

from studio.models import CheckReportRecord, CheckResultRecord, EnvironmentRecord, Revision, Run, RunKind
from studio.services import ladder, runs
from studio.services.execution import Hold
from synthesis.documents.check_report import CheckReport, CheckResult
from synthesis.documents.environment import Environment
from synthesis.errors import Cancelled, InvalidInput


@transaction.atomic
def store_report(
    *, revision: Revision, report: CheckReport, seconds: float = 0.0, carried: Collection[str] = ()
) -> CheckReportRecord:
    """Store a report as the one that counts for its revision.

    Args:
        revision: What was checked.
        report: The outcome.
        seconds: How long it took.
        carried: Claims taken over from the revision before because nothing they depend on changed.

    Raises:
        InvalidInput: The report is about another environment.
    """
    if report.environment != revision.fingerprint:
        raise InvalidInput(
            f"The report is about {report.environment[:12]}, the revision is {revision.fingerprint[:12]}."
        )
    record = CheckReportRecord.objects.create(revision=revision, passed=report.passed, seconds=seconds)
    CheckResultRecord.objects.bulk_create(
        CheckResultRecord(
            report=record,
            position=position,
            **result.model_dump(mode="json"),
            carried=result.claim in carried,
        )
        for position, result in enumerate(report.results)
    )
    revision.checks_passed = sum(result.passed for result in report.results)
    revision.checks_failed = len(report.results) - revision.checks_passed
    revision.save(update_fields=["checks_passed", "checks_failed"])
    return record


def start_checks(
    *, revision: Revision, claims: Sequence[str] | None = None, requested_by: User | None = None
) -> Run:
    """Queue the trial of claims about a revision.

    Args:
        revision: What is checked.
        claims: Claims to try; the results of the others are taken from the revision before. All when None.
        requested_by: Who asks.
    """
    return runs.queue_run(
        kind=RunKind.CHECKS,
        title=f"Checks of {revision.environment.title}, revision {revision.number}",
        request={"revision": revision.pk, "claims": None if claims is None else list(claims)},
        requested_by=requested_by,
        environment=revision.environment,
    )


def execute_checks(hold: Hold) -> None:
    """Try the claims a claimed run asks for, and store the whole report.

    Raises:
        Cancelled: Somebody asked to stop.
        SandboxUnavailable: This host cannot run generated code.
    """
    from studio.services.environments import load_environment
    from synthesis.verification.checks import CHECKS

    started = time.perf_counter()
    revision = Revision.objects.select_related("environment").get(pk=hold.run.request["revision"])
    wanted = hold.run.request["claims"]
    tried = list(CHECKS) if wanted is None else [claim for claim in CHECKS if claim in wanted]
    before = {} if wanted is None else _results_before(revision)
    tried += [claim for claim in CHECKS if claim not in before and claim not in tried]
    hold.note("checks_started", stage="checks", total=len(tried))
    results = dict(before)
    for done, result in enumerate(_try(hold, load_environment(revision), tried), start=1):
        results[result.claim] = result
        text = f"{result.claim.replace('_', ' ')}: {'holds' if result.passed else 'does not hold'}"
        payload = {"claim": result.claim, "passed": result.passed}
        hold.note("check_made", stage="checks", text=text, payload=payload, done=done)
    report = CheckReport(
        environment=revision.fingerprint,
        results=tuple(results[claim] for claim in CHECKS if claim in results),
    )
    with hold.writing():
        store_report(
            revision=revision,
            report=report,
            seconds=time.perf_counter() - started,
            carried=[claim for claim in results if claim not in tried],
        )
        ladder.settle(EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id))
        hold.finish({"environment": revision.environment.name, "passed": report.passed, "tried": tried})


def _try(hold: Hold, environment: Environment, claims: Sequence[str]) -> Iterator[CheckResult]:
    from synthesis.verification.checks import CHECKS
    from synthesis.verification.proving import Proving

    with Proving(environment) as proving:
        for claim in claims:
            if hold.cancelled():
                raise Cancelled(f"Stopped before the check {claim}.")
            yield CHECKS[claim](proving)


def _results_before(revision: Revision) -> dict[str, CheckResult]:
    """The newest results of the revision before, by claim."""
    earlier = revision.environment.revisions.filter(number__lt=revision.number).first()
    report = ladder.latest_report(earlier, whole=True) if earlier else None
    return {result.claim: result.load() for result in report.results.all()} if report else {}
