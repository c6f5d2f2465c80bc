"""Wire: chat completions as bytes; the only place that knows their field names."""

from __future__ import annotations

import email.utils
import json
import time
from collections.abc import Mapping
from typing import Any

import httpx2
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from synthesis.documents.trajectory import Usage
from synthesis.llm.provider import Completion, CompletionRequest, FinishReason, Message, RequestedCall

BROKEN_CONNECTION: tuple[type[Exception], ...] = (httpx2.TransportError, httpx2.StreamError)
"""What reading an answer raises when the connection is cut."""

TIMED_OUT: type[Exception] = httpx2.TimeoutException

LONGEST_WAIT = 3_600.0
"""A Retry-After beyond an hour is taken as an hour."""


LIMIT = "max_completion_tokens"
"""The field that limits a reply."""

OLD_LIMIT = "max_tokens"
"""The same, as older servers call it."""


def body(request: CompletionRequest, model: str, structured: str, *, limit: str = LIMIT) -> dict[str, Any]:
    """The request as keyword arguments of the client."""
    found: dict[str, Any] = {"model": model, "messages": [_message(message) for message in request.messages]}
    if request.tools:
        found["tools"] = [
            {"type": "function", "function": tool.model_dump(mode="json")} for tool in request.tools
        ]
    if request.reply_format and structured == "json_schema":
        described = {"name": request.reply_format.name, "schema": request.reply_format.json_schema}
        # Not strict: strict schemas cannot say "an object with any keys", which rows and arguments are.
        found["response_format"] = {"type": "json_schema", "json_schema": {**described, "strict": False}}
    elif request.reply_format and structured == "json_object":
        found["response_format"] = {"type": "json_object"}
    optional = {
        limit: request.max_output_tokens,
        "temperature": request.temperature,
        "seed": request.seed,
    }
    return {**found, **{name: value for name, value in optional.items() if value is not None}}


def _message(message: Message) -> dict[str, Any]:
    found: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.tool_calls:
        found["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        found["tool_call_id"] = message.tool_call_id
    return found


class _Open(BaseModel):
    """What endpoints send: more fields than we read, and nulls where we expect nothing."""

    model_config = ConfigDict(extra="ignore")


class _Function(_Open):
    name: str = ""
    arguments: str | dict[str, Any] | None = None


class _Call(_Open):
    id: str | None = None
    function: _Function = _Function()


class _Said(_Open):
    content: str | None = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None


class _Choice(_Open):
    message: _Said
    finish_reason: str | None = None


class _PromptDetails(_Open):
    cached_tokens: int | None = None


class _Used(_Open):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _PromptDetails | None = None


class _Answer(_Open):
    choices: list[_Choice] = Field(min_length=1)
    model: str | None = None
    usage: _Used | None = None


_REASONS: dict[str | None, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "refusal",
}


def read_completion(answer: bytes) -> Completion:
    """The completion in an answer's body.

    Half of a surrogate pair, which a model cut off amid a character leaves, becomes U+FFFD.

    Raises:
        pydantic.ValidationError: It is no chat completion.
    """
    try:
        read = _Answer.model_validate_json(answer)
    except ValidationError:
        if (mended := _without_lone_surrogates(answer)) is None:
            raise
        read = _Answer.model_validate_json(mended)
    choice = read.choices[0]
    said = choice.message
    refused = bool(said.refusal) and not said.content
    return Completion(
        text=said.content or said.refusal or "",
        tool_calls=tuple(_call(call, number) for number, call in enumerate(said.tool_calls or (), start=1)),
        usage=_usage(read.usage),
        finish_reason="refusal" if refused else _REASONS.get(choice.finish_reason, "other"),
        model=read.model or "",
    )


def _without_lone_surrogates(answer: bytes) -> bytes | None:
    """The answer with each replaced, or None where none is escaped in it or it is no JSON."""
    if b"\\ud" not in answer.lower():
        return None
    try:
        text = json.dumps(json.loads(answer), ensure_ascii=False)
    except (ValueError, RecursionError):
        return None
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def _call(call: _Call, number: int) -> RequestedCall:
    arguments = call.function.arguments
    if isinstance(arguments, dict):  # some servers send the object itself
        arguments = json.dumps(arguments)
    return RequestedCall(
        id=call.id or f"call_{number}",
        name=call.function.name,
        arguments="{}" if arguments is None else arguments,
    )


def _usage(used: _Used | None) -> Usage:
    if used is None:
        return Usage()
    details = used.prompt_tokens_details
    return Usage(
        input_tokens=max(used.prompt_tokens or 0, 0),
        output_tokens=max(used.completion_tokens or 0, 0),
        cached_tokens=max((details.cached_tokens or 0) if details else 0, 0),
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds an endpoint asked to wait, from Retry-After (seconds or a date), or None."""
    said = headers.get("retry-after-ms")
    if said and said.strip().isdigit():
        return min(int(said) / 1000, LONGEST_WAIT)
    said = (headers.get("retry-after") or "").strip()
    try:
        return min(max(float(said), 0.0), LONGEST_WAIT)
    except ValueError:
        pass
    try:
        at = email.utils.parsedate_to_datetime(said).timestamp()
    except (ValueError, TypeError):
        return None
    return min(max(at - time.time(), 0.0), LONGEST_WAIT)
