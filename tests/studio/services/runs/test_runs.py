"""A run changes hands by conditional updates of its row; it is stopped, paused, retried and reaped."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from studio.models import Run, RunKind, RunState
from studio.models.runs import AFTER_PROGRESS
from studio.services.errors import Conflict, Missing
from studio.services.runs import runs
from studio.services.runs.execution import claim_run
from synthesis.errors import ProviderOverloaded, ProviderRefused, ProviderUnreachable


@pytest.fixture
def queue_run(db, django_capture_on_commit_callbacks):
    def queue(**more) -> Run:
        with django_capture_on_commit_callbacks(execute=True):
            return runs.queue_run(
                kind=RunKind.SYNTHESIS, title="A desk", request={"sentence": "A desk"}, **more
            )

    return queue


def lose(run: Run) -> None:
    """The worker of a run gives no sign of life for an hour."""
    Run.objects.filter(pk=run.pk).update(heartbeat_at=timezone.now() - timedelta(hours=1))


def age(run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(created_at=timezone.now() - timedelta(hours=1))


def state_of(run: Run) -> str:
    return Run.objects.get(pk=run.pk).state


def kinds(run: Run) -> list[str]:
    return [event.kind for event in run.events.all()]


def test_workers_are_told_of_a_queued_run_after_the_commit(db, sent, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        run = runs.queue_run(kind=RunKind.EXPORT, title="x", request={})
        assert sent == []
    assert sent == [run.pk]
    assert kinds(run) == ["queued"]


def test_only_one_worker_gets_a_run(queue_run):
    run = queue_run()
    assert claim_run(run.pk) is not None
    assert claim_run(run.pk) is None
    assert Run.objects.get(pk=run.pk).claims == 1


def test_a_waiting_run_is_cancelled_at_once(queue_run):
    run = queue_run()
    runs.request_cancel(run=run)
    assert state_of(run) == RunState.CANCELLED
    assert claim_run(run.pk) is None


def test_a_running_run_is_only_asked_to_stop(queue_run):
    run = queue_run()
    lease = claim_run(run.pk)
    assert not lease.cancelled()
    runs.request_cancel(run=run)
    assert run.cancel_requested
    assert state_of(run) == RunState.RUNNING
    assert lease.cancelled()


def test_what_is_over_cannot_be_cancelled(queue_run):
    run = queue_run()
    runs.request_cancel(run=run)
    run.cancel_requested_at = None
    run.save()
    with pytest.raises(Conflict, match="is already over"):
        runs.request_cancel(run=run)


def test_cancelling_a_batch_stops_its_children(queue_run):
    batch = queue_run()
    waiting, running = queue_run(parent=batch), queue_run(parent=batch)
    lease = claim_run(running.pk)
    runs.request_cancel(run=batch)
    assert state_of(waiting) == RunState.CANCELLED
    assert state_of(running) == RunState.RUNNING
    assert lease.cancelled()


def test_nothing_of_a_paused_batch_begins_until_it_is_resumed(
    queue_run, sent, django_capture_on_commit_callbacks
):
    batch = queue_run()
    child = queue_run(parent=batch)
    runs.pause(run=batch)
    assert claim_run(child.pk) is None
    with pytest.raises(Conflict, match="cannot be paused"):
        runs.pause(run=batch)
    sent.clear()
    with django_capture_on_commit_callbacks(execute=True):
        runs.resume(run=batch)
    assert set(sent) == {batch.pk, child.pk}
    assert claim_run(child.pk) is not None
    with pytest.raises(Conflict, match="is not paused"):
        runs.resume(run=batch)


def test_a_failed_run_is_retried_once_and_keeps_its_line(queue_run, lead):
    run = queue_run(priority=3)
    claim_run(run.pk).fail(ValueError("broken"))
    again = runs.retry(run=run, requested_by=lead)
    assert (again.retry_of, again.request, again.priority) == (run, {"sentence": "A desk"}, 3)
    assert state_of(run) == RunState.FAILED
    with pytest.raises(Conflict, match=f"already retried as run {again.pk}"):
        runs.retry(run=run)


def test_a_run_that_goes_well_is_not_retried(queue_run):
    with pytest.raises(Conflict, match="is queued"):
        runs.retry(run=queue_run())


def test_a_lost_run_waits_again_and_its_old_worker_is_locked_out(queue_run, sent):
    run = queue_run()
    old = claim_run(run.pk)
    lose(run)
    assert runs.reap_runs().requeued == (run.pk,)
    assert state_of(run) == RunState.QUEUED
    new = claim_run(run.pk)
    assert new is not None
    assert old.cancelled()
    assert not new.cancelled()


def test_a_run_that_shows_signs_of_life_is_left_alone(queue_run):
    run = queue_run()
    claim_run(run.pk)
    assert runs.reap_runs().requeued == ()
    assert state_of(run) == RunState.RUNNING


def test_a_run_lost_too_often_fails_with_its_cause(queue_run, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"run_claims": 2})
    run = queue_run()
    for _ in range(2):
        claim_run(run.pk)
        lose(run)
        reaped = runs.reap_runs()
    assert reaped.failed == (run.pk,)
    run.refresh_from_db()
    assert (run.state, run.error_type) == (RunState.FAILED, "WorkerLost")
    assert "lost 2 times" in run.error


def test_runs_that_share_a_killed_worker_are_taken_up_again_though_none_gets_further(queue_run):
    innocent = [queue_run() for _ in range(12)]
    for _ in range(10):
        for run in innocent:
            claim_run(run.pk)
            lose(run)
        assert len(runs.reap_runs().requeued) == 12
    losses = Run.objects.values_list("losses", flat=True)
    assert [round(count, 3) for count in losses] == [round(10 / 12, 3)] * 12


def test_a_run_that_kills_its_workers_ends_at_the_limit_though_others_share_them(queue_run, settings):
    poison, *innocent = [queue_run() for _ in range(12)]
    limit = settings.WORLDWRIGHT.run_claims
    for _ in range(limit + 1):
        for run in (poison, *innocent):
            claim_run(run.pk)
            lose(run)
        # All but one kept something before their worker was killed.
        Run.objects.exclude(pk=poison.pk).update(**AFTER_PROGRESS)
        reaped = runs.reap_runs()
    assert reaped.failed == (poison.pk,)
    assert len(reaped.requeued) == 11
    assert state_of(poison) == RunState.FAILED


def test_runs_of_another_worker_share_no_loss(queue_run):
    alone, other = queue_run(), queue_run()
    for run in (alone, other):
        claim_run(run.pk)
        lose(run)
    Run.objects.filter(pk=other.pk).update(worker="elsewhere:1")
    runs.reap_runs()
    assert list(Run.objects.values_list("losses", flat=True)) == [1.0, 1.0]


def test_a_lost_run_that_was_asked_to_stop_is_cancelled(queue_run):
    run = queue_run()
    claim_run(run.pk)
    runs.request_cancel(run=run)
    lose(run)
    assert runs.reap_runs().cancelled == (run.pk,)
    assert state_of(run) == RunState.CANCELLED


def test_a_run_whose_message_was_lost_is_announced_again(queue_run, sent):
    run, fresh = queue_run(), queue_run()
    age(run)
    sent.clear()
    assert runs.reap_runs().announced == (run.pk,)
    assert sent == [run.pk]
    assert state_of(fresh) == RunState.QUEUED


def test_an_unknown_run_says_so(db):
    with pytest.raises(Missing, match="no run 999"):
        runs.find(999)


def failed_with(queue_run, error, **options):
    run = queue_run(**options)
    claim_run(run.pk).fail(error)
    run.refresh_from_db()
    return run


def test_what_an_endpoint_stopped_goes_on_as_a_retry_and_nothing_else_does(queue_run):
    stopped = failed_with(queue_run, ProviderUnreachable("no route"))
    again = runs.go_on(run=stopped)
    assert (again.retry_of, again.state) == (stopped, RunState.QUEUED)
    with pytest.raises(Conflict, match=f"already retried as run {again.pk}"):
        runs.go_on(run=stopped)
    with pytest.raises(Conflict, match="already over"):
        runs.go_on(run=failed_with(queue_run, ValueError("broken")))


def test_of_a_batch_that_goes_on_those_that_an_endpoint_stopped_are_retried(queue_run):
    batch = queue_run(total=3)
    Run.objects.filter(pk=batch.pk).update(state=RunState.RUNNING)
    refused = failed_with(queue_run, ProviderRefused("wrong key"), parent=batch)
    failed_with(queue_run, ValueError("broken"), parent=batch)
    queue_run(parent=batch)
    batch.refresh_from_db()
    assert runs.go_on(run=batch).pk == batch.pk
    assert list(Run.objects.filter(retry_of__parent=batch).values_list("retry_of", flat=True)) == [refused.pk]


def test_a_batch_that_an_endpoint_ended_is_open_again(queue_run):
    batch = queue_run(total=1)
    Run.objects.filter(pk=batch.pk).update(state=RunState.RUNNING)
    failed_with(queue_run, ProviderOverloaded("busy"), parent=batch)
    batch.refresh_from_db()
    assert batch.state == RunState.FAILED
    assert runs.go_on(run=batch).state == RunState.RUNNING
