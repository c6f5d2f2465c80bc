"""Similarity: how near a scenario is to those that are there already."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix, vstack
from sklearn.feature_extraction.text import HashingVectorizer

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


class CharacterSimilarity:
    """Cosine of TF-IDF weights over character n-grams (3 to 5): needs no endpoint and no vocabulary."""

    def __init__(self) -> None:
        self._vectorizer = HashingVectorizer(
            analyzer="char_wb", ngram_range=(3, 5), n_features=2**18, norm=None, alternate_sign=False
        )
        self._counts: csr_matrix | None = None
        self._new: list[csr_matrix] = []
        self._documents: npt.NDArray[np.float64] = np.zeros(2**18)
        self._size = 0

    def nearest(self, text: str) -> Nearest | None:
        """The nearest text so far, or None when there is none."""
        if not self._size:
            return None
        weights = np.log((1 + self._size) / (1 + self._documents)) + 1
        known = _unit(self._all(), weights)
        cosines = (known @ _unit(self._count(text), weights).T).toarray().ravel()
        index = int(cosines.argmax())
        return Nearest(index, float(min(max(cosines[index], 0.0), 1.0)))

    def add(self, text: str) -> None:
        """Remember a text."""
        counts = self._count(text)
        self._new.append(counts)
        self._documents[counts.indices] += 1
        self._size += 1

    def _count(self, text: str) -> csr_matrix:
        counts = csr_matrix(self._vectorizer.transform([text]))
        counts.data = 1 + np.log(counts.data)
        return counts

    def _all(self) -> csr_matrix:
        if self._new:
            stacked = self._new if self._counts is None else [self._counts, *self._new]
            self._counts, self._new = csr_matrix(vstack(stacked)), []
        assert self._counts is not None
        return self._counts


class EmbeddingSimilarity:
    """Cosine of embeddings."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: list[npt.NDArray[np.float64]] = []
        self._last: tuple[str, npt.NDArray[np.float64]] | None = None

    def nearest(self, text: str) -> Nearest | None:
        """The nearest text so far, or None when there is none; one call to the endpoint."""
        if not self._known:
            return None
        cosines = np.stack(self._known) @ self._vector(text)
        index = int(cosines.argmax())
        return Nearest(index, float(min(max(cosines[index], 0.0), 1.0)))

    def add(self, text: str) -> None:
        """Remember a text; no call when `nearest` was just asked for it."""
        self._known.append(self._vector(text))

    def _vector(self, text: str) -> npt.NDArray[np.float64]:
        if self._last is None or self._last[0] != text:
            vector = np.asarray(self._embedder.embed([text])[0], dtype=np.float64)
            self._last = (text, vector / (np.linalg.norm(vector) or 1.0))
        return self._last[1]


def _unit(counts: Any, weights: npt.NDArray[np.float64]) -> csr_matrix:
    """Rows of length one."""
    weighted = csr_matrix(counts.multiply(weights))
    lengths = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel())
    lengths[lengths == 0] = 1.0
    return csr_matrix(weighted.multiply((1 / lengths)[:, None]))
