"""An approval covers units; a change makes exactly the units it touches others."""

from __future__ import annotations

from studio.services.environments.units import part_of_unit, units_of
from tests.studio.conftest import TOOLS, small_environment


def changed(tools: str) -> set[str]:
    before, after = units_of(small_environment()), units_of(small_environment(tools=tools))
    assert before.keys() == after.keys()
    return {unit for unit in before if before[unit] != after[unit]}


def test_every_part_tool_and_task_is_a_unit():
    assert set(units_of(small_environment())) == {
        "scenario",
        "policy",
        "schema",
        "seed_data",
        "tool:list_loans",
        "tool:return_item",
        "task:return_the_drill",
        "task:count_the_loans",
    }


def test_an_edited_tool_changes_only_itself():
    assert changed(TOOLS.replace("returned = 1", "returned = 2")) == {"tool:return_item"}


def test_an_edited_helper_changes_the_tools_that_use_it():
    assert changed(TOOLS.replace("SELECT * FROM loans WHERE", "SELECT id FROM loans WHERE")) == {
        "tool:return_item"
    }


def test_an_edited_constant_changes_the_tools_that_use_it():
    assert changed(TOOLS.replace("LATEST = 50", "LATEST = 10")) == {"tool:list_loans"}


def test_source_that_cannot_be_parsed_changes_with_every_letter():
    assert changed("def broken(") == {"tool:list_loans", "tool:return_item"}


def test_a_reworded_task_changes_only_itself():
    before = units_of(small_environment())
    after = units_of(small_environment(instruction="Please take the drill back from Ada."))
    assert {unit for unit in before if before[unit] != after[unit]} == {"task:return_the_drill"}


def test_a_unit_knows_its_part():
    assert [part_of_unit(unit) for unit in ("tool:x", "task:y", "schema")] == ["tools", "tasks", "schema"]
