"""The house: imports point one way, files stay readable, no drawers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted(
    path
    for package in ("synthesis", "studio")
    for path in (ROOT / package).rglob("*.py")
    if "migrations" not in path.parts
)
DRAWERS = {"utils", "util", "helpers", "helper", "common", "core", "base", "misc", "shared", "lib"}
LONGEST = 450
"""Lines; a file beyond it holds more than one noun."""


def test_imports_point_one_way() -> None:
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_folder_or_file_is_a_drawer() -> None:
    drawers = [str(path.relative_to(ROOT)) for path in SOURCES if DRAWERS & {path.stem, *path.parts}]
    assert drawers == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_is_short_enough_to_read(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST


def test_a_trainer_imports_neither_a_model_client_nor_a_server_nor_django() -> None:
    script = (
        "import sys, synthesis; synthesis.open_bundle; synthesis.World; synthesis.Episode;"
        "print(*sorted({'httpx', 'openai', 'mcp', 'starlette', 'uvicorn', 'django', 'celery', 'sklearn'}"
        " & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.split() == []


def test_only_settings_read_the_studios_environment() -> None:
    readers = [
        str(path.relative_to(ROOT))
        for path in SOURCES
        if path.parts[len(ROOT.parts)] == "studio"
        and path.name not in ("settings.py", "celery.py", "asgi.py", "wsgi.py")
        and any(word in path.read_text(encoding="utf-8") for word in ("os.environ", "getenv("))
    ]
    assert readers == []
