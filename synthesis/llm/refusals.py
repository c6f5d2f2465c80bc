"""Refusals: what an endpoint says when it does not answer, and which setting mends it."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from typing import Any

from synthesis.errors import (
    PromptTooLong,
    ProviderError,
    ProviderOverloaded,
    ProviderRefused,
)
from synthesis.llm import wire

RETRIABLE = frozenset({408, 409, 425, 429})
"""Status codes, besides all of 5xx, after which the same request may succeed."""

LONGEST_TEXT = 500

_TOO_LONG = re.compile(
    r"context[ _](length|window|size)|maximum (context|prompt|input)|too many (input )?tokens"
    r"|(prompt|input|request) (is|was|too) (too )?(long|large)|reduce the length"
    r"|exceed\w* .{0,40}(context|n_ctx)"
)
_NO_CREDIT = re.compile(r"insufficient[_ ](quota|balance|credit|funds)|exceeded your current quota|billing")
_TAGS = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.DOTALL | re.IGNORECASE)


def words_of(body: Any, text: str) -> str:
    """What the endpoint said, short, in whichever form it says it.

    Args:
        body: The refusal's body as JSON, or None.
        text: The same as text.
    """
    message = _message(body)
    if not message:
        message = " ".join(html.unescape(_TAGS.sub(" ", text)).split())
    return message[:LONGEST_TEXT] or "nothing"


def _message(value: Any) -> str:
    """The message in a JSON value: of OpenAI's form, FastAPI's `detail`, a list of either, or plain text."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return " ".join(filter(None, map(_message, value[:5])))
    if not isinstance(value, Mapping):
        return ""
    for key in ("message", "error", "detail", "errors", "msg", "title", "error_description"):
        if message := _message(value.get(key)):
            return message
    return json.dumps(value, ensure_ascii=False) if value else ""


def is_too_long(status: int, message: str) -> bool:
    """Whether a refusal is about the length of the prompt."""
    return status == 413 or (status in (400, 422, 500) and _TOO_LONG.search(message.lower()) is not None)


def refusal(
    status: int, message: str, headers: Mapping[str, str], *, address: str, model: str, key: str, setting: str
) -> ProviderError:
    """The error that a status code stands for.

    Args:
        status: HTTP status, or the code in a body that came with 200.
        message: What the endpoint said.
        headers: Of its answer.
        address: Of the endpoint, as it may be shown.
        model: That was asked.
        key: Name of the variable that holds the key.
        setting: Name of the variable that names the model.
    """
    if is_too_long(status, message):
        return PromptTooLong(
            f"{address} answered {status}: {_ended(message)} The prompt is longer than {model!r} takes: "
            f"choose a model with a larger context ({setting}), or fewer tables, tools and tasks."
        )
    without_credit = status == 402 or _NO_CREDIT.search(message.lower()) is not None
    if (status in RETRIABLE or status >= 500) and not without_credit:
        return ProviderOverloaded(
            f"{address} answered {status}: {message}", retry_after=wire.retry_after(headers)
        )
    remedy = "The account has no credit left: add some, or use another endpoint." if without_credit else ""
    remedy = remedy or _remedy(status, model, key, setting)
    return ProviderRefused(f"{address} answered {status}: {_ended(message)} {remedy}")


def _ended(message: str) -> str:
    return message if message.endswith((".", "!", "?")) else f"{message}."


def _remedy(status: int, model: str, key: str, setting: str) -> str:
    if status == 401:
        return f"The key was rejected: check {key}."
    if status == 403:
        return f"The key may not use model {model!r}: check {key} and {setting}."
    if status == 404:
        return (
            f"Check that the model {model!r} exists there ({setting}) "
            "and that OPENAI_BASE_URL ends before /chat/completions, usually with /v1."
        )
    return f"Check {setting} and what the endpoint accepts."
