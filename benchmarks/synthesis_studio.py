"""A studio of the synthesis benchmark's own: its database, its broker, its workers as real processes.

Everything that counts towards a figure runs in those workers: Celery, the studio's services, the pipeline,
the sandbox. The benchmark itself only starts a batch and looks at the rows.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from benchmarks.studio_database import let_connections_go

BROKER_DATABASE = 15
"""Number of the Redis database that the benchmark empties, where CELERY_BROKER_URL names a Redis."""

SHOWN_OF_A_FINDING = 80
"""Characters of a finding that are looked for in the next prompt."""

_KEY = re.compile(r'"model":"bench-([0-9a-f]{64})"')


class Studio:
    """The studio while it is open.

    Args:
        environ: The process environment of its workers.
    """

    def __init__(self, environ: dict[str, str]) -> None:
        self.environ = environ
        self._seen_recordings = 0
        self._recorded: Counter[str] = Counter()

    def start_batch(self, count: int, *, first: int = 0) -> int:
        """Queue that many environments, each from a sentence of its own; gives the batch's number."""
        from studio.services.synthesis.batches import start_batch

        numbers = range(first, first + count)
        seeds = [f"Clinic number {number}: the front desk of a clinic" for number in numbers]
        return start_batch(seeds=seeds, count=count, author="model").pk

    def start_worker(self, concurrency: int) -> subprocess.Popen[bytes]:
        """One worker that executes so many runs side by side and looks for no lost ones."""
        return self.start_command("worker", "--no-beat", "--concurrency", str(concurrency))

    def start_command(
        self, *arguments: str, log: int | None = None, **settings: str
    ) -> subprocess.Popen[bytes]:
        """A command of manage.py in a session of its own.

        Args:
            arguments: The command's name and what follows.
            log: An open file for its errors.
            settings: Further variables of its environment.
        """
        return subprocess.Popen(
            [sys.executable, "-W", "ignore", "manage.py", *arguments],
            env={**self.environ, **settings},
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,
        )

    def reap(self) -> None:
        """Look for lost runs, as celery beat does."""
        from studio.services.runs.runs import reap_runs

        reap_runs()

    def is_over(self, batch: int) -> bool:
        """Whether the batch has ended."""
        from studio.models import Run

        return Run.objects.get(pk=batch).is_over

    def states(self, batch: int) -> Counter[str]:
        """How many of the batch's runs stand where."""
        from studio.models import Run

        return Counter(Run.objects.filter(parent=batch).values_list("state", flat=True))

    def failures(self, batch: int) -> Counter[str]:
        """Causes of the batch's failed runs."""
        from studio.models import Run

        failed = Run.objects.filter(parent=batch, state="failed")
        return Counter(
            f"{kind} {stage}: {error[:160]}"
            for kind, stage, error in failed.values_list("error_type", "error_stage", "error")
        )

    def outcomes(self, batch: int) -> list[tuple[str, bool]]:
        """Fingerprint of every environment the batch made, and whether its proof is stored with it."""
        from studio.models import Revision

        revisions = Revision.objects.filter(run__parent=batch).prefetch_related("reports")
        return [
            (revision.fingerprint, any(report.passed for report in revision.reports.all()))
            for revision in revisions
        ]

    def attempts(self, batch: int) -> tuple[int, int]:
        """Attempts at parts in the batch, and those of them that passed."""
        from studio.models import AttemptRecord

        attempt_records = AttemptRecord.objects.filter(run__parent=batch)
        return attempt_records.count(), attempt_records.filter(accepted=True).count()

    def findings(self, batch: int) -> dict[str, int]:
        """Blocking findings after which an attempt was repeated, and those that its prompt did not tell."""
        from studio.models import AttemptRecord

        records = AttemptRecord.objects.filter(run__parent=batch).order_by("run", "id")
        shown = withheld = 0
        before: AttemptRecord | None = None
        for record in records.iterator(chunk_size=50):
            if before and (before.run_id, before.stage, before.number + 1) == (
                record.run_id,
                record.stage,
                record.number,
            ):
                messages = [each["message"] for each in before.findings if each["severity"] == "error"]
                missed = sum(message[:SHOWN_OF_A_FINDING] not in record.prompt for message in messages)
                shown, withheld = shown + len(messages) - missed, withheld + missed
            before = record
        return {"findings_told": shown, "findings_withheld": withheld}

    def recorded(self) -> set[str]:
        """Keys of all requests whose answer is kept, so that nobody needs to ask again."""
        from studio.models import LlmRecording

        fresh = LlmRecording.objects.filter(pk__gt=self._seen_recordings).order_by("pk")
        for number, document in fresh.values_list("pk", "document").iterator(chunk_size=50):
            self._seen_recordings = number
            if (match := _KEY.search(document)) is not None:
                self._recorded[match[1]] += 1
        return set(self._recorded)


@contextlib.contextmanager
def open_studio(folder: Path, url: str = "", **settings: str) -> Iterator[Studio]:
    """A studio with an empty database in the folder, or beside the one DATABASE_URL names; gone afterwards.

    Args:
        folder: Scratch space.
        url: The model endpoint, if any.
        settings: Further variables of its environment.

    Raises:
        RuntimeError: Django is running in this process already, with somebody's settings.
    """
    from django.apps import apps

    if apps.ready:
        raise RuntimeError("This suite needs a process of its own: run `python -m benchmarks SUITE`.")
    with _own_database(os.environ.get("DATABASE_URL", "")) as address:
        own = {
            "DJANGO_SETTINGS_MODULE": "studio.settings",
            "WORLDWRIGHT_VAR": str(folder / "var"),
            "DATABASE_URL": address,
            "OPENAI_BASE_URL": url,
            "OPENAI_API_KEY": "bench-key-123456" if url else "",
            "WORLDWRIGHT_MODEL": "bench" if url else "",
            **settings,
        }
        if "CELERY_BROKER_URL" not in own:
            own["CELERY_BROKER_URL"] = _own_broker(os.environ.get("CELERY_BROKER_URL", ""))
        os.environ.update(own)
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        try:
            yield Studio({**os.environ})
        finally:
            let_connections_go()


def stop(worker: subprocess.Popen[bytes], how: signal.Signals = signal.SIGKILL) -> None:
    """End a worker and what it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(worker.pid, how)
    worker.wait()


def wait_while(
    condition: Callable[[], bool], crew: Iterable[subprocess.Popen[bytes]], *, every: float = 0.25
) -> None:
    """Wait for as long as something holds.

    Raises:
        RuntimeError: A worker ended by itself meanwhile, so nothing more would be made.
    """
    while condition():
        for worker in crew:
            if (status := worker.poll()) is not None:
                raise RuntimeError(f"A worker ended by itself with status {status}.")
        time.sleep(every)


def _own_broker(address: str) -> str:
    """The same Redis with a database of the benchmark's own; files in its folder without one."""
    if not address.startswith("redis"):
        return ""
    import redis

    own = f"{address.rsplit('/', 1)[0]}/{BROKER_DATABASE}"
    redis.Redis.from_url(own).flushdb()
    return own


@contextlib.contextmanager
def _own_database(address: str) -> Iterator[str]:
    if not address.startswith("postgres"):
        yield ""
        return
    import psycopg
    from psycopg import sql

    name = f"worldwright_bench_{os.getpid()}"
    quoted = sql.Identifier(name)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(quoted))
        try:
            yield f"{address.rsplit('/', 1)[0]}/{name}"
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(quoted))
