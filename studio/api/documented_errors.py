"""The interface's document: every operation with the ways in which it can fail."""

from __future__ import annotations

from typing import Any

from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema

from studio.api.errors import Problem

ALWAYS = {
    401: "No credentials, or a token that is unknown, expired or revoked.",
    403: "The person's role does not allow it, or a browser sent no CSRF token.",
    500: "An internal error; `remedy` has the reference under which it is logged.",
}
OF_INPUT = {
    400: "The request cannot be read, for example because a text contains NUL.",
    422: "A value is invalid; `message` names it.",
}
OF_NAMES = {404: "No such object."}
OF_CHANGES = {
    409: "The current state does not allow it, or somebody else was faster.",
    413: "The body is too large.",
    503: "Busy for a moment; nothing was changed.",
}


class DocumentedAPI(NinjaAPI):
    """A django-ninja interface whose document tells its errors, which all are a `Problem`."""

    def get_openapi_schema(self, **more: Any) -> OpenAPISchema:
        """The OpenAPI document."""
        document = super().get_openapi_schema(**more)
        schemas = document["components"].setdefault("schemas", {})
        schemas[Problem.__name__] = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        for operations in document["paths"].values():
            for method, operation in operations.items():
                for status, meaning in _failures(method, operation).items():
                    operation["responses"].setdefault(status, _answer(meaning))
        return document


def _failures(method: str, operation: dict[str, Any]) -> dict[int, str]:
    """The statuses that an operation can answer with when it fails, in order."""
    named = any(parameter["in"] == "path" for parameter in operation.get("parameters", ()))
    body = "requestBody" in operation
    results = ALWAYS | OF_INPUT
    if named or body:
        results |= OF_NAMES
    if method != "get":
        results |= OF_CHANGES
    return dict(sorted(results.items()))


def _answer(meaning: str) -> dict[str, Any]:
    reference = {"$ref": f"#/components/schemas/{Problem.__name__}"}
    return {"description": meaning, "content": {"application/json": {"schema": reference}}}
