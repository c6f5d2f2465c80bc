"""Suite `proof`: how sound and complete proving is, how long it takes, and which planted faults it finds.

Every environment is made by the procedural author. `mutants` are wrong ends (near-misses of the end state,
calls left out, wrong answers), `equivalents` other right ways; `exceptions` names each that was judged
wrongly.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.machine import machine
from benchmarks.planted_faults import FAULTS
from synthesis.bundles.open import open_bundle
from synthesis.documents.check_report import CheckReport
from synthesis.documents.environment import Environment
from synthesis.procedural.author import compose
from synthesis.verification.checks import check_environment
from synthesis.worlds.world import World

DEFAULT_COUNT, QUICK_COUNT = 200, 4
CLINIC = Path(__file__).parent.parent / "tests" / "data" / "clinic_front_desk"
APPLICATIONS = (
    "A municipal library lends books, games and tools",
    "The front desk of a veterinary clinic",
    "A bicycle repair shop takes orders and invoices its customers",
    "A co-working space rents desks and meeting rooms to members",
    "An online shop sells coffee and ships it",
    "A music school gives lessons and rents out instruments",
    "A property manager handles tenants, rents and repairs",
    "A museum sells tickets and memberships and runs guided tours",
    "A help desk answers tickets of a software company",
    "A catering company plans events and bills them",
    "A car rental with several stations",
    "A food bank collects donations and hands out parcels",
    "A gym with courses, trainers and memberships",
    "A laboratory receives samples and sends reports",
    "A hotel takes bookings, cleans rooms and collects payments",
    "A wholesaler with a warehouse, suppliers and purchase orders",
    "A community college enrols students in courses",
    "A theatre with a box office and a costume store",
    "A plumber's office schedules jobs and orders parts",
    "An insurance broker keeps policies and claims",
)
_MUTANT_CLAIMS = ("near_misses_are_refused", "wrong_answers_are_refused")


def main(arguments: argparse.Namespace) -> dict[str, Any]:
    """The suite as `python -m benchmarks proof` runs it; `--count` environments, each planted fault once."""
    quick = bool(getattr(arguments, "quick", False))
    return run(count=getattr(arguments, "count", None) or (QUICK_COUNT if quick else DEFAULT_COUNT))


def run(*, count: int, planted: bool = True) -> dict[str, Any]:
    """Prove that many environments and look for every planted fault.

    Args:
        count: Environments.
        planted: Whether the planted faults are looked for.
    """
    figures: dict[str, Any] = {"suite": "proof", "machine": machine(), "environments": count}
    totals = dict.fromkeys(("mutants", "mutants_refused", "equivalents", "equivalents_accepted"), 0)
    seconds, sizes, exceptions, failed = [], [], [], []
    for number in range(count):
        environment = compose(APPLICATIONS[number % len(APPLICATIONS)], seed=number)
        report, took = _proved(environment)
        seconds.append(took)
        sizes.append(environment.counts)
        for key, value in counted(report).items():
            totals[key] += value
        exceptions += [
            {"environment": number, "part": f.part, "where": f.where, "check": f.check, "message": f.message}
            for f in report.findings
            if f.blocks
        ]
        failed += [] if report.passed else [number]
        if sys.stderr.isatty():
            print(f"\r{number + 1} of {count}", end="", file=sys.stderr, flush=True)
    figures |= totals
    figures |= {
        "seconds_per_environment": round(statistics.median(seconds), 3) if seconds else None,
        "slowest_environment_seconds": round(max(seconds), 3) if seconds else None,
        "environments_with_findings": failed,
        "tools_median": statistics.median(size["tools"] for size in sizes) if sizes else None,
        "exceptions": exceptions[:100],
    }
    return figures | (_planted() if planted else {})


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


def _proved(environment: Environment) -> tuple[CheckReport, float]:
    with World(environment) as world:
        began = time.perf_counter()
        report = check_environment(environment, world=world)
        return report, time.perf_counter() - began


def _planted() -> dict[str, Any]:
    clinic = open_bundle(CLINIC).environment
    missed = []
    for fault in FAULTS:
        report = check_environment(fault.plant(clinic), stop_at_first=True)
        blocking = [finding for finding in report.findings if finding.blocks]
        if not blocking or blocking[0].part != fault.part:
            missed.append(fault.name)
    return {"planted": len(FAULTS), "planted_found": len(FAULTS) - len(missed), "planted_missed": missed}
