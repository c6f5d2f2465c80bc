"""The author "recorded" brings its own sentence, needs no endpoint and corrects nothing."""

from __future__ import annotations

import pytest

from studio.services.synthesis import corrections, synthesis
from studio.services.synthesis.authors import authors_for, require_model
from synthesis.errors import InvalidInput
from synthesis.pipeline.recorded_run import RecordedRun


def test_it_replays_what_the_recorded_run_was_asked_for() -> None:
    recorded = RecordedRun.read()
    request = synthesis.new_request(sentence="", author="recorded")
    assert request == recorded.request.replace(author="recorded")
    assert synthesis.new_request(sentence=f" {request.sentence}\n", author="recorded") == request
    require_model(["recorded"], request)
    assert authors_for(request, None)["recorded"].model == recorded.model  # type: ignore[arg-type]


def test_another_sentence_is_refused_with_the_recorded_one() -> None:
    with pytest.raises(InvalidInput, match="replays one run, for the sentence “A neighbourhood tool library"):
        synthesis.new_request(sentence="A ferry company", author="recorded")


def test_it_is_no_author_that_corrects(stored, lead) -> None:
    offer = next(each for each in corrections.offers(stored, lead) if each.name == "recorded")
    assert "no replies to other findings" in offer.refusal
