"""Agreement is computed as published."""

from __future__ import annotations

import pytest

from studio.services.review.agreement import agreement, interval, of_decisions, of_scores
from studio.services.review.reviews import submit
from tests.studio.conftest import GRADES

# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), example C: four observers, twelve units.
EXAMPLE = [
    [1, 1, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [5, 5, 5],
    [1, 1],
    [3],
]


def test_alpha_of_names_equals_the_published_example():
    assert agreement(EXAMPLE).alpha == pytest.approx(0.743, abs=0.0005)


def test_alpha_of_numbers_equals_the_published_example():
    assert agreement(EXAMPLE, distance=interval).alpha == pytest.approx(0.849, abs=0.0005)


def test_items_that_one_person_judged_count_for_nothing():
    assert agreement([["yes"], []]) == agreement([])
    assert agreement([]).percent is None


def test_full_agreement_on_one_value_has_no_alpha():
    result = agreement([["yes", "yes"], ["yes", "yes"]])
    assert (result.items, result.percent, result.alpha) == (2, 100.0, None)


def test_opposite_judgements_are_below_chance():
    result = agreement([["yes", "no"], ["no", "yes"]])
    assert result.percent == 0.0
    assert result.alpha is not None
    assert result.alpha < 0


def test_reviews_are_compared_item_by_item(stored, reviewer, second_reviewer):
    for person, decision, score in ((reviewer, "approve", 4), (second_reviewer, "reject", 5)):
        submit(
            record=stored,
            revision_number=1,
            reviewer=person,
            decision=decision,
            scores=GRADES | {"task_feasibility": score},
            comment="Seen.",
        )
    assert of_decisions(stored.reviews.all()).percent == 0.0
    assert of_scores(stored.reviews.all())["task_feasibility"].items == 1
