"""Which tests execute which line of a module, and runs of tests against a copy of the repository."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from coverage import CoverageData

_PYTEST = [
    "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:schemathesis", "-p", "no:playwright",
    "-p", "no:faker", "-p", "no:typeguard", "-m", "not at_length",
]  # fmt: skip
_MOST_SECONDS = 1_200.0
_CONFIGURATION = "[run]\ndynamic_context = test_function\ndata_file = {data}\ninclude = {module}\n"


@dataclass(frozen=True)
class Covering:
    """The tests of a module.

    Attributes:
        tests: Paths of all of them, relative to the repository.
        by_line: Line to the pytest addresses of the test functions that execute it.
        seconds: How long all of them took, coverage included.
    """

    tests: tuple[str, ...]
    by_line: Mapping[int, tuple[str, ...]]
    seconds: float

    def tests_of(self, line: int) -> tuple[str, ...]:
        """What to run when a line changes.

        All tests, where no test function executes it: it runs at import, in a fixture or in another process.
        """
        return self.by_line.get(line) or self.tests


def measured(copy: Path, module: str, tests: tuple[str, ...]) -> Covering | None:
    """Run the tests once and see which lines of the module each executes; None when one fails."""
    data, configuration = copy / ".coverage.mutation", copy / ".coveragerc.mutation"
    data.unlink(missing_ok=True)
    configuration.write_text(_CONFIGURATION.format(data=data, module=copy / module))
    began = time.monotonic()
    if _run(copy, ["coverage", "run", f"--rcfile={configuration}", "-m"], tests, _MOST_SECONDS, store=True):
        return None
    seconds = time.monotonic() - began
    return Covering(tests, _by_line(data, str(copy / module), copy), seconds)


def run_tests(copy: Path, tests: tuple[str, ...], seconds: float) -> int:
    """The status of the tests; 1 when they take longer than so many seconds."""
    return _run(copy, [], tests, seconds, store=False)


def _by_line(data: Path, module: str, copy: Path) -> dict[int, tuple[str, ...]]:
    recorded = CoverageData(str(data))
    recorded.read()
    contexts = recorded.contexts_by_lineno(module)
    addresses = {line: {_address(copy, name) for name in names if name} for line, names in contexts.items()}
    # A line that runs outside test functions, too, is some fixture's; every test may notice its change.
    return {
        line: tuple(sorted(each for each in found if each))
        for line, found in addresses.items()
        if found and "" not in found and "" not in contexts[line]
    }


def _address(copy: Path, context: str) -> str:
    """`tests.a.test_b.test_c` as pytest spells it; nothing for what is no function of a test module."""
    module, _, function = context.rpartition(".")
    path = Path(*module.split(".")).with_suffix(".py")
    return f"{path.as_posix()}::{function}" if (copy / path).is_file() else ""


def _run(copy: Path, prefix: list[str], tests: tuple[str, ...], seconds: float, *, store: bool) -> int:
    """Run pytest in the copy.

    Args:
        copy: The repository's.
        prefix: Module that runs pytest, and its arguments.
        tests: Paths or addresses.
        seconds: After which it counts as failed.
        store: Whether compiled modules are written. They are when nothing is changed; a change is never
            compiled into the copy, since one of the same second and size would be taken for another.
    """
    command = [sys.executable, "-m", *prefix, *_PYTEST, *tests]
    environ = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "" if store else "1"}
    try:
        return subprocess.run(
            command, cwd=copy, env=environ, timeout=seconds, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, check=False,
        ).returncode  # fmt: skip
    except subprocess.TimeoutExpired:
        return 1
