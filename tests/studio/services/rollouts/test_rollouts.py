"""Agents play, and what they did is stored with its verdict, once."""

from __future__ import annotations

import pytest

from studio.jobs import execute_run
from studio.models import AuthorKind, EnvironmentRecord, Run, RunState, TrajectoryRecord
from studio.services.environments.environments import store_environment
from studio.services.rollouts import rollouts
from studio.services.rollouts.trajectories import load_judged
from studio.services.runs import runs
from synthesis.errors import InvalidInput, UnknownName


@pytest.fixture
def clinic_record(db, clinic) -> EnvironmentRecord:
    revision = store_environment(environment=clinic, author_kind=AuthorKind.HAND, reason="Imported.")
    return EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id)


def play(record: EnvironmentRecord, **more) -> Run:
    run = rollouts.start_rollouts(record=record, **more)
    ended = execute_run(run.pk)
    assert ended is not None
    return ended


def test_the_reference_agent_completes_and_the_idle_one_does_not(clinic_record, clinic):
    tasks = [task.id for task in clinic.tasks.tasks][:2]
    run = play(clinic_record, agents=["reference", "no-op"], tasks=tasks)
    assert run.state == RunState.FINISHED, run.error
    assert (run.done, run.total) == (4, 4)
    assert run.result["verdicts"]["reference"] == {"completed": 2}
    assert "completed" not in run.result["verdicts"]["no-op"]
    record = TrajectoryRecord.objects.filter(agent="reference").first()
    judged = load_judged(record)
    assert judged.trajectory.environment == clinic.fingerprint
    assert judged.trajectory.calls == clinic.task(record.task_id).reference_solution


def test_a_run_that_was_lost_plays_only_what_is_left(clinic_record, clinic):
    tasks = [task.id for task in clinic.tasks.tasks][:2]
    first = play(clinic_record, agents=["no-op"], tasks=tasks)
    first.trajectories.filter(task_id=tasks[1]).delete()
    remaining = set(first.trajectories.values_list("pk", flat=True))
    Run.objects.filter(pk=first.pk).update(state=RunState.QUEUED, result=None)
    again = execute_run(first.pk)
    assert again.state == RunState.FINISHED
    assert remaining < set(again.trajectories.values_list("pk", flat=True))
    assert again.trajectories.count() == 2


def test_a_run_that_keeps_episodes_has_lost_no_worker_any_more(clinic_record, clinic):
    tasks = [clinic.tasks.tasks[0].id]
    run = rollouts.start_rollouts(record=clinic_record, agents=["no-op"], tasks=tasks)
    Run.objects.filter(pk=run.pk).update(losses=2.0, claims=3)
    ended = execute_run(run.pk)
    assert (ended.losses, ended.claims) == (0.0, 1)


def test_what_was_cut_off_is_not_kept(clinic_record, clinic, monkeypatch):
    run = rollouts.start_rollouts(record=clinic_record, agents=["reference"])
    runs.request_cancel(run=run)
    Run.objects.filter(pk=run.pk).update(state=RunState.QUEUED)
    ended = execute_run(run.pk)
    assert ended.state == RunState.CANCELLED
    assert not TrajectoryRecord.objects.exists()


def test_rewards_come_from_the_settings(clinic_record, clinic, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"reward_completed": 0.7})
    play(clinic_record, agents=["reference"], tasks=[clinic.tasks.tasks[0].id])
    assert TrajectoryRecord.objects.get().reward == 0.7


@pytest.mark.parametrize(
    ("values", "kind", "message"),
    [
        ({"agents": ["genius"]}, UnknownName, "no agent named 'genius'"),
        ({"agents": ["no-op"], "tasks": ["fly"]}, UnknownName, "no task named 'fly'"),
        ({"agents": []}, InvalidInput, "0 episodes"),
        ({"agents": ["no-op"], "seeds": list(range(6_000))}, InvalidInput, "12,000 episodes"),
        ({"agents": ["no-op"], "seeds": [0, -1]}, InvalidInput, "Seed -1"),
        ({"agents": ["no-op"], "seeds": [2**63]}, InvalidInput, "Seed 9223372036854775808"),
    ],
)
def test_what_cannot_be_played_is_refused_at_the_door(stored, values, kind, message):
    with pytest.raises(kind, match=message):
        rollouts.start_rollouts(record=stored, **values)
    assert not Run.objects.exists()


def test_without_a_key_the_chat_agent_is_refused_at_once_with_a_remedy(clinic_record, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(
        update={"openai_api_key": None, "model": "some-model"}
    )
    with pytest.raises(InvalidInput, match=r"'chat' asks a model.*OPENAI_API_KEY.*scripted agent"):
        rollouts.start_rollouts(record=clinic_record, agents=["no-op", "chat"])
    assert not Run.objects.exists()
