"""ChatAgent: a model with native tool calls, through any provider."""

from __future__ import annotations

import json
from collections import deque
from math import isfinite
from typing import NoReturn

from pydantic import JsonValue, ValidationError

from synthesis.documents.answer_form import (
    DESCRIPTION,
    FORM_TEXTS,
    PARAMETERS,
    UnfitAnswer,
    read_answer,
    tool_name,
)
from synthesis.documents.briefing import steps_text
from synthesis.documents.conversation import Conversation, Message, RequestedCall, ToolOffer
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import Action, FinalAnswer, Malformed, Usage
from synthesis.errors import PromptTooLong
from synthesis.llm.provider import Completion, CompletionRequest, Provider
from synthesis.rollouts.agent import AgentContext, AgentDecision
from synthesis.rollouts.dialogue import Dialogue, result
from synthesis.rollouts.history import FullHistory, History, TokenLimit, tokens_of
from synthesis.rollouts.toolbox import Toolbox, WholeList
from synthesis.rollouts.user import User

RESPONSE_TOKENS = 2_048
CONTEXT_TOKENS = 32_000
MOST_REPLIES = 60
"""Replies of one episode, with those that only look into the tool list or speak with the user."""
MOST_EMPTY_REPLIES = 2
"""Replies of reasoning alone, one after the other, that are answered with a request to go on."""
MOST_SHORTENINGS = 3
"""Times a conversation is shortened for an endpoint that takes less than its settings say."""
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
ALONE_SUBMITTING = """\
- When you are done, call {submit} with the answer: one or two sentences for the user, and the fields beside
  them. That ends the conversation; nobody replies to questions.\
"""
WITH_USER = """\
- You speak with the user by writing without calling a tool. Ask, with a question mark, for what you need to
  know; when you are done, say in one or two sentences and without a question what you have done. That ends
  the conversation.\
"""
WITH_USER_SUBMITTING = """\
- You speak with the user by writing without calling a tool. Ask, with a question mark, for what you need to
  know; when you are done, call {submit} with the answer: one or two sentences for the user, and the fields
  beside them. That ends the conversation.\
"""
SUBMITTED: JsonValue = {"status": "submitted"}
"""What comes back for the answer in fields."""

GO_ON = "Your reply had no text and no tool call. Call a tool, or write your answer."


