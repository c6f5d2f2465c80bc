"""Embeddings: texts as vectors, from the same kind of endpoint."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Protocol

import openai

from synthesis.documents.trajectory import Usage
from synthesis.errors import ProviderOverloaded, ProviderRefused, ProviderUnreachable
from synthesis.llm.metered import LedgerEntry
from synthesis.llm.openai_compatible import OpenAICompatible
from synthesis.llm.prices import PriceTable, price_table
from synthesis.llm.retrying import RetryPolicy, asked_again


class Embedder(Protocol):
    """Turns texts into vectors of one length."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector per text, in order.

        Raises:
            ProviderError: The endpoint did not answer.
        """
        ...


class OpenAIEmbedder:
    """Embeddings of an OpenAI-compatible endpoint, asked again while that may help.

    Args:
        endpoint: Whose connection and key are used.
        model: Name of the embedding model there.
        record: Told of every call that was answered, for the ledger.
        policy: How often and how patiently the endpoint is asked again.
        prices: What models cost.
    """

    def __init__(
        self,
        endpoint: OpenAICompatible,
        model: str,
        *,
        record: Callable[[LedgerEntry], None] | None = None,
        policy: RetryPolicy | None = None,
        prices: PriceTable | None = None,
    ) -> None:
        self._endpoint, self._model = endpoint, model
        self._record, self._policy = record, policy or RetryPolicy()
        self._prices = price_table() if prices is None else prices

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector per text, in order; raises what `Embedder.embed` raises."""
        return asked_again(lambda: self._ask(texts), self._policy)

    def _ask(self, texts: Sequence[str]) -> list[list[float]]:
        began = time.perf_counter()
        try:
            answer = self._endpoint.client.embeddings.create(
                model=self._model, input=list(texts), encoding_format="float"
            )
        except openai.APIConnectionError:
            raise ProviderUnreachable(
                "The embedding endpoint did not answer. Check OPENAI_BASE_URL and that it is running."
            ) from None
        except openai.APIStatusError as error:
            message = f"The embedding endpoint answered {error.status_code} for model {self._model!r}."
            if error.status_code in (408, 409, 429) or error.status_code >= 500:
                raise ProviderOverloaded(message) from None
            raise ProviderRefused(f"{message} Check the embedding model and OPENAI_API_KEY.") from None
        if self._record is not None:
            read = getattr(getattr(answer, "usage", None), "prompt_tokens", 0)  # some servers leave it out
            usage = Usage(input_tokens=read)
            self._record(
                LedgerEntry(
                    stage="embedding",
                    model=self._model,
                    usage=usage.replace(cost=self._prices.cost(self._model, usage)),
                    seconds=time.perf_counter() - began,
                    outcome="answered",
                )
            )
        return [list(one.embedding) for one in sorted(answer.data, key=lambda one: one.index)]
