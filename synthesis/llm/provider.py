"""Provider: whoever completes a conversation; everything else in this package wraps one."""

from __future__ import annotations

from typing import Any, Literal, Protocol, runtime_checkable

from pydantic import Field, JsonValue

from synthesis.documents.conversation import Message, RequestedCall, ToolOffer
from synthesis.documents.document import Document
from synthesis.documents.trajectory import Usage

__all__ = [
    "Completion",
    "CompletionRequest",
    "FinishReason",
    "Message",
    "Provider",
    "ReplyFormat",
    "RequestedCall",
    "ToolOffer",
]

FinishReason = Literal["stop", "length", "tool_calls", "refusal", "other"]
"""Why the model stopped: done, out of tokens, wants tools, declined, something else."""


class ReplyFormat(Document):
    """The JSON a reply is to consist of."""

    name: str
    json_schema: dict[str, JsonValue]


class CompletionRequest(Document):
    """What is asked; equal requests have equal fingerprints, whoever asks and however often."""

    messages: tuple[Message, ...] = Field(min_length=1)
    tools: tuple[ToolOffer, ...] = ()
    reply_format: ReplyFormat | None = None
    max_output_tokens: int | None = Field(default=None, ge=1)
    temperature: float | None = None
    seed: int | None = None
    stage: str = ""
    """What it is for, for the ledger; not part of the fingerprint."""
    attempt: int = 0
    """Which try of the stage, for the ledger; not part of the fingerprint."""

    def content(self) -> Any:
        """The question without who asked it."""
        return self.model_dump(mode="json", exclude={"stage", "attempt"})

    @property
    def characters(self) -> int:
        """Length of all messages and tool offers in characters."""
        said = sum(len(m.text) + sum(len(c.arguments) for c in m.tool_calls) for m in self.messages)
        return said + sum(len(str(tool.parameters)) + len(tool.description) for tool in self.tools)


class Completion(Document):
    """The answer: text or tool calls, and what it used."""

    text: str = ""
    tool_calls: tuple[RequestedCall, ...] = ()
    usage: Usage = Usage()
    finish_reason: FinishReason = "stop"
    model: str = ""
    """The model as the endpoint names it."""


@runtime_checkable
class Provider(Protocol):
    """Completes conversations; safe to call from several threads."""

    @property
    def model(self) -> str:
        """Name of the model that is asked."""
        ...

    def complete(self, request: CompletionRequest) -> Completion:
        """The model's answer; blocks until it is whole.

        Raises:
            ProviderUnreachable: No connection, or it broke.
            ProviderRefused: Asking again is no use; the text says which setting to change.
            ProviderOverloaded: The endpoint is busy; asking later may help.
            BudgetExhausted: A limit in money or tokens was reached.
        """
        ...
