"""The Agent World Model's own published code on what is exported for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.client_library import Library
from synthesis.bundles.awm.exporting import export_awm
from synthesis.documents.bundle import Bundle
from synthesis.documents.environment import Environment
from synthesis.procedural.business.author import compose

pytestmark = pytest.mark.at_length
SENTENCES = (
    "A public library where staff lend items, reserve study rooms, charge fines and answer wishes.",
    "A hotel takes bookings and bills its guests",
    "A veterinary clinic books visits and bills owners",
    "A bike shop rents out bikes and repairs them",
)
UPSTREAM = Library(
    "agent-world-model",
    ("agent-world-model==0.1.0", "mcp==1.26.0", "fastapi==0.115.12", "starlette==0.46.2"),
    version="3.12",
)
"""Its own lock; without it pip takes an mcp that it cannot import."""


@pytest.fixture(scope="module")
def environments(clinic: Environment) -> list[Environment]:
    return [clinic, *(compose(text, seed=seed) for seed, text in enumerate(SENTENCES, start=1))]


def test_upstream_builds_serves_and_verifies_an_exported_folder(
    client_of: Callable[..., Any], environments: list[Environment], tmp_path: Path
) -> None:
    run = client_of(UPSTREAM)
    export_awm((Bundle(environment=each) for each in environments), tmp_path / "folder")
    golds = tmp_path / "golds.json"
    golds.write_text(json.dumps([references(each) for each in environments]))
    tried = run("awm_client.py", str(tmp_path / "folder"), str(golds), seconds=900)
    for environment, result in zip(environments, tried, strict=True):
        count = len(environment.tasks.tasks)
        assert result["scenario"] == environment.name
        assert (result["failed_statements"], result["same_database"]) == (0, True)
        assert result["tools"] == sorted(tool.name for tool in environment.tools.tools)
        assert (result["unknown_types"], result["errors"]) == (0, [])
        assert result["references"] == ["complete"] * count
        assert result["untouched"] == ["others"] * count


def references(environment: Environment) -> dict[str, Any]:
    tasks = [
        {
            "id": task.id,
            "calls": [call.model_dump(mode="json") for call in task.reference_solution],
            "answer": task.reference_answer,
        }
        for task in environment.tasks.tasks
    ]
    return {"name": environment.name, "tasks": tasks}
