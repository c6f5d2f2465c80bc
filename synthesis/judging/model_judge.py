"""The model judge: a model reads the evidence and gives one of the four labels, with or without what code
said.
"""

from __future__ import annotations

from importlib import resources
from typing import Literal

from pydantic import Field

from synthesis.documents.document import Document, digest
from synthesis.documents.trajectory import Usage
from synthesis.documents.verdict import Scored, Unscored, Verdict
from synthesis.errors import InvalidInput, ReplyUnreadable
from synthesis.judging.evidence import Evidence, quoted
from synthesis.judging.judgement import Judgement
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


class ModelJudge:
    """Asks a provider.

    The evidence goes into the user message as JSON between two lines with a random word, so that nothing
    in it can end it or pass for the system's words. Endings that never became an episode (a failing
    endpoint, cancellation) and format violations are not asked about: they are what they are.

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

    def judge(self, evidence: Evidence) -> Judgement:
        """The model's judgement; Unscored when its replies cannot be read.

        Raises:
            ProviderError: The model did not answer.
        """
        if (settled := self._settled(evidence)) is not None:
            return self._judgement(settled, None)
        shown = evidence if self.strategy == "code_augmented" else evidence.without_code()
        text, word = quoted(shown)
        messages = [
            Message(role="system", text=self._prompt),
            Message(
                role="user", text=f"The evidence stands between the lines with the word {word}.\n\n{text}"
            ),
        ]
        usage, problem = Usage(), ""
        for attempt in range(ATTEMPTS):
            completion = self._provider.complete(self._request(messages, attempt))
            usage += completion.usage
            try:
                return self._judgement(self._read(completion), usage)
            except ReplyUnreadable as error:
                problem = str(error)
                messages += [
                    Message(role="assistant", text=completion.text[:2_000]),
                    Message(role="user", text=f"That could not be read: {problem}"),
                ]
        return self._judgement(
            Unscored(error=f"The judge's replies cannot be read: {problem}", basis=self.name), usage
        )

    def _request(self, messages: list[Message], attempt: int) -> CompletionRequest:
        return CompletionRequest(
            messages=tuple(messages),
            reply_format=reply_format(JudgeReply),
            max_output_tokens=LONGEST_REPLY_TOKENS,
            temperature=self._temperature,
            stage="judge",
            attempt=attempt,
        )

    def _read(self, completion: Completion) -> Scored:
        reply = read_reply(completion, JudgeReply)
        share = {"completed": 1.0, "agent_error": 0.0}.get(reply.label, reply.share)
        return Scored(
            label=reply.label,
            reward=self._rewards.reward(reply.label),
            basis=self.name,
            share=share,
            explanation=reply.explanation,
            trainable=reply.label != "environment_error",
        )

    def _settled(self, evidence: Evidence) -> Verdict | None:
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

    def _judgement(self, verdict: Verdict, usage: Usage | None) -> Judgement:
        return Judgement(
            verdict=verdict,
            strategy=self.strategy,
            judge=self.name,
            prompt_fingerprint=digest(self._prompt.encode()),
            model=self._provider.model,
            usage=usage,
        )


def prompt() -> str:
    """The judge's instructions, prompts/judge.md."""
    return resources.files("synthesis.judging").joinpath("prompts", "judge.md").read_text(encoding="utf-8")
