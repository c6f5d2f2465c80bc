"""The suite `paired` runs one load in two checkouts by turns. Never how fast: machines differ."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from benchmarks import paired

ROOT = Path(__file__).parents[2]


@pytest.mark.at_length
def test_every_load_is_measured_on_both_sides_and_put_in_relation() -> None:
    figures = paired.run(ROOT, turns=1, seconds=0.2)
    for load in paired.LOADS:
        measured = figures[load]
        for side in ("before", "here"):
            assert measured[side]["per_s"] > 0
            assert measured[side]["host_us"] > 0
        relation = measured["here"]["per_core_s"] / measured["before"]["per_core_s"]
        assert measured["ratio"]["median"] == pytest.approx(relation, rel=0.01)


@pytest.mark.parametrize("against", [None, Path("/nowhere")])
def test_what_it_is_compared_with_has_to_be_a_checkout(against: Path | None) -> None:
    with pytest.raises(SystemExit, match="--against CHECKOUT"):
        paired.main(argparse.Namespace(against=against, quick=True, only=None))


def test_a_load_that_does_not_exist_is_named() -> None:
    with pytest.raises(SystemExit, match="episodes:shared"):
        paired.main(argparse.Namespace(against=ROOT, quick=True, only=["episodes"]))
