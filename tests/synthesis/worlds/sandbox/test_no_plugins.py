"""A fork server for tools has pydantic without plugins, whatever is installed on its host."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

IMPORTING = "from synthesis.worlds.sandbox.no_plugins import import_pydantic; import_pydantic(); "


def output_of(program: str, *, path: Path | None = None) -> str:
    found = f"import sys; sys.path.insert(0, {str(path)!r}); " if path else "import sys; "
    done = subprocess.run([sys.executable, "-c", found + program], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def with_plugin(tmp_path: Path) -> Path:
    """A folder of installed packages in which one is a plugin that says when it is loaded."""
    (tmp_path / "talking.py").write_text(
        "print('loaded')\nclass plugin:\n    new_schema_validator = lambda *_: (None, None, None)\n",
        encoding="utf-8",
    )
    (tmp_path / "talking-1.0.dist-info").mkdir()
    for name, text in (
        ("entry_points.txt", "[pydantic]\ntalking = talking:plugin\n"),
        ("METADATA", "Metadata-Version: 2.1\nName: talking\nVersion: 1.0\n"),
    ):
        (tmp_path / "talking-1.0.dist-info" / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_no_plugin_is_loaded(with_plugin: Path) -> None:
    making = "import pydantic; pydantic.create_model('M', a=(int, ...))(a=1)"
    assert output_of(making, path=with_plugin) == "loaded"
    assert output_of(IMPORTING + making, path=with_plugin) == ""


def test_what_reads_the_installed_packages_is_not_imported_but_can_be() -> None:
    names = "'importlib.metadata', 'email', 'zipfile'"
    assert output_of(f"{IMPORTING}print([n for n in ({names}) if n in sys.modules])") == "[]"
    assert (
        output_of(f"{IMPORTING}import importlib.metadata as m; print(m.version('pydantic') > '2')") == "True"
    )


def test_a_pydantic_that_wants_more_is_imported_as_usual(tmp_path: Path) -> None:
    (tmp_path / "pydantic").mkdir()
    (tmp_path / "pydantic" / "__init__.py").write_text(
        "from importlib.metadata import version, distribution\nhere = version('pytest') > '1'\n",
        encoding="utf-8",
    )
    assert output_of(f"{IMPORTING}import pydantic; print(pydantic.here)", path=tmp_path) == "True"
