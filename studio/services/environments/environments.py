"""Environments: stored as versions of their parts, and loaded back whole."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count

import orjson
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from studio.models import (
    AuthorKind,
    DiversityProfileRecord,
    Element,
    ElementKind,
    EnvironmentRecord,
    PartRecord,
    Revision,
    Run,
)
from studio.models.projects import project_of_new_records
from studio.services.environments import quality_gates
from studio.services.environments.check_reports import store_report
from studio.services.environments.units import units_of
from studio.services.errors import Missing
from studio.services.notifications import notifications
from synthesis.diversity import diversity_profile
from synthesis.documents.check_report import CheckReport
from synthesis.documents.environment import Environment, Part, Provenance
from synthesis.documents.finding import PartName


def find(name: str) -> EnvironmentRecord:
    """The environment of that name with its current revision.

    Raises:
        Missing: There is none.
    """
    record = (
        EnvironmentRecord.objects.listed()
        .select_related("created_by", "archived_by")
        .filter(name=name)
        .first()
    )
    if record is None:
        raise Missing(f"There is no environment named {name!r}.", remedy="Choose one from the catalogue.")
    return record


@transaction.atomic
def store_environment(
    *,
    environment: Environment,
    author_kind: AuthorKind,
    reason: str,
    report: CheckReport | None = None,
    author: User | None = None,
    created_by: User | None = None,
    run: Run | None = None,
    seconds: float = 0.0,
) -> Revision:
    """Store a whole environment under its own name, or a free name like it.

    An environment that is there already with equal content is not stored twice: its current revision is the
    answer (with the new report, if one is given).

    Returns:
        The revision that holds it.
    """
    project_id = run.project_id if run is not None else project_of_new_records()
    same = (
        EnvironmentRecord.objects.select_related("current")
        .filter(project=project_id, current__fingerprint=environment.fingerprint)
        .first()
    )
    if same is not None and same.current is not None:
        if report is not None:
            store_report(revision=same.current, report=report, seconds=seconds)
            quality_gates.answer_flags(same)
            quality_gates.settle(same)
        return same.current
    record = EnvironmentRecord.objects.create(
        project_id=project_id,
        name=_free_name(environment.name),
        author_kind=author_kind,
        created_by=created_by,
    )
    return add_revision(
        record=record,
        environment=environment,
        author_kind=author_kind,
        reason=reason,
        report=report,
        author=author,
        run=run,
        seconds=seconds,
    )


@transaction.atomic
def add_revision(
    *,
    record: EnvironmentRecord,
    environment: Environment,
    author_kind: AuthorKind,
    reason: str,
    report: CheckReport | None = None,
    author: User | None = None,
    run: Run | None = None,
    seconds: float = 0.0,
) -> Revision:
    """Make an environment's content its record's current revision; parts that did not change are shared."""
    number = (record.revisions.aggregate(last=Max("number"))["last"] or 0) + 1
    revision = Revision.objects.create(
        environment=record,
        number=number,
        fingerprint=environment.fingerprint,
        author_kind=author_kind,
        author=author,
        reason=reason,
        run=run,
        units=units_of(environment),
        code_lines=environment.code_lines,
        **{name: environment.counts[name] for name in ("tables", "rows", "tools", "tasks")},
    )
    before = {part.part: part for part in record.current.parts.all()} if record.current else {}
    revision.parts.set(
        [
            _part_record(record, name, part, environment.provenance, revision, before.get(name))
            for name, part in environment.parts().items()
        ]
    )
    _describe(record, environment)
    record.current = revision
    record.save()
    notifications.outdate_returns(record)
    if report is not None:
        store_report(revision=revision, report=report, seconds=seconds)
    _index_elements(record, environment)
    measure(revision, environment)
    if report is not None:
        quality_gates.answer_flags(record)
    quality_gates.settle(record)
    return revision


def measure(revision: Revision, environment: Environment) -> None:
    """Keep what the revision contributes to the report on diversity."""
    DiversityProfileRecord.objects.update_or_create(
        revision=revision, defaults={"document": diversity_profile(environment).model_dump_json()}
    )


def load_environment(revision: Revision) -> Environment:
    """The whole environment of a revision; its fingerprint equals the stored one. One query."""
    parts = {part.part: part for part in revision.parts.all()}
    provenance = {
        name: Provenance.model_validate(part.provenance) for name, part in parts.items() if part.provenance
    }
    loaded = {name: part.load() for name, part in parts.items()}
    return Environment.model_validate({**loaded, "provenance": provenance})


def load_part(revision: Revision, part: PartName) -> Part | None:
    """One part of a revision, or None where it has none (a policy)."""
    record = revision.parts.filter(part=part).first()
    return None if record is None else record.load()


def _free_name(wanted: str) -> str:
    others = EnvironmentRecord.all_projects.filter(name__startswith=wanted[:80])
    taken = set(others.values_list("name", flat=True))
    names = (wanted if number == 1 else f"{wanted}_{number}" for number in count(1))
    return next(name for name in names if name not in taken)


def _part_record(
    record: EnvironmentRecord,
    name: PartName,
    part: Part,
    provenance: Mapping[str, Provenance],
    revision: Revision,
    before: PartRecord | None,
) -> PartRecord:
    """The stored version of a part: the one before when it did not change, else the next."""
    if before is not None and before.fingerprint == part.fingerprint:
        return before
    result = provenance.get(name)
    last = record.parts.filter(part=name).aggregate(last=Max("version"))["last"] or 0
    return PartRecord.objects.create(
        environment=record,
        part=name,
        version=last + 1,
        fingerprint=part.fingerprint,
        document=part.model_dump_json(by_alias=True),
        author_kind=_author_kind(result, revision),
        author=revision.author,
        reason=revision.reason,
        provenance=result.model_dump(mode="json") if result else None,
    )


def _author_kind(provenance: Provenance | None, revision: Revision) -> str:
    if revision.author_id is not None:
        return AuthorKind.PERSON
    if provenance is not None and provenance.author in AuthorKind.values:
        return provenance.author
    return revision.author_kind


def _describe(record: EnvironmentRecord, environment: Environment) -> None:
    record.title = environment.scenario.title
    record.category = environment.scenario.category
    record.description = environment.scenario.description
    record.updated_at = timezone.now()


def _index_elements(record: EnvironmentRecord, environment: Environment) -> None:
    """Rewrite the list of tables, tools and tasks that pages search."""
    record.elements.all().delete()
    Element.objects.bulk_create(
        [*_tables(record, environment), *_tools(record, environment), *_tasks(record, environment)]
    )


def _tables(record: EnvironmentRecord, environment: Environment) -> list[Element]:
    return [
        Element(
            environment=record,
            kind=ElementKind.TABLE,
            position=position,
            name=table.name,
            summary=", ".join(column.name for column in table.columns),
            figures={
                "rows": len(environment.seed_data.rows.get(table.name, ())),
                "columns": len(table.columns),
                "foreign_keys": len(table.foreign_keys),
            },
        )
        for position, table in enumerate(environment.schema.tables)
    ]


def _tools(record: EnvironmentRecord, environment: Environment) -> list[Element]:
    return [
        Element(
            environment=record,
            kind=ElementKind.TOOL,
            position=position,
            name=tool.name,
            summary=tool.description.strip().partition("\n")[0],
            figures={
                "mutates_state": tool.mutates_state,
                "parameters": len(_properties(tool.input_schema)),
            },
        )
        for position, tool in enumerate(environment.tools.tools)
    ]


def _properties(schema: Mapping[str, object]) -> Mapping[str, object]:
    properties = schema.get("properties")
    return properties if isinstance(properties, dict) else {}


def _tasks(record: EnvironmentRecord, environment: Environment) -> list[Element]:
    return [
        Element(
            environment=record,
            kind=ElementKind.TASK,
            position=position,
            name=task.id,
            summary=task.instruction,
            figures=orjson.loads(orjson.dumps(task.model_dump(include={"kind", "difficulty", "min_calls"}))),
        )
        for position, task in enumerate(environment.tasks.tasks)
    ]
