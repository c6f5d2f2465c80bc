"""ChatAgent: a model with native tool calls, through any provider."""

from __future__ import annotations

import json
from collections import deque

from pydantic import JsonValue

from synthesis.documents.tools import Tool, ToolCall
from synthesis.documents.trajectory import FinalAnswer, Malformed, Usage
from synthesis.llm.provider import Completion, CompletionRequest, Message, Provider, RequestedCall, ToolOffer
from synthesis.rollouts.agent import AgentContext, Decision
from synthesis.rollouts.history import FullHistory, History, TokenLimit, tokens_of

RESPONSE_TOKENS = 2_048
CONTEXT_TOKENS = 32_000
LONGEST_QUOTE = 4_000
"""Characters of a malformed action that are kept in the record."""

SYSTEM = """\
You are an assistant who acts for a user of an application. You reach the application through tools only.

- Do what the user asks, completely, and nothing beyond it.
- Look things up before you act; never guess an id.
- A tool that declines says why. When the request cannot or must not be done, change nothing and say so with
  the reason.
- When you are done, answer in one or two sentences without calling a tool. That answer ends the conversation;
  nobody replies to questions.\
"""


class ChatAgent:
    """Asks a provider for each turn. A reply without a tool call is the final answer.

    A call whose arguments are no JSON object, or a reply cut off by its length, is a violation of the format
    rule. A failing provider raises, and the rollout ends as an infrastructure error.

    Args:
        provider: Who is asked.
        history: What of the conversation is shown, on top of the limit of the context.
        response_tokens: Longest reply.
        context_tokens: Longest conversation with its reply; older exchanges are left out.
        temperature: Passed on when given.
        system: What the agent is told before the policy.
    """

    name = "chat"

    def __init__(
        self,
        provider: Provider,
        *,
        history: History | None = None,
        response_tokens: int = RESPONSE_TOKENS,
        context_tokens: int = CONTEXT_TOKENS,
        temperature: float | None = None,
        system: str = SYSTEM,
    ) -> None:
        self._provider = provider
        self._history: History = history or FullHistory()
        self._response_tokens, self._context_tokens = response_tokens, context_tokens
        self._temperature, self._system = temperature, system
        self._messages: list[Message] = []
        self._offers: tuple[ToolOffer, ...] = ()
        self._waiting: deque[RequestedCall] = deque()
        self._asked: RequestedCall | None = None
        self._seed = 0

    @property
    def model(self) -> str:
        """The model that is asked."""
        return self._provider.model

    def begin(self, context: AgentContext) -> None:
        """A new conversation: the system prompt with the policy, and the user's words."""
        self._messages = [
            Message(role="system", text=_told(self._system, context)),
            Message(role="user", text=context.instruction),
        ]
        self._offers = tuple(_offer(tool) for tool in context.tools)
        self._waiting.clear()
        self._asked, self._seed = None, context.seed

    def act(self, observation: JsonValue) -> Decision:
        """The next call of the last reply, or else the next reply's first action."""
        if self._asked is not None:
            seen = json.dumps(observation, ensure_ascii=False)
            self._messages.append(Message(role="tool", text=seen, tool_call_id=self._asked.id))
            self._asked = None
        if self._waiting:
            return self._next_call()
        shown = self._shown()
        if shown is None:
            return Decision(stop="token_limit")
        request = CompletionRequest(
            messages=tuple(shown),
            tools=self._offers,
            max_output_tokens=self._response_tokens,
            temperature=self._temperature,
            seed=self._seed,
            stage="rollout",
        )
        return self._decided(self._provider.complete(request))

    def _shown(self) -> list[Message] | None:
        """The messages that fit into the context, or None when not even the latest exchange does."""
        offered = sum(tokens_of(offer) for offer in self._offers)
        room = max(self._context_tokens - self._response_tokens - offered, 1)
        shown = TokenLimit(room).view(self._history.view(self._messages))
        return shown if sum(tokens_of(message) for message in shown) <= room else None

    def _decided(self, completion: Completion) -> Decision:
        if not completion.tool_calls:
            return self._final(completion)
        calls = tuple(
            call.model_copy(update={"id": f"{call.id}.{number}"}) if _repeated(call, completion) else call
            for number, call in enumerate(completion.tool_calls, start=1)
        )
        self._messages.append(Message(role="assistant", text=completion.text, tool_calls=calls))
        self._waiting.extend(calls)
        return self._next_call(thought=completion.text, usage=completion.usage)

    def _final(self, completion: Completion) -> Decision:
        if completion.finish_reason == "length":
            error = f"The reply was cut off at its limit of {self._response_tokens} tokens."
            return Decision(
                action=Malformed(text=completion.text[:LONGEST_QUOTE], error=error), usage=completion.usage
            )
        self._messages.append(Message(role="assistant", text=completion.text))
        return Decision(action=FinalAnswer(text=completion.text), usage=completion.usage)

    def _next_call(self, *, thought: str = "", usage: Usage | None = None) -> Decision:
        call = self._waiting.popleft()
        try:
            arguments = json.loads(call.arguments or "{}")
        except ValueError as error:
            return self._malformed(call, f"The arguments are no JSON: {error}.", thought, usage)
        if not isinstance(arguments, dict):
            return self._malformed(call, "The arguments are no JSON object.", thought, usage)
        self._asked = call
        action = ToolCall(name=call.name, arguments=arguments)
        return Decision(action=action, thought=thought, usage=usage)

    @staticmethod
    def _malformed(call: RequestedCall, error: str, thought: str, usage: Usage | None) -> Decision:
        written = f"{call.name}({call.arguments})"[:LONGEST_QUOTE]
        return Decision(action=Malformed(text=written, error=error), thought=thought, usage=usage)


def _repeated(call: RequestedCall, completion: Completion) -> bool:
    """Whether a server gave one id to several calls; results could not be told apart."""
    return sum(other.id == call.id for other in completion.tool_calls) > 1


def _told(system: str, context: AgentContext) -> str:
    """The system prompt: who the agent is, what day it is, and the rules."""
    told = system
    if context.description:
        told += f"\n\n# The application\n\n{context.description}"
    if context.clock is not None:
        told += f"\n\nIts clock shows {context.clock:%A}, {context.clock:%Y-%m-%d %H:%M}."
    if context.policy:
        told += f"\n\n# Policy\n\n{context.policy}"
    return told


def _offer(tool: Tool) -> ToolOffer:
    return ToolOffer(name=tool.name, description=tool.description, parameters=tool.input_schema)
