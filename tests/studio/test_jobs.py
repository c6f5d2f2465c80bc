"""Every kind of run has one request and one service that does its work."""

from __future__ import annotations

import pytest

from studio.jobs import JOBS, execute_run
from studio.models import RunKind, RunState
from studio.services.rollouts.rollout_batches import RolloutBatchRequest
from studio.services.rollouts.rollouts import PlaySettings
from studio.services.runs import runs


def test_every_kind_of_run_has_a_job_with_a_request_of_its_own():
    assert set(JOBS) == set(RunKind)
    requests = [job.request for job in JOBS.values()]
    assert len(set(requests)) == len(requests)


def test_a_request_is_read_back_from_the_json_that_is_stored(db):
    request = RolloutBatchRequest(
        environments={7: ("pay", "cancel")},
        agents=("reference",),
        seeds=(0, 1),
        play=PlaySettings(at_once=2),
        episodes=4,
        budget={"cost": 2.5},
    )
    run = runs.queue_run(kind=RunKind.ROLLOUTS, title="x", request=request)
    run.refresh_from_db()
    assert JOBS[run.kind].request.model_validate(run.request) == request


@pytest.mark.parametrize(
    ("request_json", "named"), [({"revision": "many"}, "revision"), ({"revision": 1, "cla": []}, "cla")]
)
def test_a_stored_request_that_cannot_be_used_fails_the_run_and_names_the_field(db, request_json, named):
    run = runs.queue_run(kind=RunKind.CHECKS, title="x", request=request_json)
    ended = execute_run(run.pk)
    assert ended.state == RunState.FAILED
    assert f"The request of run {run.pk} is invalid: {named}" in ended.error
    assert "Start it again" in ended.error
