"""What a later release queued is left to its own workers, clearly and without being lost."""

from __future__ import annotations

from datetime import timedelta

import pytest
from celery.exceptions import Reject
from django.db import connection
from django.utils import timezone

from studio import release, tasks
from studio.jobs import execute_most_urgent
from studio.models import Run, RunKind, RunState
from studio.services.runs import releases, runs
from studio.services.runs.execution import claim_run
from studio.services.runs.workers import waiting_by_queue


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch) -> None:
    monkeypatch.setattr(releases, "PAUSE", 0.0)


def queued(**more: object) -> Run:
    run = runs.queue_run(kind=RunKind.SYNTHESIS, title="A desk", request={"of_a_later": "release"})
    Run.objects.filter(pk=run.pk).update(**more)
    return run


def test_releases_are_compared_as_numbers():
    texts = ("0.1.0", "0.2.0.dev1", "0.10.0", "1.0", "1.0.3", "1.12.0+local.5")
    numbers = [release.release_number(text) for text in texts]
    assert numbers == sorted(set(numbers))
    assert release.release_number("1.4.2") == 1_004_002


@pytest.mark.django_db
def test_a_worker_leaves_what_a_later_release_queued_and_says_so_once(caplog):
    run, own = queued(release=release.own_release() + 1, priority=5), queued(priority=0)
    assert claim_run(run.pk) is None
    for _ in range(2):
        with pytest.raises(Reject) as rejected:
            tasks.execute(run.pk)
        assert rejected.value.requeue
    assert Run.objects.get(pk=own.pk).state == RunState.FAILED  # the message served what the worker can do
    run.refresh_from_db()
    assert (run.state, run.claims) == (RunState.QUEUED, 0)
    assert [event.kind for event in run.events.order_by("pk")] == ["queued", releases.LEFT]
    assert caplog.text.count("upgrade this worker") == 1
    assert execute_most_urgent() is None


@pytest.mark.django_db
def test_a_run_of_an_unknown_kind_is_left_and_one_of_this_release_is_not():
    run = queued(kind="of_later", release=release.own_release() + 1)
    with pytest.raises(Reject):
        tasks.execute(run.pk)
    fresh = queued(release=0)
    tasks.execute(fresh.pk)
    fresh.refresh_from_db()
    assert (fresh.state, fresh.claims) == (RunState.FAILED, 1)
    assert releases.LEFT not in [event.kind for event in fresh.events.all()]
    Run.objects.update(release=0)
    tasks.execute(run.pk)
    run.refresh_from_db()
    assert (run.state, run.claims) == (RunState.QUEUED, 0)
    assert [event.kind for event in run.events.order_by("pk")] == ["queued", releases.LEFT]


@pytest.mark.django_db
def test_a_lost_run_of_an_unknown_kind_stops_no_work_of_this_release():
    """Its queue is not known here: reaping and the Operations page go on without it."""
    long_ago = timezone.now() - timedelta(days=1)
    later = queued(kind="of_later", release=release.own_release() + 1)
    waiting = queued(kind="of_later", release=release.own_release() + 1)
    own = queued()
    for run in (later, own):
        Run.objects.filter(pk=run.pk).update(state=RunState.RUNNING, claim="x", heartbeat_at=long_ago)
    assert own.pk in runs.reap_runs().requeued
    assert Run.objects.get(pk=later.pk).state == RunState.RUNNING
    assert sum(waiting_by_queue().values()) == 1
    assert waiting.pk in Run.objects.claimable().values_list("pk", flat=True)


@pytest.mark.django_db
def test_what_a_release_without_numbers_inserts_counts_as_the_earliest():
    run = queued()
    columns = [f.column for f in Run._meta.concrete_fields if f.column not in ("id", "release")]
    with connection.cursor() as cursor:
        names = ", ".join(map(connection.ops.quote_name, columns))
        cursor.execute(
            f"INSERT INTO studio_run ({names}) SELECT {names} FROM studio_run WHERE id = %s", [run.pk]
        )
    assert Run.objects.latest("pk").release == 0


@pytest.mark.django_db
def test_what_was_stored_before_and_by_this_release_is_executed():
    for number in (0, release.own_release()):
        run = queued(release=number)
        tasks.execute(run.pk)
        assert Run.objects.get(pk=run.pk).state == RunState.FAILED
