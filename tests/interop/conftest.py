"""Real clients, each in a virtual environment of its own, which is kept between runs."""

from __future__ import annotations

import json
import os
import shutil
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

    def install(name: str, *packages: str, seconds: int = INSTALL_SECONDS, version: str = "") -> Client:
        """`version`: of Python, for packages that need another one than ours."""
        assert request.config.cache is not None
        folder = request.config.cache.mkdir("interop") / name
        python = folder / "bin" / "python"
        done = folder / "installed"
        if not done.exists() or done.read_text() != " ".join(packages):
            _install(folder, interpreter(version), python, packages, seconds)
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


def interpreter(version: str) -> str:
    """A Python of a version on this machine, by its name or among pyenv's; else the test is skipped."""
    if not version or sys.version.startswith(f"{version}."):
        return sys.executable
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for path in (shutil.which(f"python{version}"), *sorted(root.glob(f"{version}*/bin/python{version}"))):
        # A shim of pyenv has the name and does not run.
        if path and subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0:
            return str(path)
    pytest.skip(f"there is no Python {version} on this machine")


def _install(folder: Path, base: str, python: Path, packages: tuple[str, ...], seconds: int) -> None:
    try:
        subprocess.run([base, "-m", "venv", "--clear", folder], check=True, timeout=120)
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
