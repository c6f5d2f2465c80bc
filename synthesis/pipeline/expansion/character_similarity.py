"""CharacterSimilarity: nearness of texts by the letters they share; needs the extra `expansion`."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix, vstack
from sklearn.feature_extraction.text import HashingVectorizer

from synthesis.pipeline.expansion.similarity import Nearest


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


def _unit(counts: Any, weights: npt.NDArray[np.float64]) -> csr_matrix:
    """Rows of length one."""
    weighted = csr_matrix(counts.multiply(weights))
    lengths = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel())
    lengths[lengths == 0] = 1.0
    return csr_matrix(weighted.multiply((1 / lengths)[:, None]))
