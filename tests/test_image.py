"""The image's steps, run in a fresh folder without a container engine, and what they install."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCKERFILE = ROOT / "deploy" / "Dockerfile"
BUILD_SECONDS = 1_200

pytestmark = pytest.mark.at_length


def build_steps() -> list[tuple[str, str]]:
    """Instructions of the first stage with their arguments."""
    text = DOCKERFILE.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    second = [number for number, line in enumerate(lines) if line.startswith("FROM")][1]
    steps = [line.split(None, 1) for line in lines[1:second]]
    return [(name, rest) for name, rest in steps]


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the paths of the image lie, after every step of its first stage."""
    folder = tmp_path_factory.mktemp("image")
    context = folder / "context"
    committed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split("\0")  # fmt: skip
    for name in filter(None, committed):
        if (ROOT / name).is_file():
            (context / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, context / name)
    work = folder / "app"
    work.mkdir()
    for instruction, rest in build_steps():
        if instruction == "COPY":
            source, target = rest.split()
            _copy(context / source, work / target)
        elif instruction == "RUN":
            _run(inside(rest, folder), work)
    return folder


def inside(command: str, folder: Path) -> str:
    """A step with this interpreter, and with the folder before each path of the image."""
    moved = re.sub(r"(?<![\w.])/(opt|srv|tmp)/", rf"{folder}/\1/", command)
    return re.sub(r"^python ", f"{sys.executable} ", moved)


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)


def _run(command: str, folder: Path) -> None:
    done = subprocess.run(
        ["sh", "-ec", command], cwd=folder, env=outside(), capture_output=True, text=True,
        timeout=BUILD_SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


def outside() -> dict[str, str]:
    """This process's environment without the studio's settings."""
    ours = ("WORLDWRIGHT_", "DJANGO_", "DATABASE_URL", "CELERY_", "VIRTUAL_ENV", "PYTHONPATH")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def test_the_steps_install_a_studio_that_its_entry_point_finds_ready(image: Path) -> None:
    programs = image / "opt" / "worldwright" / "bin"
    environ = outside() | {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "WORLDWRIGHT_STATIC_FOLDER": str(image / "srv" / "static"),
        "WORLDWRIGHT_VAR": str(image / "var"),
    }
    entry = str(ROOT / "deploy" / "entrypoint.sh")
    for part in ("migrate", "ready"):
        done = subprocess.run(
            [entry, part], env=environ, cwd=image, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    assert list((image / "srv" / "static" / "css").glob("shell.*.css"))


def test_secrets_and_data_are_left_out_of_what_the_image_is_built_from() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert {".git", ".venv", "var", "deploy/*.env"} <= set(ignored)
