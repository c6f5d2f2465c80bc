"""Suite `load`: many reviewers at once, and a backup of what they leave.

Real web processes on loopback and a database of the suite's own; DATABASE_URL chooses the server. Every
reviewer, with a session and connections of their own, looks at the queue, takes what comes next, reads it and
decides. Figures: `p95_ms` by page, `errors` (answers that are none of the expected),
`lost` (decisions that were answered as stored and are not), `doubled` (decisions about an environment beyond
the first: each has one seat). Then the studio is filled, written into an archive, and restored into
another database: `equal` says whether all fingerprints are.

`--batch N` and `--hosts` measure something else instead: `load_batch`, `load_hosts`.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx

from benchmarks import load_batch, load_hosts
from benchmarks.load_reviewers import PAGES, Reviewer, reviewers, stored_decisions, waiting
from benchmarks.machine import machine
from benchmarks.sample import Sample, rounded
from benchmarks.studio_database import fresh_studio
from benchmarks.subject import SEED, SENTENCE
from benchmarks.web_processes import WEB_PROCESSES, web
from synthesis.procedural.business.author import compose

PEOPLE, QUICK_PEOPLE = 200, 10
STORED, QUICK_STORED = 100, 5
"""Environments of the backup, with 50 trajectories each."""
PAUSE_SECONDS = 20.0
"""A reviewer's time between two pages, at most: ten seconds on average. People who read take longer."""
_PATIENCE = 120.0


def main(arguments: argparse.Namespace) -> dict[str, Any]:
    """The suite's figures: `--people` at once and `--count` environments in the backup, or others."""
    quick = arguments.quick
    if arguments.batch:
        return load_batch.run(wanted=arguments.batch, broker=arguments.broker, quick=quick)
    if arguments.hosts:
        return load_hosts.run(quick=quick)
    return run(
        people=arguments.people or (QUICK_PEOPLE if quick else PEOPLE),
        stored=arguments.count or (QUICK_STORED if quick else STORED),
    )


def run(*, people: int, stored: int) -> dict[str, Any]:
    """Reviewers, then backup and restore.

    Args:
        people: Reviewers at once.
        stored: Environments that are added before the backup.
    """
    environment = compose(SENTENCE, seed=SEED)
    with tempfile.TemporaryDirectory() as place, fresh_studio(Path(place)) as vendor:
        from benchmarks import studio_population

        waiting(environment, people)
        team = reviewers(people)
        with web(Path(place)) as url:
            reviewing = asyncio.run(review(url, team))
        studio_population.populate(environment, count=max(stored, 2))
        return {
            "suite": "load",
            "machine": machine(),
            "database": vendor,
            "people": people,
            "web_processes": WEB_PROCESSES,
            "pause_seconds": PAUSE_SECONDS,
            **reviewing,
            "backup": {"environments": stored, **backup_and_restore(Path(place))},
        }


async def review(url: str, team: list[Reviewer]) -> dict[str, Any]:
    """All of them at once; what they saw, and what is stored of it."""
    began = time.perf_counter()
    async with contextlib.AsyncExitStack() as opened:
        for person in team:
            client = httpx.AsyncClient(base_url=url, timeout=_PATIENCE)
            person.client = await opened.enter_async_context(client)
        await asyncio.gather(*(person.work(PAUSE_SECONDS) for person in team))
    seconds = time.perf_counter() - began
    answered = {page: [value for person in team for value in person.took[page]] for page in PAGES}
    decided = Counter(name for person in team for name in person.decided)
    kept = await asyncio.to_thread(stored_decisions)
    return {
        "p95_ms": {page: rounded(Sample(tuple(v)).percentile(95)) for page, v in answered.items() if v},
        "median_ms": {page: rounded(Sample(tuple(v)).median) for page, v in answered.items() if v},
        "requests": sum(map(len, answered.values())),
        "seconds": rounded(seconds),
        "decisions": sum(decided.values()),
        "errors": sum(len(person.errors) for person in team),
        "first_errors": [error for person in team for error in person.errors][:5],
        "lost": sum((decided - kept).values()),
        "doubled": sum(count - 1 for count in (decided | kept).values() if count > 1),
    }


def backup_and_restore(folder: Path) -> dict[str, Any]:
    """An archive of everything, and its restoration into an SQLite database of its own."""
    from studio.services.operations.backups import write_backup

    archive = folder / "backup.tar.gz"
    began = time.perf_counter()
    written = write_backup(archive)
    backup_s = time.perf_counter() - began
    environ = os.environ | {
        "WORLDWRIGHT_VAR": str(folder / "restored"),
        "DATABASE_URL": f"sqlite:///{folder / 'restored.sqlite3'}",
    }
    manage = (sys.executable, "manage.py")
    subprocess.run((*manage, "migrate", "-v0"), env=environ, check=True)
    began = time.perf_counter()
    done = subprocess.run(
        (*manage, "restore", str(archive)), env=environ, check=True, capture_output=True, text=True
    )
    return {
        "rows": written.rows,
        "files": written.files,
        "mib": rounded(archive.stat().st_size / 2**20),
        "backup_s": rounded(backup_s),
        "restore_s": rounded(time.perf_counter() - began),
        "equal": f"fingerprint {written.fingerprint}" in done.stdout.splitlines(),
    }
