"""The interface says who may call it, documents itself without foreign scripts, and fails in JSON."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from studio.api.interface import api as interface
from studio.services.accounts.accounts import issue_token
from studio.services.environments import environments
from tests.studio.api.conftest import ApiClient


def test_a_stranger_is_told_how_to_sign_in(api):
    answer = api(None).get("/environments")
    assert answer.status_code == 401
    assert answer.json()["error"] == "NotSignedIn"
    assert "Bearer" in answer.json()["remedy"]


def test_a_wrong_token_opens_nothing(api, lead):
    client = api(lead)
    client._headers["Authorization"] += "x"
    assert client.get("/environments").status_code == 401


def test_a_browser_needs_its_csrf_token_to_change_something(lead, stored):
    client = Client(enforce_csrf_checks=True)
    client.force_login(lead)
    assert client.get("/api/environments").status_code == 200
    flag = {"reason": "other"}
    refused = client.post(
        "/api/reviews/environments/lending_desk/flags", flag, content_type="application/json"
    )
    assert refused.status_code == 403
    client.get("/api/docs")
    token = client.cookies["csrftoken"].value
    allowed = client.post(
        "/api/reviews/environments/lending_desk/flags",
        flag,
        content_type="application/json",
        headers={"X-CSRFToken": token},
    )
    assert allowed.status_code == 201


def test_every_operation_has_a_summary_and_is_denied_to_a_stranger(api, db):
    client = api(None)
    schema = interface.get_openapi_schema()
    assert len(schema["paths"]) >= 20
    for path, operations in schema["paths"].items():
        filled = re.sub(r"\{[^}]*part\}", "schema", path.removeprefix("/api"))
        filled = re.sub(r"\{[^}]*(id|number)\}", "1", filled)
        filled = re.sub(r"\{[^}]+\}", "lending_desk", filled)
        for method, operation in operations.items():
            assert operation["summary"], path
            assert getattr(client, method)(filled).status_code == 401, (method, path)


def test_a_person_without_a_role_is_refused_by_name_of_the_role(api, person):
    answer = api(person("nobody")).get("/environments")
    assert answer.status_code == 403
    assert "role Viewer" in answer.json()["message"]


def test_the_documentation_needs_nothing_from_elsewhere(client, viewer):
    assert client.get("/api/docs", headers={"Accept": "text/html"}).status_code == 302
    client.force_login(viewer)
    page = client.get("/api/docs")
    text = page.content.decode()
    assert page.status_code == 200
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', text)
    assert not re.findall(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)", text)
    assert "script-src 'self'" in page.headers["Content-Security-Policy"]
    for address in re.findall(r'(?:src|href)="(/static/[^"]+)"', text):
        file = client.get(address)
        assert file.status_code == 200, address
        assert b"".join(file.streaming_content)


def test_an_unexpected_failure_carries_a_reference_and_no_trace(api, viewer, monkeypatch, caplog):
    def fail(name: str) -> None:
        raise RuntimeError("hunter2")

    monkeypatch.setattr(environments, "find", fail)
    answer = api(viewer).get("/environments/lending_desk")
    assert answer.status_code == 500
    assert "hunter2" not in answer.content.decode()
    (reference,) = re.findall(r"reference: (\w+)", answer.json()["remedy"])
    assert reference in caplog.text


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("/runs/synthesis", {}, "sentence"),
        ("/runs/rollouts", {"environment": "x", "agents": []}, "agents"),
    ],
)
def test_a_body_that_does_not_fit_is_named_by_field(api, lead, path, body, message):
    answer = api(lead).post(path, body)
    assert answer.status_code == 422
    assert message in answer.json()["message"]
    assert answer.json()["remedy"]


@pytest.mark.parametrize("path", ["/api/runs/synthesis", "/api/rollouts", "/api/bundles/imports"])
def test_a_bad_token_is_no_matter_of_csrf(db, path):
    client = Client(enforce_csrf_checks=True)
    for headers in ({}, {"Authorization": "Bearer ww_nobody"}, {"Authorization": "bearer"}):
        answer = client.post(path, "{}", content_type="application/json", headers=headers)
        assert answer.status_code == 401, headers
        assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert "expired or revoked" in answer.json()["message"]


def test_a_bad_token_is_not_made_good_by_a_session(client, lead):
    client.force_login(lead)
    assert client.get("/api/runs").status_code == 200
    assert client.get("/api/runs", headers={"Authorization": "Bearer ww_nobody"}).status_code == 401


def test_the_role_is_asked_before_the_body_is_read(api, viewer, lead):
    asked = {"/runs/synthesis", "/rollouts", "/trajectories/exports", "/judging", "/batches"}
    for path in asked:
        assert api(viewer).post(path, {"nothing": "fits"}).status_code == 403, path
    assert api(lead).post("/runs/synthesis", {"nothing": "fits"}).status_code == 422


def test_a_program_reads_the_document_with_every_way_to_fail(api, viewer, client):
    assert api(None).get("/openapi.json").status_code == 401
    document = api(viewer).get("/openapi.json").json()
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            message = operation["responses"]
            assert {"401", "403", "422", "500"} <= set(message), (method, path)
            schema = message["401"]["content"]["application/json"]["schema"]
            assert schema == {"$ref": "#/components/schemas/Problem"}
            assert ("404" in message) or "{" not in path, (method, path)
    assert "message" in document["components"]["schemas"]["Problem"]["properties"]
    client.force_login(viewer)
    assert client.get("/api/openapi.json").status_code == 200


def test_tokens_are_listed_and_end(api, lead, reviewer, administrator):
    record, token = issue_token(user=reviewer, name="trainer")
    mine = ApiClient(token)
    (listed,) = mine.get("/tokens").json()["items"]
    assert (listed["id"], listed["state"], listed["user"]) == (record.pk, "valid", "rosa")
    assert token not in str(listed)
    assert api(lead).post(f"/tokens/{record.pk}/revoke").status_code == 404
    assert api(administrator).post(f"/tokens/{record.pk}/revoke").json()["state"] == "revoked"
    assert mine.get("/tokens").status_code == 401
