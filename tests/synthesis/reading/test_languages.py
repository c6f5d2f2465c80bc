"""Answers in German and French: right where their values are and nothing is denied, else unclear."""

from __future__ import annotations

import pytest

from synthesis.documents.tasks import AnswerFact
from synthesis.reading.document import ParsedText
from synthesis.reading.judgement import judge_answer
from synthesis.reading.languages import is_in_another_language
from tests.synthesis.reading.desk_world import judged

JOINED = AnswerFact(name="joining date", type="date", value="2023-03-21")


@pytest.mark.parametrize(
    "text",
    [
        "Ada Brook ist seit dem 21. März 2023 dabei und unter ada@example.org erreichbar.",
        "Ada Brook est cliente depuis le 21 mars 2023, avec un compte en règle.",
    ],
)
def test_days_with_months_of_the_language_are_read(text: str) -> None:
    assert judge_answer(text, facts=(JOINED,), commits=True).right


@pytest.mark.parametrize(
    "text",
    [
        "Ada Brook ist nicht seit dem 21. März 2023 dabei, das ist sicher.",
        "Ada Brook est peut-être cliente depuis le 21 mars 2023, avec un compte en règle.",
        "Ada Brook ist seit dem 22. März 2023 dabei und unter ada@example.org erreichbar.",
    ],
)
def test_what_is_denied_doubted_or_another_value_there_is_unclear(text: str) -> None:
    reading = judge_answer(text, facts=(JOINED,), commits=True)
    assert not reading.right
    assert reading.unclear
    assert not reading.untrue
    assert [fact.status for fact in reading.facts] == ["unclear"]


def test_a_refusal_in_another_language_is_no_claim() -> None:
    reading = judged(
        "Abgelehnt: RF-501 wurde nicht zugewiesen, weil Eva Flint für Fahrten da ist und nicht am Schalter.",
        expects_refusal=True,
        touched=None,
        facts=[AnswerFact(name="RF-501 was assigned", type="boolean", value=False)],
    )
    assert not reading.right
    assert reading.refusal is None
    assert [fact.status for fact in reading.facts] == ["unclear"]


@pytest.mark.parametrize(
    "text",
    [
        "The clerk is Ada Brook.",
        "Done: Rosa de la Cruz and Ben van der Berg have it now.",
        "Le Jardin and Das Haus are the two clubs; the first is due on 4 May.",
        "RF-501: Ada Brook",
    ],
)
def test_english_with_foreign_names_is_english(text: str) -> None:
    assert not is_in_another_language(ParsedText(text))
