"""The interface says who may call it, documents itself without foreign scripts, and fails in JSON."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from studio.api.interface import api as interface
from studio.services import environments


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
    assert client.get("/api/docs").status_code == 302
    client.force_login(viewer)
    page = client.get("/api/docs")
    text = page.content.decode()
    assert page.status_code == 200
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', text)
    assert not re.findall(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)", text)
    assert "script-src 'self'" in page.headers["Content-Security-Policy"]
    for address in re.findall(r'(?:src|href)="([^"]+)"', text):
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
    ("path", "body", "told"),
    [
        ("/runs/synthesis", {}, "sentence"),
        ("/runs/rollouts", {"environment": "x", "agents": []}, "agents"),
    ],
)
def test_a_body_that_does_not_fit_is_named_by_field(api, lead, path, body, told):
    answer = api(lead).post(path, body)
    assert answer.status_code == 422
    assert told in answer.json()["message"]
    assert answer.json()["remedy"]
