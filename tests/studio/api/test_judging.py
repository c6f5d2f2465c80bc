"""The judge lab for programs."""

from __future__ import annotations

from studio.models import Run


def test_a_judge_is_measured_and_its_figures_are_read(api, lead, judged_run):
    client = api(lead)
    run = judged_run("completed", "agent_error")
    answer = client.get(f"/judging/{run.pk}")
    assert answer.status_code == 200, answer.content
    message = answer.json()
    assert message["state"] == "finished"
    assert message["summary"]["reliability"]["flip_rate"]["value"] == 1.0
    assert message["summary"]["published"]["fleiss_kappa"] == 0.891
    assert message["disagreements"][0]["judge"] == {"completed": 1, "agent_error": 1}
    assert {each["with"]: each["share"] for each in message["comparisons"]} == {"play": 1.0, "people": None}
    assert client.get("/runs", kind="judging").json()["count"] == 1


def test_it_is_started_by_leads_only(api, lead, reviewer, trajectory):
    body = {"strategy": "rules", "environment": "lending_desk", "repeats": 3}
    refused = api(reviewer).post("/judging", body)
    assert (refused.status_code, refused.json()["error"]) == (403, "Forbidden")
    assert api(None).post("/judging", body).status_code == 401
    assert not Run.objects.exists()
    started = api(lead).post("/judging", body)
    assert started.status_code == 202, started.content
    assert (started.json()["kind"], started.json()["total"]) == ("judging", 3)


def test_bad_requests_are_refused_before_a_run_exists(api, lead, trajectory, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"openai_api_key": None})
    client = api(lead)
    for body, status, message in (
        ({"strategy": "dice"}, 422, "no strategy named 'dice'"),
        ({"strategy": "rules", "repeats": 1}, 422, "at least 2 judgements"),
        ({"strategy": "model_only"}, 422, "OPENAI_API_KEY"),
        ({"strategy": "rules", "environment": "nowhere"}, 404, "nowhere"),
    ):
        answer = client.post("/judging", body)
        assert answer.status_code == status, answer.content
        assert message in answer.json()["message"]
    assert not Run.objects.exists()


def test_reviewers_give_labels(api, reviewer, viewer, trajectory):
    body = {"trajectory": trajectory.pk, "label": "agent_error", "comment": "It lies."}
    assert api(viewer).post("/judging/labels", body).status_code == 403
    answer = api(reviewer).post("/judging/labels", body)
    assert answer.status_code == 200, answer.content
    assert (answer.json()["label"], answer.json()["disputed"]) == ("agent_error", True)
    wrong = api(reviewer).post("/judging/labels", {**body, "label": "fine"})
    assert wrong.status_code == 422
    assert api(reviewer).get("/judging/12345").status_code == 404
