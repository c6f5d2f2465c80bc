from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from synthesis.documents.intake import Intake
from synthesis.documents.schema import Table
from synthesis.errors import InvalidInput
from synthesis.intake import read

JSON = "application/json"


def answer(schema: dict[str, Any]) -> dict[str, Any]:
    return {"200": {"description": "ok", "content": {JSON: {"schema": schema}}}}


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


PETS: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Pet Shop", "version": "1"},
    "paths": {
        "/v1/pets": {
            "get": {
                "responses": answer(
                    {
                        "type": "object",
                        "properties": {"data": {"type": "array", "items": ref("Pet")}, "total": {}},
                    }
                )
            },
            "post": {
                "requestBody": {"content": {JSON: {"schema": ref("NewPet")}}},
                "responses": answer(ref("Pet")),
            },
        },
        "/v1/pets/{petId}": {"get": {"responses": answer(ref("Pet"))}},
        "/v1/pets/{petId}/adopt": {"post": {"responses": {"204": {"description": "done"}}}},
        "/v1/owners/{ownerId}": {"get": {"responses": answer(ref("Owner"))}},
        "/v1/visits": {
            "get": {
                "parameters": [
                    {"name": "pet_id", "in": "query", "schema": {"type": "integer"}},
                    {"name": "limit", "in": "query", "schema": {"type": "integer"}},
                ],
                "responses": {"200": {"description": "ok"}},
            }
        },
    },
    "components": {
        "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        "schemas": {
            "NewPet": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": {"type": "string", "maxLength": 60, "minLength": 1}},
            },
            "Pet": {
                "allOf": [
                    ref("NewPet"),
                    {
                        "type": "object",
                        "required": ["id", "status"],
                        "properties": {
                            "id": {"type": "integer", "format": "int64"},
                            "status": {
                                "type": "string",
                                "enum": ["available", "sold"],
                                "default": "available",
                            },
                            "price": {"type": "number", "minimum": 0, "exclusiveMinimum": True},
                            "ownerId": {"type": "integer"},
                            "born": {"type": "string", "format": "date", "nullable": True},
                            "code": {"type": "string", "pattern": "^P"},
                            "tags": {"type": "array", "items": {"type": "string"}},
                            "mother": ref("Pet"),
                            "friends": {"type": "array", "items": ref("Pet")},
                            "chip": {"type": "object", "properties": {"number": {"type": "string"}}},
                            "extra": {"type": "object", "additionalProperties": True},
                            "outside": {"$ref": "https://elsewhere.example/x.yaml#/A"},
                            "loop": ref("LoopA"),
                            "any": {"oneOf": [ref("Cat"), ref("Dog")]},
                        },
                    },
                ]
            },
            "Cat": {"type": "object", "properties": {"lives": {"type": "integer"}}},
            "Dog": {"type": "object", "properties": {"bark": {"type": "string"}}},
            "LoopA": ref("LoopB"),
            "LoopB": ref("LoopA"),
            "Owner": {
                "type": "object",
                "required": ["email"],
                "properties": {
                    "id": {"type": "integer"},
                    "email": {"type": "string", "format": "email"},
                    "pets": {"type": "array", "items": ref("Pet")},
                },
            },
        },
    },
}


def api(folder: Path, tree: object, name: str = "pets.json") -> Intake:
    (folder / name).write_text(tree if isinstance(tree, str) else json.dumps(tree))
    return read(str(folder / name))


@pytest.fixture(scope="module")
def pets(tmp_path_factory: pytest.TempPathFactory) -> Intake:
    return api(tmp_path_factory.mktemp("api"), PETS)


def table(made: Intake, name: str) -> Table:
    result = made.schema.table(name)
    assert result is not None, [table.name for table in made.schema.tables]
    return result


def told(made: Intake, check: str) -> str:
    return "\n".join(finding.message for finding in made.findings if finding.check == check)


