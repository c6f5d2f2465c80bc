"""History: which part of a conversation the agent sees at its next step.

The same policy drives the rollout and the export of training samples, so that what is trained is what is
run. A conversation is a prefix (everything before the first reply: system prompt, task) followed by
exchanges: one reply of the agent with all that came back for it. Policies keep or drop whole exchanges,
never half of one, so that no tool result is left without its call.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from synthesis.errors import InvalidInput, UnknownName

M = TypeVar("M")

CHARACTERS_PER_TOKEN = 4
"""A common rule of thumb for English text and JSON; hand in a real tokenizer where it matters."""


class History(Protocol):
    """A policy over conversations; messages have a `role`, as an attribute or as a key."""

    @property
    def name(self) -> str:
        """The policy with its settings, for records."""
        ...

    def view(self, messages: Sequence[M]) -> list[M]:
        """The messages the agent is shown, in order; the first and the latest are always among them."""
        ...


@dataclass(frozen=True, slots=True)
class FullHistory:
    """Everything, always."""

    @property
    def name(self) -> str:
        """The policy's name."""
        return "full"

    def view(self, messages: Sequence[M]) -> list[M]:
        """All messages."""
        return list(messages)


@dataclass(frozen=True, slots=True)
class SlidingWindow:
    """The prefix, the first exchange (often the tool list) and the latest `window` exchanges (AWM trains
    with 3).

    Args:
        window: Exchanges to show beside the first one, at least 1.
        keep_first: Whether the first exchange is always shown.

    Raises:
        InvalidInput: The window is smaller than 1.
    """

    window: int = 3
    keep_first: bool = True

    def __post_init__(self) -> None:
        if self.window < 1:
            raise InvalidInput(f"A history window must have at least 1 exchange, not {self.window}.")

    @property
    def name(self) -> str:
        """The policy with its window."""
        return f"window:{self.window}" if self.keep_first else f"window:{self.window}:latest-only"

    def view(self, messages: Sequence[M]) -> list[M]:
        """Prefix, first exchange and latest exchanges; an exchange is never shown twice."""
        prefix, exchanges = split(messages)
        first = 1 if self.keep_first else 0
        remaining = exchanges[:first] + exchanges[max(first, len(exchanges) - self.window) :]
        return prefix + [message for exchange in remaining for message in exchange]


@dataclass(frozen=True, slots=True)
class TokenLimit:
    """The prefix, the first exchange and as many of the latest exchanges as fit into a number of tokens.

    The prefix and the latest exchange are always shown, even where they alone are over the limit: an agent
    that does not see what it was asked or what it just got back cannot go on.

    Args:
        tokens: Most tokens to show (AWM: 32,000).
        count: Tokens of one message; by default its characters divided by four.

    Raises:
        InvalidInput: The limit is smaller than 1.
    """

    tokens: int = 32_000
    count: Callable[[Any], int] | None = None

    def __post_init__(self) -> None:
        if self.tokens < 1:
            raise InvalidInput(f"A token limit must be at least 1, not {self.tokens}.")

    @property
    def name(self) -> str:
        """The policy with its limit."""
        return f"tokens:{self.tokens}"

    def view(self, messages: Sequence[M]) -> list[M]:
        """Prefix, first exchange and the longest run of latest exchanges that fits."""
        prefix, exchanges = split(messages)
        if not exchanges:
            return prefix
        left = self.tokens - self._size(prefix) - self._size(exchanges[-1])
        latest = [exchanges[-1]]
        middle = exchanges[:-1]
        first: list[list[M]] = []
        if middle and self._size(middle[0]) <= left:
            left -= self._size(middle[0])
            first, middle = [middle[0]], middle[1:]
            while middle and self._size(middle[-1]) <= left:
                left -= self._size(middle[-1])
                latest.insert(0, middle.pop())
        return prefix + [message for exchange in first + latest for message in exchange]

    def _size(self, messages: Sequence[M]) -> int:
        return sum((self.count or tokens_of)(message) for message in messages)


