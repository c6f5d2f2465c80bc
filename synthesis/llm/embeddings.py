"""Embeddings: texts as vectors, from the same kind of endpoint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import openai

from synthesis.errors import ProviderOverloaded, ProviderRefused, ProviderUnreachable
from synthesis.llm.openai_compatible import OpenAICompatible


class Embedder(Protocol):
    """Turns texts into vectors of one length."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector per text, in order.

        Raises:
            ProviderError: The endpoint did not answer.
        """
        ...


class OpenAIEmbedder:
    """Embeddings of an OpenAI-compatible endpoint.

    Args:
        endpoint: Whose connection and key are used.
        model: Name of the embedding model there.
    """

    def __init__(self, endpoint: OpenAICompatible, model: str) -> None:
        self._endpoint, self._model = endpoint, model

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector per text, in order; raises what `Embedder.embed` raises."""
        try:
            answer = self._endpoint.client.embeddings.create(
                model=self._model, input=list(texts), encoding_format="float"
            )
        except openai.APIConnectionError:
            raise ProviderUnreachable(
                "The embedding endpoint did not answer. Check OPENAI_BASE_URL and that it is running."
            ) from None
        except openai.APIStatusError as error:
            told = f"The embedding endpoint answered {error.status_code} for model {self._model!r}."
            if error.status_code in (408, 409, 429) or error.status_code >= 500:
                raise ProviderOverloaded(told) from None
            raise ProviderRefused(f"{told} Check the embedding model and OPENAI_API_KEY.") from None
        return [list(one.embedding) for one in sorted(answer.data, key=lambda one: one.index)]
