"""Policy: every rule in force stands in it, with its number, and no slot is left."""

from __future__ import annotations

import pytest

from synthesis.procedural.composer import blueprint
from synthesis.procedural.policy_text import policy_text


@pytest.mark.parametrize("sentence", ["sports club", "law office", "ski resort", "electronics store"])
def test_rules_in_force_are_stated_and_no_slot_is_left(sentence):
    made = blueprint(sentence, 3)
    text = policy_text(made)
    assert "{" not in text
    for action in made.actions:
        for rule in action.rules.values():
            if rule.policy:
                assert rule.policy[1:] in text


def test_it_says_who_acts_and_how_people_are_told_apart(made, practice):
    assert practice.policy is not None
    assert made.actor.noun in practice.policy.text
    assert "date of birth" in practice.policy.text


def test_states_read_as_people_write_them_and_say_what_a_row_is_marked_as():
    text = " ".join(policy_text(blueprint("A courier ships parcels to customers", seed)) for seed in range(6))
    assert "in-transit" in text
    assert "Only in transit" not in text
    assert "reported as lost." in text
    assert "are reported." not in text
