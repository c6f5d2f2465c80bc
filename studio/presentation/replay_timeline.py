"""A trajectory as a strip: a bar per step whose height says how many rows it changed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from studio.models import StepRecord

HEIGHT = 20.0
LEAST = 3.0
"""Height of a bar whose step changed nothing: visible, and lower than any that changed a row."""
LEAST_CHANGE = 8.0
WELL = ("ok", "answered")


@dataclass(frozen=True)
class Bar:
    """One step, in the units of the strip's view box: 1 wide, `HEIGHT` high."""

    index: int
    x: int
    y: float
    height: float
    kind: Literal["changed", "failed", "quiet"]


def timeline(outline: Sequence[StepRecord]) -> dict[str, Any]:
    """The bars of a trajectory's steps, and how many of them changed rows or failed."""
    most = max((step.changed_rows for step in outline), default=0)
    bars = [_bar(place, step, most) for place, step in enumerate(outline)]
    return {
        "timeline": bars,
        "changing": sum(1 for step in outline if step.changed_rows),
        "failing": sum(1 for bar in bars if bar.kind == "failed"),
    }


def _bar(place: int, step: StepRecord, most: int) -> Bar:
    height = LEAST
    if step.changed_rows:
        # Logarithmic: one row stays visible beside an import of thousands.
        share = math.log1p(step.changed_rows) / math.log1p(most)
        height = round(LEAST_CHANGE + (HEIGHT - LEAST_CHANGE) * share, 2)
    kind: Literal["changed", "failed", "quiet"] = "changed" if step.changed_rows else "quiet"
    if step.status not in WELL:
        kind = "failed"
    return Bar(step.index, place, round(HEIGHT - height, 2), height, kind)
