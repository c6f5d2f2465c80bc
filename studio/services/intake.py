"""Intake: environments from people's own data models, read here and made by a worker."""

from __future__ import annotations

import time
from collections.abc import Sequence

from django.conf import settings
from django.contrib.auth.models import User

from studio.models import AuthorKind, Run, RunKind
from studio.services import runs
from studio.services.environments import store_environment
from studio.services.execution import Hold
from studio.services.run_events import Listener
from synthesis.documents.intake import Intake


def read_source(
    *,
    source: str,
    dialect: str = "",
    tables: Sequence[str] = (),
    rows: int = 0,
    seed: int = 0,
) -> Intake:
    """Read a DDL script, an OpenAPI file or a live database.

    Args:
        source: A path, or a database's address. The address is used here and kept nowhere.
        dialect: Dialect of a script; empty to find out.
        tables: Names of the tables wanted; empty for all that fit.
        rows: Rows per table to bring along, anonymised.
        seed: Seed of the values that stand in for personal ones.

    Raises:
        InvalidInput: It cannot be read; the text holds no password.
    """
    from synthesis.intake import Wishes, read

    wishes = Wishes(dialect=dialect, tables=tuple(tables), rows=rows, seed=seed)
    return read(source, wishes=wishes)


def start_intake(
    *, intake: Intake, seed: int = 0, tasks: int | None = None, requested_by: User | None = None
) -> Run:
    """Queue the making of an environment from what was read. The run keeps what was read, not the address."""
    wanted = settings.ENV["WORLDWRIGHT_TASKS"] if tasks is None else tasks
    return runs.queue_run(
        kind=RunKind.INTAKE,
        title=f"{intake.scenario.title}, from {intake.source}",
        request={"intake": intake.model_dump(mode="json", by_alias=True), "seed": seed, "tasks": wanted},
        requested_by=requested_by,
    )


def execute_intake(hold: Hold) -> None:
    """Make the environment a claimed run asks for, and store it proved or not at all.

    Raises:
        InvalidInput, SynthesisError, WorldError: It could not be made.
    """
    from synthesis.pipeline.own_schema import environment_from

    started = time.perf_counter()
    request = hold.run.request
    intake = Intake.model_validate(request["intake"])
    hold.note(
        "synthesis_started",
        text=f"Read from {intake.source}.",
        payload={"stages": ["schema", "tasks"]},
        total=3,
    )
    made = environment_from(
        intake,
        seed=request["seed"],
        tasks=request["tasks"],
        on_event=Listener(hold),
        cancelled=hold.cancelled,
    )
    seconds = time.perf_counter() - started
    with hold.writing(done=3):
        revision = store_environment(
            environment=made.environment,
            author_kind=AuthorKind.PROCEDURAL,
            reason=_reason(intake, hold.run),
            report=made.report,
            created_by=hold.run.requested_by,
            run=hold.run,
            seconds=seconds,
        )
        Run.objects.filter(pk=hold.run.pk).update(environment=revision.environment)
        hold.finish(
            {
                "environment": revision.environment.name,
                "revision": revision.number,
                "fingerprint": revision.fingerprint,
                "source": intake.source,
                "findings": len(intake.findings),
                "seconds": round(seconds, 3),
            }
        )


def _reason(intake: Intake, run: Run) -> str:
    left = sum(finding.severity == "warning" for finding in intake.findings)
    told = f"; {left} findings say what could not be carried over (run {run.pk})" if left else ""
    return f"Read from {intake.source}{told}."
