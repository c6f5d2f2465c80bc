"""Intake: environments from people's own data models, read here and made by a worker."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User

from studio.locations import COMMAND
from studio.models import AuthorKind, EnvironmentRecord, Run, RunKind
from studio.services.environments.environments import store_environment
from studio.services.runs import runs
from studio.services.runs.execution import RunLease
from studio.services.synthesis.run_context import run_context
from synthesis.documents.document import Document
from synthesis.documents.environment import DESIGN_PARTS, Origin
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
        InvalidInput: It is not text; the message says what to upload instead.
    """
    from synthesis.intake.reader import decoded

    return decoded(content, source=source)


def read_upload(upload: Upload) -> Intake:
    """Read a schema that was handed in, in a process of its own with limits of time and memory.

    Raises:
        InvalidInput: It cannot be read, is too large, or nothing can be derived from it; the text says where
            and what to do.
    """
    from synthesis.intake import ImportOptions
    from synthesis.intake.subprocess_reader import read_in_subprocess
    from synthesis.procedural.derived.derive import derivation_findings

    source = upload.source[-LONGEST_SOURCE:] or "Pasted text"
    if is_address(upload.text):
        raise InvalidInput(
            "This is a database address. A live database can only be read from the command line, "
            f"`{COMMAND} synthesize "
            "--from-schema ADDRESS`: a form would carry its password. Paste its schema as text here."
        )
    if len(upload.text.encode(errors="replace")) > MOST_BYTES:
        raise InvalidInput(
            f"{source} has more than {MOST_BYTES >> 20} MB. Upload the schema without its rows (pg_dump "
            f"--schema-only, mysqldump --no-data), or start it with `{COMMAND} synthesize --from-schema`."
        )
    import_options = ImportOptions(
        dialect=upload.dialect,
        tables=tuple(upload.tables),
        rows=upload.rows,
        seed=upload.seed,
        name=upload.name or ("" if upload.source else "own schema"),
    )
    intake = read_in_subprocess(
        upload.text.replace("\r\n", "\n"), source=source, import_options=import_options
    )
    if unsupported := derivation_findings(intake.schema):
        raise InvalidInput(" ".join(finding.message for finding in unsupported[:10]))
    return intake


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
        source: A path, or a database's address. The address is used here and stored nowhere.
        dialect: Dialect of a script; empty to find out.
        tables: Names of the tables wanted; empty for all that fit.
        rows: Rows per table to bring along, anonymised.
        seed: Seed of the values that stand in for personal ones.

    Raises:
        InvalidInput: It cannot be read; the text holds no password.
    """
    from synthesis.intake import ImportOptions, read

    import_options = ImportOptions(dialect=dialect, tables=tuple(tables), rows=rows, seed=seed)
    return read(source, import_options=import_options)


class SchemaImportRequest(Document):
    """An environment from a data model that was read; its address is not stored."""

    intake: Intake
    seed: int = 0
    tasks: int
    fewer_tasks: bool = False
    """Whether nobody asked for that number, so that fewer will do."""


def start_intake(
    *, intake: Intake, seed: int = 0, tasks: int | None = None, requested_by: User | None = None
) -> Run:
    """Queue the making of an environment from what was read. The run keeps what was read, not the address."""
    wanted = settings.WORLDWRIGHT.tasks if tasks is None else tasks
    return runs.queue_run(
        kind=RunKind.INTAKE,
        title=f"{intake.scenario.title}, from {intake.source}",
        request=SchemaImportRequest(intake=intake, seed=seed, tasks=wanted, fewer_tasks=tasks is None),
        requested_by=requested_by,
    )


def execute_intake(lease: RunLease, request: SchemaImportRequest) -> None:
    """Make the environment a claimed run asks for, and store it proved or not at all.

    Raises:
        InvalidInput, SynthesisError, WorldError: It could not be made.
    """
    from synthesis.pipeline.driver import from_schema

    started = time.perf_counter()
    intake = request.intake
    lease.note(
        "synthesis_started",
        text=f"Read from {intake.source}.",
        payload={"stages": list(DESIGN_PARTS)},
        total=len(DESIGN_PARTS) + 1,
    )
    synthesis_result = from_schema(
        intake,
        seed=request.seed,
        tasks=request.tasks,
        fewer_tasks=request.fewer_tasks,
        context=run_context(lease),
    )
    seconds = time.perf_counter() - started
    with lease.writing(done=len(DESIGN_PARTS) + 1):
        revision = store_environment(
            environment=synthesis_result.environment,
            author_kind=AuthorKind.PROCEDURAL,
            reason=_reason(intake, lease.run),
            report=synthesis_result.report,
            created_by=lease.run.requested_by,
            run=lease.run,
            seconds=seconds,
        )
        Run.objects.filter(pk=lease.run.pk).update(environment=revision.environment)
        lease.finish(
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
    message = f"; {left} findings list what could not be converted (run {run.pk})" if left else ""
    return f"Read from {intake.source}{message}."
