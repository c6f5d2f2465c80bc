"""`python -m benchmarks SUITE [--json] [--quick] [--soak]`: one table, or one JSON object."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

SUITES = (
    "worlds",
    "pages",
    "synthesis",
    "proof",
    "procedural",
    "derivation",
    "rollouts",
    "prompts",
    "hostile",
    "answers",
    "interop",
    "load",
    "paired",
)
"""Names of suites: `benchmarks/<name>.py` with `main(arguments) -> dict`, or `run`."""


def main(argv: list[str] | None = None) -> int:
    arguments = parser().parse_args(argv)
    wanted = (
        [name for name in SUITES if _exists(name) and name != "paired"]
        if arguments.suite == "all"
        else [arguments.suite]
    )
    for name in wanted:
        if not _exists(name):
            print(
                f"There is no benchmark suite {name!r} yet; there are: {', '.join(filter(_exists, SUITES))}.",
                file=sys.stderr,
            )
            return 1
        figures = _suite(name)(arguments)
        if arguments.json:
            print(json.dumps(figures), flush=True)
        else:
            show(figures)
    return 0


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Measure what the goal tables promise."
    )
    top.add_argument("suite", nargs="?", default="all", choices=("all", *SUITES), metavar="SUITE")
    top.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    top.add_argument("--quick", action="store_true", help="fewer repetitions; ends within a minute")
    top.add_argument("--soak", action="store_true", help="worlds: a million calls, memory every 10,000")
    top.add_argument(
        "--count",
        type=int,
        help="synthesis, procedural, proof, pages, load: environments; rollouts: stored trajectories",
    )
    top.add_argument("--people", type=int, help="load: reviewers at once")
    top.add_argument(
        "--batch",
        type=int,
        metavar="N",
        help="load: instead, N environments while workers are killed and the broker is restarted",
    )
    top.add_argument("--hosts", action="store_true", help="load: instead, two hosts beside one")
    top.add_argument(
        "--broker", choices=("redis", "rabbitmq"), default="redis", help="load --batch: which (redis)"
    )
    top.add_argument("--unproved", action="store_true", help="procedural: compose without trying the claims")
    top.add_argument("--unplanted", action="store_true", help="proof: leave the planted faults out")
    top.add_argument(
        "--delay",
        type=float,
        nargs=2,
        metavar=("FROM", "TO"),
        help="synthesis: seconds before the endpoint answers (0.2 2); real models take tens",
    )
    top.add_argument("--unkilled", action="store_true", help="synthesis: leave the killed workers out")
    top.add_argument(
        "--resume", type=Path, help="proof: a file of lines that are kept and not measured again"
    )
    top.add_argument("--calls", type=int, help="worlds --soak: another number of calls")
    top.add_argument(
        "--bundle",
        type=Path,
        help="worlds: measure this bundle instead of a procedural one; prompts: instead of the clinic",
    )
    top.add_argument("--against", type=Path, help="paired: the checkout to compare with")
    top.add_argument("--only", action="append", help="paired: one of its loads; can be given more than once")
    return top


def show(figures: dict[str, Any]) -> None:
    """A table with a row per figure and a column per mode."""
    console = Console()
    modes = [name for name, value in figures.items() if isinstance(value, dict) and "first_call_ms" in value]
    if not modes:
        console.print_json(json.dumps(figures))
        return
    table = Table(
        title=f"{figures['suite']}: medians on {figures['machine']['cores']} cores", title_justify="left"
    )
    table.add_column("figure", min_width=max(map(len, figures[modes[0]])))
    for mode in modes:
        table.add_column(mode, justify="right")
        if "ratio" in figures[mode]:
            table.add_column("times better", justify="right")
    for key in figures[modes[0]]:
        if isinstance(figures[modes[0]][key], dict):
            continue
        row = [key]
        for mode in modes:
            value = figures[mode].get(key)
            row.append("" if value is None else f"{value:,g}")
            if "ratio" in figures[mode]:
                ratio = figures[mode]["ratio"].get(key)
                row.append("" if ratio is None else f"{ratio:,.3g}")
        table.add_row(*row)
    console.print(table)


def _exists(name: str) -> bool:
    return find_spec(f"benchmarks.{name}") is not None


def _suite(name: str) -> Callable[[argparse.Namespace], dict[str, Any]]:
    if name == "worlds":
        return _worlds
    suite: Callable[[argparse.Namespace], dict[str, Any]] = import_module(f"benchmarks.{name}").main
    return suite


def _worlds(arguments: argparse.Namespace) -> dict[str, Any]:
    from benchmarks import soak, worlds

    if arguments.soak:
        report = lambda reading: print(json.dumps(reading), file=sys.stderr, flush=True)  # noqa: E731
        return soak.run(calls=arguments.calls or soak.CALLS, bundle=arguments.bundle, report=report)
    return worlds.run(effort=worlds.QUICK if arguments.quick else worlds.FULL, bundle=arguments.bundle)


if __name__ == "__main__":
    raise SystemExit(main())
