"""What cannot be tried is left out by name and with the reason, never passed over and never a failure."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import client_library
from benchmarks.client_library import ROOT, ClientLibrary, Library, NotInstalled


@pytest.fixture(autouse=True)
def own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(client_library, "ENVIRONMENTS", tmp_path)


def test_a_python_that_is_not_there_is_named() -> None:
    with pytest.raises(NotInstalled, match=r"no Python 3\.99"):
        ClientLibrary(Library("none", (), version="3.99"))


@pytest.mark.slow
def test_what_pip_does_not_find_is_named_with_its_words(tmp_path: Path) -> None:
    with pytest.raises(NotInstalled, match=r"nowhere\.whl: ERROR: .*nowhere\.whl"):
        ClientLibrary(Library("none", (str(tmp_path / "nowhere.whl"),)))


def test_an_installation_is_stopped_when_its_time_is_over() -> None:
    with pytest.raises(NotInstalled, match=r"anything==1: not installed within 0 s"):
        ClientLibrary(Library("none", ("anything==1",)), seconds=0)


@pytest.mark.slow
def test_clients_that_do_not_fit_into_the_time_are_skipped_by_name() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "tests/interop"]
    ended = subprocess.run([*command, "--within", "0"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout
    assert "passed" not in ended.stdout.splitlines()[-1]
    assert "[clinic-mcp-1]: not tried, since the 0 s for all clients are used up" in ended.stdout
    assert "[hotel]: not tried" in ended.stdout
