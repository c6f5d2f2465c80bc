"""Suite `paired`: what calls, episodes and MCP cost here and in another checkout, taking turns.

    git worktree add --detach ../before 1811777
    python -m benchmarks paired --json --against ../before

Both run the same load on the same environment, which the other checkout wrote. A turn of one is followed by a
turn of the other, so that what else the machine does meets both. The ratios are of processor time, which
neighbours on the machine hardly change: above 1, this checkout is the cheaper one.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.machine import machine
from benchmarks.sample import Sample, rounded

HERE = Path(__file__).resolve().parent.parent
LOADS = (
    "calls:process",
    "calls:shared",
    "episodes:process",
    "episodes:shared",
    "unanswered:process",
    "unanswered:shared",
    "mcp:process",
    "mcp:shared",
    "proof:process",
)
"""What is done: single calls, ten-call episodes with and without a final answer, calls over MCP, and proofs,
each turn of which proves the same environments once, however long that takes."""


class Side:
    """One checkout under one load, in a process of its own that waits for its turns."""

    def __init__(self, checkout: Path, load: str, subject: Path) -> None:
        self._process = subprocess.Popen(
            _program(load, str(subject)),
            env=_environment(checkout),
            cwd=checkout,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._line()

    def turn(self, seconds: float) -> dict[str, float]:
        """How much was done in so many seconds, and the processor seconds of host and workers."""
        assert self._process.stdin is not None
        print(seconds, file=self._process.stdin, flush=True)
        measured: dict[str, float] = json.loads(self._line())
        return measured

    def close(self) -> None:
        """Let it end."""
        with self._process:  # closes its input
            pass

    def _line(self) -> str:
        assert self._process.stdout is not None
        if line := self._process.stdout.readline():
            return line
        raise RuntimeError(f"The load ended with status {self._process.wait(timeout=60)}; see above.")


def main(arguments: argparse.Namespace) -> dict[str, Any]:
    """The suite's figures.

    Raises:
        SystemExit: No other checkout was named, or it is none.
    """
    if arguments.against is None or not (arguments.against / "benchmarks" / "subject.py").is_file():
        raise SystemExit("Name a checkout to compare with: --against CHECKOUT (see `git worktree add`).")
    if unknown := [load for load in arguments.only or () if load not in LOADS]:
        raise SystemExit(f"There is no load {unknown[0]!r}; there are: {', '.join(LOADS)}.")
    turns, seconds = (2, 1.0) if arguments.quick else (8, 3.0)
    return run(arguments.against.resolve(), loads=arguments.only or LOADS, turns=turns, seconds=seconds)


def run(
    against: Path, *, loads: Sequence[str] = LOADS, turns: int = 8, seconds: float = 3.0
) -> dict[str, Any]:
    """Figures of both checkouts under each load, and their ratios."""
    with tempfile.TemporaryDirectory() as place:
        subject = Path(place) / "subject.json"
        subject.write_bytes(
            subprocess.run(
                _program("subject", place),
                env=_environment(against),
                cwd=against,
                stdout=subprocess.PIPE,
                check=True,
            ).stdout
        )
        results = {load: _compared(against, load, subject, turns, seconds) for load in loads}
    return {
        "suite": "paired",
        "machine": machine(),
        "against": _commit(against),
        "turns": turns,
        "seconds": seconds,
        **results,
    }


def _compared(against: Path, load: str, subject: Path, turns: int, seconds: float) -> dict[str, Any]:
    with _sides((against, HERE), load, subject) as (before, here):
        pairs = [(before.turn(seconds), here.turn(seconds)) for _ in range(turns)]
    ratios = Sample(tuple(_cost(one) / _cost(other) for one, other in pairs))
    sides = {"before": [one for one, _ in pairs], "here": [other for _, other in pairs]}
    return {name: _figures(taken) for name, taken in sides.items()} | {"ratio": ratios.as_json()}


@contextlib.contextmanager
def _sides(checkouts: tuple[Path, Path], load: str, subject: Path) -> Iterator[list[Side]]:
    with contextlib.ExitStack() as stack:
        sides = []
        for checkout in checkouts:
            sides.append(Side(checkout, load, subject))
            stack.callback(sides[-1].close)
        yield sides


def _cost(turn: dict[str, float]) -> float:
    """Processor seconds for each that was done."""
    return (turn["host"] + turn["workers"]) / turn["done"]


def _figures(turns: list[dict[str, float]]) -> dict[str, float]:
    done = sum(turn["done"] for turn in turns)
    return {
        "per_s": rounded(done / sum(turn["seconds"] for turn in turns)),
        "per_core_s": rounded(done / sum(turn["host"] + turn["workers"] for turn in turns)),
        "host_us": rounded(sum(turn["host"] for turn in turns) / done * 1e6),
        "workers_us": rounded(sum(turn["workers"] for turn in turns) / done * 1e6),
    }


def _program(*arguments: str) -> list[str]:
    """The load as a command; -P: nothing beside the script is to hide a module of the same name."""
    return [sys.executable, "-P", str(HERE / "benchmarks" / "paired_load.py"), *arguments]


def _environment(checkout: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(checkout)}


def _commit(checkout: Path) -> str:
    told = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=checkout, capture_output=True, text=True, check=False
    )
    return told.stdout.strip()
