"""Wire: chat completions as bytes; the only place that knows their field names."""

from __future__ import annotations

import email.utils
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

import httpx2
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from synthesis.documents.trajectory import Usage
from synthesis.llm.features import Features
from synthesis.llm.provider import (
    Completion,
    CompletionRequest,
    FinishReason,
    Message,
    Reasoning,
    RequestedCall,
    SampledTokens,
)

BROKEN_CONNECTION: tuple[type[Exception], ...] = (httpx2.TransportError, httpx2.StreamError)
"""What reading an answer raises when the connection is cut."""

TIMED_OUT: type[Exception] = httpx2.TimeoutException

LONGEST_WAIT = 3_600.0
"""A Retry-After beyond an hour is taken as an hour."""


def body(
    request: CompletionRequest,
    model: str,
    features: Features,
    *,
    reasoning_tokens: int = 0,
    reasoning_effort: str = "",
) -> dict[str, Any]:
    """The request as keyword arguments of the client.

    Args:
        request: What is asked.
        model: Of whom.
        features: What the endpoint takes.
        reasoning_tokens: Allowance for reasoning on top of the longest reply.
        reasoning_effort: How much it is to think; "" leaves it to the endpoint.
    """
    results: dict[str, Any] = {"model": model, "messages": _messages(request, features)}
    if request.tools:
        results["tools"] = [
            {"type": "function", "function": tool.model_dump(mode="json")} for tool in request.tools
        ]
    kind = format_kind(request, features)
    if request.reply_format and kind == "json_schema":
        described = {"name": request.reply_format.name, "schema": request.reply_format.json_schema}
        # Not strict: strict schemas cannot say "an object with any keys", which rows and arguments are.
        results["response_format"] = {"type": "json_schema", "json_schema": {**described, "strict": False}}
    elif kind == "json_object":
        results["response_format"] = {"type": "json_object"}
    if features.streamed:
        results |= {"stream": True, "stream_options": {"include_usage": True}}
    optional = {
        features.limit_field: longest_reply(request, features, reasoning_tokens),
        "temperature": request.temperature if features.temperature else None,
        "seed": request.seed if features.seed else None,
        "logprobs": True if request.logprobs and features.logprobs else None,
        "reasoning_effort": (reasoning_effort or None) if features.effort else None,
    }
    return {**results, **{name: value for name, value in optional.items() if value is not None}}


def format_kind(request: CompletionRequest, features: Features) -> str:
    """How the reply format is asked for: "json_schema", "json_object" or "none"."""
    wanted = request.reply_format
    if wanted is None:
        return "none"
    described = wanted.in_prompt and features.structured == "json_schema" and features.json_mode
    return "json_object" if described else features.structured


def longest_reply(request: CompletionRequest, features: Features, reasoning_tokens: int) -> int | None:
    """The limit of a reply as endpoints count it: its text and, where a model reasons, its reasoning."""
    if request.max_output_tokens is None:
        return None
    return request.max_output_tokens + (reasoning_tokens if features.reasons else 0)


def reasoning_to_send(request: CompletionRequest, features: Features) -> set[int]:
    """Places of the messages whose reasoning goes back to the endpoint."""
    if features.reasoning_sent == "never":
        return set()
    spoken = [place for place, message in enumerate(request.messages) if message.role == "user"]
    since = spoken[-1] if spoken and features.reasoning_sent == "between_calls" else -1
    return {place for place, each in enumerate(request.messages) if each.reasoning and place > since}


def _messages(request: CompletionRequest, features: Features) -> list[dict[str, Any]]:
    sent = reasoning_to_send(request, features)
    results = [_message(message, place in sent) for place, message in enumerate(request.messages)]
    return results if features.system_role else without_system(results)


