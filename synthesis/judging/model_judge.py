"""The model judge: a model reads the evidence and gives one of the four labels, with or without what code
said.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources
from typing import Literal

from pydantic import Field

from synthesis.documents.document import Document, digest
from synthesis.documents.trajectory import Usage
from synthesis.documents.verdict import Scored, Unscored, Verdict
from synthesis.errors import InvalidInput, ReplyUnreadable
from synthesis.judging import unclear_facts
from synthesis.judging.evidence import JudgingEvidence, places_that_address_a_judge, quoted, shown_texts
from synthesis.judging.judgement import Judgement
from synthesis.judging.quotes import missing_quotes, quotes_in
from synthesis.judging.unclear_facts import FactsReply, decided, unclear_in
from synthesis.llm.provider import Completion, CompletionRequest, Message, Provider
from synthesis.llm.structured import read_reply, reply_format
from synthesis.verification.rewards import RewardTable

ATTEMPTS = 2
"""Replies asked for before an episode stays Unscored."""
LONGEST_REPLY_TOKENS = 1_024


class JudgeReply(Document):
    """What a judge model answers."""

    label: Literal["completed", "partially_completed", "agent_error", "environment_error"]
    share: float = Field(ge=0, le=1)
    explanation: str = Field(min_length=1, max_length=4_000)
    quotes: tuple[str, ...] = Field(default=(), max_length=20)
    """Words of the evidence on which the label rests."""


class ModelJudge:
    """Asks a provider.

    The evidence goes into the user message as JSON between two lines with a random word, so that nothing
    in it can end it or pass for the system's words. Endings that never became an episode (a failing
    endpoint, cancellation) and format violations are not asked about: they are what they are. Where code
    marked facts of the answer unclear and the model may see what code said, it is asked about these facts
    alone, and everything else stays as code says.

    Args:
        provider: Who is asked.
        strategy: "model_only" hides what code said, "code_augmented" shows it.
        rewards: The reward of each label.
        temperature: Passed on when given.

    Raises:
        InvalidInput: The strategy is neither of the two.
    """

    def __init__(
        self,
        provider: Provider,
        *,
        strategy: Literal["model_only", "code_augmented"] = "code_augmented",
        rewards: RewardTable | None = None,
        temperature: float | None = None,
    ) -> None:
        if strategy not in ("model_only", "code_augmented"):
            raise InvalidInput(f"A model judges by model_only or code_augmented, not by {strategy!r}.")
        self._provider, self.strategy = provider, strategy
        self._rewards, self._temperature = rewards or RewardTable(), temperature
        self._prompt = prompt()

    @property
    def name(self) -> str:
        """With the model."""
        return f"judge:{self._provider.model}"

    def judge(self, evidence: JudgingEvidence) -> Judgement:
        """The model's judgement; Unscored when its replies cannot be read.

        Raises:
            ProviderError: The model did not answer.
        """
        if (settled := self._settled(evidence)) is not None:
            return self._judgement(settled, None)
        verdict = evidence.verdict
        if self.strategy == "code_augmented" and isinstance(verdict, Scored) and unclear_in(verdict):
            return self._decide_facts(evidence, verdict)
        shown = evidence if self.strategy == "code_augmented" else evidence.without_code()
        text, word = quoted(shown)
        question = f"The evidence stands between the lines with the word {word}.\n\n{text}"

        def read(completion: Completion) -> Scored:
            return self._read(completion, shown)

        return self._ask(self._prompt, question, JudgeReply, read)

    def _decide_facts(self, evidence: JudgingEvidence, verdict: Scored) -> Judgement:
        """Only what code could not tell: whether the answer states some facts."""

        def read(completion: Completion) -> Scored:
            reply = read_reply(completion, FactsReply)
            return decided(verdict, reply, judge=self.name, rewards=self._rewards)

        return self._ask(unclear_facts.prompt(), unclear_facts.question(evidence), FactsReply, read)

    def _ask(
        self,
        prompt: str,
        question: str,
        form: type[Document],
        read: Callable[[Completion], Scored],
    ) -> Judgement:
        messages = [Message(role="system", text=prompt), Message(role="user", text=question)]
        usage, problem, model = Usage(), "", ""
        for attempt in range(ATTEMPTS):
            completion = self._provider.complete(self._request(messages, attempt, form))
            usage, model = usage + completion.usage, completion.answered_by
            try:
                return self._judgement(read(completion), usage, prompt, model=model)
            except ReplyUnreadable as error:
                problem = str(error)
                messages += [
                    Message(role="assistant", text=completion.text[:2_000]),
                    Message(role="user", text=f"That could not be read: {problem}"),
                ]
        return self._judgement(
            Unscored(error=f"The judge's replies cannot be read: {problem}", basis=self.name),
            usage,
            prompt,
            model=model,
        )

    def _request(self, messages: list[Message], attempt: int, form: type[Document]) -> CompletionRequest:
        return CompletionRequest(
            messages=tuple(messages),
            reply_format=reply_format(form),
            max_output_tokens=LONGEST_REPLY_TOKENS,
            temperature=self._temperature,
            stage="judge",
            attempt=attempt,
        )

    def _read(self, completion: Completion, shown: JudgingEvidence) -> Scored:
        reply = read_reply(completion, JudgeReply)
        if missing := missing_quotes([*reply.quotes, *quotes_in(reply.explanation)], shown_texts(shown)):
            raise ReplyUnreadable(
                f"The reply quotes what is not in the evidence: {missing[0][:200]!r}. "
                "Quote exactly, or judge again without these words."
            )
        places = places_that_address_a_judge(shown.trajectory)
        note = f"Step {', '.join(map(str, places))} addresses the judge. " if places else ""
        share = {"completed": 1.0, "agent_error": 0.0}.get(reply.label, reply.share)
        return Scored(
            label=reply.label,
            reward=self._rewards.reward(reply.label),
            basis=self.name,
            share=share,
            explanation=note + reply.explanation,
            trainable=reply.label != "environment_error",
        )

    def _settled(self, evidence: JudgingEvidence) -> Verdict | None:
        reason = evidence.trajectory.stop_reason
        if reason in ("infrastructure_error", "cancelled"):
            return Unscored(error=f"The episode ended with {reason}.", basis=self.name)
        if reason == "format_violation":
            return Scored(
                label="agent_error",
                reward=self._rewards.format_violation,
                basis="format",
                share=0.0,
                explanation="An action was neither a tool call nor an answer.",
            )
        return None

    def _judgement(
        self, verdict: Verdict, usage: Usage | None, prompt: str = "", *, model: str = ""
    ) -> Judgement:
        return Judgement(
            verdict=verdict,
            strategy=self.strategy,
            judge=self.name,
            prompt_fingerprint=digest((prompt or self._prompt).encode()),
            model=model or self._provider.model,
            usage=usage,
        )


def prompt() -> str:
    """The judge's instructions, prompts/judge.md."""
    return resources.files("synthesis.judging").joinpath("prompts", "judge.md").read_text(encoding="utf-8")
