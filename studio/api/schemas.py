"""Own schemas for programs: see what is read of one, make an environment of it."""

from typing import Any, Literal

from django.http import HttpRequest
from ninja import Field, Router, Schema, Status

from studio.api.authentication import caller
from studio.api.runs import RunOut
from studio.models import Act
from studio.services import intake
from synthesis.documents.intake import Intake

router = Router()


class SchemaIn(Schema):
    """A DDL script or an OpenAPI 3 file, and what is wanted of it; never an address."""

    text: str
    source: str = Field("", max_length=intake.LONGEST_SOURCE)
    """What it is called, for example a file's name."""
    name: str = Field("", max_length=80)
    """What the business is called; what the source calls itself when empty."""
    dialect: Literal["", "postgres", "mysql", "sqlite"] = ""
    tables: list[str] = Field(default_factory=list, max_length=1_000)
    """Names of the tables wanted; all that fit when empty. What they refer to comes along."""
    sample_rows: int = Field(0, ge=0, le=200)
    seed: int = Field(0, ge=0)

    def upload(self) -> intake.Upload:
        """As the service reads it."""
        values = self.dict(include={"text", "source", "name", "dialect", "tables", "seed"})
        return intake.Upload(**values, rows=self.sample_rows)


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
    """What was read; `findings` of severity "warning" could not be carried over."""

    source: str
    title: str
    description: str
    category: str
    tables: list[TableOut]
    sql: str
    findings: list[dict[str, Any]]


@router.post("/read", response=ReadOut, summary="What a schema becomes, before an environment is made of it")
def read(request: HttpRequest, body: SchemaIn) -> dict[str, Any]:
    """Nothing is kept. A syntax error answers 422 with line and column."""
    caller(request, Act.SYNTHESISE)
    return _told(intake.read_upload(body.upload()))


@router.post("", response={202: RunOut}, summary="Make an environment from a schema")
def start(request: HttpRequest, body: EnvironmentIn) -> Status[Any]:
    """The run waits for a worker; the findings stay with the environment: `/environments/NAME/origin`."""
    person = caller(request, Act.SYNTHESISE)
    found = intake.read_upload(body.upload())
    run = intake.start_intake(intake=found, seed=body.seed, tasks=body.tasks, requested_by=person)
    return Status(202, run)


def _told(found: Intake) -> dict[str, Any]:
    rows = found.seed_data.rows if found.seed_data is not None else {}
    return {
        "source": found.source,
        "title": found.scenario.title,
        "description": found.scenario.description,
        "category": found.scenario.category,
        "sql": found.schema.sql,
        "findings": [finding.model_dump(mode="json") for finding in found.findings],
        "tables": [
            {
                "name": table.name,
                "columns": [column.name for column in table.columns],
                "primary_key": list(table.primary_key),
                "refers_to": sorted({key.table for key in table.foreign_keys}),
                "rows": len(rows.get(table.name, ())),
            }
            for table in found.schema.tables
        ],
    }
