"""Suite `proof`: how sound and complete proving is, how long it takes, and which planted faults it finds.

The environments are those of `proof_subjects`: the clinic, a recorded model's, some from public schemas, the
others from sentences. `mutants` are near-misses (of the end state, calls left out, wrong answers),
`equivalents` equivalent solutions; `exceptions` names each that was judged wrongly.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import statistics
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import synthesis
from benchmarks.machine import machine
from benchmarks.memory import descendants
from benchmarks.planted_building_faults import BUILDING_FAULTS
from benchmarks.planted_faults import FAULTS, Fault
from benchmarks.planted_state_faults import STATE_FAULTS
from benchmarks.planted_task_faults import TASK_FAULTS
from benchmarks.planted_tool_faults import TOOL_FAULTS
from benchmarks.processor_time import spent
from benchmarks.proof_subjects import CLINIC, environment_of, name_of
from benchmarks.right_variants import RIGHT_VARIANTS
from synthesis.bundles.open import open_bundle
from synthesis.documents.check_report import CheckReport
from synthesis.verification.checks import check_environment
from synthesis.worlds.sandbox.fork_client import fork_client

DEFAULT_COUNT, QUICK_COUNT = 200, 4
QUICK_EACH = 6
"""Of all planted faults, and of all right variants, every so many are tried in a quick run."""
ALL_FAULTS = (*FAULTS, *TOOL_FAULTS, *TASK_FAULTS, *STATE_FAULTS, *BUILDING_FAULTS)
_EXIT_SECONDS = 10.0
_MUTANT_CLAIMS = ("near_misses_are_refused", "wrong_answers_are_refused")


def main(arguments: argparse.Namespace) -> dict[str, Any]:
    """The suite as `python -m benchmarks proof` runs it; `--count` environments, each planted fault once."""
    quick = bool(getattr(arguments, "quick", False))
    return run(
        count=getattr(arguments, "count", None) or (QUICK_COUNT if quick else DEFAULT_COUNT),
        resume=getattr(arguments, "resume", None),
        planted=not getattr(arguments, "unplanted", False),
        each=QUICK_EACH if quick else 1,
    )


def run(*, count: int, planted: bool = True, resume: Path | None = None, each: int = 1) -> dict[str, Any]:
    """Prove that many environments on all cores and look for every planted fault.

    Args:
        count: Environments.
        planted: Whether the planted faults are looked for.
        each: Every so many of the planted faults and right variants are tried.
        resume: A file that takes one JSON line per environment as soon as it is proved. Lines that are there
            and were made by this very code are not measured again.
    """
    figures: dict[str, Any] = {"suite": "proof", "machine": machine(), "environments": count}
    lines = _proved_all(count, resume)
    for key in ("mutants", "mutants_refused", "equivalents", "equivalents_accepted"):
        figures[key] = sum(line[key] for line in lines)
    figures |= {
        "seconds_per_environment": _median(lines, "seconds"),
        "processor_seconds_per_environment": _median(lines, "processor_seconds"),
        "slowest_environment_seconds": max((line["seconds"] for line in lines), default=None),
        "slowest_environment_processor_seconds": max(
            (line["processor_seconds"] for line in lines), default=None
        ),
        "environments_per_minute": _per_minute(lines),
        "environments_with_findings": [line["number"] for line in lines if not line["passed"]],
        "tools_median": _median(lines, "tools"),
        "exceptions": [result for line in lines for result in line["exceptions"]],
        "warnings": dict(sum((Counter(line["warnings"]) for line in lines), Counter())),
    }
    figures["strength"] = _strength(lines)
    figures["false_alarms"] = [line["number"] for line in lines if not line["passed"]]
    return figures | (_planted(each) | _right(each) if planted else {})


def _proved_all(count: int, resume: Path | None) -> list[dict[str, Any]]:
    """One line per environment, in order."""
    code = _code()
    entries: dict[int, dict[str, Any]] = {}
    if resume is not None and resume.exists():
        results = [json.loads(line) for line in resume.read_text(encoding="utf-8").splitlines() if line]
        entries = {
            line["number"]: line for line in results if line["code"] == code and line["number"] < count
        }
    missing = [number for number in range(count) if number not in entries]
    cores = max(1, min(_cores(), len(missing)))
    with ProcessPoolExecutor(cores) as pool:
        for waiting in as_completed([pool.submit(prove_one, number) for number in missing]):
            line = waiting.result()
            entries[line["number"]] = line
            if resume is not None:
                with resume.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({**line, "code": code}) + "\n")
            if sys.stderr.isatty():
                print(f"\r{len(entries)} of {count}", end="", file=sys.stderr, flush=True)
    return [entries[number] for number in sorted(entries)]


def prove_one(number: int) -> dict[str, Any]:
    """Compose and prove one environment: what was tried, what was found and what it cost.

    `seconds` and `processor_seconds` are of the proof alone, with making the world; `compose_seconds` is
    processor time.
    """
    began = time.process_time()
    environment = environment_of(number)
    composed = time.process_time() - began
    fork_client()
    started, at = time.perf_counter(), spent()
    report = check_environment(environment)
    took = time.perf_counter() - started
    _wait_until_workers_are_gone()
    return {
        "number": number,
        "subject": name_of(number),
        "passed": report.passed,
        "seconds": round(took, 3),
        "processor_seconds": round(spent() - at, 3),
        "compose_seconds": round(composed, 3),
        "ended": time.time(),
        "tools": environment.counts["tools"],
        **counted(report),
        "weakenings": _weakenings(report),
        "exceptions": [
            {"environment": number, "part": f.part, "where": f.where, "check": f.check, "message": f.message}
            for f in report.findings
            if f.blocks
        ],
        "warnings": dict(Counter(f.check for f in report.findings if not f.blocks)),
    }


def _wait_until_workers_are_gone() -> None:
    """Processor time of an ended worker counts only when it has been waited for."""
    until, server = time.perf_counter() + _EXIT_SECONDS, fork_client().pid
    while descendants(server) != {server} and time.perf_counter() < until:
        time.sleep(0.02)


def _code() -> str:
    """A digest of the engine's source: a line that other code made says nothing about this one."""
    digest = hashlib.sha256()
    for path in sorted(Path(synthesis.__file__).parent.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _median(lines: Sequence[Mapping[str, Any]], key: str) -> float | None:
    return round(statistics.median(line[key] for line in lines), 3) if lines else None


def _per_minute(lines: Sequence[Mapping[str, Any]]) -> float | None:
    """Environments that this machine's cores compose and prove in a minute if nothing else runs."""
    spent_each = sum(line["processor_seconds"] + line["compose_seconds"] for line in lines)
    return round(60 * _cores() * len(lines) / spent_each, 1) if lines else None


def counted(report: CheckReport) -> dict[str, int]:
    """Mutants and equivalents of one report."""
    figures = {result.claim: result.figures for result in report.results}
    others = figures.get("equivalent_solutions_are_accepted", {})

    def number(claim: str, name: str) -> int:
        value = figures.get(claim, {}).get(name, 0)
        return value if isinstance(value, int) else 0

    return {
        "mutants": sum(number(claim, "mutants") for claim in _MUTANT_CLAIMS),
        "mutants_refused": sum(number(claim, "refused") for claim in _MUTANT_CLAIMS),
        "equivalents": number("equivalent_solutions_are_accepted", "equivalents") if others else 0,
        "equivalents_accepted": number("equivalent_solutions_are_accepted", "accepted") if others else 0,
    }


def _weakenings(report: CheckReport) -> dict[str, dict[str, float]]:
    """Of one report, by kind of weakening: how many there were and which share was noticed."""
    figures: Any = {}
    for result in report.results:
        if "strength" in result.figures:
            figures = result.figures
    counts: Any = figures.get("counts") or {}
    by_kind: Any = figures.get("by_kind") or {}
    return {
        kind: {"share": share, "weakenings": counts.get(kind, 1)} for kind, share in sorted(by_kind.items())
    }


def _strength(lines: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """By kind: the share of the weakenings of all environments that some near-miss noticed."""
    noticed: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for line in lines:
        for kind, figures in line.get("weakenings", {}).items():
            every[kind] += figures["weakenings"]
            noticed[kind] += figures["share"] * figures["weakenings"]
    return {kind: round(noticed[kind] / every[kind], 4) for kind in sorted(every) if every[kind]}


def _planted(each: int) -> dict[str, Any]:
    faults = ALL_FAULTS[::each]
    with ProcessPoolExecutor(_cores()) as pool:
        blamed = dict(pool.map(_first_blamed, range(0, len(ALL_FAULTS), each)))
    missed = [fault.name for fault in faults if not blamed[fault.name]]
    misplaced = [fault.name for fault in faults if blamed[fault.name] not in ("", fault.part)]
    return {
        "planted": len(faults),
        "planted_found": len(faults) - len(missed),
        "planted_missed": missed,
        "planted_blamed_rightly": len(faults) - len(missed) - len(misplaced),
        "planted_blamed_wrongly": misplaced,
    }


def _first_blamed(number: int) -> tuple[str, str]:
    """A planted fault's name, and the part that is blamed first; "" where it was not found."""
    fault = ALL_FAULTS[number]
    report = check_environment(fault.plant(open_bundle(CLINIC).environment), stop_at_first=True)
    return fault.name, next(iter(_parts_blamed(fault, report)), "")


def _parts_blamed(fault: Fault, report: CheckReport) -> list[str]:
    """Parts at fault, the first one first; those of warnings where the fault's claim finds no more."""
    blocking: list[str] = [finding.part for finding in report.findings if finding.blocks]
    return blocking or [finding.part for finding in report.findings if finding.check == fault.claim]


def _right(each: int) -> dict[str, Any]:
    """Right variants of the clinic, and those of them in which something was found."""
    numbers = range(0, len(RIGHT_VARIANTS), each)
    with ProcessPoolExecutor(_cores()) as pool:
        alarms = [alarm for alarm in pool.map(_first_alarm, numbers) if alarm]
    return {"right_variants": len(numbers), "right_variants_with_findings": alarms}


def _first_alarm(number: int) -> str:
    variant = RIGHT_VARIANTS[number]
    report = check_environment(variant.plant(open_bundle(CLINIC).environment))
    return next((f"{variant.name}: {f.check} {f.where}" for f in report.findings if f.blocks), "")


def _cores() -> int:
    return len(os.sched_getaffinity(0))
