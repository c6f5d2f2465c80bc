"""The OpenAPI document says what the handlers take and give: no component stands for two classes."""

from __future__ import annotations

import enum
import typing
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from ninja import NinjaAPI, Router, Schema
from ninja.constants import NOT_SET
from ninja.openapi.schema import REF_TEMPLATE, get_schema
from ninja.operation import Operation
from ninja.schema import NinjaGenerateJsonSchema
from pydantic import BaseModel

from studio.api.interface import api

BODY = "body"


def operations(interface: NinjaAPI) -> Iterator[tuple[str, Operation]]:
    """Every operation with its path in the document."""
    for bound in interface._get_bound_routers():
        for view in bound.path_operations.values():
            for operation in view.operations:
                if operation.include_in_schema:
                    yield operation.view_func.__name__, operation


def classes(kind: Any, seen: set[type] | None = None) -> set[type]:
    """The models and enumerations that a type is made of."""
    seen = set() if seen is None else seen
    for inner in typing.get_args(kind):
        classes(inner, seen)
    if isinstance(kind, type) and issubclass(kind, BaseModel | enum.Enum) and kind not in seen:
        seen.add(kind)
        for field in getattr(kind, "model_fields", {}).values():
            classes(field.annotation, seen)
    return seen


def definitions(operation: Operation) -> Iterator[tuple[str, dict[str, Any]]]:
    """The named schemas of everything an operation takes and gives."""
    taken = [(model, "validation") for model in operation.models]
    given = [
        (model, "serialization")
        for model in operation.response_models.values()
        if model not in (None, NOT_SET)
    ]
    for model, mode in [*taken, *given]:
        schema = model.model_json_schema(
            ref_template=REF_TEMPLATE, schema_generator=NinjaGenerateJsonSchema, mode=mode
        )
        yield from schema.get("$defs", {}).items()


def shared_names(interface: NinjaAPI) -> dict[str, list[str]]:
    """Component names that more than one class has, or one class with two contents."""
    owners: dict[str, set[str]] = defaultdict(set)
    contents: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for _, operation in operations(interface):
        for model in (*operation.models, *operation.response_models.values()):
            if model not in (None, NOT_SET):
                for field in model.model_fields.values():
                    for owner in classes(field.annotation):
                        owners[owner.__name__].add(f"{owner.__module__}.{owner.__qualname__}")
        for name, schema in definitions(operation):
            if schema not in contents[name]:
                contents[name].append(schema)
    return {
        name: sorted(owners[name])
        for name, found in contents.items()
        if len(found) > 1 or len(owners[name]) != 1
    }


def bodies(interface: NinjaAPI) -> Iterator[tuple[str, type[BaseModel], dict[str, Any]]]:
    """Per operation that takes JSON: its function's name, the class, the schema the document has for it."""
    document = get_schema(interface)
    documented = {
        each["operationId"]: each for methods in document["paths"].values() for each in methods.values()
    }
    for name, operation in operations(interface):
        for model in operation.models:
            if model.__ninja_param_source__ != BODY:
                continue
            (parameter,) = model.model_fields
            taken = typing.get_type_hints(operation.view_func)[parameter]
            shown = documented[operation.operation_id or interface.get_openapi_operation_id(operation)]
            reference = shown["requestBody"]["content"]["application/json"]["schema"]["$ref"]
            yield name, taken, document["components"]["schemas"][reference.rsplit("/", 1)[-1]]


def own_schema_of(taken: type[BaseModel]) -> dict[str, Any]:
    schema = taken.model_json_schema(ref_template=REF_TEMPLATE, schema_generator=NinjaGenerateJsonSchema)
    schema.pop("$defs", None)
    return schema


def test_every_component_belongs_to_one_class() -> None:
    assert shared_names(api) == {}


def test_every_reference_of_the_document_leads_to_a_component() -> None:
    document = get_schema(api)

    def references(node: Any) -> Iterator[str]:
        if isinstance(node, dict):
            if isinstance(node.get("$ref"), str):
                yield node["$ref"]
            node = list(node.values())
        if isinstance(node, list | tuple):
            for inner in node:
                yield from references(inner)

    known = {REF_TEMPLATE.format(model=name) for name in document["components"]["schemas"]}
    assert set(references(dict(document))) - known == set()


def test_every_body_is_documented_as_the_class_that_its_handler_takes() -> None:
    checked = list(bodies(api))
    assert len(checked) > 15
    assert [name for name, taken, shown in checked if shown != own_schema_of(taken)] == []


@pytest.fixture
def ambiguous() -> NinjaAPI:
    """Two handlers whose bodies have the same name in different places."""
    router = Router()

    def make(field: str) -> type[Schema]:
        return type("Wanted", (Schema,), {"__annotations__": {field: int}})

    for field in ("first", "second"):
        body = make(field)

        def take(request: Any, body: Any) -> None:
            """Take it."""

        take.__name__ = f"take_{field}"
        take.__annotations__ = {"body": body}
        router.post(f"/{field}")(take)
    interface = NinjaAPI(urls_namespace="ambiguous")
    interface.add_router("", router)
    return interface


def test_a_name_that_two_bodies_share_is_found(ambiguous: NinjaAPI) -> None:
    assert list(shared_names(ambiguous)) == ["Wanted"]
    assert [name for name, taken, shown in bodies(ambiguous) if shown != own_schema_of(taken)] == [
        "take_first"
    ]
