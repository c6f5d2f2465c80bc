"""Metrics: counters and one histogram in Prometheus' text format."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping

_BOUNDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """What one server process counted since it started. Used from its event loop only."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str, str]] = Counter()
        self._buckets = [0] * (len(_BOUNDS) + 1)
        self._seconds = 0.0

    def count(self, name: str, label: str = "", value: str = "") -> None:
        """Add one to a counter, optionally under one label."""
        self.counts[name, label, value] += 1

    def call(self, status: str, seconds: float) -> None:
        """One tool call that ended so after so many seconds."""
        self.count("worldwright_calls_total", "status", status)
        self._buckets[bisect_left(_BOUNDS, seconds)] += 1
        self._seconds += seconds

    def text(self, gauges: dict[str, float], counts: Mapping[tuple[str, str, str], int] | None = None) -> str:
        """Everything as Prometheus reads it.

        Args:
            gauges: Values of the moment by name.
            counts: What was counted elsewhere, by name, label and its value.
        """
        lines = [
            line
            for name, value in gauges.items()
            for line in (f"# TYPE {name} gauge", f"{name} {value:.12g}")
        ]
        seen = ""
        for (name, label, value), count in sorted({**self.counts, **(counts or {})}.items()):
            if name != seen:
                lines.append(f"# TYPE {name} counter")
                seen = name
            lines.append(f'{name}{{{label}="{value}"}} {count}' if label else f"{name} {count}")
        return "\n".join([*lines, *self._histogram(), ""])

    def _histogram(self) -> list[str]:
        name = "worldwright_call_seconds"
        lines, total = [f"# TYPE {name} histogram"], 0
        for bound, count in zip((*map(str, _BOUNDS), "+Inf"), self._buckets, strict=True):
            total += count
            lines.append(f'{name}_bucket{{le="{bound}"}} {total}')
        return [*lines, f"{name}_sum {self._seconds:.6f}", f"{name}_count {total}"]
