"""A model answers what code could only doubt, and every answer rests on words that are there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from synthesis.errors import ReplyUnreadable
from synthesis.judging.question_judge import QuestionJudge
from synthesis.llm.scripted import Scripted
from synthesis.verification.questions.asking import questions_of

QUOTE = "A patient is identified by full name and date of birth together"


def reply(*answers: dict[str, Any]) -> str:
    return json.dumps({"answers": list(answers)})


def answer(question: str, **changes: Any) -> dict[str, Any]:
    return {
        "question": question,
        "answer": "no",
        "explanation": "It is not so.",
        "quotes": [QUOTE],
        **changes,
    }


def test_answers_are_read_in_the_order_of_the_questions_and_marked(clinic) -> None:
    first, second = questions_of(clinic)[:2]
    provider = Scripted(
        [reply(answer(second.id, answer="yes"), answer(first.id), answer("no_such"))], model="m"
    )
    answers, usage = QuestionJudge(provider).answer(clinic, (first, second))
    assert [(each.question, each.answer, each.by) for each in answers] == [
        (first.id, "no", "judge"),
        (second.id, "yes", "judge"),
    ]
    assert answers[0].text == first.text
    assert answers[0].quotes == (QUOTE,)
    assert usage.input_tokens > 0
    assert first.text in provider.requests[0].messages[1].text


def test_a_quote_that_is_not_there_is_sent_back_and_the_better_reply_counts(clinic) -> None:
    (question,) = questions_of(clinic)[:1]
    invented = answer(question.id, quotes=["Blocked slots are opened by the manager"])
    provider = Scripted([reply(invented), reply(answer(question.id))])
    answers, _ = QuestionJudge(provider).answer(clinic, (question,))
    assert answers[0].quotes == (QUOTE,)
    assert "is not in the application" in provider.requests[1].messages[-1].text


@pytest.mark.parametrize("quotes", [[], [" "]])
def test_an_answer_that_rests_on_nothing_is_none(clinic, quotes: list[str]) -> None:
    (question,) = questions_of(clinic)[:1]
    bare = reply(answer(question.id, quotes=quotes))
    with pytest.raises(ReplyUnreadable, match="quotes nothing"):
        QuestionJudge(Scripted([bare, bare])).answer(clinic, (question,))
    unsure = reply(answer(question.id, answer="unsure", quotes=quotes))
    assert QuestionJudge(Scripted([unsure])).answer(clinic, (question,))[0][0].answer == "unsure"


def test_the_words_of_the_question_are_no_evidence(clinic) -> None:
    question = questions_of(clinic)[0].replace(because="The manager said so on a sunny morning.")
    quoting = reply(answer(question.id, quotes=["said so on a sunny morning"]))
    with pytest.raises(ReplyUnreadable, match="not in the application"):
        QuestionJudge(Scripted([quoting, quoting])).answer(clinic, (question,))


def test_nothing_is_asked_without_questions(clinic) -> None:
    provider = Scripted([])
    assert QuestionJudge(provider).answer(clinic, ())[0] == ()
    assert not provider.requests
