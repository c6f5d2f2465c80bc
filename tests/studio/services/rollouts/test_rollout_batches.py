"""Many rollouts as one run: parts for any worker, live figures, stopping, going on, budgets."""

from __future__ import annotations

import json
import threading

import pytest
from pydantic import SecretStr

from studio.jobs import execute_most_urgent, execute_run
from studio.models import AuthorKind, EnvironmentRecord, LlmCall, Run, RunState, TrajectoryRecord
from studio.services.environments.environments import store_environment
from studio.services.errors import Conflict
from studio.services.rollouts import rollout_batches
from studio.services.rollouts.rollout_agents import AgentSettings, agent_names, require_agents
from studio.services.rollouts.rollout_batches import TaskFilter, start_rollout_batch
from studio.services.rollouts.rollout_summary import groups, summarise
from studio.services.rollouts.rollouts import PlaySettings
from studio.services.runs import runs
from studio.services.runs.execution import RunLease
from synthesis.errors import InvalidInput, UnknownName
from tests.openai_server import OpenAIServer, Refused, Said

SHARED = PlaySettings(isolation="shared", at_once=2)


@pytest.fixture
def clinic_record(db, clinic) -> EnvironmentRecord:
    revision = store_environment(environment=clinic, author_kind=AuthorKind.HAND, reason="Imported.")
    return EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id)


@pytest.fixture
def model(settings):
    """Makes a scripted endpoint the one of the settings."""
    servers = []

    def serve(answer) -> OpenAIServer:
        server = OpenAIServer(answer)
        servers.append(server)
        server.__enter__()
        settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(
            update={
                "openai_api_key": SecretStr("key-of-a-test"),
                "openai_base_url": server.base_url,
                "model": "scripted",
            }
        )
        return server

    yield serve
    for server in servers:
        server.__exit__(None, None, None)


def work() -> None:
    while execute_most_urgent() is not None:
        pass


def clinic_batch(record: EnvironmentRecord, **more) -> Run:
    wanted = {"agents": ["reference", "no-op"], "play": SHARED, **more}
    return start_rollout_batch(environments=[record], **wanted)


def test_every_agent_plays_every_task_as_often_as_asked(clinic_record):
    batch = clinic_batch(clinic_record, samples=2, tasks=TaskFilter(kinds=("read",)))
    work()
    batch.refresh_from_db()
    rollout_summary = summarise(batch)
    assert batch.state == RunState.FINISHED, batch.error
    assert rollout_summary.done == rollout_summary.episodes == TrajectoryRecord.objects.count()
    assert rollout_summary.labels["completed"] == rollout_summary.episodes / 2
    assert set(TrajectoryRecord.objects.values_list("seed", flat=True)) == {0, 1}
    assert (rollout_summary.running, rollout_summary.waiting) == (0, 0)
    assert sum(count for _, _, count in rollout_summary.failures) == rollout_summary.episodes / 2


def test_a_large_batch_is_parts_for_several_workers(clinic_record, monkeypatch):
    monkeypatch.setattr(rollout_batches, "EPISODES_PER_RUN", 4)
    batch = clinic_batch(clinic_record, agents=["no-op"], samples=3)
    execute_run(batch.pk)
    parts = list(batch.children.all())
    assert sum(part.total for part in parts) == 30
    assert all(part.total <= 4 for part in parts)
    assert len({(tuple(p.request["tasks"]), tuple(p.request["seeds"])) for p in parts}) == len(parts)


def test_a_lost_worker_plays_nothing_twice(clinic_record):
    batch = clinic_batch(clinic_record, agents=["no-op"])
    work()
    part = batch.children.get()
    lost = list(part.trajectories.order_by("pk")[:3].values_list("pk", flat=True))
    TrajectoryRecord.objects.filter(pk__in=lost).delete()
    Run.objects.filter(pk=part.pk).update(state=RunState.QUEUED, result=None)
    Run.objects.filter(pk=batch.pk).update(state=RunState.RUNNING)
    work()
    assert part.trajectories.count() == 10
    played = part.trajectories.values_list("agent", "task_id", "seed")
    assert len(set(played)) == 10


def test_a_cancelled_batch_goes_on_where_it_was(clinic_record):
    batch = clinic_batch(clinic_record)
    execute_run(batch.pk)
    first, _ = batch.children.order_by("pk")
    execute_run(first.pk)
    runs.request_cancel(run=batch)
    batch.refresh_from_db()
    assert batch.state == RunState.CANCELLED
    count = TrajectoryRecord.objects.count()
    assert count == 10
    rollout_batches.go_on(batch=batch)
    work()
    batch.refresh_from_db()
    assert batch.state == RunState.FINISHED
    assert TrajectoryRecord.objects.count() == 20
    assert summarise(batch).done == 20
    with pytest.raises(Conflict, match="no remaining episodes"):
        rollout_batches.go_on(batch=batch)


def test_cancelling_ends_what_is_being_played_and_leaves_nothing_running(clinic_record, model, monkeypatch):
    asked = threading.Event()

    def answer(body):
        asked.set()
        return Said("Done.", delay=0.3)

    model(answer)
    batch = clinic_batch(clinic_record, agents=["chat"], play=SHARED.replace(at_once=8))
    execute_run(batch.pk)
    part = batch.children.get()
    monkeypatch.setattr(RunLease, "cancelled", lambda lease: asked.is_set())
    ended = execute_run(part.pk)
    assert ended.state == RunState.CANCELLED
    assert ended.trajectories.count() < 10
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("rollout")]


