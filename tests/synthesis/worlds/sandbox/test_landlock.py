"""Landlock alone, without the filter, so that what it adds can be seen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from synthesis.worlds.sandbox import landlock

ROOT = Path(__file__).parents[4]

ALONE = """
import os, socket, signal, sys
from synthesis.worlds.sandbox import kernel; from synthesis.worlds.sandbox import landlock
kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
version = landlock.restrict()
def outcome(attempt):
    try: attempt()
    except PermissionError: return "refused"
    except OSError as error: return type(error).__name__
    return "done"
print(
    version,
    outcome(lambda: os.open("/etc/passwd", os.O_RDONLY)),
    outcome(lambda: os.mkdir("/tmp/never-made")),
    outcome(lambda: socket.create_connection(("127.0.0.1", 9))),
    outcome(lambda: os.kill(os.getppid(), 0)),
)
"""


def test_it_takes_files_ports_and_signals_away() -> None:
    if landlock.version() < 6:
        pytest.skip("this kernel offers no Landlock of version 6")
    done = subprocess.run(
        [sys.executable, "-c", ALONE],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
    )
    version, *outcomes = done.stdout.split()
    assert int(version) == landlock.version()
    assert outcomes == ["refused"] * 4


@pytest.mark.parametrize(("version", "size"), [(1, 8), (3, 8), (4, 16), (5, 16), (6, 24), (99, 24)])
def test_it_asks_each_kernel_only_for_what_it_knows(version: int, size: int) -> None:
    assert len(landlock._attributes(version)) == size


def test_it_takes_every_right_over_files_that_a_kernel_knows() -> None:
    assert [
        int.from_bytes(landlock._attributes(v)[:8], "little").bit_length() for v in (1, 2, 3, 4, 5, 7)
    ] == [
        13,
        14,
        15,
        15,
        16,
        16,
    ]


def test_a_kernel_without_it_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("synthesis.worlds.sandbox.kernel.call", lambda *arguments: -95)
    assert (landlock.version(), landlock.restrict()) == (0, 0)
