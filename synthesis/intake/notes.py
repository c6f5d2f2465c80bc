"""Notes: everything a reader could not carry over, collected as findings and kept to a readable number."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from pydantic import JsonValue

from synthesis.documents.finding import Finding, PartName, Severity

MOST_OF_A_KIND = {"warning": 12, "note": 3}
"""Findings of one check that are told one by one; the rest stand in one more, by name."""
MOST_NAMES = 500


class Notes:
    """Collects findings in the order they are made."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[PartName, str, Severity], dict[str, str]] = {}

    def add(
        self, check: str, message: str, *, where: str = "", part: PartName = "schema", warn: bool = True
    ) -> None:
        """Say one thing that was left behind (`warn`), or only changed on the way."""
        kind = self._kinds.setdefault((part, check, "warning" if warn else "note"), {})
        place = where[:200]
        if place in kind and kind[place] != message:
            place = f"{place} ({len(kind) + 1})"
        kind.setdefault(place, message)

    def findings(self) -> tuple[Finding, ...]:
        """What was collected: warnings first, then notes."""
        found = [finding for key, kind in self._kinds.items() for finding in _told(key, kind)]
        return tuple(sorted(found, key=lambda finding: finding.severity == "note"))


def _told(key: tuple[PartName, str, Severity], kind: dict[str, str]) -> Iterator[Finding]:
    part, check, severity = key
    most = MOST_OF_A_KIND[severity]
    for where, message in islice(kind.items(), most):
        yield Finding(part=part, check=check, message=message, where=where, severity=severity)
    rest = list(islice(kind, most, None))
    if rest:
        names = ", ".join(rest[:20]) + (", ..." if len(rest) > 20 else "")
        message = f"The same at {len(rest):,} more places: {names}."
        evidence: dict[str, JsonValue] = {"places": list(rest[:MOST_NAMES])}
        yield Finding(
            part=part,
            check=check,
            message=message,
            where=f"{len(rest)} more",
            severity=severity,
            evidence=evidence,
        )
