"""Procedural: worlds a minute, how much they are about what was asked, depth, differences."""

from __future__ import annotations

import argparse
import itertools
import os
import re
import statistics
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from synthesis.diversity import AWM, diversity, diversity_profile
from synthesis.documents.check_report import CheckReport
from synthesis.documents.environment import Environment
from synthesis.documents.tasks import Task

SENTENCES = Path(__file__).parents[1] / "tests/data/sentences/trades.txt"
PLACES = (
    "",
    "in the old town",
    "for families",
    "near the station",
    "for schools",
)

REBUILT_EVERY = 20
"""One environment in so many is composed again, to compare fingerprints."""
REPORT_EVERY = 50
COMPARED = 14
"""Other worlds with whose instructions and tools those of one are compared."""
_GRAM = 4
_DECISIONS = frozenset(
    (
        "first_row",
        "second_best",
        "forgets_condition",
        "ignores_policy",
        "rounds_wrong",
        "first_page",
        "stops_early",
    )
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
    results: list[dict[str, Any]] = []
    with ProcessPoolExecutor(cores) as pool:
        for each in pool.map(_one, work, chunksize=1):
            results.append(each)
            if len(results) % REPORT_EVERY == 0:
                print(f"{len(results)} of {count}", file=sys.stderr, flush=True)
    seconds = time.perf_counter() - began
    result = diversity([each["portrait"] for each in results])
    return {
        "suite": "procedural",
        "environments": len(results),
        "per_minute": round(60 * len(results) / seconds, 1),
        "seconds": round(seconds, 1),
        "cores": cores,
        "proved": proved,
        "means": {name: spread.mean for name, spread in result.sizes.items()},
        "awm_means": {name: published["mean"] for name, published in AWM.items()},
        "compose_seconds": round(sum(each["compose_seconds"] for each in results) / len(results), 2),
        "checks_failed": sum(len(each["failed"]) for each in results),
        "failed": {each["sentence"]: each["failed"] for each in results if each["failed"]},
        "rebuilt": sum(each["same"] is not None for each in results),
        "rebuilt_unequal": sum(each["same"] is False for each in results),
        "duplicate_schemas": result.duplicate_schemas,
        "tool_jaccard": round(result.tool_jaccard, 4),
        "column_jaccard": round(result.column_jaccard, 4),
        "function_recurrence": round(recurrence([set(each["portrait"].functions) for each in results]), 4),
        "function_recurrence_in_all": round(result.duplicate_functions / max(1, result.functions), 4),
        "ngram_recurrence": round(recurrence([_grams(each["instructions"]) for each in results]), 4),
        "variety": variety([each["traits"] for each in results]),
        **_means(results),
        "kinds": result.kinds,
        "categories": len(result.categories),
    }


def sentences() -> Iterable[str]:
    """Different scenario sentences: one trade after the other, and again with where or for whom."""
    trades = SENTENCES.read_text(encoding="utf-8").splitlines()
    for number in itertools.count():
        place = PLACES[number % len(PLACES)]
        again = f" in {number // len(PLACES) + 1} towns" if number >= len(PLACES) else ""
        for trade in trades:
            yield f"{trade} {place}".strip() + again


def variety(worlds: Sequence[dict[str, Any]]) -> dict[str, float]:
    """By trait, the share of all pairs of worlds that differ in it; empty for fewer than two worlds."""
    pairs = [*itertools.combinations(worlds, 2)]
    if not pairs:
        return {}
    return {
        trait: round(statistics.fmean(one[trait] != other[trait] for one, other in pairs), 4)
        for trait in worlds[0]
    }


def traits_of(environment: Environment, sentence: str, seed: int) -> dict[str, Any]:
    """What a world has of each trait in which worlds may differ besides their business."""
    from synthesis.procedural.business.author import style_of

    tasks = environment.tasks.tasks
    return {
        **asdict(style_of(sentence, seed=seed)),
        "tables": len(environment.schema.tables),
        "tools": len(environment.tools.tools),
        "tasks": len(tasks),
        "task_kinds": tuple(sorted((task.kind, task.difficulty) for task in tasks)),
    }


def recurrence(worlds: Sequence[frozenset[Any] | set[Any]]) -> float:
    """Mean share of what a world has, its instructions' 4-grams or the code of its tools, that some of the
    worlds that follow it have, too.
    """
    shares = []
    for place, own in enumerate(worlds):
        others = [
            worlds[(place + step) % len(worlds)] for step in range(1, min(COMPARED, len(worlds) - 1) + 1)
        ]
        seen = set().union(*others) if others else set()
        shares.append(len(own & seen) / len(own) if own else 0.0)
    return statistics.fmean(shares) if shares else 0.0


def _grams(instructions: Sequence[str]) -> set[tuple[str, ...]]:
    found = set()
    for text in instructions:
        words = re.findall(r"[a-z0-9']+", text.lower())
        found |= {tuple(words[place : place + _GRAM]) for place in range(len(words) - _GRAM + 1)}
    return found


def _means(results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The figures of tasks and rows over all worlds."""
    tasks = [task for each in results for task in each["tasks"]]
    depths = {
        level: round(statistics.fmean(depth), 2)
        for level in ("easy", "medium", "hard")
        if (depth := [task["depth"] for task in tasks if task["difficulty"] == level])
    }
    counted = [each["figures"] for each in results if each["figures"]]
    total = {name: sum(each[name] for each in counted) for name in (counted[0] if counted else ())}
    return {
        "fidelity": round(statistics.fmean(each["fidelity"] for each in results), 4),
        "role_share": round(statistics.fmean(each["role_share"] for each in results), 4),
        "depth": depths,
        "difficulty": {level: sum(task["difficulty"] == level for task in tasks) for level in depths},
        "dependent_share": round(sum(task["dependent"] for task in tasks) / len(tasks), 4),
        "list_share": round(sum(task["list"] for task in tasks) / len(tasks), 4),
        "row_faults": total.get("row_faults"),
        "policy_only_share": (
            round(total["policy_only"] / total["policy_runs"], 4) if total.get("policy_runs") else None
        ),
        "weak_agents": round(total["failed"] / total["runs"], 4) if total.get("runs") else None,
        "weak_agent_runs": total.get("runs"),
    }


def _one(work: tuple[str, int, bool]) -> dict[str, Any]:
    """Compose one environment, prove it, and keep its figures."""
    from synthesis.procedural.business.author import compose
    from synthesis.procedural.sentence.reader import parse
    from synthesis.procedural.sentence.roles import role_share
    from synthesis.verification.checks import check_environment

    sentence, seed, proved = work
    began = time.perf_counter()
    environment = compose(sentence, seed=seed)
    composed = time.perf_counter() - began
    report = check_environment(environment) if proved else None
    rebuilt = seed % REBUILT_EVERY == 0
    same = compose(sentence, seed=seed).fingerprint == environment.fingerprint if rebuilt else None
    reading = environment.scenario.reading
    return {
        "sentence": sentence,
        "portrait": diversity_profile(environment),
        "compose_seconds": composed,
        "same": same,
        "failed": [result.claim for result in report.results if not result.passed] if report else [],
        "fidelity": reading.fidelity if reading is not None else 0.0,
        "role_share": role_share(parse(sentence)),
        "instructions": [task.instruction for task in environment.tasks.tasks],
        "tasks": [_task_figures(environment, task) for task in environment.tasks.tasks],
        "traits": traits_of(environment, sentence, seed),
        "figures": _report_figures(report) if report else {},
    }


def _task_figures(environment: Environment, task: Task) -> dict[str, Any]:
    writing = {tool.name for tool in environment.tools.tools if tool.mutates_state}
    written = {call.name for call in task.reference_solution if call.name in writing}
    depth = task.depth or 0
    return {
        "depth": depth,
        "difficulty": task.difficulty,
        "dependent": depth >= 2 or any(each.weakness in _DECISIONS for each in task.temptations),
        "list": len(written) >= 3 and depth <= 2,
    }


def _report_figures(report: CheckReport) -> dict[str, int]:
    figures = {result.claim: result.figures for result in report.results}
    weak = figures["weak_agents_fail"]
    rows = ("moments_are_in_order", "amounts_add_up", "rows_obey_the_policy")
    return {
        "row_faults": sum(int(str(figures[name]["faults"])) for name in rows),
        **{name: int(str(weak[name])) for name in ("runs", "failed", "policy_runs", "policy_only")},
    }


run = main
