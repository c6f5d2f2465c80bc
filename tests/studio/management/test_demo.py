"""The demonstration, whole, as a newcomer starts it."""

from __future__ import annotations

import json
import zipfile

import pytest

from synthesis.bundles.open import open_bundle

KEYS = {
    "environment",
    "tables",
    "rows",
    "tools",
    "tasks",
    "code_lines",
    "checks",
    "verdicts",
    "bundle",
    "fingerprint",
    "seconds",
}


@pytest.mark.slow
def test_it_makes_proves_plays_exports_and_serves_an_environment(manage):
    ended = manage("demo", "--no-serve", "--json", "--seed", "1")
    assert ended.returncode == 0, ended.stderr
    made = json.loads(ended.stdout.splitlines()[-1])
    assert set(made) == KEYS
    assert made["tables"] >= 12
    assert made["rows"] >= 80
    assert made["tools"] >= 20
    assert made["tasks"] >= 10
    assert made["checks"]
    assert all(made["checks"].values())
    assert made["verdicts"]["reference"] == {"Completed": made["tasks"]}
    assert "Completed" not in made["verdicts"]["no-op"]
    assert sum(made["verdicts"]["random"].values()) == made["tasks"]
    assert zipfile.is_zipfile(made["bundle"])
    opened = open_bundle(made["bundle"])
    assert opened.environment.fingerprint == made["fingerprint"]
    assert len(opened.trajectories) == 3 * made["tasks"]
    assert "A real MCP client" in ended.stderr
    kinds = [task.kind for task in opened.environment.tasks.tasks]
    assert kinds.count("read") >= 2
    assert kinds.count("refuse") >= 1
    assert sum(kind in ("write", "mixed") for kind in kinds) >= 5


def test_bad_input_ends_with_status_one_and_one_line(manage):
    for arguments, told in (
        (("--scenario", ""), "The scenario is empty"),
        (("--author", "shakespeare"), "Known: model, procedural"),
        (("--scenario", "x" * 20_000), "20,000 characters"),
    ):
        ended = manage("demo", "--no-serve", "--json", *arguments)
        assert ended.returncode == 1
        assert told in ended.stderr
        assert "Traceback" not in ended.stderr
        assert ended.stdout == ""
