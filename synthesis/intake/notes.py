"""Notes: everything a reader could not carry over, collected as findings and kept to a readable number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from pydantic import JsonValue

from synthesis.documents.finding import Finding, PartName, Severity

MOST_OF_A_KIND = {"warning": 12, "note": 3}
"""Findings of one check that are told one by one; the rest stand in one more, by name."""
MOST_NAMES = 500


Place = tuple[int, int]
"""Line and column in the source; both count from 1."""


class Notes:
    """Collects findings in the order they are made, each with its place in the source where that is known."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[PartName, str, Severity], dict[str, str]] = {}
        self._here: Place | None = None
        self._places: dict[str, Place] = {}

    def at(self, place: Place | None) -> None:
        """What is said from now on is about this place; None for no place of its own."""
        self._here = place

    def mark(self, where: str, place: Place) -> None:
        """Remember where something is that may be spoken of later; the first place counts."""
        self._places.setdefault(where[:200], place)

    def add(
        self, check: str, message: str, *, where: str = "", part: PartName = "schema", warn: bool = True
    ) -> None:
        """Say one thing that was left behind (`warn`), or only changed on the way."""
        kind = self._kinds.setdefault((part, check, "warning" if warn else "note"), {})
        place = where[:200]
        if place in kind and kind[place] != message:
            place = f"{place} ({len(kind) + 1})"
        kind.setdefault(place, message)
        if self._here is not None:
            self._places.setdefault(place, self._here)

    def findings(self) -> tuple[Finding, ...]:
        """What was collected, warnings first, then notes; a place is evidence: {"line": 3, "column": 5}."""
        results = [
            finding for key, kind in self._kinds.items() for finding in _finding_text(key, kind, self._places)
        ]
        return tuple(sorted(results, key=lambda finding: finding.severity == "note"))


def _finding_text(
    key: tuple[PartName, str, Severity], kind: dict[str, str], places: dict[str, Place]
) -> Iterator[Finding]:
    part, check, severity = key
    most = MOST_OF_A_KIND[severity]
    for where, message in islice(kind.items(), most):
        yield Finding(
            part=part,
            check=check,
            message=message,
            where=where,
            severity=severity,
            evidence=_position(where, places),
        )
    rest = list(islice(kind, most, None))
    if rest:
        names = ", ".join(rest[:20]) + (", ..." if len(rest) > 20 else "")
        message = f"The same in {len(rest):,} more places: {names}."
        evidence: dict[str, JsonValue] = {"places": list(rest[:MOST_NAMES])}
        yield Finding(
            part=part,
            check=check,
            message=message,
            where=f"{len(rest)} more",
            severity=severity,
            evidence=evidence,
        )


def _position(where: str, places: dict[str, Place]) -> JsonValue:
    """The place of what is spoken of, or of the table whose clause it is: "orders (user_id) -> users"."""
    place = places.get(where) or places.get(re.split(r"[ :(]", where, maxsplit=1)[0])
    return None if place is None else {"line": place[0], "column": place[1]}
