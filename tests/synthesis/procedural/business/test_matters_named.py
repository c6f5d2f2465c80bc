"""A matter that is to be closed is named by its number where somebody has another open one of the kind."""

from __future__ import annotations

import contextlib
import random

from synthesis.procedural.business.author import _business, compose, trial_world
from synthesis.procedural.business.goals_decide import decide_or_hand_over
from synthesis.procedural.business.goals_hold import number
from synthesis.procedural.business.play import TaskBuilder
from synthesis.procedural.composing.playing import Abandoned

SENTENCE = "A workshop repairs clocks for customers and quotes for each repair"


def test_a_matter_is_named_by_number_where_another_one_like_it_is_open() -> None:
    business = _business(SENTENCE, 3)
    process = next(each for each in business.processes if each.shape == "work")
    checked = 0
    with trial_world(compose(SENTENCE, seed=3)) as trial, trial.instance() as instance:
        record = process.record.name
        for seed in range(12):
            instance.reset()
            with contextlib.suppress(Abandoned):
                play = TaskBuilder(business, instance, random.Random(seed))
                known = play.rows(process.record)
                # each has a twin that nobody deals with yet
                twins = [
                    {**row, "id": 900_000 + n, "status": process.states[0]} for n, row in enumerate(known)
                ]
                play._tables[record] = [*known, *twins]
                draft = decide_or_hand_over(play, process)
                checked += 1
                assert any(number(process, row) in draft.text for row in known)
    assert checked
