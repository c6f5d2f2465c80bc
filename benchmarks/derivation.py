"""Suite `derivation`: public schemas that were not made here become proved environments.

Each folder of tests/data/schemas holds the DDL of one and its source. For every one: read, derived twice
(equal fingerprints), every claim tried. `seconds` are those of one derivation.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.machine import machine
from synthesis.documents.environment import Environment
from synthesis.intake import read
from synthesis.procedural.derived.derive import derive
from synthesis.verification.checks import check_environment

SCHEMAS = Path(__file__).parent.parent / "tests" / "data" / "schemas"
QUICK = ("chinook", "quartz")


def main(arguments: argparse.Namespace) -> dict[str, Any]:
    """The suite as `python -m benchmarks derivation` runs it; `--quick` takes two schemas."""
    names = sorted(folder.name for folder in SCHEMAS.iterdir() if folder.is_dir())
    return run(names=[name for name in names if name in QUICK] if arguments.quick else names)


def run(*, names: list[str], seed: int = 1) -> dict[str, Any]:
    """Derive and prove an environment from each of these schemas."""
    schemas: dict[str, Any] = {}
    for name in names:
        schemas[name] = _one(name, seed)
        print(f"{name}: {schemas[name]}", file=sys.stderr, flush=True)
    results = list(schemas.values())
    return {
        "suite": "derivation",
        "machine": machine(),
        "schemas": schemas,
        "environments": len(results),
        "proved": sum(one["checks_failed"] == 0 for one in results),
        "with_ten_tasks": sum(one["tasks"] >= 10 for one in results),
        "same_again": sum(one["same_again"] for one in results),
        "means": {
            key: round(statistics.fmean(one[key] for one in results), 1)
            for key in (
                "tables",
                "rows",
                "tools",
                "tasks",
                "calls",
                "distinct_tools",
                "code_lines",
                "seconds",
            )
        },
    }


def _one(name: str, seed: int) -> dict[str, Any]:
    source = read(str(SCHEMAS / name / f"{name}.sql"))
    begun = time.perf_counter()
    environment = derive(source, seed=seed)
    derived = time.perf_counter() - begun
    again = derive(source, seed=seed)
    report = check_environment(environment)
    return {
        **{key: environment.counts[key] for key in ("tables", "rows", "tools", "tasks")},
        **_of_tasks(environment),
        "code_lines": environment.code_lines,
        "checks_failed": sum(not result.passed for result in report.results),
        "failed": [result.claim for result in report.results if not result.passed],
        "same_again": again.fingerprint == environment.fingerprint,
        "left_out": len(source.findings),
        "seconds": round(derived, 2),
    }


def _of_tasks(environment: Environment) -> dict[str, Any]:
    tasks = environment.tasks.tasks
    calls = [len(task.reference_solution) for task in tasks]
    distinct = [len({call.name for call in task.reference_solution}) for task in tasks]
    return {
        "calls": round(statistics.fmean(calls), 1),
        "distinct_tools": round(statistics.fmean(distinct), 1),
        "kinds": dict(sorted(Counter(task.kind for task in tasks).items())),
    }
