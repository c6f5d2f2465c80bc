"""Questions: each has one definite answer that the calls show."""

from __future__ import annotations

from synthesis.procedural.derived.questions import ask
from synthesis.verification.answer_facts import facts_hold


def test_the_answer_holds_the_facts_and_the_question_does_not(play):
    for _ in range(12):
        mark = play.mark()
        question = ask(play)
        assert all(outcome.passed for outcome in facts_hold(question.facts, question.answer))
        assert not all(outcome.passed for outcome in facts_hold(question.facts, question.text))
        assert len(play.calls) > mark.calls
        play.back_to(mark)


def test_no_question_changes_anything(play):
    for _ in range(6):
        ask(play)
    assert not play.instance.diff()
