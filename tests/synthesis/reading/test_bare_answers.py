"""Answers that say what was asked and nothing else, which are not held against the rows."""

from __future__ import annotations

import pytest

from synthesis.documents.tasks import AnswerFact
from synthesis.reading.bare_answers import says_only
from synthesis.reading.document import ParsedText
from synthesis.reading.grounding import Grounding
from tests.synthesis.reading.desk_world import judged

WHO = AnswerFact(name="team member assigned", type="name", value="Ada Brook")
DAY = AnswerFact(name="first due date", type="date", value="2026-05-03")
OWED = AnswerFact(name="amount owed", type="money_cents", value=1250)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Done. The team member assigned is Ada Brook.", [WHO]),
        ("Ada Brook", [WHO]),
        ("- **Assigned team member:** Ada Brook\n- First due date: 3 May 2026", [WHO, DAY]),
        ("The amount owed is 12.50.", [OWED]),
    ],
)
def test_a_bare_answer_says_only_its_facts(text: str, facts: list[AnswerFact]) -> None:
    assert says_only(ParsedText(text), facts)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("The team member assigned is Ada Brook, as she has fewest.", [WHO]),
        ("The team member assigned is not Ada Brook.", [WHO]),
        ("Is the team member assigned Ada Brook?", [WHO]),
        ("The team member assigned is Ada Marsh.", [WHO]),
        ("The amount owed is 12.50 of 20.00.", [OWED]),
        ("Ada Brook, 3 May 2026", [WHO]),
        ("Ada Brook", []),
        ("12.50 and 3.00", [OWED, AnswerFact(name="amount paid", type="money_cents", value=300)]),
        ("It was settled.", [AnswerFact(name="it was settled", type="boolean", value=True)]),
        ("Ada Brook " * 40, [WHO]),
    ],
)
def test_whatever_else_is_said_is_seen(text: str, facts: list[AnswerFact]) -> None:
    assert not says_only(ParsedText(text), facts)


def test_nothing_is_held_against_rows_for_a_bare_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(Grounding, "ungrounded", lambda _, document: iter(read.append(document.text) or ()))
    assert judged("RF-501 went to Ada Brook.").right
    assert len(read) == 1
    assert judged("Ada Brook.").right
    assert len(read) == 1
