"""Edits: a person changes a part, which makes a new revision, and what depends on it is checked again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from pydantic import ValidationError

from studio.models import Act, AuthorKind, EnvironmentRecord, Revision
from studio.services.environments import archive
from studio.services.environments.checks import start_checks
from studio.services.environments.claim_dependencies import changed_parts, claims_about
from studio.services.environments.environments import add_revision, load_environment
from studio.services.environments.quality_gates import latest_report
from studio.services.environments.source_places import require_python, with_column
from studio.services.errors import Conflict, Missing, Stale
from studio.services.projects import membership
from synthesis.documents.environment import Environment
from synthesis.documents.finding import PartName
from synthesis.documents.policy import Policy
from synthesis.documents.seed_data import Row
from synthesis.documents.tasks import Task
from synthesis.errors import BrokenEnvironment, InvalidInput

Change = Callable[[Environment], Environment]


def edit_scenario(**values: str) -> Change:
    """Change the scenario's title, category, description, licence or clock (ISO, local)."""

    def change(environment: Environment) -> Environment:
        fields: dict[str, Any] = dict(values)
        if "clock" in fields:
            fields["clock"] = datetime.fromisoformat(fields["clock"])
        return environment.replace(scenario=environment.scenario.replace(**fields))

    return change


def edit_policy(text: str) -> Change:
    """Replace the policy; empty text takes it away."""

    def change(environment: Environment) -> Environment:
        if not text.strip():
            return environment.replace(policy=None)
        policy = environment.policy or Policy(text=text)
        return environment.replace(policy=policy.replace(text=text))

    return change


def edit_schema(sql: str) -> Change:
    """Replace the whole DDL."""

    def change(environment: Environment) -> Environment:
        from synthesis.worlds.database import read_schema, schema_findings

        try:
            return environment.replace(schema=read_schema(sql))
        except BrokenEnvironment as error:
            blocking = [finding for finding in schema_findings(sql) if finding.blocks]
            texts = [with_column(each.message, sql) for each in blocking[:10]]
            raise InvalidInput(" ".join(texts) or str(error)) from error

    return change


def edit_tools(source: str) -> Change:
    """Replace the whole of tools.py; it is compiled in the sandbox."""

    def change(environment: Environment) -> Environment:
        from synthesis.worlds.toolset import read_toolset

        require_python(source)
        try:
            return environment.replace(tools=read_toolset(source))
        except BrokenEnvironment as error:
            raise InvalidInput(with_column(str(error), source)) from error

    return change


def edit_invariants(source: str) -> Change:
    """Replace the whole of invariants.py, which is read in the sandbox; empty text takes it away."""

    def change(environment: Environment) -> Environment:
        from synthesis.worlds.invariants import read_invariants

        if not source.strip():
            return environment.replace(invariants=None)
        require_python(source)
        try:
            return environment.replace(invariants=read_invariants(source))
        except BrokenEnvironment as error:
            raise InvalidInput(with_column(str(error), source)) from error

    return change


def edit_task(task_id: str, values: Mapping[str, Any]) -> Change:
    """Change fields of one task."""

    def change(environment: Environment) -> Environment:
        before = environment.task(task_id)
        if before is None:
            raise Missing(f"There is no task {task_id!r}.")
        after = Task.model_validate({**before.model_dump(), **values, "id": task_id})
        tasks = tuple(after if task.id == task_id else task for task in environment.tasks.tasks)
        return environment.replace(tasks=environment.tasks.replace(tasks=tasks))

    return change


def edit_verifier(task_id: str, source: str) -> Change:
    """Replace one task's verifier; it is read in the sandbox before it is stored."""

    def change(environment: Environment) -> Environment:
        from synthesis.worlds.toolset import verifier_findings

        before = environment.verifier(task_id)
        if before is None:
            raise Missing(f"There is no task {task_id!r}.")
        require_python(source)
        blocking = [finding for finding in verifier_findings(source, task_id) if finding.blocks]
        if blocking:
            raise InvalidInput(with_column(blocking[0].message, source))
        after = tuple(
            one.replace(source=source) if one.task_id == task_id else one
            for one in environment.verifiers.verifiers
        )
        return environment.replace(verifiers=environment.verifiers.replace(verifiers=after))

    return change


def edit_rows(table: str, rows: list[Row]) -> Change:
    """Replace the seed rows of one table."""

    def change(environment: Environment) -> Environment:
        if environment.schema.table(table) is None:
            raise Missing(f"There is no table {table!r}.")
        changed = {**environment.seed_data.rows, table: tuple(rows)}
        return environment.replace(seed_data=environment.seed_data.replace(rows=changed))

    return change


