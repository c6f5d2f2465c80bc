"""A worker's hold on a run: what it writes counts only while the hold stands."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from studio.models import AttemptRecord, Run, RunKind, RunState
from studio.services.runs import runs
from studio.services.runs.execution import LeaseLost, claim_run, execute
from synthesis.documents.finding import Finding
from synthesis.documents.trajectory import Usage
from synthesis.errors import AttemptsExhausted, BudgetExhausted, Cancelled, InvalidInput
from synthesis.pipeline.attempt import Attempt as AttemptDocument


@pytest.fixture
def run(db) -> Run:
    return runs.queue_run(kind=RunKind.SYNTHESIS, title="A desk", request={"sentence": "A desk"})


def execute_with(run: Run, executor) -> Run:
    ended = execute(run.pk, {RunKind.SYNTHESIS: executor})
    assert ended is not None
    return ended


def raising(error: Exception):
    def executor(lease) -> None:
        raise error

    return executor


def test_a_run_that_reaches_its_end_is_finished_with_its_result(run):
    def executor(lease) -> None:
        lease.note("part_stored", stage="schema", text="12 tables", done=1, total=2)
        with lease.writing(done=2):
            lease.finish({"environment": "desk"})

    ended = execute_with(run, executor)
    assert (ended.state, ended.result, ended.done, ended.total) == (
        RunState.FINISHED,
        {"environment": "desk"},
        2,
        2,
    )
    assert ended.finished_at is not None
    assert [event.kind for event in ended.events.all()] == ["queued", "part_stored", "finished"]


def test_a_failure_keeps_its_kind_its_words_and_its_stage(run):
    finding = Finding(part="schema", check="it_builds", message="near 'CREAT': syntax error")
    ended = execute_with(run, raising(AttemptsExhausted("schema", [finding], 5)))
    assert (ended.state, ended.error_type, ended.error_stage) == (
        RunState.FAILED,
        "AttemptsExhausted",
        "schema",
    )
    assert "near 'CREAT'" in ended.error


def test_a_bug_of_ours_is_a_failed_run_and_not_a_dead_worker(run, caplog):
    ended = execute_with(run, raising(ZeroDivisionError("division by zero")))
    assert (ended.state, ended.error_type, ended.error) == (
        RunState.FAILED,
        "ZeroDivisionError",
        "division by zero",
    )
    assert "failed" in caplog.text


def test_the_stage_that_was_begun_last_is_where_another_failure_happened(run):
    def executor(lease) -> None:
        lease.note("stage_started", stage="tools")
        raise InvalidInput("The key is missing.")

    assert execute_with(run, executor).error_stage == "tools"


def test_a_run_that_was_asked_to_stop_is_cancelled(run):
    assert execute_with(run, raising(Cancelled("Stopped."))).state == RunState.CANCELLED


def test_a_spent_budget_pauses_the_run_and_resuming_goes_on(run):
    ended = execute_with(run, raising(BudgetExhausted("The budget of this run is spent: $2 of $2.")))
    assert (ended.state, ended.paused_at is not None) == (RunState.QUEUED, True)
    assert "$2 of $2" in ended.events.last().text
    assert execute(run.pk, {}) is None
    runs.resume(run=ended)
    again = execute_with(run, lambda lease: lease.finish({}))
    assert (again.state, again.claims) == (RunState.FINISHED, 2)


def test_after_a_reaping_the_old_worker_writes_nothing_more(run):
    def executor(lease) -> None:
        Run.objects.filter(pk=run.pk).update(heartbeat_at=timezone.now() - timedelta(hours=1))
        runs.reap_runs()
        with lease.writing():
            Run.objects.filter(pk=run.pk).update(title="written by the dead")
        pytest.fail("the hold was lost")

    ended = execute_with(run, executor)
    assert (ended.state, ended.title) == (RunState.QUEUED, "A desk")


def test_what_a_lost_hold_wrote_in_its_last_transaction_is_undone(run):
    lease = claim_run(run.pk)
    Run.objects.filter(pk=run.pk).update(claim="another worker's")
    with pytest.raises(LeaseLost, match="taken away"):
        lease.finish({"environment": "desk"})
    run.refresh_from_db()
    assert (run.state, run.result) == (RunState.RUNNING, None)
    assert [event.kind for event in run.events.all()] == ["queued"]


def test_an_attempt_is_kept_whole_even_with_characters_no_database_takes(run):
    lease = claim_run(run.pk)
    lease.keep_attempt(
        AttemptDocument(
            stage="tools",
            number=2,
            author="model",
            prompt="Write tools.",
            reply="def f(): return '\x00'",
            findings=(Finding(part="tools", check="reads", message="NUL \x00 in source"),),
            usage=Usage(input_tokens=10, output_tokens=5, cost=0.25),
            calls=1,
        )
    )
    attempt = AttemptRecord.objects.get()
    assert attempt.reply == "def f(): return '\u2400'"
    assert attempt.findings[0]["message"] == "NUL \x00 in source"
    assert (attempt.accepted, float(attempt.cost), attempt.number) == (False, 0.25, 2)


def test_a_run_that_somebody_else_has_is_left_alone(run):
    claim_run(run.pk)
    assert execute(run.pk, {}) is None


def test_signs_of_life_come_while_the_work_goes_on(transactional_db, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"heartbeat_seconds": 0.01})
    run = runs.queue_run(kind=RunKind.SYNTHESIS, title="A desk", request={})
    seen = []

    def executor(lease) -> None:
        Run.objects.filter(pk=run.pk).update(heartbeat_at=None)
        for _ in range(3_000):
            if Run.objects.get(pk=run.pk).heartbeat_at is not None:
                seen.append(True)
                break
        lease.finish({})

    execute_with(run, executor)
    assert seen == [True]
