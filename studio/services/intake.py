"""Intake: environments from people's own data models, read here and made by a worker."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User

from studio.models import AuthorKind, EnvironmentRecord, Run, RunKind
from studio.services import runs
from studio.services.environments import store_environment
from studio.services.execution import Hold
from studio.services.run_events import Listener
from synthesis.documents.environment import Origin
from synthesis.documents.intake import Intake
from synthesis.errors import InvalidInput

MOST_BYTES = 2 * 2**20
"""Of a text that a page or a program hands in; the command reads larger ones."""
LONGEST_SOURCE = 100
_ADDRESS = re.compile(r"\s*[A-Za-z][A-Za-z0-9+.-]*://\S*\s*\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A schema that somebody handed in through a page or the interface.

    Attributes:
        text: A DDL script or an OpenAPI file.
        source: What it is called; a file's name.
        name: What the business is called; empty for what the source calls itself.
        dialect: Dialect of a script; empty to find out.
        tables: Names of the tables wanted; empty for all that fit.
        rows: Rows per table to bring along, anonymised.
        seed: Seed of the values that stand in for personal ones.
    """

    text: str
    source: str = ""
    name: str = ""
    dialect: str = ""
    tables: Sequence[str] = ()
    rows: int = 0
    seed: int = 0


def is_address(text: str) -> bool:
    """Whether a text is an address rather than a schema."""
    return _ADDRESS.match(text) is not None


def text_of_upload(content: bytes, source: str) -> str:
    """The text of a file.

    Raises:
        InvalidInput: It is no text; the message says what to hand in instead.
    """
    from synthesis.intake.reader import decoded

    return decoded(content, source=source)


def read_upload(upload: Upload) -> Intake:
    """Read a schema that was handed in, in a process of its own with limits of time and memory.

    Raises:
        InvalidInput: It cannot be read, is too large, or nothing can be derived from it; the text says where
            and what to do.
    """
    from synthesis.intake import Wishes
    from synthesis.intake.apart import read_apart
    from synthesis.procedural.derivation.derive import derivation_findings

    source = upload.source[-LONGEST_SOURCE:] or "Pasted text"
    if is_address(upload.text):
        raise InvalidInput(
            "This is an address. A live database is read by the command only, `manage.py synthesize "
            "--from-schema ADDRESS`: a form would carry its password. Hand in its schema as text here."
        )
    if len(upload.text.encode(errors="replace")) > MOST_BYTES:
        raise InvalidInput(
            f"{source} has more than {MOST_BYTES >> 20} MB. Hand in the schema without its rows (pg_dump "
            "--schema-only, mysqldump --no-data), or start it with `manage.py synthesize --from-schema`."
        )
    wishes = Wishes(
        dialect=upload.dialect,
        tables=tuple(upload.tables),
        rows=upload.rows,
        seed=upload.seed,
        name=upload.name or ("" if upload.source else "own schema"),
    )
    found = read_apart(upload.text.replace("\r\n", "\n"), source=source, wishes=wishes)
    if kept_out := derivation_findings(found.schema):
        raise InvalidInput(" ".join(finding.message for finding in kept_out[:10]))
    return found


def origin_of(record: EnvironmentRecord) -> Origin | None:
    """Where an environment's schema was read and what could not come along; None where nothing was read."""
    versions = record.parts.filter(part="schema").order_by("version")
    for provenance in versions.values_list("provenance", flat=True):
        if provenance and provenance.get("origin"):
            return Origin.model_validate(provenance["origin"])
    return None


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
