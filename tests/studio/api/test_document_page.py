"""The interface's page: every operation with what it takes and answers, and a command line that fits."""

from __future__ import annotations

import html
import json
import re
import shlex
from collections.abc import Mapping
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import resolve
from jsonschema import Draft202012Validator

from studio.api.interface import api
from studio.presentation.interface_document import read_document

ADDRESS = "https://studio.example"


@pytest.fixture(scope="module")
def written() -> dict[str, Any]:
    """The OpenAPI document as programs get it."""
    return json.loads(json.dumps(api.get_openapi_schema()))


def test_the_page_has_every_operation_and_no_link_of_it_leads_nowhere(
    written: dict[str, Any], viewer: User, client: Client
) -> None:
    client.force_login(viewer)
    page = client.get("/api/docs").content.decode()
    for path, operations in written["paths"].items():
        for method, operation in operations.items():
            assert f"{method.upper()} {path}" in page
            assert html.escape(operation["summary"]) in page
    anchors = set(re.findall(r'\sid="([^"]+)"', page))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= anchors
    assert "swagger" not in page.lower()
    assert len(page) < 500_000


def test_each_command_line_asks_for_its_operation_with_a_body_that_is_taken(written: dict[str, Any]) -> None:
    document = read_document(written, ADDRESS)
    commands = [each for _, operations in document.nouns for each in operations]
    assert len(commands) == sum(map(len, written["paths"].values()))
    for each in commands:
        words = shlex.split(each.command)
        place = words[-1].removeprefix(ADDRESS).partition("?")[0]
        assert resolve(re.sub(r"[A-Z_]*(ID|NUMBER)\b", "1", place)), each.command
        assert ("-X" in words) == (each.method != "GET")
        operation = written["paths"][each.path][each.method.lower()]
        fits(operation, words, written)


def fits(operation: Mapping[str, Any], words: list[str], written: Mapping[str, Any]) -> None:
    """The body of a command line is one that the operation's schema allows, or there is none."""
    content = operation.get("requestBody", {}).get("content", {})
    assert ("-d" in words) == ("application/json" in content)
    if "-d" in words:
        schema = {**content["application/json"]["schema"], "components": written["components"]}
        Draft202012Validator(schema).validate(json.loads(words[words.index("-d") + 1]))


def test_what_an_operation_takes_is_told_in_words(written: dict[str, Any]) -> None:
    nouns = dict(read_document(written, ADDRESS).nouns)
    synthesis = next(each for each in nouns["runs"] if each.anchor.endswith("start_synthesis"))
    fields = {field.name: field for field in synthesis.fields}
    assert fields["sentence"].required
    assert fields["sentence"].place == "body"
    assert fields["tasks"].kind.text == "whole number, at least 1, at most 50 or null"
    assert fields["models"].kind.text == "list of text"
    assert [answer.status for answer in synthesis.answers] == ["202"]
