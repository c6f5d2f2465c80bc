"""OpenAICompatible: any endpoint with chat completions or the Responses API, through the openai client.

What an endpoint does not take (a reply format, tools, system messages, a name of a field) is found out from
its refusals once and remembered, see `features`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any

import openai
import orjson
from pydantic import ValidationError

from synthesis.errors import InvalidInput, ProviderRefused, ProviderUnreachable
from synthesis.llm import prompted_tools, responses_wire, streamed, wire
from synthesis.llm.feature_memory import FeatureMemory
from synthesis.llm.features import Features, StructuredMode, adapted
from synthesis.llm.provider import Completion, CompletionRequest
from synthesis.llm.redaction import redact, shown_url, without_secret
from synthesis.llm.refusals import refusal, words_of
from synthesis.llm.structured import format_in_words

DEFAULT_BASE_URL = "https://api.openai.com/v1"
MAX_REPLY_BYTES = 32 * 1024 * 1024
"""A larger answer is cut off while it is read: nobody's memory belongs to an endpoint."""

REASONING_TOKENS = 16_384
"""Tokens a model that reasons may use for that, on top of the longest reply."""


class OpenAICompatible:
    """OpenAI, Azure, vLLM, Ollama or any other base URL. The client's own retries are off: see `Retrying`.

    Args:
        model: Name of the model at that endpoint.
        api_key: The key; sent, and never shown, logged or stored.
        base_url: Address up to and including the version, for example "http://localhost:8000/v1".
        timeout: Seconds one whole answer may take.
        structured: How a reply format is asked for.
        reasoning_tokens: Allowance for reasoning on top of a reply's own limit, once the model was seen to
            reason.
        reasoning_effort: How much it is to think, in the endpoint's words; "" says nothing of it.
        memory: Where what was found out about the endpoint lasts; without one it is found out again.

    Raises:
        InvalidInput: A setting is missing or is no http address; the text names it.
    """

    def __init__(
        self,
        model: str,
        api_key: str,
        *,
        base_url: str = DEFAULT_BASE_URL,
        timeout: float = 300.0,
        structured: StructuredMode = "auto",
        reasoning_tokens: int = REASONING_TOKENS,
        reasoning_effort: str = "",
        memory: FeatureMemory | None = None,
    ) -> None:
        _require(model, api_key, base_url)
        self._given = {
            "model": model,
            "api_key": api_key,
            "base_url": base_url,
            "timeout": timeout,
            "structured": structured,
            "reasoning_tokens": reasoning_tokens,
            "reasoning_effort": reasoning_effort,
            "memory": memory,
        }
        self._model, self._key, self._shown = model, api_key, shown_url(base_url)
        self._timeout, self._reasoning_tokens = timeout, reasoning_tokens
        self._reasoning_effort = reasoning_effort
        self._lock = threading.Lock()
        self._fixed = structured != "auto"
        self._memory = memory
        known = memory.find() if memory is not None else None
        self._features = known or Features()
        if structured != "auto":
            self._features = self._features.replace(structured=structured)
        self._client = openai.OpenAI(
            api_key=api_key,
            base_url=base_url,
            max_retries=0,
            timeout=openai.Timeout(timeout, connect=min(timeout, 10.0)),
        )

    def __getstate__(self) -> dict[str, Any]:
        """What makes it again elsewhere, the key among it: connections and locks stay where they are."""
        return {"given": self._given, "features": self._features}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Make it again from what `__getstate__` gave."""
        self.__init__(**state["given"])  # type: ignore[misc]
        self._features = state["features"]

    def __repr__(self) -> str:
        return f"OpenAICompatible(model={self._model!r}, base_url={self._shown!r})"

    @property
    def model(self) -> str:
        """Name of the model that is asked."""
        return self._model

    @property
    def features(self) -> Features:
        """What the endpoint takes, as far as it is known."""
        return self._features

    @property
    def client(self) -> openai.OpenAI:
        """The client behind it, for embeddings of the same endpoint."""
        return self._client

    def close(self) -> None:
        """Close its connections; twice does no harm."""
        self._client.close()

    def complete(self, request: CompletionRequest) -> Completion:
        """The model's answer; raises what `Provider.complete` raises."""
        known = self._features
        completion, features = self._taken(request, known)
        if self._needs_allowance(completion, request, features):
            # Its reasoning used up a limit that was meant for the reply alone.
            first = completion.usage
            completion, features = self._taken(request, features.after(completion))
            completion = completion.replace(usage=first + completion.usage)
        if (learned := features.after(completion)) != known:
            with self._lock:
                self._features = learned
            if self._memory is not None:
                self._memory.keep(learned)
        return completion

    def _taken(self, request: CompletionRequest, features: Features) -> tuple[Completion, Features]:
        """The answer, asked for in other forms until one is taken, and what was found out by that."""
        missing: openai.APIStatusError | None = None
        while True:
            try:
                return self._ask(request, features), features
            except openai.APIStatusError as error:
                message = self._message_of(error)
                changed = adapted(
                    features,
                    error.status_code,
                    message,
                    request,
                    fixed_format=self._fixed,
                    reasoning_effort=self._reasoning_effort,
                )
                if changed is None:
                    nothing_there = missing is not None and error.status_code in (404, 405)
                    raise self._refusal(missing if nothing_there and missing else error) from None
                if changed.api != features.api:
                    missing = error
                features = changed

    def _needs_allowance(
        self, completion: Completion, request: CompletionRequest, features: Features
    ) -> bool:
        return (
            completion.finish_reason == "length"
            and request.max_output_tokens is not None
            and self._reasoning_tokens > 0
            and not features.reasons
            and features.after(completion).reasons
        )

    def _ask(self, request: CompletionRequest, features: Features) -> Completion:
        in_words = bool(request.tools) and not features.native_tools
        asked = prompted_tools.in_words(request) if in_words else request
        if features.structured != "json_schema":
            asked = format_in_words(asked)
        api = responses_wire if features.api == "responses" else wire
        body = api.body(
            asked,
            self._model,
            features,
            reasoning_tokens=self._reasoning_tokens,
            reasoning_effort=self._reasoning_effort,
        )
        try:
            answer = self._send(features, body)
        except openai.APITimeoutError:
            raise self._too_slow() from None
        except openai.APIConnectionError as error:
            raise self._unreachable(error) from None
        except openai.APIStatusError:
            raise
        except openai.OpenAIError as error:
            raise ProviderRefused(self._clean(f"The request could not be made: {error}")) from None
        completion = self._completion(answer, features)
        return prompted_tools.read_calls(completion) if in_words else completion

    def _send(self, features: Features, body: dict[str, Any]) -> bytes:
        # As the extra body: the client looks through every field of what it is given as arguments, which
        # takes longer than all the rest of a call with a large schema, and changes nothing.
        if features.api == "responses":
            with self._client.responses.with_streaming_response.create(
                model=self._model, input=[], extra_body=body
            ) as response:
                return self._read(response.iter_bytes(65_536))
        with self._client.chat.completions.with_streaming_response.create(
            model=self._model, messages=[], extra_body=body
        ) as response:
            return self._read(response.iter_bytes(65_536))

    def _read(self, chunks: Any) -> bytes:
        started, parts, size = time.monotonic(), list[bytes](), 0
        try:
            for chunk in chunks:
                parts.append(chunk)
                size += len(chunk)
                if size > MAX_REPLY_BYTES:
                    raise ProviderRefused(
                        f"The answer of {self._shown} is longer than {MAX_REPLY_BYTES:,} bytes. "
                        "Ask for less at a time, or use another model (WORLDWRIGHT_MODEL)."
                    )
                if time.monotonic() - started > self._timeout:
                    raise self._too_slow()
        except wire.BROKEN_CONNECTION as error:
            if isinstance(error, wire.TIMED_OUT):
                raise self._too_slow() from None
            raise ProviderUnreachable(
                self._clean(f"The connection to {self._shown} broke before the answer was whole: {error}")
            ) from None
        return b"".join(parts)

    def _completion(self, answer: bytes, features: Features) -> Completion:
        if streamed.is_streamed(answer):
            answer = streamed.whole(answer)
        reader = responses_wire if features.api == "responses" else wire
        try:
            completion: Completion = reader.read_completion(answer)
        except ValidationError:
            raise self._no_completion(answer) from None
        return completion.replace(
            text=without_secret(completion.text, self._key), model=completion.model or self._model
        )

    def _no_completion(self, answer: bytes) -> Exception:
        """Why an answer with status 200 is no completion: an error in its body, no choice, another page."""
        body = _json(answer)
        error = body.get("error")
        if error:
            code = error.get("code") if isinstance(error, dict) else None
            status = code if isinstance(code, int) and 400 <= code < 600 else 400
            return self._error(status, self._clean(words_of(error, "")), {})
        if body.get("choices") == [] or body.get("output") == []:
            return ProviderUnreachable(
                f"{self._shown} answered without a choice: it withheld the reply, or failed amid it. "
                "Use another model (WORLDWRIGHT_MODEL) if it goes on."
            )
        start = self._clean(answer[:120].decode("utf-8", "replace"))
        return ProviderRefused(
            f"{self._shown} answered, but not with a chat completion; it began: {start!r}. "
            "Check OPENAI_BASE_URL: it must end before /chat/completions, usually with /v1."
        )

    def _message_of(self, error: openai.APIStatusError) -> str:
        text = "" if error.body is not None and not isinstance(error.body, str) else str(error.body or error)
        return self._clean(words_of(error.body if isinstance(error.body, dict | list) else None, text))

    def _refusal(self, error: openai.APIStatusError) -> Exception:
        return self._error(error.status_code, self._message_of(error), error.response.headers)

    def _error(self, status: int, message: str, headers: Any) -> Exception:
        return refusal(
            status,
            message,
            headers,
            address=self._shown,
            model=self._model,
            key="OPENAI_API_KEY",
            setting="WORLDWRIGHT_MODEL",
        )

    def _unreachable(self, error: openai.APIConnectionError) -> ProviderUnreachable:
        cause = str(error.__cause__ or error)
        return ProviderUnreachable(
            self._clean(
                f"No answer from {self._shown}: {cause}. "
                "Check OPENAI_BASE_URL and that the endpoint is running."
            )
        )

    def _too_slow(self) -> ProviderUnreachable:
        return ProviderUnreachable(
            f"{self._shown} did not finish its reply within {self._timeout:g} seconds. "
            "Check that the endpoint is running, or allow it more time (WORLDWRIGHT_ENDPOINT_SECONDS)."
        )

    def _clean(self, text: str) -> str:
        return redact(text, self._key)


def _require(model: str, api_key: str, base_url: str) -> None:
    if not model:
        raise InvalidInput("No model is configured. Set WORLDWRIGHT_MODEL to one that the endpoint offers.")
    if not api_key:
        raise InvalidInput(
            "No API key is configured for the model endpoint. Set OPENAI_API_KEY; for an endpoint that "
            "needs none, "
            'set it to "none".'
        )
    if not base_url.startswith(("http://", "https://")):
        raise InvalidInput(
            f"{shown_url(base_url)!r} is not a URL. Set OPENAI_BASE_URL to one that starts with http:// or https://."
        )


def _json(answer: bytes) -> dict[str, Any]:
    try:
        value = orjson.loads(answer)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
