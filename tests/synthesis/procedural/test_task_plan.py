"""Tasks: the kinds that were planned, walks without refusals, instructions that give nothing away."""

from __future__ import annotations

import pytest

from synthesis.documents.tasks import AnswerFact, Task
from synthesis.documents.tools import ToolCall
from synthesis.procedural.goals import draw
from synthesis.procedural.task_plan import (
    PLANS,
    TaskPlan,
    _Composer,
    _is_fed,
    _keys,
    answers_itself,
    gives_away,
)
from synthesis.procedural.walk import Abandoned


def test_every_plan_becomes_a_task_of_its_kind(practice):
    kinds = ["mixed" if plan.kind == "conditional" else plan.kind for plan in PLANS]
    assert [task.kind for task in practice.tasks.tasks] == kinds


def test_walks_are_between_one_and_twenty_calls_and_their_length_is_declared(practice):
    for task in practice.tasks.tasks:
        assert 1 <= len(task.reference_solution) <= 20
        spare = len(task.reference_solution) - task.min_calls
        assert 0 <= spare <= 3


def test_a_lookup_is_spare_when_other_answers_show_its_keys():
    find = (ToolCall(name="find_people", arguments={"name": "Jane"}), {7})
    bills = (ToolCall(name="find_bills", arguments={"number": "B-1"}), {7, 31})
    pay = (ToolCall(name="pay", arguments={"bill_id": 31, "person_id": 7}), set())
    assert _is_fed([find, bills, pay])
    assert _is_fed([bills, pay])
    assert not _is_fed([find, pay])
    assert _keys({"items": [{"bill_id": 31, "person_id": 7, "limit": 9}]}) == {7, 31}


def test_refusals_only_look_things_up(practice, made):
    writing = {action.name for action in made.actions}
    for task in practice.tasks.tasks:
        if task.kind in ("refuse", "read"):
            assert not writing & {call.name for call in task.reference_solution}


def test_another_salt_composes_other_tasks(world, made, practice):
    with world.instance() as instance:
        again = TaskPlan(made, instance).tasks()
        other = TaskPlan(made, instance, salt=1).tasks()
    assert again.fingerprint == practice.tasks.fingerprint
    assert other.fingerprint != again.fingerprint


def task(instruction, answer, *facts, arguments=None):
    return Task(
        id="t",
        instruction=instruction,
        kind="read",
        difficulty="easy",
        min_calls=1,
        reference_solution=(ToolCall(name="get_bill", arguments=arguments or {}),),
        reference_answer=answer,
        answer_facts=facts,
    )


def test_an_instruction_must_not_say_a_key_by_chance():
    fact = AnswerFact(name="total", type="money_cents", value=1200)
    assert gives_away(task("What does bill 17 come to?", "12.00.", fact, arguments={"bill_id": 17}))
    assert not gives_away(task("What does bill 17 come to?", "12.00.", fact, arguments={"bill_id": 18}))


def test_an_instruction_must_not_say_its_own_answer():
    fact = AnswerFact(name="count", type="number", value=2)
    assert gives_away(task("How many of the 2 bills are open?", "2 bills are open.", fact))


def test_answers_that_contradict_each_other_are_not_kept():
    count = AnswerFact(name="count", type="number", value=2)
    assert answers_itself(task("How many bills are open?", "There are 2 open bills.", count))
    assert not answers_itself(task("How many bills are open?", "There are 2 open bills out of 9.", count))


def test_what_is_asked_either_way_leaves_alone_what_the_forbidden_wish_is_about(world, made, monkeypatch):
    met = []
    conditional = _Composer._conditional

    def watched(self):
        name = conditional(self)
        met.append((self.walk.barred, self.walk.changed))
        return name

    monkeypatch.setattr(_Composer, "_conditional", watched)
    with world.instance() as instance:
        for salt in range(4):
            TaskPlan(made, instance, salt=salt).tasks()
    assert any(barred for barred, _ in met)
    assert all(not barred & changed for barred, changed in met)


def test_a_barred_row_is_no_goals_target(walk, made):
    for action in made.actions:
        if action.creates:
            continue
        walk.barred = {(action.entity.key, row["id"]) for row in walk.rows(action.entity)}
        with pytest.raises(Abandoned, match="no "):
            draw(walk, action)


def test_no_mark_of_a_pronoun_is_left(practice):
    assert not any("‹" in f"{task.instruction}{task.reference_answer}" for task in practice.tasks.tasks)
