"""Reviews for programs."""

from __future__ import annotations

from pydantic import SecretStr

from tests.studio.conftest import GRADES
from tests.studio.questions_scene import QUESTIONS, ask

PATH = "/reviews/environments/lending_desk"


def test_a_verdict_is_given_once_and_seen(api, reviewer, stored):
    client = api(reviewer)
    assert client.get("/reviews/queue").json()["count"] == 1
    body = {"revision": 1, "decision": "approve", "scores": GRADES, "comment": "Good."}
    first, second = client.post(PATH, body), client.post(PATH, body)
    assert (first.status_code, first.json()) == (201, second.json())
    assert client.get(PATH).json()["count"] == 1
    assert client.get("/reviews/queue").json()["count"] == 0


def test_an_approval_without_every_grade_is_refused(api, reviewer, stored):
    body = {"revision": 1, "decision": "approve", "scores": {"data_alignment": 5}}
    answer = api(reviewer).post(PATH, body)
    assert answer.status_code == 422
    assert "missing: task_feasibility (Task feasibility), toolset_completeness" in answer.json()["message"]
    assert api(reviewer).get(PATH).json()["count"] == 0


def test_a_stale_verdict_is_a_conflict_that_names_the_current_revision(api, reviewer, stored):
    answer = api(reviewer).post(PATH, {"revision": 7, "decision": "approve"})
    assert answer.status_code == 409
    assert answer.json()["error"] == "Stale"
    assert answer.json()["details"] == {"current_revision": 1}


def test_flags_are_raised_listed_and_settled(api, reviewer, second_reviewer, stored):
    client = api(reviewer)
    raised = client.post(f"{PATH}/flags", {"reason": "tool_bug", "where": "return_item"})
    assert raised.status_code == 201
    assert client.get(f"{PATH}/flags").json()["items"][0]["part"] == "tools"
    path = f"/reviews/flags/{raised.json()['id']}/settle"
    assert api(second_reviewer).post(path, {"resolution": "No."}).status_code == 403
    assert client.post(path, {"resolution": "My mistake."}).json()["state"] == "withdrawn"
    assert client.post("/reviews/flags/999/settle", {"resolution": "x"}).status_code == 404


def test_a_viewer_sees_reviews_and_gives_none(api, viewer, stored):
    client = api(viewer)
    assert client.get(PATH).status_code == 200
    assert client.post(PATH, {"revision": 1, "decision": "approve"}).status_code == 403
    assert client.get("/reviews/queue").status_code == 403


def test_open_flags_are_sent_back_once(api, reviewer, lead, stored, settings):
    client = api(reviewer)
    assert client.post(f"{PATH}/send-back", {"revision": 1}).json()["error"] == "NotReady"
    client.post(f"{PATH}/flags", {"reason": "tool_bug", "where": "return_item"})
    for asker, words in ((client, "A lead knows who can change that."), (api(lead), "OPENAI_API_KEY")):
        unconfigured = asker.post(f"{PATH}/send-back", {"revision": 1})
        assert unconfigured.status_code == 409
        assert words in unconfigured.json()["message"]
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(
        update={"openai_api_key": SecretStr("test"), "model": "some-model"}
    )
    run = client.post(f"{PATH}/send-back", {"revision": 1})
    assert (run.status_code, run.json()["kind"]) == (202, "correction")
    assert client.post(f"{PATH}/send-back", {"revision": 1}).status_code == 409


def test_questions_are_listed_and_answered(api, reviewer, viewer, stored):
    ask(stored)
    client = api(reviewer)
    listed = client.get(f"{PATH}/questions").json()
    assert [each["id"] for each in listed] == [question.id for question in QUESTIONS]
    assert listed[0]["rows"] == [{"table": "loans", "key": 7, "cells": {"item": "drill"}}]
    body = {"question": QUESTIONS[0].id, "answer": "no", "note": "Not for members."}
    (given,) = client.post(f"{PATH}/questions", body).json()[0]["answers"]
    assert (given["by"], given["reviewer"], given["answer"], given["note"]) == (
        "person",
        "rosa",
        "no",
        "Not for members.",
    )
    assert client.get(f"{PATH}/flags").json()["items"][0]["where"] == "list_loans"
    assert client.post(f"{PATH}/questions", {**body, "note": ""}).status_code == 422
    assert client.post(f"{PATH}/questions", {**body, "question": "none"}).status_code == 404
    assert api(viewer).post(f"{PATH}/questions", body).status_code == 403
    claim = stored.current.reports.first().results.last().claim
    assert client.get(f"/environments/lending_desk/checks/{claim}").json()["questions"][1]["part"] == "policy"
