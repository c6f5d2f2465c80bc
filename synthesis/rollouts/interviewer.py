"""The interviewer asks a user until nothing new comes, then plays the reference solution.

A measuring device for tasks that are conversations, as the reference agent is for tasks told at once: with a
user who answers every question it reaches the upper bound; with one whose patience ends before all is told it
fails as an agent would that did not learn enough.
"""

from __future__ import annotations

import json

from pydantic import JsonValue

from synthesis.documents.conversation import Conversation, Message, RequestedCall
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import FinalAnswer
from synthesis.rollouts.agent import AgentContext, AgentDecision
from synthesis.rollouts.dialogue import Dialogue, result
from synthesis.rollouts.reference import ReferenceAgent
from synthesis.rollouts.user import ScriptedUser, User, clauses

QUESTION = "What else do I need to know?"
MOST_QUESTIONS = 30
TOO_LITTLE = "I could not do this: I was not told enough."


class InterviewerAgent:
    """Asks, acts, answers.

    Args:
        user: Whom it asks; a scripted one of the default population unless given.
    """

    name = "interviewer"
    model: str | None = None

    def __init__(self, *, user: User | None = None) -> None:
        self._user = user or ScriptedUser()
        self._reference = ReferenceAgent()
        self._dialogue, self._step, self._knows = Dialogue(), 1, False
        self._asked: RequestedCall | None = None

    def begin(self, context: AgentContext) -> None:
        """Ask until the user has nothing to add, has had enough, or has told everything."""
        self._reference.begin(context)
        self._dialogue, self._step, self._asked = Dialogue(), 1, None
        self._hear(self._user.begin(context))
        wanted, heard = set(clauses(context.instruction)), ""
        for _ in range(MOST_QUESTIONS):
            if all(clause in heard for clause in wanted):
                break
            self._write(QUESTION)
            reply = self._user.reply(QUESTION)
            self._hear(reply.text)
            heard += f" {reply.text}"
            if reply.ended:
                break
        self._knows = all(clause in heard for clause in wanted)

    def act(self, observation: JsonValue) -> AgentDecision:
        """The next call of the reference solution, at last the answer; an apology, if it knows too little."""
        if self._asked is not None:
            self._dialogue.say(result(self._asked, observation))
            self._asked = None
        decision = self._reference.act(observation) if self._knows else AgentDecision(action=_APOLOGY)
        if isinstance(decision.action, FinalAnswer):
            self._write(decision.action.text)
        elif isinstance(decision.action, ToolCall):
            self._asked = RequestedCall(
                id=f"call_{self._step}",
                name=decision.action.name,
                arguments=json.dumps(decision.action.arguments, ensure_ascii=False),
            )
            self._write("", self._asked)
        self._step += 1
        return decision

    def conversation(self, observation: JsonValue) -> Conversation:
        """What it, the tools and the user said."""
        last = result(self._asked, observation) if self._asked else None
        return self._dialogue.record(last, user=self._user.name)

    def _hear(self, text: str) -> None:
        self._dialogue.say(Message(role="user", text=text))

    def _write(self, text: str, *calls: RequestedCall) -> None:
        messages = list(self._dialogue.messages)
        reply = Message(role="assistant", text=text, tool_calls=calls)
        self._dialogue.answer(reply, shown=messages, offers=(), step=self._step, own=frozenset())


_APOLOGY = FinalAnswer(text=TOO_LITTLE)
