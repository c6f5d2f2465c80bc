"""Queues per kind of work: where a run waits, and who takes it."""

from __future__ import annotations

from collections import Counter

import pytest
from celery import current_app
from django.core.management import CommandError, call_command
from kombu.exceptions import OperationalError

from studio import tasks
from studio.management.worker_process import worker_arguments
from studio.models import Run, RunKind
from studio.models.runs import KINDS_IN, queue_of
from studio.services.runs import dispatch, runs
from studio.work_queue import WorkQueue

SEND = dispatch.send
"""The real one; a fixture replaces it for every test."""


def test_every_kind_waits_in_one_queue():
    places = Counter(kind for kinds in KINDS_IN.values() for kind in kinds)
    assert places == dict.fromkeys(RunKind, 1)
    assert set(KINDS_IN) == set(WorkQueue)


def test_a_message_goes_to_the_queue_of_its_run(monkeypatch):
    messages: list[tuple[list[int], str]] = []
    monkeypatch.setattr(current_app, "send_task", lambda name, *, args, queue: messages.append((args, queue)))
    assert SEND(7, queue_of(RunKind.EXPORT))
    assert messages == [([7], "worldwright.transfers")]


def test_a_broker_that_is_away_is_no_error(monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise OperationalError("no route")

    monkeypatch.setattr(current_app, "send_task", refuse)
    assert not SEND(7, WorkQueue.ROLLOUTS)


@pytest.mark.django_db
def test_a_message_serves_the_most_urgent_run_of_its_own_queue(monkeypatch):
    taken: list[int] = []
    monkeypatch.setattr("studio.jobs.execute_run", lambda run_id: taken.append(run_id) or Run(pk=run_id))
    queued = {
        (kind, priority): runs.queue_run(kind=kind, title="x", request={}, priority=priority).pk
        for kind, priority in (
            (RunKind.ROLLOUT, 0), (RunKind.ROLLOUT, 5), (RunKind.SYNTHESIS, 50), (RunKind.EXPORT, 0),
        )
    }  # fmt: skip
    tasks.execute(queued[RunKind.ROLLOUT, 0])
    tasks.execute(queued[RunKind.EXPORT, 0])
    tasks.execute(10**9)
    assert taken == [queued[RunKind.ROLLOUT, 5], queued[RunKind.EXPORT, 0]]


def test_a_worker_takes_what_it_is_asked_to_and_what_is_no_run():
    (every,) = [argument for argument in worker_arguments() if argument.startswith("--queues=")]
    assert set(every.removeprefix("--queues=").split(",")) == {
        "worldwright",
        *(f"worldwright.{queue}" for queue in WorkQueue),
    }
    assert "--queues=worldwright,worldwright.judging" in worker_arguments(queues=[WorkQueue.JUDGING])


def test_an_unknown_queue_is_refused_with_those_that_exist():
    with pytest.raises(CommandError, match="there is no queue rolouts; choose from synthesis, rollouts"):
        call_command("worker", "--queues", "rollouts,rolouts")
