"""Real clients, each in a virtual environment of its own, which is kept between runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from synthesis.documents.environment import Environment
from tests.synthesis.serving.conftest import Served

CLIENTS = Path(__file__).parent / "clients"
INSTALL_SECONDS = 300
RUN_SECONDS = 300

Client = Callable[..., Any]


@pytest.fixture
def client_of(request: pytest.FixtureRequest) -> Callable[..., Client]:
    """Installs a client; what it gives runs one of its scripts and reads the JSON it prints."""

    def install(name: str, *packages: str, seconds: int = INSTALL_SECONDS) -> Client:
        assert request.config.cache is not None
        folder = request.config.cache.mkdir("interop") / name
        python = folder / "bin" / "python"
        done = folder / "installed"
        if not done.exists() or done.read_text() != " ".join(packages):
            _install(folder, python, packages, seconds)
            done.write_text(" ".join(packages))

        def run(script: str, *arguments: str, path: Path | None = None, seconds: int = RUN_SECONDS) -> Any:
            """`path`: where our own packages are, for scripts that use them."""
            programs = os.pathsep.join([str(python.parent), os.environ["PATH"]])
            places = {"PYTHONPATH": str(path)} if path else {}
            environment = {**os.environ, "PATH": programs, **places}
            ended = subprocess.run(
                [python, CLIENTS / script, *arguments],
                capture_output=True,
                text=True,
                timeout=seconds,
                env=environment,
                check=False,
            )
            assert ended.returncode == 0, ended.stderr[-3_000:]
            return json.loads(ended.stdout.splitlines()[-1])

        return run

    return install


def _install(folder: Path, python: Path, packages: tuple[str, ...], seconds: int) -> None:
    try:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True, timeout=60)
        ended = subprocess.run(
            [python, "-m", "pip", "install", "--quiet", *packages],
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        pytest.skip(f"{' '.join(packages)}: not installed within {seconds} s")
    if ended.returncode != 0:
        pytest.skip(f"{' '.join(packages)}: {ended.stderr.strip().splitlines()[-1]}")


@pytest.fixture
def served(clinic_path: Path) -> Iterator[Served]:
    running = Served(str(clinic_path), "--nemo-gym")
    yield running
    running.stop()


@pytest.fixture
def tasks_file(clinic: Environment, tmp_path: Path) -> Path:
    """Every task of the clinic with its reference solution, for scripts that do not have our packages."""
    path = tmp_path / "tasks.json"
    tasks = [
        {
            "id": task.id,
            "instruction": task.instruction,
            "calls": [call.model_dump(mode="json") for call in task.reference_solution],
            "answer": task.reference_answer,
        }
        for task in clinic.tasks.tasks
    ]
    path.write_text(json.dumps(tasks))
    return path