@dataclass(frozen=True, slots=True)
class Summarized:
    """The prefix, one message that sums up the earlier exchanges, and the latest `window` exchanges.

    Args:
        window: Exchanges to show whole, at least 1.
        summarize: Makes one message of earlier exchanges; by default a list of the calls that were made.

    Raises:
        InvalidInput: The window is smaller than 1.
    """

    window: int = 3
    summarize: Callable[[Sequence[Sequence[Any]]], Any] | None = None

    def __post_init__(self) -> None:
        if self.window < 1:
            raise InvalidInput(f"A history window must have at least 1 exchange, not {self.window}.")

    @property
    def name(self) -> str:
        """The policy with its window."""
        return f"summary:{self.window}"

    def view(self, messages: Sequence[M]) -> list[M]:
        """Prefix, summary where something is left out, latest exchanges."""
        prefix, exchanges = split(messages)
        earlier, latest = exchanges[: -self.window], exchanges[-self.window :]
        summary = [(self.summarize or calls_made)(earlier)] if earlier else []
        return prefix + summary + [message for exchange in latest for message in exchange]


def calls_made(exchanges: Sequence[Sequence[Any]]) -> Any:
    """A user's message that lists the calls of some exchanges, in the shape of the messages themselves."""
    first = exchanges[0][0]
    names = [_call_name(call) for exchange in exchanges for call in _calls_of(exchange[0])]
    text = (
        f"Earlier, in {len(exchanges)} turns that are not shown, you called: {', '.join(names) or 'nothing'}."
    )
    if isinstance(first, Mapping):
        return {"role": "user", "text" if "text" in first else "content": text}
    return type(first)(role="user", text=text)


def _calls_of(message: Any) -> Sequence[Any]:
    result = (
        message.get("tool_calls") if isinstance(message, Mapping) else getattr(message, "tool_calls", None)
    )
    return result or ()


def _call_name(call: Any) -> str:
    if isinstance(call, Mapping):
        return str(call.get("name") or call.get("function", {}).get("name", "?"))
    return str(getattr(call, "name", "?"))


def split(messages: Sequence[M]) -> tuple[list[M], list[list[M]]]:
    """A conversation as its prefix and its exchanges; an exchange begins with an "assistant" message."""
    prefix: list[M] = []
    exchanges: list[list[M]] = []
    for message in messages:
        if role_of(message) == "assistant":
            exchanges.append([message])
        elif exchanges:
            exchanges[-1].append(message)
        else:
            prefix.append(message)
    return prefix, exchanges


def role_of(message: Any) -> str:
    """The role of a message, an object with the attribute or a mapping with the key."""
    return str(message["role"] if isinstance(message, Mapping) else message.role)


def tokens_of(message: Any) -> int:
    """Tokens of one message by the rule of thumb, at least 1."""
    plain = message if isinstance(message, Mapping) else message.model_dump(mode="json")
    return max(1, len(json.dumps(plain, ensure_ascii=False)) // CHARACTERS_PER_TOKEN)


HISTORIES: dict[str, Callable[..., History]] = {
    "full": FullHistory,
    "window": SlidingWindow,
    "tokens": TokenLimit,
    "summary": Summarized,
}


def make_history(text: str) -> History:
    """A policy from its name: "full", "window", "window:5", "tokens:16000", "summary:3".

    Raises:
        UnknownName: There is no such policy.
        InvalidInput: Its number is none, or too small.
    """
    kind, _, size = text.partition(":")
    if kind not in HISTORIES:
        raise UnknownName("history policy", kind, list(HISTORIES))
    if not size or kind == "full":
        return HISTORIES[kind]()
    if not size.isdecimal():
        raise InvalidInput(f"History policy {text!r}: {size!r} is not a whole number.")
    return HISTORIES[kind](int(size))
