"""Action: rules that a tool enforces, and rules that stand in the policy alone."""

from __future__ import annotations

import pytest

from synthesis.procedural.author import compose
from synthesis.procedural.composer import blueprint
from synthesis.procedural.policy_text import policy_text
from synthesis.procedural.tool_source.module import tools_source

SENTENCE, SEED = "contracts office", 5


@pytest.fixture(scope="module")
def action():
    return next(action for action in blueprint(SENTENCE, SEED).actions if action.relies_on_policy)


def test_a_rule_of_the_policy_alone_is_told_there_and_not_enforced(action):
    made = blueprint(SENTENCE, SEED)
    guard = next(guard for guard in action.spec.guards if not guard.enforced)
    rule = action.rules[guard.value]
    assert rule.policy[1:] in policy_text(made)
    source = tools_source(made)
    function = source[source.index(f"def {action.name}(") :].split("\ndef ")[0]
    assert rule.constant not in function


def test_values_beyond_it_break_it_and_others_do_not(action):
    guard = next(guard for guard in action.spec.guards if not guard.enforced)
    rule = action.rules[guard.value]
    assert action.breaks(guard, {guard.amount: rule.value + 1})
    assert not action.breaks(guard, {guard.amount: rule.value})
    assert not action.breaks(guard, {})


def test_a_task_asks_for_what_the_policy_forbids_and_the_tool_would_do(action):
    made = compose(SENTENCE, seed=SEED)
    task = next(task for task in made.tasks.tasks if task.kind == "refuse")
    assert action.name in task.id
    assert all(call.name != action.name for call in task.reference_solution)


def test_only_rules_on_amounts_that_are_given_and_told_may_stand_there():
    for action in blueprint(SENTENCE, SEED).actions:
        left = action.in_policy_alone()
        assert left.relies_on_policy == (action.could_rely_on_policy or action.relies_on_policy)
        assert left.spec.asks == action.spec.asks
