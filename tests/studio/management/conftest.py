"""A studio of its own: another folder, another database, another broker, real processes."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.openai_server import OpenAIServer
from tests.studio.management.model_batches import model, seeds

__all__ = ["model", "seeds"]

ROOT = Path(__file__).parents[3]

PATIENCE = 60.0
"""Seconds; a busy machine takes its time."""

Manage = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def clinic_folder(tmp_path_factory: pytest.TempPathFactory, clinic_path: Path) -> Path:
    """The data of a studio on SQLite that holds the clinic; made once, to be copied."""
    folder = tmp_path_factory.mktemp("studio") / "var"
    environ = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
    for arguments in (["migrate", "-v0"], ["import_bundle", str(clinic_path)]):
        completed = _manage(arguments, environ | {"WORLDWRIGHT_VAR": str(folder)})
        assert completed.returncode == 0, completed.stderr
    return folder


@pytest.fixture
def own_studio(tmp_path: Path, worker_id: str) -> Iterator[dict[str, str]]:
    """The process environment of a studio that shares nothing with this process or with other tests."""
    environ = {**os.environ, "WORLDWRIGHT_VAR": str(tmp_path / "var")}
    if broker := os.environ.get("CELERY_BROKER_URL", ""):
        number = 1 + int(worker_id.removeprefix("gw") or 0) if worker_id.startswith("gw") else 1
        environ["CELERY_BROKER_URL"] = f"{broker.rsplit('/', 1)[0]}/{number}"
    with _own_database(os.environ.get("DATABASE_URL", "")) as address:
        yield environ | ({"DATABASE_URL": address} if address else {})


@pytest.fixture
def manage(own_studio: dict[str, str]) -> Manage:
    """Runs manage.py as a process."""

    def run(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        return _manage(arguments, own_studio | environ)

    return run


@pytest.fixture
def manage_clinic(
    manage: Manage, own_studio: dict[str, str], clinic_path: Path, request: pytest.FixtureRequest
) -> Manage:
    """Runs manage.py in a studio that holds the clinic."""
    if own_studio.get("DATABASE_URL"):
        assert manage("migrate", "-v0").returncode == 0
        assert manage("import_bundle", str(clinic_path)).returncode == 0
    else:
        shutil.copytree(request.getfixturevalue("clinic_folder"), own_studio["WORLDWRIGHT_VAR"])
    return manage


def asks(server: OpenAIServer) -> dict[str, str]:
    """The process environment in which this endpoint is the model's."""
    return {
        "OPENAI_BASE_URL": server.base_url,
        "OPENAI_API_KEY": "a-key-of-ours",
        "WORLDWRIGHT_MODEL": "some-model",
    }


def processes_below(pid: int) -> set[int]:
    """The processes that a process started, by any of its threads, and those below them."""
    results: set[int] = set()
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            results |= {int(child) for child in listed.read_text().split()}
    return {child for child in results if lives(child)}.union(*map(processes_below, results))


def lives(pid: int) -> bool:
    """Whether there is such a process that has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def within(reached: Callable[[], bool]) -> bool:
    """Wait for something to become true; whether it did."""
    until = time.monotonic() + PATIENCE
    while not (done := reached()) and time.monotonic() < until:
        time.sleep(0.1)
    return done


def _manage(arguments: Sequence[str], environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


class _own_database:  # noqa: N801 - reads as a function
    """A new PostgreSQL database beside the given one, dropped afterwards; nothing for SQLite."""

    def __init__(self, address: str) -> None:
        self._address = address if address.startswith("postgres") else ""
        self._name = f"worldwright_{uuid.uuid4().hex[:12]}"

    def __enter__(self) -> str:
        self._run(f"CREATE DATABASE {self._name}")
        return f"{self._address.rsplit('/', 1)[0]}/{self._name}" if self._address else ""

    def __exit__(self, *_: object) -> None:
        self._run(f"DROP DATABASE {self._name} WITH (FORCE)")

    def _run(self, statement: str) -> None:
        if not self._address:
            return
        import psycopg

        with psycopg.connect(self._address, autocommit=True) as connection:
            connection.execute(statement)  # type: ignore[call-overload]
