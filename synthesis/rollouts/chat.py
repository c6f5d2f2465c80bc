"""ChatAgent: a model with native tool calls, through any provider."""

from __future__ import annotations

import json
from collections import deque
from math import isfinite
from typing import NoReturn

from pydantic import JsonValue, ValidationError

from synthesis.documents.conversation import Conversation, Message, RequestedCall, ToolOffer
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import Action, FinalAnswer, Malformed, Usage
from synthesis.llm.provider import Completion, CompletionRequest, Provider
from synthesis.rollouts.agent import AgentContext, Decision
from synthesis.rollouts.dialogue import Dialogue, result
from synthesis.rollouts.history import FullHistory, History, TokenLimit, tokens_of
from synthesis.rollouts.toolbox import Toolbox, WholeList
from synthesis.rollouts.user import User

RESPONSE_TOKENS = 2_048
CONTEXT_TOKENS = 32_000
MOST_REPLIES = 60
"""Replies of one episode, with those that only look into the tool list or speak with the user."""
MOST_DIGITS = 20
"""Of an integer of 64 bits with its sign."""
LONGEST_QUOTE = 4_000
"""Characters of a malformed action that are kept in the record."""

SYSTEM = """\
You are an assistant who acts for a user of an application. You reach the application through tools only.

- Do what the user asks, completely, and nothing beyond it.
- Look things up before you act; never guess an id.
- A tool that declines says why. When the request cannot or must not be done, change nothing and say so with
  the reason.
"""
ALONE = """\
- When you are done, answer in one or two sentences without calling a tool. That answer ends the conversation;
  nobody replies to questions.\
"""
WITH_USER = """\
- You speak with the user by writing without calling a tool. Ask, with a question mark, for what you need to
  know; when you are done, say in one or two sentences and without a question what you have done. That ends
  the conversation.\
"""


class ChatAgent:
    """Asks a provider for each turn. A reply without a tool call is the final answer, or, where there is a
    user to talk to, goes to the user.

    A call whose arguments are no JSON object, or a reply cut off by its length, is a violation of the format
    rule. A failing provider raises, and the rollout ends as an infrastructure error.

    Args:
        provider: Who is asked.
        history: What of the conversation is shown, on top of the limit of the context.
        toolbox: How the tools are shown; all of them as they are by default.
        user: Who is acted for, when the task is a conversation; else the instruction is told at once.
        response_tokens: Longest reply.
        context_tokens: Longest conversation with its reply; older exchanges are left out.
        temperature: Passed on when given.
        system: What the agent is told before the policy.
        most_replies: Replies after which an episode ends at its limit of steps.
        name: For records.
    """

    def __init__(
        self,
        provider: Provider,
        *,
        history: History | None = None,
        toolbox: Toolbox | None = None,
        user: User | None = None,
        response_tokens: int = RESPONSE_TOKENS,
        context_tokens: int = CONTEXT_TOKENS,
        temperature: float | None = None,
        system: str | None = None,
        most_replies: int = MOST_REPLIES,
        name: str = "chat",
    ) -> None:
        self.name = name
        self._provider = provider
        self._history: History = history or FullHistory()
        self._toolbox: Toolbox = toolbox or WholeList()
        self._user = user
        self._response_tokens, self._context_tokens = response_tokens, context_tokens
        self._temperature, self._most_replies = temperature, most_replies
        self._system = system or SYSTEM + (WITH_USER if user else ALONE)
        self._dialogue = Dialogue()
        self._known: frozenset[str] = frozenset()
        self._asked: RequestedCall | None = None
        self._forget(seed=0)

    @property
    def model(self) -> str:
        """The model that is asked."""
        return self._provider.model

    def begin(self, context: AgentContext) -> None:
        """A new conversation: the system prompt with the policy, and the user's words.

        Raises:
            ProviderError: The model behind the user did not answer.
        """
        self._forget(seed=context.seed)
        self._known = frozenset(tool.name for tool in context.tools)
        self._toolbox.begin(context.tools, context.instruction if self._user is None else "")
        opening = context.instruction if self._user is None else self._user.begin(context)
        told = _told(self._system, context, self._toolbox.told())
        self._dialogue = Dialogue()
        self._dialogue.say(Message(role="system", text=told))
        self._dialogue.say(Message(role="user", text=opening))

    def act(self, observation: JsonValue) -> Decision:
        """The next call of the last reply, or else the next reply's first action."""
        if self._asked is not None:
            self._dialogue.say(result(self._asked, observation))
            self._asked = None
        while not self._waiting:
            decision = self._ask()
            if decision is not None:
                return decision
        call, action = self._waiting.popleft()
        self._asked = call
        return self._decided(action)

    def conversation(self, observation: JsonValue) -> Conversation:
        """What was said and shown so far.

        Args:
            observation: What the last action brought.
        """
        return self._dialogue.record(
            result(self._asked, observation) if self._asked else None,
            history=self._history.name,
            toolbox=self._toolbox.name,
            user=self._user.name if self._user else "",
        )

    def _forget(self, *, seed: int) -> None:
        self._seed, self._replies, self._step = seed, 0, 0
        self._waiting: deque[tuple[RequestedCall, ToolCall | Malformed]] = deque()
        self._asked = None
        self._thought = ""
        self._usage: Usage | None = None
        self._said: list[str] = []
        self._ids: set[str] = set()

    def _ask(self) -> Decision | None:
        """One more reply; None when it led to calls that wait, or to nothing the world sees."""
        offers = self._toolbox.offers()
        room = max(self._context_tokens - self._response_tokens - sum(map(tokens_of, offers)), 1)
        shown = TokenLimit(room).view(self._history.view(self._dialogue.messages))
        if sum(map(tokens_of, shown)) > room:
            return Decision(stop="token_limit")
        if self._replies >= self._most_replies:
            return Decision(stop="step_limit")
        self._replies += 1
        completion = self._provider.complete(
            CompletionRequest(
                messages=tuple(shown),
                tools=offers,
                max_output_tokens=self._response_tokens,
                temperature=self._temperature,
                seed=self._seed,
                stage="rollout",
            )
        )
        self._usage = self._usage + completion.usage if self._usage else completion.usage
        calls = _told_apart(completion.tool_calls, self._ids)
        self._dialogue.answer(
            Message(role="assistant", text=completion.text, tool_calls=calls),
            shown=shown,
            offers=offers,
            step=self._step + 1,
            own=self._own_tools(offers),
        )
        if not calls:
            return self._text(completion)
        self._thought, self._said = completion.text, []
        for call in calls:
            self._take(call)
        return None

    def _own_tools(self, offers: tuple[ToolOffer, ...]) -> frozenset[str]:
        return frozenset(offer.name for offer in offers) - self._known

    def _text(self, completion: Completion) -> Decision | None:
        if completion.finish_reason == "length":
            error = f"The reply was cut off at its limit of {self._response_tokens} tokens."
            return self._decided(Malformed(text=completion.text[:LONGEST_QUOTE], error=error))
        if self._user is None:
            return self._decided(FinalAnswer(text=completion.text))
        self._said.append(completion.text)
        reply = self._user.reply(completion.text)
        if reply.text:
            self._dialogue.say(Message(role="user", text=reply.text))
        if not reply.ended:
            return None
        # A user may ask something small after the answer was given: all since the last call is the answer.
        return self._decided(FinalAnswer(text="\n".join(self._said)))

    def _take(self, call: RequestedCall) -> None:
        """Queue a call for the world; answer one that is the toolbox's own affair."""
        action = _read(call)
        answer = self._toolbox.own(action) if isinstance(action, ToolCall) else None
        if answer is not None:
            self._dialogue.say(result(call, answer))
        elif isinstance(action, ToolCall):
            self._waiting.append((call, self._toolbox.meant(action)))
        else:
            self._waiting.append((call, action))

    def _decided(self, action: Action) -> Decision:
        """An action with what was written and used for it since the last one."""
        thought, usage = self._thought, self._usage
        self._thought, self._usage, self._step = "", None, self._step + 1
        return Decision(action=action, thought=thought, usage=usage)


