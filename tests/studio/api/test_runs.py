"""Runs for programs."""

from __future__ import annotations

from studio.models import Run, RunState
from studio.services.runs.execution import claim_run


def test_a_synthesis_is_started_watched_and_stopped(api, lead):
    client = api(lead)
    started = client.post("/runs/synthesis", {"sentence": "A library lends books.", "seed": 3})
    assert started.status_code == 202, started.content
    run = started.json()
    assert (run["state"], run["kind"]) == ("queued", "synthesis")
    assert Run.objects.get(pk=run["id"]).request["seed"] == 3
    events = client.get(f"/runs/{run['id']}/events").json()["items"]
    assert [event["kind"] for event in events] == ["queued"]
    assert client.get(f"/runs/{run['id']}/events", after=events[-1]["id"]).json()["items"] == []
    assert client.post(f"/runs/{run['id']}/cancel").json()["state"] == "cancelled"
    assert client.post(f"/runs/{run['id']}/retry").json()["retry_of"] == run["id"]


def test_what_was_read_and_what_is_not_represented_is_told_in_the_answer(api, lead):
    client = api(lead)
    known = client.post("/runs/synthesis", {"sentence": "A public library lends books."}).json()
    assert known["warnings"] == []
    assert known["reading"]["business"] == "public library"
    answer = client.post(
        "/runs/synthesis",
        {"sentence": "A boatyard stores yachts over winter and services engines cheerfully."},
    ).json()
    assert [process["verb"] for process in answer["reading"]["processes"]] == ["store", "service"]
    assert answer["reading"]["unread"] == ["cheerfully"]
    (warning,) = answer["warnings"]
    assert "Not represented: cheerfully." in warning


def test_a_sentence_of_which_no_world_can_be_made_is_refused(api, lead):
    answer = api(lead).post("/runs/synthesis", {"sentence": "Bakery"})
    assert answer.status_code == 422
    assert "nothing that it does" in answer.json()["message"]


def test_bad_requests_are_refused_before_a_run_exists(api, lead):
    client = api(lead)
    for body, message in (
        ({"sentence": " "}, "empty"),
        ({"sentence": "x" * 20_000}, "20,000 characters"),
        ({"sentence": "A desk lends tools.", "author": "shakespeare"}, "no author named 'shakespeare'"),
        ({"sentence": "A desk lends tools.", "seed": -1}, "seed"),
    ):
        answer = client.post("/runs/synthesis", body)
        assert answer.status_code == 422, body
        assert message in answer.json()["message"]
    assert not Run.objects.exists()


def test_a_reviewer_may_watch_but_not_start(api, reviewer):
    client = api(reviewer)
    assert client.get("/runs").status_code == 200
    answer = client.post("/runs/synthesis", {"sentence": "A desk lends tools."})
    assert (answer.status_code, answer.json()["error"]) == (403, "Forbidden")


def test_rollouts_are_started(api, lead, stored):
    client = api(lead)
    answer = client.post("/runs/rollouts", {"environment": "lending_desk", "agents": ["reference", "no-op"]})
    assert answer.status_code == 202
    assert answer.json()["total"] == 4
    refused = client.post("/runs/rollouts", {"environment": "lending_desk", "agents": ["genius"]})
    assert refused.status_code == 422
    assert "reference" in refused.json()["details"]["known"]


def test_runs_are_filtered(api, lead, stored):
    client = api(lead)
    client.post("/runs/synthesis", {"sentence": "A desk lends tools."})
    assert client.get("/runs", state=RunState.QUEUED).json()["count"] == 1
    assert client.get("/runs", kind="export").json()["count"] == 0


def test_pausing_what_is_over_is_a_conflict(api, lead):
    client = api(lead)
    run = client.post("/runs/synthesis", {"sentence": "A desk lends tools."}).json()["id"]
    assert client.post(f"/runs/{run}/pause").status_code == 200
    assert client.post(f"/runs/{run}/resume").status_code == 200
    lease = claim_run(run)
    lease.finish({})
    answer = client.post(f"/runs/{run}/pause")
    assert (answer.status_code, answer.json()["error"]) == (409, "Conflict")


def test_a_batch_is_started_and_summarised(api, lead):
    client = api(lead)
    started = client.post("/runs/batches", {"seeds": ["a desk", "a shop"], "count": 3})
    assert started.status_code == 202, started.content
    batch = started.json()
    assert (batch["kind"], batch["total"]) == ("batch", 3)
    summary = client.get(f"/runs/{batch['id']}/summary").json()
    assert {stage["stage"] for stage in summary["stages"]} >= {"schema", "tools"}
    assert client.get("/runs", parent=batch["id"]).json()["count"] == 0
    refused = client.post("/runs/batches", {"seeds": ["a desk"], "count": 0})
    assert (refused.status_code, refused.json()["error"]) == (422, "InvalidInput")
