"""Addresses in requests: none is fetched by the studio, nobody is sent to one, none names the host."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.test import Client

from studio.api.interface import api as interface
from studio.jobs import execute_run
from studio.models import Run, RunState
from studio.services.accounts.accounts import issue_token
from studio.services.synthesis.schema_import import Upload, read_upload
from synthesis.errors import InvalidInput

FOREIGN = (
    "//evil.example",
    "https://evil.example/",
    "/\\evil.example",
    "javascript:alert(1)",
    "///evil.example",
)


@dataclass
class Canary:
    """A server that nobody should ask."""

    port: int
    visitors: list[tuple[str, int]] = field(default_factory=list)

    def addresses(self) -> Iterator[str]:
        """Ways to lead a program there."""
        for host in ("127.0.0.1", "localhost", "0x7f000001", "[::ffff:127.0.0.1]"):
            for scheme in ("http", "postgresql", "mysql", "redis", "ftp"):
                yield f"{scheme}://{host}:{self.port}/a"


@pytest.fixture
def canary() -> Iterator[Canary]:
    visitors: list[tuple[str, int]] = []

    class Note(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            visitors.append(self.client_address)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Note) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield Canary(server.server_address[1], visitors)
        server.shutdown()


def _filled(document: dict[str, Any], schema: dict[str, Any], text: str, depth: int = 0) -> Any:
    """A body whose every text is this one."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    for alternatives in ("anyOf", "allOf", "oneOf"):
        if alternatives in schema:
            return _filled(document, schema[alternatives][0], text, depth)
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "object" and depth < 4:
        return {
            n: _filled(document, each, text, depth + 1) for n, each in schema.get("properties", {}).items()
        }
    if kind == "array" and depth < 4:
        return [_filled(document, schema.get("items", {}), text, depth + 1)]
    return {"integer": 1, "number": 1.0, "boolean": True, "object": {}, "array": []}.get(str(kind), text)


@pytest.mark.slow
def test_no_operation_fetches_an_address_that_it_is_sent(administrator, stored, canary):
    document = json.loads(json.dumps(interface.get_openapi_schema()))
    _, token = issue_token(user=administrator, name="test")
    client = Client(headers={"Authorization": f"Bearer {token}"}, raise_request_exception=False)
    asked = 0
    for path, methods in document["paths"].items():
        body = methods.get("post", {}).get("requestBody", {}).get("content", {}).get("application/json")
        if body is None:
            continue
        for address in canary.addresses():
            filled = _filled(document, body["schema"], address)
            target = path.replace("{name}", stored.name)
            assert client.post(target, filled, content_type="application/json").status_code < 500, path
            asked += 1
    assert asked > 200
    for run in Run.objects.filter(state=RunState.QUEUED, kind="intake"):
        execute_run(run.pk)
    assert canary.visitors == []


def test_no_reference_of_an_uploaded_api_is_followed(canary):
    for address in canary.addresses():
        text = json.dumps(
            {
                "openapi": "3.0.0",
                "info": {"title": "Desk", "version": "1"},
                "servers": [{"url": address}],
                "paths": {"/desks": {"$ref": address}},
                "components": {"schemas": {"Desk": {"$ref": f"{address}#/Desk"}}},
            }
        )
        with pytest.raises(InvalidInput):
            read_upload(Upload(text=text, source="desk.json"))
        break  # each upload is read in a process of its own
    assert canary.visitors == []


@pytest.mark.parametrize("foreign", FOREIGN)
def test_nobody_is_sent_to_a_foreign_address(foreign, shelf, administrator, client):
    signing = client.post("/sign-in/", {"username": "ada", "password": "ada-secret", "next": foreign})
    answers = [
        signing,
        client.post("/theme/", {"theme": "dark", "next": foreign}),
        client.get("/sign-in/", {"next": foreign}),
        client.post("/sign-out/", {"next": foreign}),
    ]
    client.force_login(administrator)
    desk = f"/environments/{shelf.environment.name}"
    given = {"next": foreign, "back": foreign, "body": "Why?", "reason": "other", "severity": "minor"}
    forms = ("comments/", "flags/new/", f"comments/{shelf.comment.pk}/resolve/", "review/claim/")
    answers += [client.post(f"{desk}/{form}", given, headers={"referer": foreign}) for form in forms]
    assert [answer.status_code for answer in answers].count(302) > 5
    for answer in answers:
        assert answer.get("Location", "/").startswith("/")
        assert not answer.get("Location", "/").startswith(("//", "/\\"))


def test_a_host_that_is_not_ours_is_refused_and_a_forwarded_one_is_not_believed(settings, viewer, client):
    settings.ALLOWED_HOSTS = ["studio.example"]
    client.force_login(viewer)
    good = {"host": "studio.example"}
    for bad in (
        "evil.example",
        "studio.example.evil.example",
        "studio.example@evil.example",
        "evil.example:80",
    ):
        assert client.get("/", headers={"host": bad}).status_code == 400, bad
    page = client.get("/account/", headers=good | {"x-forwarded-host": "evil.example"})
    assert page.status_code == 200
    assert "evil.example" not in page.content.decode()
    away = Client().get(
        "/account/", headers=good | {"x-forwarded-host": "evil.example", "x-original-url": "/"}
    )
    assert away["Location"] == "/sign-in/?next=/account/"


def test_a_header_cannot_be_split(client, viewer):
    client.force_login(viewer)
    for value in ("/a\r\nSet-Cookie: x=1", "/%0d%0aSet-Cookie:%20x=1"):
        answer = client.post("/theme/", {"theme": "dark", "next": value})
        assert "x" not in answer.cookies
        assert "\n" not in answer.get("Location", "")
