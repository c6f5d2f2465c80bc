"""Responses wire: the Responses API as bytes, for models that have no chat completions."""

from __future__ import annotations

from typing import Any

from pydantic import Field, JsonValue, ValidationError

from synthesis.documents.trajectory import Usage
from synthesis.llm.features import Features
from synthesis.llm.provider import (
    Completion,
    CompletionRequest,
    FinishReason,
    Message,
    Reasoning,
    RequestedCall,
)
from synthesis.llm.wire import (
    Open,
    TokenBody,
    format_kind,
    longest_reply,
    reasoning_to_send,
    sampled_tokens,
    without_lone_surrogates,
    without_system,
)

ITEMS_FIELD = "output"
"""Where reasoning items came from, so that no other API gets them."""


def body(
    request: CompletionRequest,
    model: str,
    features: Features,
    *,
    reasoning_tokens: int = 0,
    reasoning_effort: str = "",
) -> dict[str, Any]:
    """The request as keyword arguments of the client; arguments as for chat completions."""
    results: dict[str, Any] = {
        "model": model,
        "input": _input(request, features),
        # Nothing is left at the endpoint, so reasoning travels sealed with the conversation.
        "store": False,
    }
    include = {
        "reasoning.encrypted_content": features.reasoning_sent != "never",
        "message.output_text.logprobs": request.logprobs and features.logprobs,
    }
    if any(include.values()):
        results["include"] = [name for name, wanted in include.items() if wanted]
    if request.tools:
        results["tools"] = [
            {"type": "function", "strict": False, **tool.model_dump(mode="json")} for tool in request.tools
        ]
    kind = format_kind(request, features)
    if request.reply_format and kind == "json_schema":
        wanted = request.reply_format
        described = {"name": wanted.name, "schema": wanted.json_schema, "strict": False}
        results["text"] = {"format": {"type": "json_schema", **described}}
    elif kind == "json_object":
        results["text"] = {"format": {"type": "json_object"}}
    if features.streamed:
        results["stream"] = True
    optional = {
        "max_output_tokens": longest_reply(request, features, reasoning_tokens),
        "temperature": request.temperature if features.temperature else None,
        "reasoning": {"effort": reasoning_effort} if reasoning_effort and features.effort else None,
    }
    return {**results, **{name: value for name, value in optional.items() if value is not None}}


def _input(request: CompletionRequest, features: Features) -> list[dict[str, Any]]:
    sent = reasoning_to_send(request, features)
    messages = [
        item
        for place, message in enumerate(request.messages)
        for item in _items(message, with_reasoning=place in sent)
    ]
    if features.system_role:
        return messages
    spoken = [item for item in messages if item.get("role") in ("system", "user")]
    if len(spoken) < 2 or messages[: len(spoken[:2])] != spoken[:2]:
        return [{**item, "role": "user"} if item.get("role") == "system" else item for item in messages]
    return [*without_system(spoken[:2]), *messages[2:]]


def _items(message: Message, *, with_reasoning: bool) -> list[dict[str, Any]]:
    """One message as input items: its reasoning, its text and its calls, or a call's result."""
    if message.role == "tool":
        return [
            {"type": "function_call_output", "call_id": message.tool_call_id or "", "output": message.text}
        ]
    results: list[dict[str, Any]] = []
    thought = message.reasoning
    if thought is not None and with_reasoning and thought.items_field == ITEMS_FIELD:
        results += thought.items
    if message.text or not message.tool_calls:
        results.append({"role": message.role, "content": message.text})
    results += [
        {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}
        for call in message.tool_calls
    ]
    return results


class _Content(Open):
    type: str = ""
    text: str | None = None
    refusal: str | None = None
    logprobs: list[TokenBody] | None = None


class _Item(Open):
    type: str = ""
    content: list[_Content] | None = None
    summary: list[_Content] | None = None
    call_id: str | None = None
    name: str = ""
    arguments: str | None = None


class _Incomplete(Open):
    reason: str | None = None


class _InputDetails(Open):
    cached_tokens: int | None = None


class _OutputDetails(Open):
    reasoning_tokens: int | None = None


class _ResponseUsage(Open):
    input_tokens: int | None = None
    output_tokens: int | None = None
    input_tokens_details: _InputDetails | None = None
    output_tokens_details: _OutputDetails | None = None


class _Response(Open):
    output: list[dict[str, JsonValue]] = Field(min_length=1)
    status: str | None = None
    model: str | None = None
    incomplete_details: _Incomplete | None = None
    usage: _ResponseUsage | None = None


def read_completion(answer: bytes) -> Completion:
    """The completion in an answer's body.

    Raises:
        pydantic.ValidationError: It is no response.
    """
    try:
        read = _Response.model_validate_json(answer)
    except ValidationError:
        if (mended := without_lone_surrogates(answer)) is None:
            raise
        read = _Response.model_validate_json(mended)
    items = [(_Item.model_validate(raw), raw) for raw in read.output]
    contents = [content for item, _ in items if item.type == "message" for content in item.content or ()]
    text = "".join(content.text or "" for content in contents)
    refusal = "".join(content.refusal or "" for content in contents)
    calls = tuple(
        RequestedCall(id=item.call_id or f"call_{number}", name=item.name, arguments=item.arguments or "{}")
        for number, (item, _) in enumerate(items, start=1)
        if item.type == "function_call"
    )
    return Completion(
        text=text or refusal,
        tool_calls=calls,
        usage=_usage(read.usage),
        finish_reason=_finish(read, refused=bool(refusal) and not text, called=bool(calls)),
        model=read.model or "",
        reasoning=_reasoning(items),
        sampled=sampled_tokens([token for content in contents for token in content.logprobs or ()]),
    )


def _finish(read: _Response, *, refused: bool, called: bool) -> FinishReason:
    if read.status == "incomplete":
        reason = read.incomplete_details.reason if read.incomplete_details else None
        return "refusal" if reason == "content_filter" else "length"
    return "refusal" if refused else "tool_calls" if called else "stop"


def _reasoning(items: list[tuple[_Item, dict[str, JsonValue]]]) -> Reasoning | None:
    thought = [(item, raw) for item, raw in items if item.type == "reasoning"]
    if not thought:
        return None
    words = [part.text or "" for item, _ in thought for part in (item.content or item.summary or ())]
    return Reasoning(text="\n\n".join(words), items=tuple(raw for _, raw in thought), items_field=ITEMS_FIELD)


def _usage(used: _ResponseUsage | None) -> Usage:
    if used is None:
        return Usage()
    read, wrote = used.input_tokens_details, used.output_tokens_details
    return Usage(
        input_tokens=max(used.input_tokens or 0, 0),
        output_tokens=max(used.output_tokens or 0, 0),
        cached_tokens=max((read.cached_tokens or 0) if read else 0, 0),
        reasoning_tokens=max((wrote.reasoning_tokens or 0) if wrote else 0, 0),
    )
