"""Dialogue: a conversation while it goes on, with what the agent was shown at each of its turns."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pydantic import JsonValue

from synthesis.documents.conversation import Conversation, Message, RequestedCall, ToolOffer, Turn


class Dialogue:
    """Messages in order, and for each reply what was shown before it."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._turns: list[Turn] = []
        self._own_tools: dict[str, ToolOffer] = {}

    def say(self, message: Message) -> None:
        """Add what the agent is told: a result, or the user's words."""
        self.messages.append(message)

    def answer(
        self,
        reply: Message,
        *,
        shown: Sequence[Message],
        offers: Sequence[ToolOffer],
        step: int,
        own: frozenset[str],
    ) -> None:
        """Add a reply of the agent.

        Args:
            reply: What it wrote.
            shown: What it saw before; messages of this dialogue, by identity, or made by the history policy.
            offers: What it could call.
            step: Index of the step it leads to.
            own: Names of the offers that are no tools of the environment.
        """
        places = {id(message): place for place, message in enumerate(self.messages)}
        self._turns.append(
            Turn(
                reply=len(self.messages),
                shown=tuple(places.get(id(message), message) for message in shown),
                offered=tuple(offer.name for offer in offers),
                step=step,
            )
        )
        self._own_tools |= {offer.name: offer for offer in offers if offer.name in own}
        self.messages.append(reply)

    def record(self, last: Message | None = None, **settings: str) -> Conversation:
        """All of it.

        Args:
            last: What came back for the last call and was not said yet.
            settings: Names of the `history`, the `toolbox` and the `user`.
        """
        messages = self.messages if last is None else [*self.messages, last]
        own = tuple(self._own_tools.values())
        return Conversation(messages=tuple(messages), turns=tuple(self._turns), tools=own, **settings)


def result(call: RequestedCall, observation: JsonValue) -> Message:
    """What came back for a call, as the agent is told it."""
    seen = json.dumps(observation, ensure_ascii=False)
    return Message(role="tool", text=seen, tool_call_id=call.id)
