"""Asking a judge model until its reply can be read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from synthesis.documents.document import Document
from synthesis.documents.trajectory import Usage
from synthesis.errors import ReplyUnreadable
from synthesis.llm.provider import Completion, CompletionRequest, Message, Provider
from synthesis.llm.structured import reply_format

ATTEMPTS = 2
"""Replies asked for before an environment stays unjudged."""
LONGEST_REPLY_TOKENS = 4_096

T = TypeVar("T")


class ReplyRead(NamedTuple, Generic[T]):
    """What was read of a model's replies."""

    reply: T
    usage: Usage
    """Of all replies."""
    model: str
    """The model that wrote the one that was read."""


def ask(
    provider: Provider,
    *,
    prompt: str,
    question: str,
    form: type[Document],
    read: Callable[[Completion], T],
    stage: str,
    temperature: float | None = None,
) -> ReplyRead[T]:
    """What a model's reply says and what all replies cost; one that cannot be read is sent back once.

    Args:
        provider: Who is asked.
        prompt: The instructions.
        question: What is judged.
        form: The form of the reply.
        read: Reads a reply.
        stage: Of the request.
        temperature: Passed on when given.

    Raises:
        ProviderError: The model did not answer.
        ReplyUnreadable: Its replies cannot be read.
    """
    messages = [Message(role="system", text=prompt), Message(role="user", text=question)]
    usage = Usage()
    for attempt in range(ATTEMPTS):
        completion = provider.complete(
            CompletionRequest(
                messages=tuple(messages),
                reply_format=reply_format(form),
                max_output_tokens=LONGEST_REPLY_TOKENS,
                temperature=temperature,
                stage=stage,
                attempt=attempt,
            )
        )
        usage += completion.usage
        try:
            return ReplyRead(read(completion), usage, completion.answered_by or provider.model)
        except ReplyUnreadable as error:
            if attempt + 1 == ATTEMPTS:
                raise
            messages += [
                Message(role="assistant", text=completion.text[:2_000]),
                Message(role="user", text=f"That could not be read: {error}"),
            ]
    raise AssertionError("The loop returns or raises.")