def without_system(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages with the text of system messages at the beginning of the first user message."""
    instructions = [message["content"] for message in messages if message["role"] == "system"]
    others = [message for message in messages if message["role"] != "system"]
    if others and others[0]["role"] == "user":
        instructions.append(others.pop(0)["content"])
    return [{"role": "user", "content": "\n\n".join(instructions)}, *others] if instructions else others


def _message(message: Message, with_reasoning: bool) -> dict[str, Any]:
    results: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.tool_calls:
        results["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        results["tool_call_id"] = message.tool_call_id
    if message.reasoning and with_reasoning:
        thought = message.reasoning
        if thought.items_field in _ITEM_FIELDS:
            results[thought.items_field] = list(thought.items)
        elif thought.field:
            results[thought.field] = thought.text
    return results


class Open(BaseModel):
    """What endpoints send: more fields than we read, and nulls where we expect nothing."""

    model_config = ConfigDict(extra="ignore")


class _Function(Open):
    name: str = ""
    arguments: str | dict[str, Any] | None = None


class _Call(Open):
    id: str | None = None
    function: _Function = _Function()


class _Part(Open):
    type: str = ""
    text: str | None = None
    thinking: JsonValue = None


class _MessageBody(Open):
    content: str | list[_Part] | None = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None
    reasoning_content: str | None = None
    reasoning: JsonValue = None
    reasoning_details: list[dict[str, JsonValue]] | None = None
    thinking_blocks: list[dict[str, JsonValue]] | None = None


class TokenBody(Open):
    """One sampled token, as chat completions and the Responses API give it."""

    token: str = ""
    logprob: float


class _LogProbs(Open):
    content: list[TokenBody] | None = None


class _Choice(Open):
    message: _MessageBody
    finish_reason: str | None = None
    logprobs: _LogProbs | None = None
    token_ids: list[int] | None = None
    """As vLLM calls the sampled ones."""


class _PromptDetails(Open):
    cached_tokens: int | None = None


class _ReplyDetails(Open):
    reasoning_tokens: int | None = None


class _Used(Open):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _PromptDetails | None = None
    completion_tokens_details: _ReplyDetails | None = None
    prompt_cache_hit_tokens: int | None = None
    """As DeepSeek calls the cached ones."""


class _Answer(Open):
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
_ITEM_FIELDS = ("reasoning_details", "thinking_blocks")
"""Fields that carry reasoning in parts, which the endpoint wants back as they were."""

_THOUGHT = re.compile(r"\s*(?:<think>)?(.*?)</think>\s*", re.DOTALL)
"""Reasoning at the beginning of a text, by servers that do not take it out; some open it in the prompt."""


def read_completion(answer: bytes) -> Completion:
    """The completion in an answer's body.

    Half of a surrogate pair, which a model cut off amid a character leaves, becomes U+FFFD.

    Raises:
        pydantic.ValidationError: It is no chat completion.
    """
    try:
        read = _Answer.model_validate_json(answer)
    except ValidationError:
        if (mended := without_lone_surrogates(answer)) is None:
            raise
        read = _Answer.model_validate_json(mended)
    choice = read.choices[0]
    message = choice.message
    text, thought = _text_and_reasoning(message)
    refused = bool(message.refusal) and not text
    return Completion(
        text=text or message.refusal or "",
        tool_calls=tuple(
            _call(call, number) for number, call in enumerate(message.tool_calls or (), start=1)
        ),
        usage=_usage(read.usage),
        finish_reason="refusal" if refused else _REASONS.get(choice.finish_reason, "other"),
        model=read.model or "",
        reasoning=thought,
        sampled=sampled_tokens((choice.logprobs and choice.logprobs.content) or [], choice.token_ids or []),
    )


def sampled_tokens(tokens: Sequence[TokenBody], ids: Sequence[int] = ()) -> SampledTokens | None:
    """The tokens of a reply, or None where the endpoint gave none; ids count where there is one for each."""
    if not tokens:
        return None
    return SampledTokens(
        texts=tuple(each.token for each in tokens),
        logprobs=tuple(each.logprob for each in tokens),
        ids=tuple(ids) if len(ids) == len(tokens) else (),
    )


def _text_and_reasoning(message: _MessageBody) -> tuple[str, Reasoning | None]:
    """What was written, and what was thought in whichever field the endpoint has for it."""
    content = message.content or ""
    parts: list[str] = []
    if isinstance(content, list):
        parts = [_thinking(part) for part in content if part.thinking is not None]
        content = "".join(part.text or "" for part in content if part.thinking is None)
    items_field = next((name for name in _ITEM_FIELDS if getattr(message, name)), "")
    items = tuple(getattr(message, items_field)) if items_field else ()
    field, words = "", "\n".join(parts)
    if message.reasoning_content:
        field, words = "reasoning_content", message.reasoning_content
    elif isinstance(message.reasoning, str) and message.reasoning:
        field, words = "reasoning", message.reasoning
    elif not words:
        words, content = _inline(content)
    if not words and items:
        words = "\n".join(
            str(item.get("text") or item.get("thinking") or item.get("summary") or "") for item in items
        )
    if not words.strip() and not items:
        return content, None
    return content, Reasoning(text=words.strip(), field=field, items=items, items_field=items_field)


def _thinking(part: _Part) -> str:
    if isinstance(part.thinking, list):
        return "".join(str(each.get("text", "")) for each in part.thinking if isinstance(each, dict))
    return str(part.thinking)


def _inline(text: str) -> tuple[str, str]:
    """The reasoning that a text begins with, and the rest."""
    began = text.lstrip().startswith("<think>")
    if "</think>" not in text:  # cut off while it thought
        return (text.lstrip().removeprefix("<think>"), "") if began else ("", text)
    if not began and text.lstrip().startswith(("{", "[", "```", "<")):
        return "", text
    thought = _THOUGHT.match(text)
    assert thought is not None
    return thought[1], text[thought.end() :]


def without_lone_surrogates(answer: bytes) -> bytes | None:
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
    cached = used.prompt_tokens_details.cached_tokens if used.prompt_tokens_details else None
    reasoned = used.completion_tokens_details.reasoning_tokens if used.completion_tokens_details else None
    return Usage(
        input_tokens=max(used.prompt_tokens or 0, 0),
        output_tokens=max(used.completion_tokens or 0, 0),
        cached_tokens=max(cached or used.prompt_cache_hit_tokens or 0, 0),
        reasoning_tokens=max(reasoned or 0, 0),
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds an endpoint asked to wait, from Retry-After (seconds or a date), or None."""
    text = headers.get("retry-after-ms")
    if text and text.strip().isdigit():
        return min(int(text) / 1000, LONGEST_WAIT)
    text = (headers.get("retry-after") or "").strip()
    try:
        return min(max(0.0, float(text)), LONGEST_WAIT)  # in this order "nan" is 0.0
    except ValueError:
        pass
    try:
        at = email.utils.parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError):
        return None
    return min(max(at - time.time(), 0.0), LONGEST_WAIT)
