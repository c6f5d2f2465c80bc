"""Environments for programs."""

from __future__ import annotations

import json

from studio.services.environments.check_reports import store_report
from synthesis.documents.check_report import CheckReport, CheckResult, RowDifference, Score, Trial
from synthesis.documents.policy import Policy


def test_they_are_listed_by_page_and_filtered(api, viewer, stored):
    client = api(viewer)
    answer = client.get("/environments").json()
    assert answer["count"] == 1
    assert answer["items"][0]["current"]["tools"] == 2
    assert client.get("/environments", search="LENDING")["Content-Type"].startswith("application/json")
    assert client.get("/environments", search="LENDING").json()["count"] == 1
    assert client.get("/environments", search="nothing").json()["count"] == 0
    assert client.get("/environments", state="approved").json()["count"] == 0
    assert client.get("/environments", limit=1, offset=1).json()["items"] == []


def test_one_shows_its_gates_and_checks(api, viewer, stored):
    answer = api(viewer).get("/environments/lending_desk").json()
    assert [gate["state"] for gate in answer["gates"] if gate["passed"]] == ["executable", "proved"]
    assert next(check["claim"] for check in answer["checks"]) == "the_schema_builds"


def test_a_claim_tells_everything_that_was_tried(api, viewer, stored):
    row = RowDifference(table="loans", key=7, kind="updated", cells={"returned": (1, 0)})
    trials = tuple(
        Trial(
            subject=task, kind=kind, description=f"{kind} of {task}", expected="refused", outcome="refused",
            open=("the drill is back",), rows=(row,),
        )
        for task in ("return_the_drill", "count_the_loans")
        for kind in ("twice", "partial")
    )  # fmt: skip
    scores = tuple(Score(subject=task, tried=2, right=2) for task in ("return_the_drill", "count_the_loans"))
    result = CheckResult(claim="near_misses_are_refused", passed=True, scores=scores, trials=trials)
    report = CheckReport(environment=stored.current.fingerprint, results=(result,))
    store_report(revision=stored.current, report=report)
    address = "/environments/lending_desk/checks/near_misses_are_refused"
    whole = api(viewer).get(address).json()
    assert [Trial.model_validate(trial) for trial in whole["trials"]] == list(trials)
    assert [Score.model_validate(score) for score in whole["scores"]] == list(scores)
    assert (whole["revision"], whole["reused"], whole["passed"]) == (1, False, True)
    some = api(viewer).get(address, subject="count_the_loans", kind="twice", outcome="refused").json()
    assert [trial["description"] for trial in some["trials"]] == ["twice of count_the_loans"]
    assert api(viewer).get(address, outcome="accepted").json()["trials"] == []
    assert api(viewer).get("/environments/lending_desk/checks/all_is_well").status_code == 404


def test_a_part_is_its_document(api, viewer, stored, environment):
    answer = api(viewer).get("/environments/lending_desk/revisions/1/parts/policy").json()
    assert Policy.model_validate(answer["document"]) == environment.policy
    assert answer["fingerprint"] == environment.policy.fingerprint


def test_seed_rows_keep_their_order(api, viewer, stored):
    answer = api(viewer).get("/environments/lending_desk/revisions/1/parts/seed_data")
    assert list(json.loads(answer.content)["document"]["rows"]) == ["members", "loans"]


def test_what_is_not_there_is_a_404_with_words(api, viewer, stored):
    client = api(viewer)
    for path in ("/environments/nowhere", "/environments/lending_desk/revisions/9/parts/policy"):
        answer = client.get(path)
        assert answer.status_code == 404
        assert answer.json()["error"] == "Missing"
    assert client.get("/environments/lending_desk/revisions/1/parts/carpet").status_code == 422


def test_the_history_is_listed(api, viewer, stored):
    answer = api(viewer).get("/environments/lending_desk/revisions").json()
    assert [revision["number"] for revision in answer["items"]] == [1]