def _read(call: RequestedCall) -> ToolCall | Malformed:
    """A call as the world takes it, or what is wrong with how it was written."""
    try:
        arguments = json.loads(
            call.arguments or "{}",
            parse_constant=_refuse_constant,
            parse_int=_whole_number,
            parse_float=_finite_number,
        )
        if not isinstance(arguments, dict):
            return _malformed(call, "The arguments are no JSON object.")
        json.dumps(arguments, ensure_ascii=False).encode()
        return ToolCall(name=call.name, arguments=arguments)
    except (RecursionError, ValidationError):
        return _malformed(call, "The arguments are nested too deeply.")
    except UnicodeEncodeError:
        return _malformed(call, "The arguments hold half of a character (a lone surrogate).")
    except ValueError as error:
        return _malformed(call, f"The arguments are no JSON: {error}.")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")


def _whole_number(digits: str) -> int:
    """The number, if records and exports can hold it; one that they cannot would spoil all around it."""
    if len(digits) > MOST_DIGITS or not -(2**63) <= int(digits) < 2**63:
        raise ValueError("an integer is beyond 64 bits")
    return int(digits)


def _finite_number(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise ValueError("a number is too large")
    return number


def _malformed(call: RequestedCall, error: str) -> Malformed:
    return Malformed(text=f"{call.name}({call.arguments})"[:LONGEST_QUOTE], error=error)


def _told_apart(calls: tuple[RequestedCall, ...], taken: set[str]) -> tuple[RequestedCall, ...]:
    """Calls with ids of their own: some servers give one id to several, and results would be mixed up.

    Args:
        calls: The calls of one reply.
        taken: Ids of the conversation so far; the new ones are added.
    """
    ids = [call.id for call in calls]
    apart = []
    for number, call in enumerate(calls, start=1):
        made = f"{call.id}.{number}" if ids.count(call.id) > 1 else call.id
        while made in taken:
            made += "+"
        taken.add(made)
        apart.append(call.replace(id=made))
    return tuple(apart)


def _told(system: str, context: AgentContext, tools: str) -> str:
    """The system prompt: who the agent is, what day it is, the rules, and what is to be said of the tools."""
    told = system
    if context.description:
        told += f"\n\n# The application\n\n{context.description}"
    if context.clock is not None:
        told += f"\n\nIts clock shows {context.clock:%A}, {context.clock:%Y-%m-%d %H:%M}."
    if context.policy:
        told += f"\n\n# Policy\n\n{context.policy}"
    return told + (f"\n\n# Tools\n\n{tools}" if tools else "")
