"""The suite `load`: nothing is lost or doubled. Never how fast: machines differ."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.at_length
def test_reviewers_at_once_lose_and_double_nothing_and_a_backup_is_restored_whole(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "load", "--quick", "--people", "4", "--count", "2", "--json"],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": "", "WORLDWRIGHT_VAR": str(tmp_path / "var")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout.splitlines()[-1])
    assert (figures["errors"], figures["lost"], figures["doubled"]) == (0, 0, 0), figures["first_errors"]
    assert figures["decisions"] == 4
    assert figures["p95_ms"].keys() == {"queue", "claim", "environment", "review", "submit"}
    assert figures["backup"]["equal"]
    assert figures["backup"]["rows"] > 100


@pytest.mark.at_length
@pytest.mark.service
def test_a_batch_with_killed_workers_and_a_restarted_broker_is_complete(tmp_path: Path) -> None:
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not installed, so no broker of the suite's own can be killed")
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "load", "--quick", "--batch", "3", "--json"],
        cwd=ROOT,
        env={**os.environ, "WORLDWRIGHT_VAR": str(tmp_path / "var"), "WORLDWRIGHT_LOST_AFTER_SECONDS": "20"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout.splitlines()[-1])
    assert (figures["complete"], figures["lost"], figures["doubled"]) == (3, 0, 0), figures
    assert figures["batch_is"] == "finished"
    assert figures["broker_restarts"] == 2
    assert figures["kills"] >= 1
    assert figures["workers_ended_by_themselves"] == 0


@pytest.mark.at_length
@pytest.mark.service
def test_two_hosts_lose_and_double_nothing_and_hold_twice_the_instances_of_one(tmp_path: Path) -> None:
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not installed, so two hosts have no broker of the suite's own")
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "load", "--quick", "--hosts", "--json"],
        cwd=ROOT,
        env={**os.environ, "WORLDWRIGHT_VAR": str(tmp_path / "var")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout.splitlines()[-1])
    for hosts in figures["runs"].values():
        assert (hosts["completed"], hosts["lost"], hosts["doubled"]) == (hosts["runs"], 0, 0), figures
    assert figures["instances"] == {"one": 4, "two": 8, "by_server": [4, 4], "ratio": 2.0}
    assert "scripted" in figures["simulated"]
