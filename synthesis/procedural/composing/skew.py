"""Skew: choosing rows as customers come back, unevenly."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

Row = dict[str, Any]


def skewed(rng: random.Random, choices: Sequence[Row]) -> Row:
    """One of the rows, the first ones more often, as customers come back unevenly."""
    weights = [1 / (place + 2) for place in range(len(choices))]
    return rng.choices(list(choices), weights)[0]
