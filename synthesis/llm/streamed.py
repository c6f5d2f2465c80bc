"""Streamed: an answer that came as server-sent events, put together as the one body it stands for."""

from __future__ import annotations

import json
from typing import Any

_TEXTS = ("content", "refusal", "reasoning_content", "reasoning")
"""Fields of a delta that are pieces of one text."""


def is_streamed(answer: bytes) -> bool:
    """Whether a body consists of events."""
    return answer.lstrip()[:6].startswith((b"data:", b"event:", b": "))


def whole(answer: bytes) -> bytes:
    """The body that the events make up: a chat completion, a response, or the error that ended them.

    What is no event is left out; a stream without any gives an empty object, which no reader takes.
    """
    events = _events(answer)
    for event in events:
        if isinstance(event.get("response"), dict) and event.get("type") in _LAST:
            return json.dumps(event["response"]).encode()
        if event.get("error"):
            return json.dumps({"error": event["error"]}).encode()
    return json.dumps(_completion([event for event in events if "choices" in event])).encode()


_LAST = ("response.completed", "response.incomplete", "response.failed")


def _events(answer: bytes) -> list[dict[str, Any]]:
    results = []
    for line in answer.decode("utf-8", "replace").splitlines():
        if not line.startswith("data:") or line[5:].strip() == "[DONE]":
            continue
        try:
            event = json.loads(line[5:])
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict):
            results.append(event)
    return results


def _completion(chunks: list[dict[str, Any]]) -> dict[str, Any]:
    message: dict[str, Any] = {}
    calls: dict[int, dict[str, Any]] = {}
    finish: str | None = None
    tokens: list[Any] = []
    ids: list[int] = []
    for chunk in chunks:
        for choice in (chunk["choices"] or ())[:1]:
            finish = choice.get("finish_reason") or finish
            tokens += (choice.get("logprobs") or {}).get("content") or []
            ids += choice.get("token_ids") or []
            _add(choice.get("delta") or {}, message, calls)
    if not chunks:
        return {}
    if calls:
        message["tool_calls"] = [calls[index] for index in sorted(calls)]
    return {
        "choices": [
            {
                "message": message,
                "finish_reason": finish,
                "logprobs": {"content": tokens},
                "token_ids": ids,
            }
        ],
        "model": next((chunk["model"] for chunk in chunks if chunk.get("model")), None),
        "usage": next((chunk["usage"] for chunk in reversed(chunks) if chunk.get("usage")), None),
    }


def _add(delta: dict[str, Any], message: dict[str, Any], calls: dict[int, dict[str, Any]]) -> None:
    for field in _TEXTS:
        if isinstance(delta.get(field), str):
            message[field] = message.get(field, "") + delta[field]
    if isinstance(delta.get("reasoning_details"), list):
        message.setdefault("reasoning_details", []).extend(delta["reasoning_details"])
    for place, piece in enumerate(delta.get("tool_calls") or ()):
        index = piece.get("index")
        call = calls.setdefault(
            place if index is None else index, {"id": None, "function": {"name": "", "arguments": ""}}
        )
        call["id"] = piece.get("id") or call["id"]
        function = piece.get("function") or {}
        call["function"]["name"] += function.get("name") or ""
        call["function"]["arguments"] += function.get("arguments") or ""
