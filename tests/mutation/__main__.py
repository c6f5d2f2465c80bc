"""`python -m tests.mutation`: change what decides, one place at a time, and see whether the tests notice.

The changes are made in a copy of the repository. A first run of a module's tests, unchanged, records which
of them execute which line; a changed line is tried with those first, then with all. Prints the
survivors, and per room the share that survived and how many lines of tests there are for a line of code.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from tests.mutation.covering import Covering, measured, run_tests
from tests.mutation.mutants import Mutant, mutants_of, sample
from tests.mutation.rooms import ROOMS, Room

ROOT = Path(__file__).parents[2]
_COPIED = (
    "synthesis",
    "studio",
    "tests",
    "templates",
    "static",
    "docs",
    "benchmarks",
    "manage.py",
    "pyproject.toml",
)
_LEAST_SECONDS, _TIMES_SLOWER = 20.0, 4.0
"""A changed module may make its tests run for ever."""


def main() -> int:
    """Measure; 1 when more survived than may."""
    arguments = _arguments()
    with tempfile.TemporaryDirectory(prefix="mutation-") as place:
        copy = Path(place)
        for name in _COPIED:
            source = ROOT / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, copy / name)
        figures = {name: _room(copy, name, ROOMS[name], arguments) for name in arguments.rooms}
    print(json.dumps(figures, indent=2))
    return int(any(each["survived_share"] > arguments.most for each in figures.values()))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests.mutation", description=__doc__.splitlines()[0])
    parser.add_argument(
        "rooms", nargs="*", default=list(ROOMS), help=f"of {', '.join(ROOMS)}; all by default"
    )
    parser.add_argument("--sample", type=int, default=30, help="mutants of each room (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="which mutants (%(default)s)")
    parser.add_argument("--most", type=float, default=0.1, help="share that may survive (%(default)s)")
    return parser.parse_args()


def _room(copy: Path, name: str, room: Room, arguments: argparse.Namespace) -> dict[str, Any]:
    every = [mutant for module in room for mutant in mutants_of(copy, module)]
    chosen = sample(copy, every, arguments.sample, arguments.seed)
    modules = sorted({mutant.module for mutant in chosen})
    coverings = {module: _covering(copy, module, room[module]) for module in modules}
    survivors = []
    for mutant in chosen:
        killed = _is_killed(copy, mutant, coverings[mutant.module])
        print(
            f"{'killed  ' if killed else 'SURVIVED'} {name}: {_described(mutant)}",
            file=sys.stderr,
            flush=True,
        )
        if not killed:
            survivors.append(mutant)
    return {
        "mutants": len(every),
        "tried": len(chosen),
        "survived": len(survivors),
        "survived_share": round(len(survivors) / max(1, len(chosen)), 3),
        "survivors": [_described(mutant) for mutant in survivors],
        "test_lines_per_code_line": _ratio(room),
    }


def _covering(copy: Path, module: str, tests: tuple[str, ...]) -> Covering:
    """Which tests execute which lines of a module.

    Raises:
        SystemExit: They fail before anything is changed.
    """
    covering = measured(copy, module, tests)
    if covering is None:
        sys.exit(f"{' '.join(tests)} fails before anything is changed.")
    return covering


def _is_killed(copy: Path, mutant: Mutant, covering: Covering) -> bool:
    path = copy / mutant.module
    source = path.read_text()
    path.write_text(mutant.code(source))
    seconds = max(_LEAST_SECONDS, _TIMES_SLOWER * covering.seconds)
    try:
        fewest = covering.tests_of(mutant.line)
        # What runs in another process is not recorded: who survives is tried with all tests of the module.
        return any(run_tests(copy, tests, seconds) != 0 for tests in dict.fromkeys((fewest, covering.tests)))
    finally:
        path.write_text(source)


def _described(mutant: Mutant) -> str:
    line = (ROOT / mutant.module).read_text().splitlines()[mutant.line - 1].strip()
    return f"{mutant.module}:{mutant.line} {mutant.operator.partition('/')[2]}#{mutant.occurrence}: {line}"


def _ratio(room: Room) -> float:
    files = {path for tests in room.values() for each in tests for path in _python(ROOT / each)}
    lines = Counter(tests=sum(map(_lines, files)), code=sum(_lines(ROOT / module) for module in room))
    return round(lines["tests"] / lines["code"], 2)


def _python(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


def _lines(path: Path) -> int:
    return len(path.read_text().splitlines())


if __name__ == "__main__":
    raise SystemExit(main())
