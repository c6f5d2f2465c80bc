"""Harbor task folders: the oracle earns everything, an idle agent nothing, the agent is told no verdict."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from synthesis.adapters.harbor import harbor_tasks
from synthesis.bundles.open import open_bundle
from synthesis.documents.environment import Environment
from synthesis.errors import InvalidInput, UnknownName

TASK = "check_in_and_take_payment"


@pytest.fixture(scope="module")
def folder(clinic_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    written = harbor_tasks(clinic_path, tmp_path_factory.mktemp("harbor"))
    return next(path for path in written if path.name.endswith("check-in-and-take-payment"))


@pytest.fixture
def world(folder: Path) -> Iterator[str]:
    """The world's container without a container."""
    files = folder / "environment" / "world"
    command = ["-m", "synthesis.adapters.harbor", files / "bundle.zip", TASK, files / "token", "0"]
    process = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    port = re.search(r"port (\d+)", process.stdout.readline())
    assert port
    yield f"http://127.0.0.1:{port[1]}"
    process.terminate()
    process.communicate(timeout=30)


def reward(folder: Path, script: str, world: str, place: Path) -> float | None:
    """What there is after a script of the task has run."""
    own = {"WORLD_URL": world, "ANSWER_FILE": str(place / "answer.txt"), "VERIFIER_LOGS": str(place)}
    subprocess.run([folder / script], env={**os.environ, **own}, check=True, capture_output=True, timeout=30)
    written = place / "reward.txt"
    return float(written.read_text()) if written.is_file() else None


@pytest.mark.at_length
def test_the_oracle_earns_everything_and_an_idle_agent_nothing(
    folder: Path, world: str, tmp_path: Path
) -> None:
    assert reward(folder, "tests/test.sh", world, tmp_path) == 0.0
    reward(folder, "solution/solve.sh", world, tmp_path)
    assert reward(folder, "tests/test.sh", world, tmp_path) == 1.0
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(f"{world}/verify", b"{}")
    with pytest.raises(urllib.error.HTTPError, match="405"):
        urllib.request.urlopen(f"{world}/mcp")
    for length, status in (("99999999999", "413"), ("-1", "400"), ("many", "400")):
        request = urllib.request.Request(f"{world}/mcp", b"{}", {"Content-Length": length})
        with pytest.raises(urllib.error.HTTPError, match=status):
            urllib.request.urlopen(request)


def test_the_agents_container_holds_no_answer(folder: Path, clinic: Environment) -> None:
    token = (folder / "tests" / "token").read_text()
    main = [folder / "instruction.md", folder / "environment" / "Dockerfile"]
    task = clinic.task(TASK)
    assert task is not None
    for path in main:
        assert token not in path.read_text()
        assert task.reference_answer not in path.read_text()
    assert "COPY" not in (folder / "environment" / "Dockerfile").read_text()
    assert open_bundle(folder / "environment" / "world" / "bundle.zip").environment == clinic


def test_settings_name_the_task_and_its_tools(folder: Path) -> None:
    settings = tomllib.loads((folder / "task.toml").read_text())
    assert settings["metadata"]["task"] == TASK
    assert settings["environment"]["mcp_servers"][0]["transport"] == "streamable-http"


def test_a_folder_that_is_there_and_an_unknown_split_are_refused(folder: Path, clinic_path: Path) -> None:
    with pytest.raises(InvalidInput, match="is there already"):
        harbor_tasks(clinic_path, folder.parent)
    with pytest.raises(UnknownName):
        harbor_tasks(clinic_path, folder.parent, split="no_such_split")
