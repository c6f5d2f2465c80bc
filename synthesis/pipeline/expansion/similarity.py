"""Similarity: how near a scenario is to those that are there already."""

from __future__ import annotations

import math
from operator import mul
from typing import NamedTuple, Protocol

from synthesis.llm.embeddings import Embedder


class Nearest(NamedTuple):
    """The nearest of the texts so far: its position in the order of adding, and the cosine."""

    place: int
    similarity: float


class Similarity(Protocol):
    """Remembers texts and finds the nearest."""

    def nearest(self, text: str) -> Nearest | None:
        """The nearest text so far, or None when there is none."""
        ...

    def add(self, text: str) -> None:
        """Remember a text."""
        ...


class EmbeddingSimilarity:
    """Cosine of embeddings."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: list[list[float]] = []
        self._last: tuple[str, list[float]] | None = None

    def nearest(self, text: str) -> Nearest | None:
        """The nearest text so far, or None when there is none; one call to the endpoint."""
        if not self._known:
            return None
        vector = self._vector(text)
        cosines = [sum(map(mul, known, vector)) for known in self._known]
        cosine = max(cosines)
        return Nearest(cosines.index(cosine), min(max(cosine, 0.0), 1.0))

    def add(self, text: str) -> None:
        """Remember a text; no call when `nearest` was just asked for it."""
        self._known.append(self._vector(text))

    def _vector(self, text: str) -> list[float]:
        if self._last is None or self._last[0] != text:
            vector = self._embedder.embed([text])[0]
            length = math.hypot(*vector) or 1.0
            self._last = (text, [value / length for value in vector])
        return self._last[1]
