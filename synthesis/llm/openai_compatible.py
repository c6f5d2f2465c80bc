"""OpenAICompatible: any endpoint that speaks chat completions, through the openai client."""

from __future__ import annotations

import threading
import time
from typing import Any, Literal

import openai
from pydantic import ValidationError

from synthesis.errors import InvalidInput, ProviderOverloaded, ProviderRefused, ProviderUnreachable
from synthesis.llm import wire
from synthesis.llm.provider import Completion, CompletionRequest
from synthesis.llm.redaction import redact, shown_url, without_secret

DEFAULT_BASE_URL = "https://api.openai.com/v1"
MAX_REPLY_BYTES = 32 * 1024 * 1024
"""A larger answer is cut off while it is read: nobody's memory belongs to an endpoint."""

RETRIABLE = frozenset({408, 409, 429})
"""Status codes, besides all of 5xx, after which the same request may succeed."""

StructuredMode = Literal["auto", "json_schema", "json_object", "none"]
"""How the reply format is asked for; "auto" starts with a schema and steps down when it is refused."""

_STEP_DOWN: dict[str, Literal["json_object", "none"]] = {"json_schema": "json_object", "json_object": "none"}


class OpenAICompatible:
    """OpenAI, Azure, vLLM, Ollama or any other base URL. The client's own retries are off: see `Retrying`.

    Args:
        model: Name of the model at that endpoint.
        api_key: The key; sent, and never shown, logged or stored.
        base_url: Address up to and including the version, for example "http://localhost:8000/v1".
        timeout: Seconds one whole answer may take.
        structured: How a reply format is asked for.

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
    ) -> None:
        _require(model, api_key, base_url)
        self._model, self._key, self._shown = model, api_key, shown_url(base_url)
        self._timeout = timeout
        self._lock = threading.Lock()
        self._limit_field = wire.LIMIT
        self._fixed = structured != "auto"
        self._structured: str = "json_schema" if structured == "auto" else structured
        self._client = openai.OpenAI(
            api_key=api_key,
            base_url=base_url,
            max_retries=0,
            timeout=openai.Timeout(timeout, connect=min(timeout, 10.0)),
        )

    def __repr__(self) -> str:
        return f"OpenAICompatible(model={self._model!r}, base_url={self._shown!r})"

    @property
    def model(self) -> str:
        """Name of the model that is asked."""
        return self._model

    @property
    def client(self) -> openai.OpenAI:
        """The client behind it, for embeddings of the same endpoint."""
        return self._client

    def close(self) -> None:
        """Close its connections; twice does no harm."""
        self._client.close()

    def complete(self, request: CompletionRequest) -> Completion:
        """The model's answer; raises what `Provider.complete` raises."""
        while True:
            mode = self._structured if request.reply_format else "none"
            limit = self._limit_field
            try:
                return self._ask(request, mode, limit)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if not self._steps_down(mode, error) and not self._renames_limit(limit, request, error):
                    raise self._refusal(error) from None
            except openai.APIStatusError as error:
                raise self._refusal(error) from None

    def _ask(self, request: CompletionRequest, mode: str, limit: str) -> Completion:
        body = wire.body(request, self._model, mode, limit=limit)
        try:
            # As the extra body: the client looks through every field of what it is given as arguments, which
            # takes longer than all the rest of a call with a large schema, and changes nothing.
            with self._client.chat.completions.with_streaming_response.create(
                model=self._model, messages=[], extra_body=body
            ) as response:
                answer = self._read(response.iter_bytes(65_536))
        except openai.APITimeoutError:
            raise self._too_slow() from None
        except openai.APIConnectionError as error:
            raise self._unreachable(error) from None
        except openai.APIStatusError:
            raise
        except openai.OpenAIError as error:
            raise ProviderRefused(self._clean(f"The request could not be made: {error}")) from None
        return self._completion(answer)

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

    def _completion(self, answer: bytes) -> Completion:
        try:
            completion = wire.read_completion(answer)
        except ValidationError:
            start = self._clean(answer[:120].decode("utf-8", "replace"))
            raise ProviderRefused(
                f"{self._shown} answered, but not with a chat completion; it began: {start!r}. "
                "Check OPENAI_BASE_URL: it must end before /chat/completions, usually with /v1."
            ) from None
        return completion.replace(
            text=without_secret(completion.text, self._key), model=completion.model or self._model
        )

    def _renames_limit(self, limit: str, request: CompletionRequest, error: openai.APIStatusError) -> bool:
        """Whether the field that limits a reply was the trouble; older servers know it as `max_tokens`."""
        if request.max_output_tokens is None or limit != wire.LIMIT or wire.LIMIT not in str(error):
            return False
        with self._lock:
            self._limit_field = wire.OLD_LIMIT
        return True

    def _steps_down(self, mode: str, error: openai.APIStatusError) -> bool:
        """Whether the reply format was the trouble and a simpler one is left to try."""
        said = str(error).lower()
        about_format = any(word in said for word in ("response_format", "json_schema", "json_object"))
        if self._fixed or not about_format or mode not in _STEP_DOWN:
            return False
        with self._lock:
            if self._structured == mode:
                self._structured = _STEP_DOWN[mode]
        return True

    def _refusal(self, error: openai.APIStatusError) -> ProviderRefused | ProviderOverloaded:
        status, said = error.status_code, self._clean(_words(error))
        if status in RETRIABLE or status >= 500:
            wait = wire.retry_after(error.response.headers)
            return ProviderOverloaded(f"{self._shown} answered {status}: {said}", retry_after=wait)
        stop = "" if said.endswith((".", "!", "?")) else "."
        return ProviderRefused(f"{self._shown} answered {status}: {said}{stop} {self._remedy(status)}")

    def _remedy(self, status: int) -> str:
        if status == 401:
            return "The key is not accepted: check OPENAI_API_KEY."
        if status == 403:
            return f"The key may not use model {self._model!r}: check OPENAI_API_KEY and WORLDWRIGHT_MODEL."
        if status == 404:
            return (
                f"Check that the model {self._model!r} exists there (WORLDWRIGHT_MODEL) "
                "and that OPENAI_BASE_URL ends before /chat/completions, usually with /v1."
            )
        return "Check WORLDWRIGHT_MODEL and what the endpoint accepts."

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
            f"{self._shown} did not finish its answer within {self._timeout:g} seconds. "
            "Check that the endpoint is running, or allow it more time."
        )

    def _clean(self, text: str) -> str:
        return redact(text, self._key)


def _require(model: str, api_key: str, base_url: str) -> None:
    if not model:
        raise InvalidInput("No model is named. Set WORLDWRIGHT_MODEL to one that the endpoint offers.")
    if not api_key:
        raise InvalidInput(
            "There is no key for the model endpoint. Set OPENAI_API_KEY; for an endpoint that asks for none, "
            'set it to "none".'
        )
    if not base_url.startswith(("http://", "https://")):
        raise InvalidInput(
            f"{shown_url(base_url)!r} is no address. Set OPENAI_BASE_URL to one that starts with http:// or https://."
        )


def _words(error: openai.APIStatusError) -> str:
    """What the endpoint said, short."""
    body = error.body
    if isinstance(body, dict) and isinstance(body.get("message"), str):
        return str(body["message"])[:500]
    return str(error)[:500]
