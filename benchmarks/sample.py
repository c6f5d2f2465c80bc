"""Sample: repeated measurements of one thing."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    """Measurements in one unit; machines are noisy, so the median counts and the spread stands beside it."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    def percentile(self, percent: float) -> float:
        ordered = sorted(self.values)
        return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]

    def as_json(self) -> dict[str, float]:
        return {
            "median": rounded(self.median),
            "p10": rounded(self.percentile(10)),
            "p90": rounded(self.percentile(90)),
            "worst": rounded(max(self.values)),
            "n": len(self.values),
        }


def rounded(value: float) -> float:
    """Four significant digits."""
    return float(f"{value:.4g}")


def milliseconds(action: Callable[[], object], times: int, *, warm_up: int = 1) -> Sample:
    """How long an action takes, each time."""
    for _ in range(warm_up):
        action()
    values = []
    for _ in range(times):
        began = time.perf_counter()
        action()
        values.append((time.perf_counter() - began) * 1000)
    return Sample(tuple(values))
