"""Own schemas for programs: see what is read of one, make an environment of it."""

from typing import Any, Literal

from django.http import HttpRequest
from ninja import Field, Router, Schema, Status

from studio.api.authentication import caller, needs
from studio.api.runs import RunOut
from studio.models import Act
from studio.services.synthesis import schema_import
from synthesis.documents.intake import Intake

router = Router()


class SchemaIn(Schema):
    """A DDL script or an OpenAPI 3 file, and what is wanted of it; never an address."""

    text: str
    source: str = Field("", max_length=schema_import.LONGEST_SOURCE)
    """What it is called, for example a file's name."""
    name: str = Field("", max_length=80)
    """What the business is called; what the source calls itself when empty."""
    dialect: Literal["", "postgres", "mysql", "sqlite"] = ""
    tables: list[str] = Field(default_factory=list, max_length=1_000)
    """Names of the tables wanted; all that fit when empty. What they refer to comes along."""
    sample_rows: int = Field(0, ge=0, le=200)
    seed: int = Field(0, ge=0)

    def upload(self) -> schema_import.Upload:
        """As the service reads it."""
        values = self.dict(include={"text", "source", "name", "dialect", "tables", "seed"})
        return schema_import.Upload(**values, rows=self.sample_rows)


class EnvironmentIn(SchemaIn):
    """The same, with how many tasks the environment gets."""

    tasks: int | None = Field(None, ge=1, le=50)


class TableOut(Schema):
    """A table as it was read."""

    name: str
    columns: list[str]
    primary_key: list[str]
    refers_to: list[str]
    rows: int


class ReadOut(Schema):
    """What was read; `findings` of severity "warning" could not be converted."""

    source: str
    title: str
    description: str
    category: str
    tables: list[TableOut]
    sql: str
    findings: list[dict[str, Any]]


@router.post(
    "/read",
    response=ReadOut,
    summary="Preview how a schema is converted",
    auth=needs(Act.SYNTHESISE),
)
def read(request: HttpRequest, body: SchemaIn) -> dict[str, Any]:
    """Nothing is stored. A syntax error answers 422 with line and column."""
    return _intake_out(schema_import.read_upload(body.upload()))


@router.post(
    "", response={202: RunOut}, summary="Synthesise an environment from a schema", auth=needs(Act.SYNTHESISE)
)
def start(request: HttpRequest, body: EnvironmentIn) -> Status[Any]:
    """The run waits for a worker; the findings stay with the environment: `/environments/NAME/origin`."""
    person = caller(request)
    result = schema_import.read_upload(body.upload())
    run = schema_import.start_intake(intake=result, seed=body.seed, tasks=body.tasks, requested_by=person)
    return Status(202, run)


def _intake_out(result: Intake) -> dict[str, Any]:
    rows = result.seed_data.rows if result.seed_data is not None else {}
    return {
        "source": result.source,
        "title": result.scenario.title,
        "description": result.scenario.description,
        "category": result.scenario.category,
        "sql": result.schema.sql,
        "findings": [finding.model_dump(mode="json") for finding in result.findings],
        "tables": [
            {
                "name": table.name,
                "columns": [column.name for column in table.columns],
                "primary_key": list(table.primary_key),
                "refers_to": sorted({key.table for key in table.foreign_keys}),
                "rows": len(rows.get(table.name, ())),
            }
            for table in result.schema.tables
        ],
    }