def test_the_model_is_asked_with_the_tools_and_what_it_used_is_on_the_ledger(clinic_record, model):
    server = model([Said("I cannot do that.", prompt_tokens=100, completion_tokens=7)])
    batch = clinic_batch(clinic_record, agents=["chat"], play=SHARED.replace(at_once=8))
    work()
    rollout_summary = summarise(batch)
    assert rollout_summary.done == 10
    assert (rollout_summary.model_calls, rollout_summary.tokens) == (10, 1_070)
    assert len(server.seen) == 10
    assert len(server.seen[0].body["tools"]) > 5


def test_an_endpoint_that_is_down_makes_no_failures_of_the_agent_and_is_tried_again(
    clinic_record, model, monkeypatch
):
    up = threading.Event()

    def answer(body):
        return Said("Nothing to do.") if up.is_set() else Refused(500, "down")

    server = model(answer)
    monkeypatch.setattr("synthesis.llm.retrying.RetryPolicy.first_wait", 0.0, raising=False)
    monkeypatch.setattr(
        "studio.services.rollouts.rollout_model.RolloutModel._wait", lambda self, seconds: None
    )
    batch = clinic_batch(clinic_record, agents=["chat"], play=SHARED.replace(at_once=2))
    work()
    batch.refresh_from_db()
    (part,) = batch.children.all()
    assert part.state == RunState.FAILED
    assert "endpoint failed in 8 consecutive episodes" in part.error
    assert "down" in part.error
    assert set(part.trajectories.values_list("label", flat=True)) == {"unscored"}
    assert len(server.seen) >= 6 * part.trajectories.count()  # every call was tried again before it counted
    up.set()
    rollout_batches.go_on(batch=batch)
    work()
    batch.refresh_from_db()
    assert batch.state == RunState.FINISHED
    rollout_summary = summarise(batch)
    assert rollout_summary.done == 10
    assert rollout_summary.labels["unscored"] == 0


def test_a_batch_stops_at_its_budget_and_goes_on_when_it_is_raised(clinic_record, model):
    model([Said("No.", prompt_tokens=900, completion_tokens=100)])
    batch = clinic_batch(clinic_record, agents=["chat"], budget_tokens=3_500, play=SHARED.replace(at_once=1))
    work()
    (part,) = batch.children.all()
    assert (part.state, part.paused_at is not None) == (RunState.QUEUED, True)
    assert part.trajectories.count() == 4
    assert LlmCall.objects.count() == 4
    batch.refresh_from_db()
    batch.request = {**batch.request, "budget": {"tokens": 100_000}}
    batch.save()
    rollout_batches.go_on(batch=batch)
    work()
    assert batch.children.get().trajectories.count() == 10
    assert LlmCall.objects.count() == 10


def test_a_resumed_part_pays_for_no_answer_twice(clinic_record, model):
    server = model([Said("No.")])
    batch = clinic_batch(clinic_record, agents=["chat"])
    work()
    part = batch.children.get()
    part.trajectories.all().delete()
    Run.objects.filter(pk=part.pk).update(state=RunState.QUEUED, result=None)
    work()
    assert part.trajectories.count() == 10
    assert len(server.seen) == 10


def test_labels_are_told_by_environment_and_by_task(clinic_record, stored):
    batch = start_rollout_batch(environments=[clinic_record, stored], agents=["no-op"], play=SHARED)
    work()
    both = groups(batch)
    assert [(group.environment, group.played) for group in both] == [
        (clinic_record.name, 10),
        (stored.name, 2),
    ]
    tasks = groups(batch, environment=stored.name)
    assert [group.task for group in tasks] == ["count_the_loans", "return_the_drill"]
    assert all(group.share == 0 for group in tasks)


def test_tasks_are_chosen_by_kind_difficulty_and_name(clinic_record, stored):
    batch = start_rollout_batch(
        environments=[clinic_record, stored],
        agents=["no-op"],
        tasks=TaskFilter(names=("return_the_drill",)),
        play=SHARED,
    )
    assert batch.request["environments"] == {str(stored.current_id): ["return_the_drill"]}
    assert batch.environment == stored


@pytest.mark.parametrize(
    ("values", "kind", "message"),
    [
        ({"agents": ["genius"]}, UnknownName, "no agent named 'genius'"),
        ({"agents": ["faulty:clumsy"]}, UnknownName, "no mistake named 'clumsy'"),
        ({"tasks": TaskFilter(names=("fly",))}, UnknownName, "no task named 'fly'"),
        ({"tasks": TaskFilter(kinds=("refusal",))}, InvalidInput, "0 episodes"),
        ({"agents": []}, InvalidInput, "0 episodes"),
        ({"samples": 0}, InvalidInput, "0 samples"),
        ({"budget_tokens": 0}, InvalidInput, "budget of 0 tokens"),
        (
            {"play": PlaySettings(agent=AgentSettings(history="dream"))},
            UnknownName,
            "no history policy named 'dream'",
        ),
    ],
)
def test_what_cannot_be_played_is_refused_at_the_door(stored, values, kind, message):
    wanted = {"agents": ["no-op"], **values}
    with pytest.raises(kind, match=message):
        start_rollout_batch(environments=[stored], **wanted)
    assert not Run.objects.exists()


def test_every_agent_that_is_offered_can_be_made():
    require_agents(agent_names())
    assert json.dumps(agent_names())


def test_a_budget_in_money_needs_a_model_with_a_price(clinic_record, model):
    model(lambda _: Said("Done."))
    with pytest.raises(InvalidInput, match="no price for 'scripted'"):
        clinic_batch(clinic_record, agents=["chat"], budget_cost=1.0)
    priced = PlaySettings(agent=AgentSettings(model="gpt-5"))
    assert clinic_batch(clinic_record, agents=["chat"], play=priced, budget_cost=1.0).pk
    assert clinic_batch(clinic_record, agents=["no-op"], budget_cost=1.0).pk
