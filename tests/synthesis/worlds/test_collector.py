"""A tuned collector sets aside what there was and still finds cycles among what came."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Iterator

import pytest

from synthesis.worlds.collector import seldom_collecting

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


@pytest.fixture
def thresholds() -> Iterator[tuple[int, int, int]]:
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield gc.get_threshold()
    gc.set_threshold(*before)


def test_cycles_are_looked_for_less_often_until_the_last_proof_has_ended(
    thresholds: tuple[int, int, int],
) -> None:
    with seldom_collecting():
        with seldom_collecting():
            assert gc.get_threshold()[0] > thresholds[0]
        assert gc.get_threshold()[0] > thresholds[0]
    assert gc.get_threshold() == thresholds


@pytest.mark.parametrize("first", [0, 1_000_000])
def test_a_collector_that_looks_less_often_or_never_stays_as_it_is(
    thresholds: tuple[int, int, int], first: int
) -> None:
    gc.set_threshold(first, *thresholds[1:])
    with seldom_collecting():
        assert gc.get_threshold()[0] == first
    assert gc.get_threshold() == (first, *thresholds[1:])


def test_thresholds_come_back_after_an_error(thresholds: tuple[int, int, int]) -> None:
    with pytest.raises(KeyError), seldom_collecting():
        raise KeyError
    assert gc.get_threshold() == thresholds
