"""Features: what an endpoint takes, assumed at first, found out from its refusals, and then remembered."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from synthesis.documents.document import Document
from synthesis.llm.provider import Completion, CompletionRequest

StructuredMode = Literal["auto", "json_schema", "json_object", "none"]
"""How the reply format is asked for; "auto" starts with a schema and steps down when it is refused."""

ReasoningSent = Literal["between_calls", "always", "never"]
"""Which reasoning goes back to the endpoint: that since the user last spoke, all of it, none."""

ADAPTABLE = frozenset({400, 404, 405, 415, 422, 501})
"""Status codes after which the same question may be taken in another form."""


class Features(Document):
    """What one model at one endpoint takes."""

    api: Literal["chat", "responses"] = "chat"
    """Chat completions, or the Responses API where these are missing."""
    structured: Literal["json_schema", "json_object", "none"] = "json_schema"
    json_mode: bool = True
    """Whether a format that the prompt describes can be asked for without its schema."""
    limit_field: Literal["max_completion_tokens", "max_tokens"] = "max_completion_tokens"
    """The field that limits a reply; older servers know only the second."""
    native_tools: bool = True
    """Whether tools are a field of the request; else they are described in words."""
    system_role: bool = True
    """Whether there are system messages; else the first user message begins with their text."""
    streamed: bool = False
    """Whether answers come as a stream of events only."""
    temperature: bool = True
    seed: bool = True
    logprobs: bool = True
    """Whether sampled tokens can be asked for."""
    reasoning_sent: ReasoningSent = "between_calls"
    effort: bool = True
    """Whether it can be told how much to think."""
    reasons: bool = False
    """Whether the model was seen to reason, so that its replies need an allowance for that."""

    def after(self, completion: Completion) -> Features:
        """These features with what a completion shows of the model."""
        thought = completion.reasoning is not None or completion.usage.reasoning_tokens > 0
        return self.replace(reasons=True) if thought and not self.reasons else self


def adapted(
    features: Features,
    status: int,
    message: str,
    request: CompletionRequest,
    *,
    fixed_format: bool = False,
    reasoning_effort: str = "",
) -> Features | None:
    """The features under which a refused request may be taken, or None where nothing is left to try.

    Every change goes one way only, so that trying ends.

    Args:
        features: Under which it was refused.
        status: HTTP status of the refusal.
        message: What the endpoint said.
        request: What was asked.
        fixed_format: Whether the way to ask for a reply format was set by hand.
        reasoning_effort: How much it was to think; "" where that was left to the endpoint.
    """
    if status not in ADAPTABLE:
        return None
    text = message.lower()
    rules: tuple[Callable[[], Features | None], ...] = (
        lambda: _simpler_format(features, text, request, fixed=fixed_format),
        lambda: _older_limit(features, text, request),
        lambda: _without_sampling(features, text, request),
        lambda: _without_effort(features, text) if reasoning_effort else None,
        lambda: _streamed(features, text),
        lambda: _reasoning(features, text, request),
        lambda: _without_system(features, text, request),
        lambda: _without_tools(features, text, request),
        lambda: _other_api(features, status, text),
    )
    return next((changed for rule in rules if (changed := rule()) is not None), None)


_SIMPLER: dict[str, Literal["json_object", "none"]] = {"json_schema": "json_object", "json_object": "none"}
_FORMAT = re.compile(r"response_format|json_schema|json_object|text\.format|structured output")
_STREAM = re.compile(r"\bstream(ing)?\b.*\b(must|only|required|true|enable)|\bonly\b.*\bstream")
_REASONING = re.compile(r"reasoning|thinking")
_EFFORT_VALUES = re.compile(r"supported values|must be one of|invalid value|does not support '")
_MISSING = re.compile(r"missing|must be (passed|sent|provided|included)|required")
_SYSTEM = re.compile(
    r"\b(system|developer)\b.{0,20}\b(role|message|instruction|prompt)|\brole\b.{0,40}\bsystem\b"
)
_TOOLS = re.compile(r"\btools?\b|\bfunctions?\b|tool[_-]choice|function[_ -]call")
_NO_SUPPORT = re.compile(
    r"not (be )?(support|available|enabled|allow|permit|implement)|unsupported|unknown|unrecogni[sz]ed"
    r"|unexpected|extra (inputs|fields)|support tool|requires --"
)


def _simpler_format(
    features: Features, text: str, request: CompletionRequest, *, fixed: bool
) -> Features | None:
    if request.reply_format is None or features.structured == "none" or not _FORMAT.search(text):
        return None
    if request.reply_format.in_prompt and features.structured == "json_schema" and features.json_mode:
        return features.replace(json_mode=False)  # some take schemas and no other JSON
    if fixed:
        return None
    simpler = _SIMPLER[features.structured] if features.json_mode else "none"
    return features.replace(structured=simpler)


def _older_limit(features: Features, text: str, request: CompletionRequest) -> Features | None:
    new = "max_completion_tokens"
    if request.max_output_tokens is None or features.limit_field != new or new not in text:
        return None
    return features.replace(limit_field="max_tokens")


def _without_sampling(features: Features, text: str, request: CompletionRequest) -> Features | None:
    if request.temperature is not None and features.temperature and "temperature" in text:
        return features.replace(temperature=False)
    if request.seed is not None and features.seed and re.search(r"\bseed\b", text):
        return features.replace(seed=False)
    if request.logprobs and features.logprobs and "logprobs" in text:
        return features.replace(logprobs=False)
    return None


def _without_effort(features: Features, text: str) -> Features | None:
    """Without the effort where it is unknown; a value that a model does not have is for people to change."""
    known = _EFFORT_VALUES.search(text)
    return features.replace(effort=False) if features.effort and "effort" in text and not known else None


def _streamed(features: Features, text: str) -> Features | None:
    return features.replace(streamed=True) if not features.streamed and _STREAM.search(text) else None


def _reasoning(features: Features, text: str, request: CompletionRequest) -> Features | None:
    """Send all reasoning where some is missed, none where it is not taken."""
    has_reasoning = any(message.reasoning is not None for message in request.messages)
    asked = "encrypted_content" in text or "include" in text
    if features.reasoning_sent == "never" or not (
        (has_reasoning and _REASONING.search(text)) or (asked and features.api == "responses")
    ):
        return None
    if features.reasoning_sent == "between_calls" and _MISSING.search(text):
        return features.replace(reasoning_sent="always")
    return features.replace(reasoning_sent="never")


def _without_system(features: Features, text: str, request: CompletionRequest) -> Features | None:
    has = any(message.role == "system" for message in request.messages)
    return (
        features.replace(system_role=False) if has and features.system_role and _SYSTEM.search(text) else None
    )


def _without_tools(features: Features, text: str, request: CompletionRequest) -> Features | None:
    unsupported = _TOOLS.search(text) and _NO_SUPPORT.search(text)
    return (
        features.replace(native_tools=False)
        if request.tools and features.native_tools and unsupported
        else None
    )


def _other_api(features: Features, status: int, text: str) -> Features | None:
    """The Responses API, where there is nothing at the address of chat completions."""
    missing = status in (404, 405, 501) and "model" not in text
    wanted = features.api == "chat" and ("/responses" in text or "responses api" in text or missing)
    return features.replace(api="responses") if wanted else None
