"""Inside a worker: many ends verified one after the other, what they share read once."""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from synthesis.reading.answer import Answer as FinalAnswer
from synthesis.worlds.worker.connection import GuardedConnection
from synthesis.worlds.worker.live import WorldBlueprint
from synthesis.worlds.worker.state import Change
from synthesis.worlds.worker.verification_run import VerifierFailed, differences_of, outcomes_of

Outcomes = list[dict[str, Any]]


def verify_many(world: WorldBlueprint, body: Mapping[str, Any], blob: bytes) -> list[Outcomes | None]:
    """What verifiers say of ends that began with the world's own state, each time in a new namespace.

    Ends that share an image follow each other: it is read, and held against the first state, once.

    Returns:
        Outcomes by end; None where the verifier came to none.
    """
    blobs = _split(blob, [*body["code_bytes"], *body["image_bytes"]])
    codes = [marshal.loads(code) for code in blobs[: len(body["code_bytes"])]]  # noqa: S302 - our own
    images, end_state, results = blobs[len(codes) :], _EndState(world), list[Outcomes | None]()
    for end in body["ends"]:
        try:
            differences = end_state.differences(images[end["image"]], end["clock"])
            outcomes = outcomes_of(
                codes[end["code"]],
                databases=end_state.databases,
                differences=differences,
                answer=final_answer(end),
                max_bytes=body["max_bytes"],
                evidence=body["evidences"][end["code"]],
            )
        except VerifierFailed:
            results.append(None)
        else:
            results.append(outcomes)
    return results


def final_answer(body: Mapping[str, Any]) -> FinalAnswer:
    """The final answer as verifiers get it."""
    return FinalAnswer(body["answer"], **body.get("declared", {}))


class _EndState:
    """The end state that is looked into at present."""

    def __init__(self, world: WorldBlueprint) -> None:
        self._world = world
        self._present: tuple[bytes, str] | None = None
        self._differences: list[Change] = []
        self.databases: tuple[GuardedConnection, GuardedConnection]

    def differences(self, image: bytes, clock: str) -> list[Change]:
        """Rows that differ from the world's own state, copied: what a verifier does to them, no other sees.

        Raises:
            VerifierFailed: The end is not intact, or has other tables.
        """
        if self._present is None or self._present[0] is not image or self._present[1] != clock:
            self._present, world = None, self._world
            self.databases = world.base(), world.look_into(image, datetime.fromisoformat(clock))
            self._differences = differences_of(
                *self.databases,
                tables=world.touched(image),
                rows=world.rows,
                same_schema=world.has_same_schema(image),
            )
            self._present = image, clock
        return [
            {**change, "before": _copied(change["before"]), "after": _copied(change["after"])}
            for change in self._differences
        ]


def _copied(row: dict[str, Any] | None) -> dict[str, Any] | None:
    return None if row is None else row.copy()


def _split(blob: bytes, sizes: Iterable[int]) -> list[bytes]:
    parts, first = [], 0
    for size in sizes:
        parts.append(blob[first : first + size])
        first += size
    return parts
