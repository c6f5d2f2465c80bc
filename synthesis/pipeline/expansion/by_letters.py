"""Comparison of scenarios by their letters, where the extra for it is installed."""

from __future__ import annotations

from importlib.util import find_spec

from synthesis.errors import InvalidInput
from synthesis.pipeline.expansion.similarity import Similarity


def require_character_similarity() -> None:
    """Pass when texts can be compared by their letters.

    Raises:
        InvalidInput: The extra `expansion` is not installed.
    """
    if find_spec("sklearn") is None:
        raise InvalidInput(
            "Scenarios cannot be compared by character n-grams: scikit-learn is missing. Install the extra "
            "with pip install 'worldwright[expansion]', or name an embedding model in "
            "WORLDWRIGHT_EMBEDDING_MODEL."
        )


def character_similarity() -> Similarity:
    """Similarity by letters, which needs no endpoint.

    Raises:
        InvalidInput: As `require_character_similarity`.
    """
    require_character_similarity()
    from synthesis.pipeline.expansion.character_similarity import CharacterSimilarity

    return CharacterSimilarity()
