"""Public schemas that were not made here become environments; the suite `derivation` proves all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from synthesis.intake import read
from synthesis.procedural.derivation.derive import derive
from synthesis.verification.checks import check_environment

FOLDER = Path(__file__).parents[3] / "data" / "schemas"
NAMES = sorted(folder.name for folder in FOLDER.iterdir() if folder.is_dir())
PROVED = ("chinook", "quartz")
"""Those that are small enough to prove in a test."""


def _source(name):
    return read(str(FOLDER / name / f"{name}.sql"))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in PROVED])
def test_a_public_schema_gets_at_least_ten_tasks(name):
    made = derive(_source(name), seed=1)
    assert len(made.tasks.tasks) >= 10
    assert len({task.instruction for task in made.tasks.tasks}) == len(made.tasks.tasks)
    assert {"read", "write", "mixed"} <= {task.kind for task in made.tasks.tasks}
    assert made.schema.sql == _source(name).schema.sql


@pytest.mark.parametrize("name", PROVED)
def test_a_public_schema_is_proved_and_comes_out_the_same_again(name):
    made = derive(_source(name), seed=1)
    assert len(made.tasks.tasks) >= 10
    report = check_environment(made)
    assert [(r.claim, [f.message for f in r.findings]) for r in report.results if not r.passed] == []
    assert derive(_source(name), seed=1).fingerprint == made.fingerprint


def test_there_are_ten_of_them():
    assert len(NAMES) >= 10
