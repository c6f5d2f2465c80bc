"""Batches, attempts and spend for programs."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from studio.api.interface import api as interface
from studio.models import LlmCall, Run, RunState, ScenarioCandidate
from tests.batch_scene import make_batch

SEEDS = ["A library lends books", "A clinic books patients"]


@pytest.fixture
def batch(db) -> Run:
    return make_batch(held=True)


def test_an_estimate_queues_nothing_and_says_where_it_comes_from(api, lead, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"model": "gpt-5"})
    message = api(lead).post("/batches/estimate", {"seeds": SEEDS, "count": 100, "author": "model"}).json()
    assert (message["environments"], message["recorded"]) == (100, 0)
    assert {stage["basis"] for stage in message["stages"].values()} == {"published"}
    assert message["cost"] > 1
    assert "No earlier environment" in message["sentence"]
    assert not Run.objects.exists()


def test_an_estimate_uses_what_earlier_environments_needed(api, lead, batch, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"model": "gpt-5"})
    message = api(lead).post("/batches/estimate", {"seeds": SEEDS, "count": 10, "author": "model"}).json()
    assert message["recorded"] == 12
    assert {stage["basis"] for stage in message["stages"].values()} == {"recorded"}
    assert message["stages"]["schema"] == {
        "tokens": 30_000,
        "cost": pytest.approx(0.125),
        "basis": "recorded",
    }
    assert message["expansion"]["tokens"] > 0
    assert "12 earlier environments" in message["sentence"]


def test_an_estimate_is_refused_as_the_start_would_be(api, lead):
    for body, words in (
        ({"seeds": ["a desk"], "count": 0}, "0 environments"),
        ({"seeds": ["a desk"], "count": 1, "author": "shakespeare"}, "no author named"),
        ({"seeds": ["a desk"], "count": 3, "author": "procedural", "expand": True}, "Only the model"),
        ({"seeds": ["a desk"], "count": 1, "budget_cost": 0}, "too small to start anything"),
    ):
        for address in ("/batches", "/batches/estimate"):
            answer = api(lead).post(address, body)
            assert answer.status_code == 422, answer.content
            assert words in answer.json()["message"]
    assert not Run.objects.exists()


def test_a_budget_in_money_needs_a_price(api, lead, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(
        update={"model": "nobody-knows", "openai_api_key": SecretStr("a-key-of-ours")}
    )
    body = {"seeds": SEEDS, "count": 2, "author": "model", "budget_cost": 5}
    answer = api(lead).post("/batches", body)
    assert (answer.status_code, "no price for 'nobody-knows'" in answer.json()["message"]) == (422, True)
    assert api(lead).post("/batches", body | {"budget_cost": None, "budget_tokens": 9}).status_code == 202


def test_a_batch_is_started_with_tasks_priority_and_budget(api, lead):
    body = {"seeds": SEEDS, "count": 4, "tasks": 3, "priority": 7, "budget_tokens": 1_000}
    started = api(lead).post("/batches", body)
    assert started.status_code == 202, started.content
    run = Run.objects.get(pk=started.json()["id"])
    assert (run.request["tasks"], run.priority, run.request["budget"]) == (3, 7, {"tokens": 1_000})


def test_a_batch_is_read_whole(api, viewer, batch):
    message = api(viewer).get(f"/batches/{batch.pk}").json()
    assert message["run"]["state"] == "running"
    assert message["summary"]["states"] == {
        "queued": 2, "running": 2, "finished": 10, "failed": 2, "cancelled": 0,
    }  # fmt: skip
    assert message["summary"]["paused"] == 2
    assert message["held"]["held"] == 2
    assert message["held"]["in_flight"] == 2
    assert message["budget"] == {"cost": 1.0}
    assert {(cause["error"], cause["stage"]) for cause in message["summary"]["causes"]} == {
        ("AttemptsExhausted", "tools"),
        ("AttemptsExhausted", "seed_data"),
    }
    (schema,) = [stage for stage in message["summary"]["stages"] if stage["stage"] == "schema"]
    assert (schema["published_first_attempts"], schema["published_per_hundred"]) == (0.883, 3.59)
    assert schema["cost_per_hundred"] == pytest.approx(1.25)
    assert api(viewer).get("/batches/999999").status_code == 404


def test_candidates_lead_to_their_neighbours_and_runs(api, viewer, batch):
    client = api(viewer)
    rejected = client.get(f"/batches/{batch.pk}/candidates", decision="rejected").json()
    assert rejected["count"] == ScenarioCandidate.objects.exclude(decision="accepted").count() == 6
    one = rejected["items"][0]
    assert (one["decision"], one["similarity"], one["method"]) == ("duplicate", 0.913, "characters")
    near = client.get(f"/batches/{batch.pk}/candidates", near=one["nearest_position"]).json()["items"]
    assert one["name"] in {each["name"] for each in near}
    remaining = near[0]
    assert (remaining["decision"], remaining["resembled"] > 0) == ("accepted", True)
    assert client.get(f"/runs/{remaining['run']}").json()["parent"] == batch.pk
    assert client.get(f"/batches/{batch.pk}/candidates", decision="dubious").status_code == 422


def test_failed_runs_are_tried_again_at_once(api, lead, batch, sent):
    answer = api(lead).post(f"/batches/{batch.pk}/retry-failed")
    assert answer.status_code == 202
    assert len(answer.json()) == 2
    assert {run["state"] for run in answer.json()} == {"queued"}
    message = api(lead).get(f"/batches/{batch.pk}").json()
    assert (message["summary"]["states"]["failed"], message["summary"]["states"]["queued"]) == (0, 4)
    assert api(lead).post(f"/batches/{batch.pk}/retry-failed").status_code == 409


def test_a_budget_is_raised_and_the_batch_resumed(api, lead, batch, sent, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"model": "gpt-5"})
    client = api(lead)
    message = client.post(f"/batches/{batch.pk}/budget", {"cost": 80}).json()
    assert message["budget"] == {"cost": 80.0}
    assert client.post(f"/batches/{batch.pk}/budget", {"cost": -1}).status_code == 422
    assert client.post(f"/runs/{batch.pk}/resume").status_code == 200
    assert client.get(f"/batches/{batch.pk}").json()["held"] is None
    assert not Run.objects.filter(paused_at__isnull=False).exists()


def test_priority_reaches_what_waits(api, lead, batch):
    assert api(lead).post(f"/runs/{batch.pk}/priority", {"priority": 9}).json()["priority"] == 9
    assert set(batch.children.filter(state="queued").values_list("priority", flat=True)) == {9}
    assert set(batch.children.exclude(state="queued").values_list("priority", flat=True)) == {0}
    assert api(lead).post(f"/runs/{batch.pk}/priority", {"priority": 101}).status_code == 422
    Run.objects.filter(pk=batch.pk).update(state=RunState.FINISHED)
    assert api(lead).post(f"/runs/{batch.pk}/priority", {"priority": 1}).status_code == 409


def test_a_viewer_changes_nothing(api, viewer, batch):
    client = api(viewer)
    for verb, body in (("budget", {"cost": 9}), ("retry-failed", {})):
        assert client.post(f"/batches/{batch.pk}/{verb}", body).status_code == 403
    assert client.post("/batches", {"seeds": SEEDS, "count": 1}).status_code == 403


def test_an_attempt_comes_with_its_rows_of_the_ledger(api, viewer, batch):
    attempt = batch.children.filter(state="finished").first().attempts.first()
    message = api(viewer).get(f"/runs/{attempt.run_id}/attempts/{attempt.pk}").json()
    assert (message["prompt"], message["reply"]) == ("Write it.", "reply 1")
    assert [call["model"] for call in message["calls"]] == ["gpt-5"]
    assert api(viewer).get(f"/runs/{attempt.run_id}/attempts/999999").status_code == 404


def test_spend_is_added_up_by_stage_model_and_run(api, viewer, batch, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"month_tokens": 100})
    message = api(viewer).get("/spend").json()
    assert message["total"]["calls"] == LlmCall.objects.count()
    assert [share["name"] for share in message["models"]] == ["gpt-5"]
    assert [share["run"] for share in message["runs"]] == [batch.pk]
    assert message["runs"][0]["tokens"] == message["total"]["tokens"]
    (limit,) = message["limits"]
    assert (limit["kind"], limit["reached"], limit["setting"]) == ("tokens", True, "WORLDWRIGHT_MONTH_TOKENS")
    assert api(viewer).get("/spend", month="2001-01").json()["total"]["calls"] == 0
    assert api(viewer).get("/spend", month="2001-13").status_code == 422
    assert api(viewer).get("/spend", month="0000-00").status_code == 422


def test_all_of_it_stands_in_the_openapi_document(db):
    paths = interface.get_openapi_schema()["paths"]
    for path in (
        "/api/batches", "/api/batches/estimate", "/api/batches/{batch_id}", "/api/spend",
        "/api/batches/{batch_id}/candidates", "/api/runs/{run_id}/attempts/{attempt_id}",
    ):  # fmt: skip
        assert path in paths
