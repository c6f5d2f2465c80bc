"""Openapi: an OpenAPI 3 file, read into the foreign model by its resources and schemas."""

from __future__ import annotations

import json
from typing import Any

from synthesis.errors import InvalidInput
from synthesis.intake.foreign import ForeignModel
from synthesis.intake.notes import Notes
from synthesis.intake.openapi.document import ApiDocument
from synthesis.intake.openapi.places import mark_places
from synthesis.intake.openapi.resources import Resource, resources
from synthesis.intake.openapi.tables import ApiTables


def read_api(text: str, *, source: str, notes: Notes) -> tuple[ForeignModel, str]:
    """The tables that an API's resources and schemas speak of, and the API's title.

    Args:
        text: The file's text, YAML or JSON.
        source: What it is called, for messages.
        notes: Where anything left behind is told.

    Raises:
        InvalidInput: It is neither YAML nor JSON, or not OpenAPI 3, or describes no resource.
    """
    document = ApiDocument(_loaded(text, source), notes)
    results = resources(document, notes)
    tables = ApiTables(document, results, notes)
    try:
        model = tables.model()
    except RecursionError:
        raise InvalidInput(f"{source}: its schemas nest too deeply to be read.") from None
    _tell(document, results, notes)
    mark_places(text, tables.names, notes)
    title = document.root.get("info", {})
    named = title.get("title") if isinstance(title, dict) else None
    return model, str(named or source.rpartition(".")[0])[:120]


def _loaded(text: str, source: str) -> dict[str, Any]:
    loaded = _json(text, source) if text.lstrip()[:1] in "{[" else _yaml(text, source)
    if not isinstance(loaded, dict) or "openapi" not in loaded:
        hint = " It is Swagger 2; convert it to OpenAPI 3 first." if _is_swagger(loaded) else ""
        raise InvalidInput(f"{source} is not an OpenAPI 3 file: it has no top-level field `openapi`.{hint}")
    if not str(loaded["openapi"]).startswith("3."):
        raise InvalidInput(
            f"{source} is OpenAPI {loaded['openapi']}; only versions 3.0 and 3.1 are supported."
        )
    return loaded


def _is_swagger(loaded: object) -> bool:
    return isinstance(loaded, dict) and "swagger" in loaded


def _json(text: str, source: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"{source}, line {error.lineno}, column {error.colno}: {error.msg}.") from None
    except RecursionError:
        raise InvalidInput(f"{source} nests too deeply to be read.") from None


def _yaml(text: str, source: str) -> object:
    try:
        import yaml
    except ImportError as error:
        raise InvalidInput("Reading YAML needs PyYAML: pip install 'worldwright[intake]'.") from error
    try:
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - both are safe
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
        raise InvalidInput(f"{source}{place}: {error.problem or 'this is not YAML'}.") from None
    except (yaml.YAMLError, RecursionError, ValueError):
        raise InvalidInput(f"{source} is not valid YAML.") from None


def _tell(document: ApiDocument, results: list[Resource], notes: Notes) -> None:
    for resource in results:
        for operation in resource.actions:
            notes.add(
                "operations_are_not_converted",
                f"{operation}: the file does not define its behaviour; tools are derived from the tables.",
                where=operation,
            )
    components = document.root.get("components")
    others = ("securitySchemes", "callbacks", "links", "headers")
    for name in others:
        if isinstance(components, dict) and components.get(name):
            message = f"components.{name} is left out; a world has one user and no network."
            notes.add("clauses_are_not_converted", message, where=f"components.{name}")
    if document.root.get("webhooks"):
        notes.add(
            "clauses_are_not_converted",
            "webhooks are left out; a world makes no outgoing calls.",
            where="webhooks",
        )
