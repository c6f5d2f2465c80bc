"""Libraries of others, each in a virtual environment of its own, and scripts that run where they are."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from synthesis.documents.environment import Environment

ROOT = Path(__file__).parent.parent
SCRIPTS = ROOT / "tests" / "interop" / "clients"
ENVIRONMENTS = ROOT / ".pytest_cache" / "d" / "interop"
"""Kept between runs; `pytest --cache-clear` deletes them."""
RUNTIME = ("apsw", "cachetools", "docstring-parser", "orjson", "pydantic", "rich", "tzdata")
"""What our own packages need, for scripts that use them."""
TRL = (
    "torch==2.13.0",
    "trl==1.16.0",
    "transformers==5.23.0",
    "datasets==5.2.0",
    "accelerate==1.15.0",
    "jmespath",
)
INSTALL_SECONDS = 300
RUN_SECONDS = 300


class NotInstalled(Exception):
    """A library cannot be tried here; the text says why."""


class ClientLibrary:
    """One virtual environment.

    Args:
        name: Of its folder.
        packages: What is installed, as pip takes it.
        version: Of Python, for packages that need another one than ours.
        seconds: How long the installation may take.

    Raises:
        NotInstalled: There is no such Python, or pip does not install it.
    """

    def __init__(
        self, name: str, packages: Iterable[str], *, version: str = "", seconds: int = INSTALL_SECONDS
    ) -> None:
        wanted = " ".join(packages)
        folder = ENVIRONMENTS / name
        self._python, installed = folder / "bin" / "python", folder / "installed"
        if not installed.exists() or installed.read_text() != wanted:
            _install(folder, _interpreter(version), self._python, wanted.split(" "), seconds)
            installed.write_text(wanted)

    def run(self, script: str, *arguments: str, path: Path | None = None, seconds: int = RUN_SECONDS) -> Any:
        """The JSON that a script prints.

        Args:
            script: Its file among `SCRIPTS`.
            arguments: What it is given.
            path: Where our own packages are, for scripts that use them.
            seconds: How long it may take.

        Raises:
            RuntimeError: It failed; the text is the end of what it wrote.
        """
        programs = os.pathsep.join([str(self._python.parent), os.environ["PATH"]])
        places = {"PYTHONPATH": str(path)} if path else {}
        ended = subprocess.run(
            [self._python, SCRIPTS / script, *arguments],
            capture_output=True,
            text=True,
            timeout=seconds,
            env={**os.environ, "PATH": programs, **places},
            check=False,
        )
        if ended.returncode != 0:
            raise RuntimeError(ended.stderr[-3_000:])
        return json.loads(ended.stdout.splitlines()[-1])


def write_tasks(environment: Environment, path: Path) -> Path:
    """Every task with its reference solution, for scripts that do not have our packages."""
    tasks = [
        {
            "id": task.id,
            "instruction": task.instruction,
            "calls": [call.model_dump(mode="json") for call in task.reference_solution],
            "answer": task.reference_answer,
        }
        for task in environment.tasks.tasks
    ]
    path.write_text(json.dumps(tasks))
    return path


def _interpreter(version: str) -> str:
    """A Python of a version on this machine, by its name or among pyenv's."""
    if not version or sys.version.startswith(f"{version}."):
        return sys.executable
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for path in (shutil.which(f"python{version}"), *sorted(root.glob(f"{version}*/bin/python{version}"))):
        # A shim of pyenv has the name and does not run.
        if path and subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0:
            return str(path)
    raise NotInstalled(f"there is no Python {version} on this machine")


def _install(folder: Path, base: str, python: Path, packages: list[str], seconds: int) -> None:
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
        raise NotInstalled(f"{' '.join(packages)}: not installed within {seconds} s") from None
    if ended.returncode != 0:
        raise NotInstalled(f"{' '.join(packages)}: {ended.stderr.strip().splitlines()[-1]}")
