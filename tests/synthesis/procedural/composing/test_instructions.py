"""Instructions: clauses as sentences."""

from __future__ import annotations

import random

from synthesis.procedural.composing.instructions import otherwise


def test_an_alternative_that_says_instead_already_says_it_once():
    for seed in range(8):
        assert otherwise(random.Random(seed), "make it a Filling instead").count("instead") == 1
