"""The built wheel: installed into a fresh environment it serves the studio, and its data goes elsewhere."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import sysconfig
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 120

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", str(folder), str(ROOT)], check=True, timeout=300)
    (result,) = folder.glob("*.whl")
    return result


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """A fresh environment with the wheel; its dependencies are those that are installed here.

    Only the folder of the dependencies is named, so that the editable install of this checkout, which is a
    .pth file in that folder, is not followed.
    """
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=300)
    inside = {"base": str(folder), "platbase": str(folder)}
    packages = Path(sysconfig.get_path("purelib", "venv", inside))
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python")]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", str(wheel)], check=True, timeout=300)
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def files_of(folder: Path) -> set[Path]:
    """All but what Python compiles."""
    return {path for path in folder.rglob("*") if "__pycache__" not in path.parts}


def environment_of(folder: Path, home: Path) -> dict[str, str]:
    ours = ("WORLDWRIGHT_", "DJANGO_")
    entries = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    for name in ("DATABASE_URL", "CELERY_BROKER_URL", "PYTHONPATH", "XDG_DATA_HOME"):
        entries.pop(name, None)
    return {**entries, "HOME": str(home), "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}


@contextlib.contextmanager
def served(folder: Path, home: Path, elsewhere: Path) -> Iterator[str]:
    command = [str(folder / "bin" / "worldwright"), "studio", "serve", "--port", "0", "--no-worker"]
    with subprocess.Popen(
        command,
        cwd=elsewhere,
        env=environment_of(folder, home),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            assert process.stdout is not None
            text = process.stdout.readline()
            match = re.search(r"http://\S+", text)
            assert match is not None, text + process.stdout.read()
            yield match[0].rstrip("/")
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def test_it_holds_what_the_studio_shows_and_nothing_else_at_the_top(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    top = {name.partition("/")[0] for name in names}
    assert {name for name in top if not name.endswith(".dist-info")} == {"studio", "synthesis"}
    assert {"studio/py.typed", "synthesis/py.typed", "studio/resources/templates/base.html"} <= set(names)
    inside = "studio/resources/"
    shipped = {name.removeprefix(inside) for name in names if name.startswith(inside)}
    tracked = subprocess.run(
        ["git", "ls-files", "templates", "static", "docs/glossary.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split()
    assert shipped >= set(tracked)


def test_a_page_and_its_style_sheet_open_and_data_goes_to_the_users_folder(installed, tmp_path):
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    before = files_of(installed)
    with served(installed, home, elsewhere) as address:
        with urllib.request.urlopen(address, timeout=START_SECONDS) as answer:
            page = answer.read().decode()
        style = re.search(r'href="(/static/[^"]+\.css)"', page)
        assert style is not None
        with urllib.request.urlopen(address + style[1], timeout=START_SECONDS) as answer:
            assert answer.headers["Content-Type"].startswith("text/css")
    assert list(home.rglob("*.sqlite3")) or list(home.rglob("secret_key"))
    assert not list(elsewhere.iterdir())
    assert files_of(installed) == before


def test_the_command_without_the_extra_names_it(wheel, tmp_path):
    folder = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=300)
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)}))
    zipfile.ZipFile(wheel).extractall(packages)
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('celery', 'django'))); "
        f"sys.path.append({sysconfig.get_path('purelib')!r}); "
        "from synthesis.cli import main; sys.exit(main(['studio']))"
    )
    ended = subprocess.run(
        [str(folder / "bin" / "python"), "-c", code],
        env=environment_of(folder, tmp_path),
        capture_output=True,
        text=True,
        timeout=START_SECONDS,
        check=False,
    )
    assert ended.returncode == 1
    assert "pip install 'worldwright[studio]'" in ended.stderr
