"""Claims are really tried, and a report belongs to its revision."""

from __future__ import annotations

from studio.jobs import execute_run
from studio.models import RunState
from studio.services.environments.check_reports import store_report
from studio.services.environments.checks import start_checks
from studio.services.environments.quality_gates import latest_report
from studio.services.exports.bundles import bundle_of
from studio.services.runs import runs
from synthesis.documents.check_report import CheckReport, CheckResult, Score, Trial
from synthesis.verification.checks import CHECKS


def test_every_claim_is_tried_and_the_newest_report_counts(stored):
    run = execute_run(start_checks(revision=stored.current).pk)
    assert run.state == RunState.FINISHED, run.error
    assert (run.done, run.total) == (len(CHECKS), len(CHECKS))
    report = latest_report(stored.current)
    assert [result.claim for result in report.results.all()] == list(CHECKS)
    assert not report.results.filter(reused=True).exists()
    stored.current.refresh_from_db()
    assert stored.current.checks == len(CHECKS)
    results = {result.claim: result.passed for result in report.results.all()}
    assert results["the_schema_builds"]
    assert results["reference_solutions_complete_their_tasks"]


def test_a_trial_stops_when_it_is_asked_to(stored):
    run = start_checks(revision=stored.current)
    runs.request_cancel(run=run)
    run.state = RunState.QUEUED
    run.save()
    assert execute_run(run.pk).state == RunState.CANCELLED
    assert stored.current.reports.count() == 1


def test_what_was_tried_goes_into_the_bundle_and_is_read_in_three_queries(
    stored, django_assert_max_num_queries
):
    trial = Trial(
        subject="return_the_drill", kind="twice", description="", expected="refused", outcome="refused"
    )
    results = tuple(
        CheckResult(
            claim=claim,
            passed=True,
            scores=(Score(subject="return_the_drill", tried=1, right=1),),
            trials=(trial.replace(description=claim),),
        )
        for claim in CHECKS
    )
    report = CheckReport(environment=stored.current.fingerprint, results=results)
    store_report(revision=stored.current, report=report)
    assert bundle_of(stored.current).report == report
    with django_assert_max_num_queries(3):
        assert latest_report(stored.current, whole=True).load() == report