def test_resources_become_tables_with_types_limits_and_enumerations(pets: Intake) -> None:
    sql = table(pets, "pets").sql
    assert '"name" VARCHAR(60) NOT NULL' in sql
    assert "\"status\" TEXT NOT NULL DEFAULT 'available' CHECK (\"status\" IN ('available', 'sold'))" in sql
    assert '"price_cents" > 0' in sql
    assert 'LENGTH("name") >= 1' in sql
    assert '"born" TEXT CHECK ("born" LIKE \'____-__-__\')' in sql
    assert table(pets, "pets").primary_key == ("id",)


def test_references_by_schema_and_by_name_become_foreign_keys(pets: Intake) -> None:
    keys = {key.columns: key.table for key in table(pets, "pets").foreign_keys}
    assert keys == {("mother_id",): "pets", ("owner_id",): "owners"}
    assert table(pets, "visits").foreign_keys[0].table == "pets"


def test_nested_lists_and_objects_become_tables_of_their_own(pets: Intake) -> None:
    assert table(pets, "pets_tags").foreign_keys[0].table == "pets"
    assert table(pets, "pets_friends").primary_key == ("pet_id", "other_pet_id")
    assert 'UNIQUE ("pet_id")' in table(pets, "pets_chip").sql
    assert pets.schema.table("owners_pets") is None, "a pet names its owner already"


def test_what_an_api_says_and_a_table_cannot_is_a_finding(pets: Intake) -> None:
    assert "POST /v1/pets/{petId}/adopt" in told(pets, "operations_are_not_converted")
    assert "securitySchemes" in told(pets, "clauses_are_not_converted")
    assert "^P" in told(pets, "checks_are_not_converted")
    assert "https://elsewhere.example" in told(pets, "remote_references_are_not_followed")
    assert "refers to itself" in told(pets, "references_come_to_an_end")
    assert "a map with free keys" in told(pets, "types_are_not_converted")
    assert "a choice between schemas" in told(pets, "types_are_not_converted")
    assert "/visits has no schema" in told(pets, "tables_are_told_by_schemas")
    assert pets.scenario.title == "Pet shop"


def test_nullable_is_read_as_3_1_says_it(tmp_path: Path) -> None:
    tree = {
        "openapi": "3.1.0",
        "paths": {},
        "components": {
            "schemas": {
                "Thing": {
                    "type": "object",
                    "required": ["a", "b", "c"],
                    "properties": {
                        "a": {"type": ["string", "null"]},
                        "b": {"type": "integer", "exclusiveMinimum": 3},
                        "c": {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
                    },
                }
            }
        },
    }
    columns = {column.name: column for column in table(api(tmp_path, tree), "thing").columns}
    assert [columns[name].not_null for name in "abc"] == [False, True, False]


def test_schemas_that_are_composed_in_a_circle_end(tmp_path: Path) -> None:
    schemas = {
        "A": {"allOf": [ref("B")], "type": "object", "properties": {"x": {"type": "string"}, "b": ref("B")}},
        "B": {"allOf": [ref("A")], "properties": {"a": ref("A"), "bs": {"type": "array", "items": ref("B")}}},
    }  # fmt: skip
    intake = api(tmp_path, {"openapi": "3.0.0", "paths": {}, "components": {"schemas": schemas}})
    assert {"a", "b"} <= {table.name for table in intake.schema.tables}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.yaml", "openapi: 3.0.0\n  paths: x: y", "a.yaml, line 2, column "),
        ("a.json", '{"openapi": "3.0.0",}', "a.json, line 1, column 21"),
        ("a.json", '{"swagger": "2.0"}', "Swagger 2"),
        ("a.yaml", "just: words", "no top-level field `openapi`"),
        ("a.yaml", "openapi: 4.0.0", "OpenAPI 4.0.0"),
        ("a.yaml", "openapi: 3.0.0\npaths: {}", "declares no table"),
        ("a.yaml", "openapi: 3.0.0\npaths: 5\ncomponents: [1]", "declares no table"),
        ("a.json", "[" * 100_000, "a.json"),
    ],
)
def test_a_file_that_is_no_api_is_refused_with_its_place(
    tmp_path: Path, name: str, text: str, words: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        api(tmp_path, text, name)
    assert words in str(refused.value)
