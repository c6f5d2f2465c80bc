"""A clock that is put back: nothing waits for a day that has been already, nothing counts as alive for it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from celery import Celery
from celery.schedules import crontab, schedule
from django.utils import timezone

from studio.models import Claim, Run, RunKind, RunState, WorldServer, WorldServerState
from studio.services.review import queue
from studio.services.runs import runs
from studio.services.runs.execution import claim_run
from studio.services.runs.workers import busy_workers
from studio.steady_scheduler import SteadyScheduler

DAY = timedelta(days=1)

pytestmark = pytest.mark.django_db


def started() -> Run:
    run = runs.queue_run(kind=RunKind.SYNTHESIS, title="A desk", request={})
    assert claim_run(run.pk) is not None
    return run


def test_a_run_whose_worker_was_lost_before_is_found_after_the_usual_time(settings):
    run = started()
    Run.objects.update(heartbeat_at=timezone.now() + DAY)
    assert busy_workers() == {}
    assert runs.reap_runs().requeued == ()
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"lost_after_seconds": 0.0})
    assert runs.reap_runs().requeued == (run.pk,)


def test_a_run_whose_worker_lives_stays_its_own():
    run = started()
    Run.objects.update(heartbeat_at=timezone.now() + DAY)
    for _ in range(2):
        assert runs.reap_runs() == runs.ReapedRuns()
        Run.objects.update(heartbeat_at=timezone.now())
    assert Run.objects.get(pk=run.pk).state == RunState.RUNNING


def test_a_message_that_was_lost_before_is_sent_again(monkeypatch):
    run = runs.queue_run(kind=RunKind.SYNTHESIS, title="A desk", request={})
    monkeypatch.setattr("studio.services.runs.dispatch.send", lambda *_: True)
    monkeypatch.setattr("studio.services.runs.dispatch.waiting_messages", lambda _: 0)
    assert runs.reap_runs().announced == ()
    Run.objects.update(created_at=timezone.now() + DAY)
    assert runs.reap_runs().announced == (run.pk,)


def test_a_claim_from_before_ends_when_a_new_one_would_and_an_assignment_on_its_day(
    stored, reviewer, second_reviewer, lead, settings
):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"reviewers": 2})
    queue.claim(record=stored, reviewer=reviewer)
    queue.assign(record=stored, reviewer=second_reviewer, lead=lead, until=timezone.localdate() + 3 * DAY)
    assigned = Claim.objects.get(reviewer=second_reviewer).expires_at
    Claim.objects.filter(reviewer=reviewer).update(expires_at=timezone.now() + DAY)
    assert queue.release_expired() == 0
    longest = timezone.now() + timedelta(minutes=settings.WORLDWRIGHT.claim_minutes)
    assert Claim.objects.get(reviewer=reviewer).expires_at <= longest
    assert Claim.objects.get(reviewer=second_reviewer).expires_at == assigned


def test_a_world_server_is_lost_until_its_next_sign_of_life(administrator):
    server = WorldServer.objects.create(
        name="first",
        address="http://10.0.0.7",
        registered_by=administrator,
        session="s",
        release="1",
        capacity=1,
    )
    assert WorldServer.objects.present().exists()
    WorldServer.objects.update(heartbeat_at=timezone.now() + DAY)
    assert not WorldServer.objects.present().exists()
    server.refresh_from_db()
    assert server.state is WorldServerState.LOST


def test_what_is_due_periodically_is_sent_again_at_once(monkeypatch):
    monkeypatch.delenv("CELERY_BROKER_URL", raising=False)  # which Celery prefers to what it is given
    now = [datetime(2026, 5, 2, 12, 0, tzinfo=UTC)]
    app = Celery("clocks", broker="memory://", set_as_current=False)
    app.now = lambda: now[0]
    sent: list[str] = []
    app.conf.result_expires = None
    app.conf.beat_schedule = {
        "reap": {"task": "reap", "schedule": schedule(30.0, nowfun=lambda: now[0])},
        "mail": {"task": "mail", "schedule": schedule(45.0, nowfun=lambda: now[0])},
        "retention": {"task": "retention", "schedule": crontab(hour="3", minute="30", nowfun=lambda: now[0])},
    }
    scheduler = SteadyScheduler(app)
    monkeypatch.setattr(scheduler, "apply_entry", lambda entry, **_: sent.append(entry.task))

    def pass_seconds(seconds: int) -> list[str]:
        sent.clear()
        for _ in range(seconds):
            now[0] += timedelta(seconds=1)
            while scheduler.tick() == 0:
                pass
        return sent[:]

    assert set(pass_seconds(95)) == {"mail", "reap"}
    now[0] += DAY
    assert set(pass_seconds(95)) == {"mail", "reap", "retention"}
    now[0] -= DAY
    assert set(pass_seconds(60)) == {"mail", "reap"}
    after = pass_seconds(90)
    assert (after.count("mail"), after.count("reap")) == (2, 3)
