"""The procedural suite: how worlds differ."""

from __future__ import annotations

from benchmarks.procedural import traits_of, variety
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
