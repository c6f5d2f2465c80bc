"""The suite `pages` asks for every address of the studio. Never how fast: machines differ."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.urls import get_resolver

from benchmarks import pages

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The suite on two environments, in a process of its own as it needs one."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "pages", "--count", "2", "--quick", "--json"],
        cwd=ROOT,
        env={
            **os.environ,
            "DATABASE_URL": "",
            "WORLDWRIGHT_VAR": str(tmp_path_factory.mktemp("own") / "var"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


@pytest.mark.at_length
def test_every_url_name_is_measured_or_says_why_not(figures: dict[str, Any]) -> None:
    names = {
        entry.name
        for include in (
            get_resolver(),
            *(e for e in get_resolver().url_patterns if hasattr(e, "url_patterns")),
        )
        if getattr(include, "namespace", None) is None
        for entry in include.url_patterns
        if getattr(entry, "name", None)
    }
    assert {"home", "environments", "environment_table", "trajectory_step", "queue"} <= names
    assert names <= figures["pages"].keys() | figures["not_measured"].keys()
    assert not figures["pages"].keys() & figures["not_measured"].keys()
    for must in ("home", "environment_row", "bundle_download", "trajectory_compare", "api:list_environments"):
        assert must in figures["pages"]


@pytest.mark.at_length
def test_every_page_has_its_four_figures(figures: dict[str, Any]) -> None:
    for name, page in figures["pages"].items():
        assert set(page) == {"queries", "p50_ms", "p95_ms", "kb"}, name
        assert 0 < page["p50_ms"] <= page["p95_ms"], name
    assert figures["pages"]["environments"]["queries"] > 0
    assert figures["database"] | {"filled_s": 0} == {
        "vendor": "sqlite",
        "environments": 2,
        "tools": 70,
        "tasks": 20,
        "trajectories": 102,
        "filled_s": 0,
    }


@pytest.mark.at_length
def test_the_figures_over_a_goal_are_listed(figures: dict[str, Any]) -> None:
    assert figures["over"] == pages.over(figures["pages"])


def test_only_what_is_beyond_a_goal_is_over() -> None:
    good = {"queries": 15, "p50_ms": 300, "p95_ms": 800, "kb": 500}
    assert pages.over({"good": good, "bad": {**good, "queries": 16, "kb": 501}}) == {
        "bad": {"queries": 16, "kb": 501}
    }


def test_it_refuses_a_process_in_which_the_studio_runs_already(tmp_path: Path) -> None:
    from benchmarks.studio_database import fresh_studio

    with pytest.raises(RuntimeError, match="a process of its own"), fresh_studio(tmp_path):
        pass
