"""The procedural suite: how worlds differ."""

from __future__ import annotations

import pytest

from benchmarks.procedural import COMPARED, recurrence, traits_of, variety
from synthesis.procedural.business.author import Size, compose, style_of

SENTENCE = "A boatyard stores yachts over winter and services engines"


def test_variety_is_the_share_of_pairs_that_differ() -> None:
    worlds = [
        {"pages": "page", "search": "part"},
        {"pages": "page", "search": "whole"},
        {"pages": "page", "search": "part"},
    ]
    assert variety(worlds) == {"pages": 0.0, "search": 0.6667}
    assert variety(worlds[:1]) == {}


def test_traits_are_those_of_the_world_that_was_made() -> None:
    environment = compose(SENTENCE, seed=1, size=Size(tasks=4))
    traits = traits_of(environment, SENTENCE, 1)
    assert (traits["tasks"], len(traits["task_kinds"])) == (4, 4)
    assert traits["tools"] == len(environment.tools.tools)
    assert traits["search"] == style_of(SENTENCE, seed=1).search


def test_what_recurs_is_looked_for_in_the_worlds_that_follow_and_not_in_all() -> None:
    assert recurrence([{"a", "b"}, {"b", "c"}, {"d"}]) == pytest.approx((1 / 2 + 1 / 2 + 0) / 3)
    far = [{"a"}, *({number} for number in range(COMPARED)), {"a"}]
    assert recurrence(far) == pytest.approx(1 / len(far))  # from the last one on, round to the first
    assert recurrence([{"a"}]) == 0.0