def edit_row(table: str, index: int, row: Row | None) -> Change:
    """Replace one seed row by its place in the table from 0, or take it away when `row` is None."""

    def change(environment: Environment) -> Environment:
        rows = list(environment.seed_data.rows.get(table, ()))
        if not 0 <= index < len(rows):
            raise Missing(f"Table {table!r} has no row {index + 1} in its seed data.")
        rows[index : index + 1] = [] if row is None else [row]
        return edit_rows(table, rows)(environment)

    return change


def add_row(table: str, row: Row) -> Change:
    """Add a seed row at the end of a table."""

    def change(environment: Environment) -> Environment:
        return edit_rows(table, [*environment.seed_data.rows.get(table, ()), row])(environment)

    return change


def row_place(environment: Environment, table: str, key: Mapping[str, str]) -> int:
    """The place of a seed row in its table, from 0, by its primary key as text.

    A table without one is addressed by `_rowid`, which counts its rows from 1; so is a row that leaves out
    its key.

    Raises:
        Missing: There is no such table or row.
    """
    result = environment.schema.table(table)
    if result is None:
        raise Missing(f"There is no table {table!r}.")
    names = result.primary_key
    for place, row in enumerate(environment.seed_data.rows.get(table, ())):
        own = {name: str(row[name]) for name in names if row.get(name) is not None}
        if len(own) < len(names) or not names:
            own = {name: str(place + 1) for name in names or ["_rowid"]}
        if all(key.get(name) == value for name, value in own.items()):
            return place
    text = ", ".join(f"{name} = {value}" for name, value in key.items()) or "no key"
    raise Missing(f"{table} has no row with {text} in its seed data.", remedy="Only seed data can be edited.")


def edit(
    *, record: EnvironmentRecord, revision_number: int, editor: User, change: Change, reason: str
) -> Revision:
    """Make a new revision with one change, and queue the checks that depend on what changed.

    Args:
        record: The environment.
        revision_number: The revision the editor looked at.
        editor: Who changes it; they cannot approve what they changed.
        change: One of the `edit_...` functions of this module, called with what it needs.
        reason: Why, for the history.

    Raises:
        Forbidden: The person may not edit.
        Stale: Somebody made another revision meanwhile.
        Conflict: Nothing is changed by it.
        InvalidInput: The new part cannot be read, or does not fit the others; the text says where.
    """
    membership.require_in(editor, record.project_id, Act.EDIT)
    if not reason.strip():
        raise InvalidInput("Give a reason for the change: the next reviewer will read it.")
    seen = _seen(record, revision_number)
    before = load_environment(seen)
    after = changed(before, change)
    parts = changed_parts(before, after)
    if not parts:
        raise Conflict("This edit changes nothing.")
    with transaction.atomic():
        archive.require_in_use(EnvironmentRecord.objects.select_for_update().get(pk=record.pk))
        _seen(record, revision_number)
        fresh = EnvironmentRecord.objects.select_related("current").get(pk=record.pk)
        revision = add_revision(
            record=fresh,
            environment=after,
            author_kind=AuthorKind.PERSON,
            author=editor,
            reason=reason.strip()[:2_000],
        )
        start_checks(revision=revision, claims=_claims(seen, parts), requested_by=editor)
    return revision


def _claims(before: Revision, parts: frozenset[PartName]) -> tuple[str, ...] | None:
    """The claims to try again; all of them where the revision before was never checked."""
    report = latest_report(before)
    if report is None:
        return None
    return claims_about(parts, [result.claim for result in report.results.all()])


def _seen(record: EnvironmentRecord, number: int) -> Revision:
    current = Revision.objects.get(pk=EnvironmentRecord.objects.values_list("current").get(pk=record.pk)[0])
    if current.number != number:
        raise Stale(
            f"You edited revision {number}; revision {current.number} is current.",
            current=current.number,
            remedy="Your text is still here: compare it with the current revision and save again.",
        )
    return current


def changed(environment: Environment, change: Change) -> Environment:
    """The environment with a change.

    Raises:
        InvalidInput: The new part cannot be read, or does not fit the others; the text says where.
    """
    try:
        return change(environment)
    except BrokenEnvironment as error:
        place = f" ({error.where})" if error.where else ""
        raise InvalidInput(f"{error}{place}") from error
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        place = ".".join(str(step) for step in problem["loc"])
        raise InvalidInput(f"{place or 'The parts'}: {problem['msg']}") from error
    except ValueError as error:
        raise InvalidInput(str(error)) from error
