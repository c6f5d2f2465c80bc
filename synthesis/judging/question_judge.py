"""The question judge: a model answers what the proof of an environment could only doubt, with quotes."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources

from pydantic import Field

from synthesis.documents.document import Document
from synthesis.documents.environment import Environment
from synthesis.documents.question import AnsweredQuestion, Question, QuestionAnswerKind
from synthesis.documents.trajectory import Usage
from synthesis.errors import ReplyUnreadable
from synthesis.judging.asking import ask
from synthesis.judging.evidence import fenced
from synthesis.judging.quality_judge import shown
from synthesis.judging.quotes import missing_quotes
from synthesis.llm.provider import Completion, Provider
from synthesis.llm.structured import read_reply


class QuestionReply(Document):
    """A judge's answer to one question."""

    question: str
    """Its id."""
    answer: QuestionAnswerKind
    explanation: str = Field(min_length=1, max_length=2_000)
    quotes: tuple[str, ...] = Field(default=(), max_length=6)
    """Words of the application on which the answer rests."""


class QuestionsReply(Document):
    """A judge's answers."""

    answers: tuple[QuestionReply, ...] = Field(max_length=40)


class QuestionJudge:
    """Asks a provider.

    Args:
        provider: Who is asked.
        temperature: Passed on when given.
    """

    def __init__(self, provider: Provider, *, temperature: float | None = None) -> None:
        self._provider, self._temperature = provider, temperature

    def answer(
        self, environment: Environment, questions: Sequence[Question]
    ) -> tuple[tuple[AnsweredQuestion, ...], Usage]:
        """The model's answers, in the order of the questions, and what they cost.

        Every "yes" and every "no" rests on words that are in the environment; a reply that quotes others is
        sent back.

        Raises:
            ProviderError: The model did not answer.
            ReplyUnreadable: Its replies cannot be read, or quote what is not there.
        """
        if not questions:
            return (), Usage()
        application = shown(environment, None)
        put = [each.model_dump(mode="json", exclude={"doubt", "kind"}) for each in questions]
        text, word = fenced({"application": application, "questions": put})
        evidence, _ = fenced({"application": application, "rows": [each["rows"] for each in put]})

        def read(completion: Completion) -> tuple[AnsweredQuestion, ...]:
            return _answers(read_reply(completion, QuestionsReply), questions, evidence)

        answered = ask(
            self._provider,
            prompt=questions_prompt(),
            question=f"Application and questions are between the lines with the word {word}.\n\n{text}",
            form=QuestionsReply,
            read=read,
            stage="questions",
            temperature=self._temperature,
        )
        return answered.reply, answered.usage


def _answers(
    reply: QuestionsReply, questions: Sequence[Question], evidence: str
) -> tuple[AnsweredQuestion, ...]:
    """The answers by the order of the questions; answers to what was not asked are left out.

    Raises:
        ReplyUnreadable: An answer rests on nothing, or on words that are not there.
    """
    given = {each.question: each for each in reply.answers}
    for each in given.values():
        if missing := missing_quotes(each.quotes, evidence):
            raise ReplyUnreadable(
                f"The answer to {each.question} quotes what is not in the application: {missing[0][:200]!r}. "
                "Quote exactly."
            )
        if each.answer != "unsure" and not any(quote.strip() for quote in each.quotes):
            raise ReplyUnreadable(f"The answer to {each.question} quotes nothing: quote what it rests on.")
    return tuple(
        AnsweredQuestion(
            question=question.id,
            text=question.text,
            answer=given[question.id].answer,
            note=given[question.id].explanation,
            by="judge",
            quotes=given[question.id].quotes,
        )
        for question in questions
        if question.id in given
    )


def questions_prompt() -> str:
    """The judge's instructions, prompts/questions.md."""
    return (
        resources.files("synthesis.judging").joinpath("prompts", "questions.md").read_text(encoding="utf-8")
    )
