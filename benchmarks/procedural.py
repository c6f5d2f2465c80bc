"""Procedural: how many environments a minute, how large, how different, and whether every claim holds."""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from synthesis.diversity import AWM, diversity, portrait
from synthesis.procedural.archetype import archetypes, industries

PLACES = (
    "by a lake",
    "in the old town",
    "with two branches",
    "for families",
    "run by volunteers",
    "near the station",
)

REBUILT_EVERY = 20
"""One environment in so many is composed again, to compare fingerprints."""
TOLD_EVERY = 50


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
    made: list[dict[str, Any]] = []
    with ProcessPoolExecutor(cores) as pool:
        for each in pool.map(_one, work, chunksize=1):
            made.append(each)
            if len(made) % TOLD_EVERY == 0:
                print(f"{len(made)} of {count}", file=sys.stderr, flush=True)
    seconds = time.perf_counter() - began
    found = diversity([each["portrait"] for each in made])
    return {
        "suite": "procedural",
        "environments": len(made),
        "per_minute": round(60 * len(made) / seconds, 1),
        "seconds": round(seconds, 1),
        "cores": cores,
        "proved": proved,
        "means": {name: spread.mean for name, spread in found.sizes.items()},
        "awm_means": {name: published["mean"] for name, published in AWM.items()},
        "compose_seconds": round(sum(each["compose_seconds"] for each in made) / len(made), 2),
        "checks_failed": sum(len(each["failed"]) for each in made),
        "failed": {each["sentence"]: each["failed"] for each in made if each["failed"]},
        "rebuilt": sum(each["same"] is not None for each in made),
        "rebuilt_unequal": sum(each["same"] is False for each in made),
        "duplicate_schemas": found.duplicate_schemas,
        "tool_jaccard": round(found.tool_jaccard, 4),
        "column_jaccard": round(found.column_jaccard, 4),
        "duplicate_functions": round(found.duplicate_functions / max(1, found.functions), 4),
        "kinds": found.kinds,
        "categories": len(found.categories),
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
    rebuilt = seed % REBUILT_EVERY == 0
    same = compose(sentence, seed=seed).fingerprint == environment.fingerprint if rebuilt else None
    return {
        "sentence": sentence,
        "portrait": portrait(environment),
        "compose_seconds": composed,
        "same": same,
        "failed": [result.claim for result in report.results if not result.passed] if report else [],
    }


run = main
