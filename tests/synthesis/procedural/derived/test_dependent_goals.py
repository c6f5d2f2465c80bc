"""DependentGoals: changes and questions about rows that are found, each with ends that must be refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from synthesis.procedural.composing.playing import Abandoned
from synthesis.procedural.derived import dependent_goals
from synthesis.procedural.derived.dependent_goals import branch, choose, each, find

ATTEMPTS = 30


def _goal(play, make, hops):
    for _ in range(ATTEMPTS):
        mark = play.mark()
        try:
            return make(play, hops)
        except Abandoned:
            assert not play.wrote, "what was given up changed nothing"
            play.back_to(mark)
    raise AssertionError("no goal in so many attempts")


def _end_of(play, calls):
    """What calls change on a fresh instance; refused ones are passed over."""
    play.instance.reset()
    for call in calls:
        play.instance.call(call.name, call.arguments)
    return play.instance.diff()


@pytest.mark.parametrize(("make", "hops"), [(choose, 1), (choose, 2), (branch, 1), (each, 1)])
def test_weak_agents_change_something_else(play, make, hops):
    goal = _goal(play, make, hops)
    right = _end_of(play, play.calls)
    assert right
    assert goal.temptations
    for temptation in goal.temptations:
        assert _end_of(play, temptation.calls) != right, temptation.weakness


@pytest.mark.parametrize(
    ("make", "hops", "depth"), [(choose, 1, 2), (choose, 2, 3), (branch, 1, 2), (each, 1, 3)]
)
def test_a_goal_is_as_deep_as_its_choices(play, make, hops, depth):
    _goal(play, make, hops)
    assert max(play.depths) >= depth


def test_a_question_about_a_found_row_has_its_answer_in_a_fact(play):
    goal = _goal(play, find, 2)
    assert len(goal.facts) == 1
    assert not goal.operations
    assert str(goal.facts[0].value) not in goal.text
    assert max(play.depths) >= 2


def test_a_row_that_is_found_is_not_named(play):
    goal = _goal(play, choose, 1)
    target = play.calls[-1]
    assert " its " in goal.text or " it " in goal.text or "them" in goal.text or "their" in goal.text
    assert not any(
        str(value) in goal.text for name, value in target.arguments.items() if name.endswith("_id")
    )


def test_either_way_of_a_branch_is_said(play):
    goal = _goal(play, branch, 1)
    assert "If " in goal.text
    assert "; otherwise " in goal.text
    assert goal.temptations[0].weakness == "forgets_condition"


@pytest.mark.parametrize(
    ("kind", "value", "percent", "more"),
    [
        ("money", 10.5, 10, 11.55),
        ("money", 10.55, 10, None),
        ("cents", 1050, 20, 1260),
        ("cents", 1055, 10, None),
    ],
)
def test_a_price_is_raised_only_where_that_comes_out_even(model, kind, value, percent, more):
    some = replace(model.relations["Products"].fields[0], kind=kind)
    assert dependent_goals._percent_more(some, value, percent) == more
