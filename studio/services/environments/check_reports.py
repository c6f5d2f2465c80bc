"""Check reports: what was proved about a revision is stored with it."""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction

from studio.models import CheckReportRecord, CheckResultRecord, Revision
from synthesis.documents.check_report import CheckReport
from synthesis.errors import InvalidInput


@transaction.atomic
def store_report(
    *, revision: Revision, report: CheckReport, seconds: float = 0.0, reused: Collection[str] = ()
) -> CheckReportRecord:
    """Store a report as the one that counts for its revision.

    Args:
        revision: What was checked.
        report: The outcome.
        seconds: How long it took.
        reused: Claims taken over from the revision before because nothing they depend on changed.

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
            reused=result.claim in reused,
        )
        for position, result in enumerate(report.results)
    )
    revision.checks_passed = sum(result.passed for result in report.results)
    revision.checks_failed = len(report.results) - revision.checks_passed
    revision.save(update_fields=["checks_passed", "checks_failed"])
    return record
