"""Environments for programs: find them, read them whole or by part, read what was proved."""

from datetime import datetime
from typing import Annotated, Any, Literal

import orjson
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from ninja import FilterLookup, FilterSchema, Query, Router, Schema
from ninja.pagination import paginate

from studio.api.authentication import caller, needs
from studio.models import Act, EnvironmentRecord, EnvironmentState, Revision
from studio.services.environments import archive, environments, proofs, quality_gates
from studio.services.errors import Missing
from studio.services.synthesis import schema_import
from synthesis.documents.finding import PartName

router = Router()


class RevisionOut(Schema):
    """One revision with its sizes."""

    number: int
    fingerprint: str
    author_kind: str
    reason: str
    created_at: datetime
    tables: int
    rows: int
    tools: int
    tasks: int
    code_lines: int
    checks_passed: int
    checks_failed: int


class EnvironmentOut(Schema):
    """An environment as lists show it."""

    name: str
    title: str
    category: str
    description: str
    state: str
    author_kind: str
    open_flags: int
    updated_at: datetime
    archived_at: datetime | None
    """When it was taken out of use; null while it is in use."""
    current: RevisionOut


class CheckOut(Schema):
    """One claim and whether it holds."""

    claim: str
    description: str
    passed: bool
    figures: dict[str, Any]
    findings: list[dict[str, Any]]


class CheckDetail(CheckOut):
    """One claim with everything that was tried, one by one."""

    revision: int
    reused: bool
    scores: list[dict[str, Any]]
    """By task or tool: how many were tried, how many came out right; of tools by kind of arguments."""
    trials: list[dict[str, Any]]
    questions: list[dict[str, Any]]
    """What code can only doubt; people answer under /reviews."""


class TrialFilter(Schema):
    """Which of the trials are listed."""

    subject: str | None = None
    kind: str | None = None
    outcome: Literal["refused", "accepted", "failed"] | None = None

    def takes(self, trial: dict[str, Any]) -> bool:
        """Whether a trial has every value that is asked for."""
        return all(trial[name] == value for name, value in self.dict(exclude_none=True).items())


class GateOut(Schema):
    """One quality gate."""

    state: str
    passed: bool
    reason: str
    reasons: list[str]
    """The same one by one."""


class EnvironmentDetail(EnvironmentOut):
    """An environment with what was proved and what blocks its approval."""

    gates: list[GateOut]
    checks: list[CheckOut]


class EnvironmentQuery(FilterSchema):
    """Which environments are listed."""

    state: EnvironmentState | None = None
    category: str | None = None
    archived: bool = False
    """Those that were archived, in place of those in use."""
    search: Annotated[
        str | None, FilterLookup(["name__icontains", "title__icontains", "description__icontains"])
    ] = None

    def filter_archived(self, value: bool) -> Q:
        """Either those that were archived or the others."""
        return Q(archived_at__isnull=not value)


class ArchiveIn(Schema):
    """Why an environment is taken out of use."""

    reason: str


@router.get("", response=list[EnvironmentOut], summary="List environments, latest activity first")
@paginate
def list_environments(request: HttpRequest, filters: Query[EnvironmentQuery]) -> QuerySet[EnvironmentRecord]:
    """Filter by state, category, and words in name, title and description."""
    records: QuerySet[EnvironmentRecord] = filters.filter(EnvironmentRecord.objects.listed())
    return records


@router.post(
    "/{name}/archive",
    response=EnvironmentOut,
    summary="Take an environment out of use; everything about it is kept",
    auth=needs(Act.ARCHIVE),
)
def archive_environment(request: HttpRequest, name: str, body: ArchiveIn) -> EnvironmentRecord:
    """Raises 409 when it is archived already, 422 without a reason."""
    archive.archive(record=environments.find(name), lead=caller(request), reason=body.reason)
    return environments.find(name)


@router.post(
    "/{name}/restore",
    response=EnvironmentOut,
    summary="Bring an archived environment back",
    auth=needs(Act.ARCHIVE),
)
def restore_environment(request: HttpRequest, name: str) -> EnvironmentRecord:
    """Raises 409 when it is in use."""
    archive.restore(record=environments.find(name), lead=caller(request))
    return environments.find(name)


@router.get(
    "/{name}", response=EnvironmentDetail, summary="One environment with its claims and quality gates"
)
def read_environment(request: HttpRequest, name: str) -> dict[str, Any]:
    """Raises 404 when there is none of that name."""
    record = environments.find(name)
    assert record.current is not None
    report = quality_gates.latest_report(record.current)
    return {
        **{field: getattr(record, field) for field in EnvironmentOut.model_fields},
        "gates": list(quality_gates.gates(record)),
        "checks": list(report.results.all()) if report else [],
    }


class OriginOut(Schema):
    """What a schema was read from; findings of severity "warning" could not be converted."""

    source: str
    findings: list[dict[str, Any]]


@router.get(
    "/{name}/origin",
    response=OriginOut,
    summary="Source of an imported schema, and what could not be converted",
)
def read_origin(request: HttpRequest, name: str) -> dict[str, Any]:
    """Raises 404 when the schema was not read from outside."""
    record = environments.find(name)
    origin = schema_import.origin_of(record)
    if origin is None:
        raise Missing(
            f"{record.title} was not read from a schema.",
            remedy="Only environments from your own schema have one.",
        )
    return origin.model_dump(mode="json")


@router.get(
    "/{name}/checks/{claim}", response=CheckDetail, summary="One claim with every case that was checked"
)
def read_check(request: HttpRequest, name: str, claim: str, filters: Query[TrialFilter]) -> dict[str, Any]:
    """The claim as it was tried on the current revision.

    A trial is an end that a verifier was shown, or a call that a tool was given: its `subject` (task or
    tool), `kind`, `description`, what was `expected` ("refused", "accepted" or "either") and its `outcome`
    ("failed": the verifier or tool gave up), the checks left `open`, the `rows` that differ from the right
    end with the value of each cell there and here, the `calls` made and the `answer`. Of calls each that
    broke the contract is here, and the first of every kind and outcome. Raises 404 when the claim was not
    tried.
    """
    record = environments.find(name)
    assert record.current is not None
    result = proofs.result_of(record.current, claim)
    return {
        **{field: getattr(result, field) for field in CheckOut.model_fields},
        "revision": record.current.number,
        "reused": result.reused,
        "scores": result.scores,
        "trials": [trial for trial in result.trials if filters.takes(trial)],
        "questions": result.questions,
    }


@router.get("/{name}/revisions", response=list[RevisionOut], summary="Every revision, newest first")
@paginate
def list_revisions(request: HttpRequest, name: str) -> QuerySet[Revision]:
    """The history of the whole design."""
    return environments.find(name).revisions.all()


@router.get("/{name}/revisions/{number}/parts/{part}", summary="One part of one revision")
def read_part(request: HttpRequest, name: str, number: int, part: PartName) -> HttpResponse:
    """The part's document as it was stored."""
    revision = environments.find(name).revisions.filter(number=number).first()
    record = revision.parts.filter(part=part).first() if revision else None
    if record is None:
        raise Missing(f"Revision {number} of {name} has no part {part!r}.")
    body = orjson.dumps({"fingerprint": record.fingerprint, "document": orjson.Fragment(record.document)})
    return HttpResponse(body, content_type="application/json")
