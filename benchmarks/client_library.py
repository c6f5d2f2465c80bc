"""Libraries of others, each in a virtual environment of its own, and scripts that run where they are."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synthesis.documents.environment import Environment

ROOT = Path(__file__).parent.parent
SCRIPTS = ROOT / "tests" / "interop" / "clients"
ENVIRONMENTS = ROOT / ".pytest_cache" / "d" / "interop"
"""Kept between runs; `pytest --cache-clear` deletes them."""
RUNTIME = ("apsw", "cachetools", "docstring-parser", "orjson", "pydantic", "rich", "tzdata")
"""What our own packages need, for scripts that use them."""
INSTALL_SECONDS = 300
RUN_SECONDS = 900


@dataclass(frozen=True)
class Library:
    """What is installed into one virtual environment.

    Attributes:
        name: Of its folder.
        packages: As pip takes them.
        version: Of Python, for packages that need another one than ours.
        seconds: How long the installation may take.
    """

    name: str
    packages: tuple[str, ...]
    version: str = ""
    seconds: float = INSTALL_SECONDS


OPENENV = Library("openenv", ("openenv==0.10.0",))
NEMO_GYM = Library("nemo-gym", ("nemo-gym==0.4.0",), version="3.12", seconds=600)
VERIFIERS = Library("verifiers", ("verifiers==0.4.0", "uv", *RUNTIME))
INSPECT = Library("inspect-ai", ("inspect-ai==0.3.285", *RUNTIME))
RAY = Library("ray", ("ray==2.60.0", *RUNTIME))
TRL = Library(
    "grpo",
    (
        "torch==2.13.0",
        "trl==1.16.0",
        "transformers==5.23.0",
        "datasets==5.2.0",
        "accelerate==1.15.0",
        "jmespath",
        *RUNTIME,
    ),
    seconds=900,
)


class NotInstalled(Exception):
    """A library cannot be tried here; the text says why."""


class ClientLibrary:
    """One virtual environment, installed where it is not there yet.

    Args:
        library: What it holds.
        seconds: How long the installation may take, if less than the library says.

    Raises:
        NotInstalled: There is no such Python, or pip does not install it.
    """

    def __init__(self, library: Library, *, seconds: float | None = None) -> None:
        wanted = " ".join(library.packages)
        folder = ENVIRONMENTS / library.name
        self._python, installed = folder / "bin" / "python", folder / "installed"
        if not installed.exists() or installed.read_text() != wanted:
            patience = library.seconds if seconds is None else min(seconds, library.seconds)
            _install(folder, _interpreter(library.version), self._python, library.packages, patience)
            installed.write_text(wanted)

    def run(
        self, script: str, *arguments: str, path: Path | None = None, seconds: float = RUN_SECONDS
    ) -> Any:
        """The JSON that a script prints.

        Args:
            script: Its file among `SCRIPTS`.
            arguments: What it is given.
            path: Where our own packages are, for scripts that use them.
            seconds: How long it may take.

        Raises:
            RuntimeError: It failed; the text is the end of what it wrote.
            TimeoutExpired: It took longer.
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


def _install(folder: Path, base: str, python: Path, packages: tuple[str, ...], seconds: float) -> None:
    # Modules are compiled when they are imported: most of what a large library holds never is.
    pip = [str(python), "-m", "pip", "install", "--quiet", "--no-compile"]
    try:
        subprocess.run([base, "-m", "venv", "--clear", folder], check=True, timeout=min(seconds, 120))
        ended = subprocess.run(
            [*pip, *packages], capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        raise NotInstalled(f"{' '.join(packages)}: not installed within {seconds:.0f} s") from None
    if ended.returncode != 0:
        raise NotInstalled(f"{' '.join(packages)}: {_last_line(ended.stderr)}")


def _last_line(text: str) -> str:
    return next(iter(text.strip().splitlines()[-1:]), "pip said nothing")
