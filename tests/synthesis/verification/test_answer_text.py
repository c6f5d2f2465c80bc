"""Answers in fields are read by verifiers that look at text alone, and never decide against the text."""

from __future__ import annotations

import pytest

from synthesis.documents.trajectory import FinalAnswer
from synthesis.episode import Episode
from synthesis.reading.answer import Answer
from synthesis.verification.answer_text import with_fields_in_words

VALUES = {"total to pay": 170.0, "oldest open invoice": "2026-01-12"}
NOT_ENTITLED = "Dario Velloxi is not authorised to manage her appointments"


def label(world, task_id, form="both", **fields):
    with Episode(world, task_id, answer_form=form) as episode:
        episode.reset()
        episode.step(FinalAnswer(**fields))
        return episode.verdict.label


def test_text_alone_stays_as_it_is():
    assert with_fields_in_words("It is done.") == "It is done."
    whole = with_fields_in_words(
        Answer("Here.", "declined", "it is late", {"n": 2, "ok": True, "days": [1, None]})
    )
    assert whole == "Here.\nn: 2.\nok: yes.\ndays: 1, .\nDeclined: it was not done.\nBecause it is late."
    assert whole.reason == "it is late"


@pytest.mark.parametrize("form", ["structured", "both"])
def test_right_values_complete_a_question_and_a_reason_a_refusal(clinic_world, form):
    assert label(clinic_world, "read_total_owed", form, outcome="done", values=VALUES) == "completed"
    refused = {"text": "I did not cancel it.", "outcome": "declined", "reason": NOT_ENTITLED}
    assert label(clinic_world, "refuse_unlisted_caller", form, **refused) == "completed"


@pytest.mark.parametrize(
    "fields",
    [
        {"values": {**VALUES, "total to pay": 180.0}},
        {"text": "She owes 180.00.", "values": VALUES},
        {"outcome": "declined", "reason": "I may not say", "values": {}},
        {"text": "", "values": {"a": None, "b": [], "c": {"d": 1}, "e": 2**80}},
    ],
)
def test_wrong_or_contradicted_values_do_not(clinic_world, fields):
    assert label(clinic_world, "read_total_owed", **fields) != "completed"


def test_values_and_outcomes_do_not_turn_a_refusal_into_a_deed(clinic_world):
    fields = {"text": "It is cancelled.", "outcome": "done", "values": {"cancelled": True}}
    assert label(clinic_world, "refuse_unlisted_caller", **fields) != "completed"
    assert (
        label(clinic_world, "refuse_unlisted_caller", outcome="declined", reason="the moon is full")
        != "completed"
    )
