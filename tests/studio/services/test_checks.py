"""Claims are really tried, and a report belongs to its revision."""

from __future__ import annotations

from studio.models import RunState
from studio.services import runs
from studio.services.checks import start_checks
from studio.services.executors import execute_run
from studio.services.ladder import latest_report
from synthesis.verification.checks import CHECKS


def test_every_claim_is_tried_and_the_newest_report_counts(stored):
    run = execute_run(start_checks(revision=stored.current).pk)
    assert run.state == RunState.FINISHED, run.error
    assert (run.done, run.total) == (len(CHECKS), len(CHECKS))
    report = latest_report(stored.current)
    assert [result.claim for result in report.results.all()] == list(CHECKS)
    assert not report.results.filter(carried=True).exists()
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
