"""A tuned collector sets aside what there was and still finds cycles among what came."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import gc, weakref
from synthesis.worlds.collector import tune_collector

class Ring:
    pass

def ring():
    one = Ring()
    one.self = one
    return weakref.ref(one)

tune_collector()
assert gc.isenabled() and gc.get_freeze_count() > 1_000
first = ring()
kept = [[] for _ in range(25_000)]
assert first() is None
"""


def test_cycles_are_still_found_and_what_was_there_is_not_looked_through() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
