"""Verifiers: they accept the reference solution and refuse an idle agent and an extra change."""

from __future__ import annotations

import pytest

from synthesis.documents.state_diff import RowChange, StateDiff
from synthesis.procedural.verifier_source import VerifierSource, said
from synthesis.procedural.walk import Abandoned


def passed(world, task, calls, answer):
    with world.instance() as instance:
        before = instance.snapshot()
        for call in calls:
            assert instance.call(call.name, call.arguments).ok
        after = instance.snapshot()
    return all(outcome.passed for outcome in world.verify_code(task.id, before, after, answer))


def test_reference_solutions_pass_and_idle_agents_do_not(world, practice):
    for task in practice.tasks.tasks:
        assert passed(world, task, task.reference_solution, task.reference_answer), task.id
        assert not passed(world, task, (), ""), task.id


def test_one_more_change_is_noticed(world, practice, made):
    writing = {action.name for action in made.actions}
    longest = max(practice.tasks.tasks, key=lambda task: len(task.reference_solution))
    change = next(call for call in longest.reference_solution if call.name in writing)
    for task in practice.tasks.tasks:
        if task.kind in ("read", "refuse"):
            assert not passed(world, task, (change,), task.reference_answer)


def test_part_of_a_solution_is_not_enough(world, practice, made):
    writing = {action.name for action in made.actions}
    for task in practice.tasks.tasks:
        writes = [call for call in task.reference_solution if call.name in writing]
        if len(writes) > 2:
            last = max(i for i, call in enumerate(task.reference_solution) if call.name in writing)
            assert not passed(world, task, task.reference_solution[:last], task.reference_answer)


def test_facts_are_compared_by_value(practice):
    facts = [fact for task in practice.tasks.tasks if task.kind == "read" for fact in task.answer_facts]
    assert facts
    for fact in facts:
        assert "answer" in said(fact)


def test_an_end_state_that_depends_on_the_order_of_calls_is_given_up(practice, made):
    parent = next(
        e
        for e in made.entities.values()
        if any(c.entity == e.key for x in made.entities.values() for c in x.refs)
    )
    child = next(e for e in made.entities.values() if any(c.entity == parent.key for c in e.refs))
    own = next(c for c in child.refs if c.entity == parent.key)
    rows = practice.seed_data.rows
    new = [
        RowChange(
            table=parent.table,
            key=9_000 + i,
            kind="inserted",
            after={**rows[parent.table][0], "id": 9_000 + i},
        )
        for i in range(2)
    ]
    line = RowChange(
        table=child.table,
        key=9_100,
        kind="inserted",
        after={**rows[child.table][0], "id": 9_100, own.name: 9_000},
    )
    with pytest.raises(Abandoned):
        VerifierSource(made, practice.tasks.tasks[1], StateDiff(changes=(*new, line))).source()
