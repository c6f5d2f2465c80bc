"""Provider: whoever completes a conversation; everything else in this package wraps one."""

from __future__ import annotations

from typing import Any, Literal, Protocol, runtime_checkable

from pydantic import Field, JsonValue

from synthesis.documents.conversation import Message, Reasoning, RequestedCall, SampledTokens, ToolOffer
from synthesis.documents.document import Document
from synthesis.documents.trajectory import Usage

__all__ = [
    "Completion",
    "CompletionRequest",
    "FinishReason",
    "Message",
    "Provider",
    "Reasoning",
    "ReplyFormat",
    "RequestedCall",
    "SampledTokens",
    "ToolOffer",
]

FinishReason = Literal["stop", "length", "tool_calls", "refusal", "other"]
"""Why the model stopped: done, out of tokens, wants tools, declined, something else."""


class ReplyFormat(Document):
    """The JSON a reply is to consist of."""

    name: str
    json_schema: dict[str, JsonValue]
    in_prompt: bool = Field(default=False, exclude_if=lambda value: not value)
    """Whether the messages describe it already. Endpoints put a schema before the first message, so that
    prompts of one beginning and different schemas share nothing they could cache: such a format is asked for
    as JSON and no more."""


class CompletionRequest(Document):
    """What is asked; equal requests have equal fingerprints, whoever asks and however often."""

    messages: tuple[Message, ...] = Field(min_length=1)
    tools: tuple[ToolOffer, ...] = ()
    reply_format: ReplyFormat | None = None
    max_output_tokens: int | None = Field(default=None, ge=1)
    """Longest reply without its reasoning, for which an endpoint has an allowance of its own."""
    temperature: float | None = None
    seed: int | None = None
    logprobs: bool = Field(default=False, exclude_if=lambda value: not value)
    """Whether the sampled tokens are wanted with their log-probabilities, where the endpoint gives them."""
    stage: str = ""
    """What it is for, for the ledger; not part of the fingerprint."""
    attempt: int = 0
    """Which try of the stage, for the ledger; not part of the fingerprint."""
    pieces: tuple[str, ...] = ()
    """Names of the pieces that are asked for, for recordings; not part of the fingerprint."""

    def content(self) -> Any:
        """The question without who asked it."""
        return self.model_dump(mode="json", exclude={"stage", "attempt", "pieces"})

    @property
    def characters(self) -> int:
        """Length of all messages and tool offers in characters."""
        number = sum(len(m.text) + sum(len(c.arguments) for c in m.tool_calls) for m in self.messages)
        return number + sum(len(str(tool.parameters)) + len(tool.description) for tool in self.tools)


class Completion(Document):
    """The answer: text or tool calls, and what it used."""

    text: str = ""
    tool_calls: tuple[RequestedCall, ...] = ()
    usage: Usage = Usage()
    finish_reason: FinishReason = "stop"
    model: str = ""
    """The model as the endpoint names it."""
    answered_by: str = Field(default="", exclude_if=lambda value: not value)
    """The model of a pool that answered, as it was asked for; empty where only one could."""
    reasoning: Reasoning | None = Field(default=None, exclude_if=lambda value: value is None)
    """What the model thought, where its endpoint tells."""
    sampled: SampledTokens | None = Field(default=None, exclude_if=lambda value: value is None)
    """The tokens of the reply, where they were asked for and given."""
    note: str = Field(default="", exclude_if=lambda value: not value)
    """What whoever completed it has to say about the reply; becomes a warning of the attempt."""

    def as_message(self, tool_calls: tuple[RequestedCall, ...] | None = None) -> Message:
        """The reply as a message of the conversation, with these calls instead of its own where given."""
        return Message(
            role="assistant",
            text=self.text,
            tool_calls=self.tool_calls if tool_calls is None else tool_calls,
            reasoning=self.reasoning,
            sampled=self.sampled,
        )

    @property
    def only_reasoning(self) -> bool:
        """Whether the model thought and then neither wrote nor called anything."""
        thought = self.reasoning is not None or self.usage.reasoning_tokens > 0
        return thought and not self.tool_calls and not self.text.strip()


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
            PromptTooLong: The request is longer than the model's context.
            ProviderOverloaded: The endpoint is busy; asking later may help.
            BudgetExhausted: A limit in money or tokens was reached.
        """
        ...
