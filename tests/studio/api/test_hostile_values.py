"""Whatever value stands in an address or a body, the answer is never a defect: every operation is asked."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client

from studio.api.interface import api as interface
from studio.services.accounts.accounts import issue_token

NUMBERS = (2**31, 2**63 - 1, 2**63, -(2**63) - 1, 10**40)
TEXTS = ("a\0b", "\ud800", "%00", "a" * 5_000, "\u202e")


@pytest.fixture
def ask(administrator, stored, trajectory):
    """Asks an operation of the interface; fails on a defect."""
    client = Client(raise_request_exception=False)
    headers = {"Authorization": f"Bearer {issue_token(user=administrator, name='test')[1]}"}

    def ask(method: str, path: str, query: dict[str, Any], body: Any = None) -> int:
        more = {} if body is None else {"data": json.dumps(body), "content_type": "application/json"}
        answer = client.generic(
            method.upper(), path, **more, headers=headers, query_params=query
        )  # fmt: skip
        assert answer.status_code < 500, (method, path, query, body, answer.content.decode())
        return answer.status_code

    return ask


def operations():
    """Every operation with its document."""
    document = json.loads(json.dumps(interface.get_openapi_schema()))
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield pytest.param(document, path, method, operation, id=f"{method} {path}")


def example(document: dict[str, Any], schema: dict[str, Any], depth: int = 0) -> Any:
    """A value that fits a schema."""
    if "$ref" in schema:
        return example(document, document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]], depth)
    for alternatives in ("anyOf", "allOf", "oneOf"):
        if alternatives in schema:
            return example(document, schema[alternatives][0], depth)
    if "enum" in schema or "const" in schema:
        return schema.get("const", next(iter(schema.get("enum", ()))) if "enum" in schema else None)
    kind = schema.get("type")
    if kind == "object":
        named = schema.get("properties", {})
        return {name: example(document, each, depth + 1) for name, each in named.items()} if depth < 6 else {}
    if kind == "array":
        return [example(document, schema.get("items", {}), depth + 1)] if depth < 6 else []
    plain = {"integer": 1, "number": 1.0, "boolean": True, "string": "lending_desk"}
    return plain.get(str(kind), "lending_desk")


def places(value: Any, path: tuple[Any, ...] = ()) -> Any:
    """Every leaf of a value with the path to it."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from places(each, (*path, name))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from places(each, (*path, number))
    else:
        yield path, value


def with_one(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    """The value with another leaf at one place."""
    if not path:
        return other
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = with_one(copy[path[0]], path[1:], other)
    return copy


def filled(path: str, **values: Any) -> str:
    """The address of an operation with a value for each name in it."""
    path = re.sub(r"\{([^}]*)\}", lambda found: str(values.get(found[1], _usual(found[1]))), path)
    return path.replace("\0", "%00").replace("\ud800", "%ED%A0%80").replace("\u202e", "%E2%80%AE")


def _usual(name: str) -> str:
    if name.endswith("part"):
        return "schema"
    return "1" if name.endswith(("id", "number")) else "lending_desk"


def hostile(usual: Any) -> tuple[Any, ...]:
    if isinstance(usual, bool):
        return ()
    return NUMBERS if isinstance(usual, int | float) else TEXTS


@pytest.mark.parametrize(("document", "path", "method", "operation"), list(operations()))
@pytest.mark.slow
def test_no_value_is_a_defect(ask, document, path, method, operation):
    for parameter in operation.get("parameters", ()):
        usual = example(document, parameter["schema"])
        for value in hostile(usual):
            if parameter["in"] == "path":
                ask(method, filled(path, **{parameter["name"]: value}), {})
            elif value != "\ud800":
                ask(method, filled(path), {parameter["name"]: value})
    content = operation.get("requestBody", {}).get("content", {})
    if schema := content.get("application/json", {}).get("schema"):
        whole = example(document, schema)
        for place, usual in places(whole):
            for value in hostile(usual):
                ask(method, filled(path), {}, with_one(whole, place, value))


def test_a_list_goes_no_further_than_the_database_counts(api, viewer):
    for query in ({"offset": 2**63}, {"limit": 2**63}, {"offset": 10**30}, {"limit": 0}):
        answer = api(viewer).get("/runs", **query)
        assert answer.status_code == 422
        assert next(iter(query)) in answer.json()["message"]
    assert api(viewer).get("/runs", offset=2**63 - 1).json()["items"] == []


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_text_that_no_database_keeps_is_named(api, lead, stored, text):
    body = {"reason": "other", "comment": text}
    refused = api(lead).post("/reviews/environments/lending_desk/flags", body)
    assert refused.status_code == 400
    assert "NUL" in refused.json()["message"] or "surrogate" in refused.json()["message"]
    named = api(lead).get("/environments", search="a\0b")
    assert (named.status_code, named.json()["error"]) == (400, "InvalidRequest")


def test_an_escaped_backslash_before_u0000_is_text_like_any_other(api, reviewer, stored):
    body = {"reason": "other", "comment": "the tool writes \\u0000 and \\ud800"}
    assert api(reviewer).post("/reviews/environments/lending_desk/flags", body).status_code == 201
