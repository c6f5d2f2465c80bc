"""Procedural: how many environments a minute, how large, how different, and whether every claim holds."""

from __future__ import annotations

import argparse
import itertools
import os
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from synthesis.procedural.archetype import archetypes, industries

AWM = {
    "tables": 18.5,
    "rows": 129,
    "tools": 35.1,
    "tasks": 10,
    "calls": 8.5,
    "distinct_tools": 7.1,
    "code_lines": 1985,
}
"""Means that the predecessor publishes."""

PLACES = (
    "by a lake",
    "in the old town",
    "with two branches",
    "for families",
    "run by volunteers",
    "near the station",
)


def main(arguments: argparse.Namespace) -> dict[str, Any]:
    """Compose and prove environments of different sentences on all cores.

    Args:
        arguments: `count` environments (20 by default, 6 with `quick`); `unproved` leaves the checks out.
    """
    count = getattr(arguments, "count", None) or (6 if getattr(arguments, "quick", False) else 20)
    proved = not getattr(arguments, "unproved", False)
    work = [(sentence, seed, proved) for seed, sentence in enumerate(itertools.islice(sentences(), count))]
    began = time.perf_counter()
    cores = min(os.cpu_count() or 1, count)
    with ProcessPoolExecutor(cores) as pool:
        made = list(pool.map(_one, work, chunksize=1))
    seconds = time.perf_counter() - began
    schemas = [each["schema"] for each in made]
    return {
        "suite": "procedural",
        "environments": len(made),
        "per_minute": round(60 * len(made) / seconds, 1),
        "seconds": round(seconds, 1),
        "cores": cores,
        "proved": proved,
        "means": {key: round(sum(each[key] for each in made) / len(made), 2) for key in AWM},
        "awm_means": AWM,
        "compose_seconds": round(sum(each["compose_seconds"] for each in made) / len(made), 2),
        "checks_failed": sum(len(each["failed"]) for each in made),
        "failed": {each["sentence"]: each["failed"] for each in made if each["failed"]},
        "duplicate_schemas": len(schemas) - len(set(schemas)),
        "tool_jaccard": round(_overlap([each["names"] for each in made]), 4),
    }


def sentences() -> Iterable[str]:
    """Different scenario sentences, industry by industry, fragment by fragment."""
    fragments = [archetype for archetype in archetypes().values() if not archetype.base]
    for number in itertools.count():
        for place, industry in enumerate(industries().values()):
            fragment = fragments[(number * 7 + place) % len(fragments)]
            words = fragment.words.split()
            where = PLACES[(number + place) % len(PLACES)]
            first, second = words[number % len(words)], words[(number * 3 + 1) % len(words)]
            yield f"{industry.title} {where}: {first} and {second}, office {number + 1}"


def _one(work: tuple[str, int, bool]) -> dict[str, Any]:
    """Compose one environment, prove it, and keep its figures."""
    from synthesis.procedural.author import compose
    from synthesis.verification.checks import check_environment

    sentence, seed, proved = work
    began = time.perf_counter()
    environment = compose(sentence, seed=seed)
    composed = time.perf_counter() - began
    report = check_environment(environment) if proved else None
    tasks = environment.tasks.tasks
    return {
        "sentence": sentence,
        "schema": environment.schema.fingerprint,
        "names": frozenset(tool.name for tool in environment.tools.tools),
        "tables": environment.counts["tables"],
        "rows": environment.counts["rows"],
        "tools": environment.counts["tools"],
        "tasks": len(tasks),
        "calls": sum(len(task.reference_solution) for task in tasks) / len(tasks),
        "distinct_tools": sum(len({c.name for c in task.reference_solution}) for task in tasks) / len(tasks),
        "code_lines": environment.code_lines,
        "compose_seconds": composed,
        "failed": [result.claim for result in report.results if not result.passed] if report else [],
    }


def _overlap(names: list[frozenset[str]]) -> float:
    """Mean Jaccard index of the tool names of every two environments."""
    pairs = [len(one & other) / len(one | other) for one, other in itertools.combinations(names, 2)]
    return sum(pairs) / len(pairs) if pairs else 0.0


run = main
