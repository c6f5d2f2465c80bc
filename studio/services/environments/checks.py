"""Checks: claims are tried on a revision."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from django.contrib.auth.models import User

from studio.models import EnvironmentRecord, Revision, Run, RunKind
from studio.services.environments import quality_gates
from studio.services.environments.check_reports import store_report
from studio.services.environments.environments import load_environment
from studio.services.runs import runs
from studio.services.runs.execution import RunLease
from synthesis.documents.check_report import CheckReport, CheckResult
from synthesis.documents.document import Document
from synthesis.documents.environment import Environment
from synthesis.errors import Cancelled


class ChecksRequest(Document):
    """Claims of one revision that are tried."""

    revision: int
    claims: tuple[str, ...] | None = None
    """All when None."""


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
        title=f"Proof of {revision.environment.title}, revision {revision.number}",
        request=ChecksRequest(revision=revision.pk, claims=None if claims is None else tuple(claims)),
        requested_by=requested_by,
        environment=revision.environment,
    )


def execute_checks(lease: RunLease, request: ChecksRequest) -> None:
    """Try the claims a claimed run asks for, and store the whole report.

    Raises:
        Cancelled: Somebody asked to stop.
        SandboxUnavailable: This host cannot run generated code.
    """
    from synthesis.verification.checks import CHECKS

    started = time.perf_counter()
    revision = Revision.objects.select_related("environment").get(pk=request.revision)
    wanted = request.claims
    tried = list(CHECKS) if wanted is None else [claim for claim in CHECKS if claim in wanted]
    before = {} if wanted is None else _results_before(revision)
    tried += [claim for claim in CHECKS if claim not in before and claim not in tried]
    lease.note("checks_started", stage="checks", total=len(tried))
    results = dict(before)
    for done, result in enumerate(_try(lease, load_environment(revision), tried), start=1):
        results[result.claim] = result
        text = f"{result.claim.replace('_', ' ')}: {'passed' if result.passed else 'failed'}"
        payload = {"claim": result.claim, "passed": result.passed}
        lease.note("claim_checked", stage="checks", text=text, payload=payload, done=done)
    report = CheckReport(
        environment=revision.fingerprint,
        results=tuple(results[claim] for claim in CHECKS if claim in results),
    )
    with lease.writing():
        store_report(
            revision=revision,
            report=report,
            seconds=time.perf_counter() - started,
            reused=[claim for claim in results if claim not in tried],
        )
        record = EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id)
        quality_gates.answer_flags(record)
        quality_gates.settle(record)
        lease.finish({"environment": revision.environment.name, "passed": report.passed, "tried": tried})


def _try(lease: RunLease, environment: Environment, claims: Sequence[str]) -> Iterator[CheckResult]:
    from synthesis.verification.checks import CHECKS
    from synthesis.verification.proof_context import ProofContext

    with ProofContext(environment) as context:
        for claim in claims:
            if lease.cancelled():
                raise Cancelled(f"Stopped before the claim {claim}.")
            yield CHECKS[claim](context)


def _results_before(revision: Revision) -> dict[str, CheckResult]:
    """The newest results of the revision before, by claim."""
    earlier = revision.environment.revisions.filter(number__lt=revision.number).first()
    report = quality_gates.latest_report(earlier, whole=True) if earlier else None
    return {result.claim: result.load() for result in report.results.all()} if report else {}