class ChatAgent:
    """Asks a provider for each turn. A reply without a tool call is the final answer, or, where there is a
    user to talk to, goes to the user. Where answers may have fields, a tool gives them.

    A call whose arguments are no JSON object is a violation of the format rule; a reply cut off by its length
    ends the episode at its limit of tokens. A failing provider raises, and the rollout ends as an
    infrastructure error.

    Args:
        provider: Who is asked.
        history: What of the conversation is shown, on top of the limit of the context.
        toolbox: How the tools are shown; all of them as they are by default.
        user: Who is acted for, when the task is a conversation; else the instruction is told at once.
        response_tokens: Longest reply without its reasoning.
        context_tokens: Longest conversation with its reply; older exchanges are left out.
        temperature: Passed on when given.
        logprobs: Whether the sampled tokens are asked for, with their log-probabilities, and kept.
        system: What the agent is told before the policy; without it, what fits the form of the answer.
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
        logprobs: bool = False,
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
        self._temperature, self._most_replies, self._logprobs = temperature, most_replies, logprobs
        self._system = system
        self._dialogue = Dialogue()
        self._known: frozenset[str] = frozenset()
        self._submit: str | None = None
        self._asked: RequestedCall | None = None
        self._forget(seed=0)

    @property
    def model(self) -> str:
        """The models of a pool that answered in this episode; before that, the one that is asked first."""
        return ", ".join(self._answered_by) or self._provider.model

    def begin(self, context: AgentContext) -> None:
        """A new conversation: the system prompt with the policy, and the user's words.

        Raises:
            ProviderError: The model behind the user did not answer.
        """
        self._forget(seed=context.seed)
        self._known = frozenset(tool.name for tool in context.tools)
        self._submit = None if context.answer_form == "text" else tool_name(self._known)
        self._toolbox.begin(context.tools, context.instruction if self._user is None else "")
        opening = context.instruction if self._user is None else self._user.begin(context)
        message = _system_prompt(self._ways(), context, self._toolbox.prompt_text())
        self._dialogue = Dialogue()
        self._dialogue.say(Message(role="system", text=message))
        self._dialogue.say(Message(role="user", text=opening))

    def act(self, observation: JsonValue) -> AgentDecision:
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
        submitted = self._asked is not None and self._asked.name == self._submit
        return self._dialogue.record(
            result(self._asked, SUBMITTED if submitted else observation) if self._asked else None,
            history=self._history.name,
            toolbox=self._toolbox.name,
            user=self._user.name if self._user else "",
        )

    def _ways(self) -> str:
        """How the agent is to go about it."""
        if self._system is not None:
            return self._system
        if self._submit is None:
            return SYSTEM + (WITH_USER if self._user else ALONE)
        ending = WITH_USER_SUBMITTING if self._user else ALONE_SUBMITTING
        return SYSTEM + ending.format(submit=self._submit)

    def _offers(self) -> tuple[ToolOffer, ...]:
        """What the model may call: the toolbox's offers, and the tool that takes the answer."""
        offers = self._toolbox.offers()
        if self._submit is None:
            return offers
        return (*offers, ToolOffer(name=self._submit, description=DESCRIPTION, parameters=PARAMETERS))

    def _forget(self, *, seed: int) -> None:
        self._seed, self._replies, self._step, self._empty_replies = seed, 0, 0, 0
        self._waiting: deque[tuple[RequestedCall, Action]] = deque()
        self._asked = None
        self._thought = ""
        self._usage: Usage | None = None
        self._complaints_sent: list[str] = []
        self._answered_by: dict[str, None] = {}
        self._ids: set[str] = set()

    def _ask(self) -> AgentDecision | None:
        """One more reply; None when it led to calls that wait, or to nothing the world sees."""
        offers = self._offers()
        room = max(self._context_tokens - self._response_tokens - sum(map(tokens_of, offers)), 1)
        shown = self._shown(room)
        if shown is None:
            return AgentDecision(stop="token_limit")
        if self._replies >= self._most_replies:
            return AgentDecision(stop="step_limit")
        self._replies += 1
        for _ in range(MOST_SHORTENINGS):
            try:
                completion = self._complete(shown, offers)
                break
            except PromptTooLong:
                # The model takes less than the settings say: older exchanges make room.
                size = sum(map(tokens_of, shown))
                if (shorter := self._shown(size * 3 // 4)) is None:
                    return AgentDecision(stop="token_limit")
                shown = shorter
        else:
            return AgentDecision(stop="token_limit")
        self._usage = self._usage + completion.usage if self._usage else completion.usage
        if completion.answered_by:
            self._answered_by[completion.answered_by] = None
        calls = _with_unique_ids(completion.tool_calls, self._ids)
        self._dialogue.answer(
            completion.as_message(calls),
            shown=shown,
            offers=offers,
            step=self._step + 1,
            own=self._own_tools(offers),
        )
        if not calls:
            return self._text(completion)
        self._thought, self._complaints_sent, self._empty_replies = completion.text, [], 0
        for call in calls:
            self._take(call, cut_off=completion.finish_reason == "length" and call is calls[-1])
        return None

    def _shown(self, room: int) -> list[Message] | None:
        """The messages to show in so many tokens, or None where not even the latest exchange fits."""
        shown = TokenLimit(max(room, 1)).view(self._history.view(self._dialogue.messages))
        return shown if sum(map(tokens_of, shown)) <= room else None

    def _complete(self, shown: list[Message], offers: tuple[ToolOffer, ...]) -> Completion:
        return self._provider.complete(
            CompletionRequest(
                messages=tuple(shown),
                tools=offers,
                max_output_tokens=self._response_tokens,
                temperature=self._temperature,
                seed=self._seed,
                logprobs=self._logprobs,
                stage="rollout",
            )
        )

    def _own_tools(self, offers: tuple[ToolOffer, ...]) -> frozenset[str]:
        return frozenset(offer.name for offer in offers) - self._known

    def _text(self, completion: Completion) -> AgentDecision | None:
        if completion.finish_reason == "length":
            error = _cut_off(completion, self._response_tokens)
            return self._decided(Malformed(text=completion.text[:LONGEST_QUOTE], error=error, cut_off=True))
        if completion.only_reasoning and self._empty_replies < MOST_EMPTY_REPLIES:
            self._empty_replies += 1
            self._dialogue.say(Message(role="user", text=GO_ON))
            return None
        if self._user is None:
            return self._decided(FinalAnswer(text=completion.text))
        self._complaints_sent.append(completion.text)
        reply = self._user.reply(completion.text)
        if reply.text:
            self._dialogue.say(Message(role="user", text=reply.text))
        if not reply.ended:
            return None
        # A user may ask something small after the answer was given: all since the last call is the answer.
        return self._decided(FinalAnswer(text="\n".join(self._complaints_sent)))

    def _take(self, call: RequestedCall, *, cut_off: bool) -> None:
        """Queue a call for the world; answer one that is the toolbox's own affair."""
        action = _read(call)
        if cut_off and isinstance(action, Malformed):
            error = f"The reply was cut off at its limit of {self._response_tokens} tokens, amid a call."
            action = action.replace(error=error, cut_off=True)
        if isinstance(action, ToolCall) and call.name == self._submit:
            self._take_answer(call, action)
            return
        answer = self._toolbox.own(action) if isinstance(action, ToolCall) else None
        if answer is not None:
            self._dialogue.say(result(call, answer))
        elif isinstance(action, ToolCall):
            self._waiting.append((call, self._toolbox.meant(action)))
        else:
            self._waiting.append((call, action))

    def _take_answer(self, call: RequestedCall, submitted: ToolCall) -> None:
        """Queue the final answer; one whose fields do not fit goes back to the model."""
        try:
            answer = read_answer(submitted.arguments)
        except UnfitAnswer as error:
            self._dialogue.say(result(call, {"error": str(error)}))
            return
        self._waiting.append((call, answer))

    def _decided(self, action: Action) -> AgentDecision:
        """An action with what was written and used for it since the last one."""
        thought, usage = self._thought, self._usage
        self._thought, self._usage, self._step = "", None, self._step + 1
        return AgentDecision(action=action, thought=thought, usage=usage)


def _cut_off(completion: Completion, limit: int) -> str:
    """Where a reply was cut off, in its text or still in its reasoning."""
    used = completion.usage
    if completion.only_reasoning:
        return (
            f"The reply was cut off while the model reasoned, after {used.output_tokens:,} tokens; "
            "WORLDWRIGHT_REASONING_TOKENS allows more."
        )
    return f"The reply was cut off at its limit of {limit} tokens."


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
            return _malformed(call, "The arguments are not a JSON object.")
        json.dumps(arguments, ensure_ascii=False).encode()
        return ToolCall(name=call.name, arguments=arguments)
    except (RecursionError, ValidationError):
        return _malformed(call, "The arguments are nested too deeply.")
    except UnicodeEncodeError:
        return _malformed(call, "The arguments contain a lone surrogate.")
    except ValueError as error:
        return _malformed(call, f"The arguments are not valid JSON: {error}.")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


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


def _with_unique_ids(calls: tuple[RequestedCall, ...], taken: set[str]) -> tuple[RequestedCall, ...]:
    """Calls with ids of their own: some servers give one id to several, and results would be mixed up.

    Args:
        calls: The calls of one reply.
        taken: Ids of the conversation so far; the new ones are added.
    """
    ids = [call.id for call in calls]
    apart = []
    for number, call in enumerate(calls, start=1):
        text = f"{call.id}.{number}" if ids.count(call.id) > 1 else call.id
        while text in taken:
            text += "+"
        taken.add(text)
        apart.append(call.replace(id=text))
    return tuple(apart)


def _system_prompt(system: str, context: AgentContext, tools: str) -> str:
    """The system prompt: who the agent is, what day it is, the rules, and what is to be said of the tools."""
    message = system
    if context.description:
        message += f"\n\n# The application\n\n{context.description}"
    if context.clock is not None:
        message += f"\n\nIts clock shows {context.clock:%A}, {context.clock:%Y-%m-%d %H:%M}."
    if context.actor_text:
        message += f"\n\nYou act for {context.actor_text}."
    if context.policy:
        message += f"\n\n# Policy\n\n{context.policy}"
    message += f"\n\n# Answer\n\n{FORM_TEXTS[context.answer_form]}{steps_text(context.max_steps)}"
    return message + (f"\n\n# Tools\n\n{tools}" if tools else "")
