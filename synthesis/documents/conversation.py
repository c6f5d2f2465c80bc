"""Conversation: what a chat agent, its tools and its user said, and what the agent was shown at each turn."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from synthesis.documents.document import Document


class RequestedCall(Document):
    """A tool call as the model wrote it; `arguments` is its own text and may be no JSON at all."""

    id: str
    name: str
    arguments: str = "{}"


class Reasoning(Document):
    """What a model thought before it replied, as far as its endpoint tells."""

    text: str = ""
    """In words; empty where the endpoint only sends it sealed."""
    items: tuple[dict[str, JsonValue], ...] = ()
    """Parts as the endpoint sent them, to be sent back unread: signatures, encrypted contents."""
    field: str = ""
    """Name of the field its words came in, "reasoning_content"; empty where they stood in the text itself."""
    items_field: str = ""
    """Name of the field its items came in, "reasoning_details"."""


class SampledTokens(Document):
    """The tokens that a model sampled for one reply, in order, as its endpoint gives them.

    Trainers need these: a reply's text tokenised anew may give others.
    """

    texts: tuple[str, ...]
    logprobs: tuple[float, ...]
    """Natural logarithm of each token's probability."""
    ids: tuple[int, ...] = Field(default=(), exclude_if=lambda value: not value)
    """Place of each in the model's vocabulary; empty where the endpoint does not give it."""


class Message(Document):
    """One message of a conversation, in the shape of chat completions."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str = ""
    tool_calls: tuple[RequestedCall, ...] = ()
    """Calls an assistant message asked for."""
    tool_call_id: str | None = None
    """The call a tool message answers."""
    reasoning: Reasoning | None = Field(default=None, exclude_if=lambda value: value is None)
    """What a model thought before this message; None where nothing is known of it."""
    sampled: SampledTokens | None = Field(default=None, exclude_if=lambda value: value is None)
    """The tokens of a model's reply; None where they were not asked for or not given."""

    def without_reasoning(self) -> Message:
        """The same message without what was thought before it; the tokens of both go together."""
        return self if self.reasoning is None else self.replace(reasoning=None, sampled=None)


class ToolOffer(Document):
    """A tool the model may call."""

    name: str
    description: str = ""
    parameters: dict[str, JsonValue]
    """JSON Schema of its arguments."""


class Turn(Document):
    """One reply of the agent: where it is, what was shown before it, and what it led to."""

    reply: int = Field(ge=0)
    """Place of the reply among the messages, from 0."""
    shown: tuple[int | Message, ...]
    """Places of the messages the agent saw, in order; a message that the history policy made (a summary of
    earlier turns) is whole."""
    offered: tuple[str, ...] = ()
    """Names of the tools it could call."""
    step: int = Field(ge=1)
    """Index of the first step this reply led to; a reply that only looked something up in its own tool list
    or spoke with the user led to none, and the next turn has the same number."""


class Conversation(Document):
    """The whole of it, once; each turn says which part of it the agent saw."""

    messages: tuple[Message, ...]
    turns: tuple[Turn, ...] = ()
    tools: tuple[ToolOffer, ...] = ()
    """Offers that are no tools of the environment, like `list_tools` of the two-tool variant."""
    history: str = ""
    """The policy that chose what was shown, "window:3"; empty where everything was."""
    toolbox: str = ""
    """How the tools were shown, "two-tools"; empty where they were no question."""
    user: str = ""
    """Who the agent spoke with, "scripted user (elderly, patient, friendly)"; empty where nobody answered."""

    def shown(self, turn: Turn) -> list[Message]:
        """The messages the agent saw before a reply."""
        return [place if isinstance(place, Message) else self.messages[place] for place in turn.shown]

    def reasoning_before(self, step: int) -> list[Reasoning]:
        """What the agent thought in the replies that led to a step (index from 1) and to no other."""
        replies = [self.messages[turn.reply] for turn in self.turns if turn.step == step]
        return [reply.reasoning for reply in replies if reply.reasoning is not None]

    def without_reasoning(self) -> Conversation:
        """The same conversation without what the agent thought, also as sampled tokens."""
        turns = [
            turn.replace(
                shown=tuple(
                    place.without_reasoning() if isinstance(place, Message) else place for place in turn.shown
                )
            )
            for turn in self.turns
        ]
        messages = [message.without_reasoning() for message in self.messages]
        return self.replace(messages=tuple(messages), turns=tuple(turns))

    def turn_of(self, step: int) -> Turn | None:
        """The reply that led to a step (index from 1), or None when nothing is recorded of it.

        Several calls of one reply are several steps with one turn.
        """
        led = [turn for turn in self.turns if turn.step <= step]
        return led[-1] if led else None
