"""The demonstration, whole, as a newcomer starts it."""

from __future__ import annotations

import json
import zipfile

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


def test_it_makes_proves_plays_exports_and_serves_an_environment(manage):
    ended = manage("demo", "--no-serve", "--json", "--seed", "1")
    assert ended.returncode == 0, ended.stderr
    result = json.loads(ended.stdout.splitlines()[-1])
    assert set(result) == KEYS
    assert result["tables"] >= 12
    assert result["rows"] >= 80
    assert result["tools"] >= 20
    assert result["tasks"] >= 10
    assert result["checks"]
    assert all(result["checks"].values())
    assert result["verdicts"]["reference"] == {"Completed": result["tasks"]}
    assert "Completed" not in result["verdicts"]["no-op"]
    assert sum(result["verdicts"]["random"].values()) == result["tasks"]
    assert zipfile.is_zipfile(result["bundle"])
    opened = open_bundle(result["bundle"])
    assert opened.environment.fingerprint == result["fingerprint"]
    assert len(opened.trajectories) == 3 * result["tasks"]
    assert "A real MCP client" in ended.stderr
    kinds = [task.kind for task in opened.environment.tasks.tasks]
    assert kinds.count("read") >= 2
    assert kinds.count("refuse") >= 1
    assert sum(kind in ("write", "mixed") for kind in kinds) >= 5


def test_bad_input_ends_with_status_one_and_one_line(manage):
    for arguments, message in (
        (("--scenario", ""), "The scenario is empty"),
        (("--author", "shakespeare"), "Known: model, procedural, recorded"),
        (("--scenario", "x" * 20_000), "20,000 characters"),
    ):
        ended = manage("demo", "--no-serve", "--json", *arguments)
        assert ended.returncode == 1
        assert message in ended.stderr
        assert "Traceback" not in ended.stderr
        assert ended.stdout == ""
