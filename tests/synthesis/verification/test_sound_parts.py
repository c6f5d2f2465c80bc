"""An environment that does not build is proved without what is at fault, and all faults are in one report."""

from __future__ import annotations

import pytest

from benchmarks.planted_faults import FAULTS, rebuilt
from synthesis.documents.invariants import Invariants
from synthesis.documents.schema import Schema
from synthesis.documents.seed_data import Actor, SeedData
from synthesis.documents.tools import ToolCall, Toolset
from synthesis.documents.verifiers import Verifier
from synthesis.verification.checks import CHECKS, check_environment
from synthesis.verification.sound_parts import SoundParts
from synthesis.verification.sound_tools import SoundTools
from tests.synthesis.worlds.conftest import ROWS, SCHEMA, TOOLS, make_environment

_BROKEN = '''

def broken(db, note_id: int -> dict:
    """Never parsed.

    Args:
        note_id: Which.
    """
    return {}


def timed(db) -> dict:
    """Say what time it is, by a look at the machine."""
    import datetime
    return {"now": datetime.datetime.now().isoformat()}


def show_label(db, label_id: int) -> dict:
    """Show a label.

    Args:
        label_id: Which.
    """
    return {"label": db.one("SELECT * FROM labels WHERE id = ?", label_id)}


def tell_broken(db) -> dict:
    """Tell what the broken one says."""
    return broken(db, 1)
'''
_LABELS = "CREATE TABLE labels (id INTEGER, word TEXT NOT NULL);"


def with_faults():
    environment = make_environment()
    (task,) = environment.tasks.tasks
    call = ToolCall(name="add_note", arguments={"folder_id": 1, "text": "milk"})
    task = task.replace(reference_solution=(call,))
    other = task.replace(id="add_other", instruction="Add another note to the folder home.")
    verifiers = (*environment.verifiers.verifiers, Verifier(task_id="add_other", source="def verify(:\n"))
    return rebuilt(
        environment,
        schema=Schema(sql=f"{SCHEMA}{_LABELS}", tables=environment.schema.tables),
        seed_data=SeedData(rows={**ROWS, "labels": ({"id": 1, "word": "red"},)}),
        tools=Toolset(source=TOOLS + _BROKEN, tools=environment.tools.tools),
        tasks=environment.tasks.replace(tasks=(task, other)),
        verifiers=environment.verifiers.replace(verifiers=verifiers),
    )


def test_a_broken_tool_verifier_and_table_are_all_in_one_report_with_what_is_wrong_elsewhere():
    report = check_environment(with_faults())
    blocking = {(each.check, each.part, each.where) for each in report.findings if each.blocks}
    broken_line = (TOOLS + _BROKEN).splitlines().index("def broken(db, note_id: int -> dict:") + 1
    assert blocking >= {
        ("the_schema_builds", "schema", "labels"),
        ("every_tool_is_described", "tools", f"line {broken_line}"),
        ("every_tool_is_described", "tools", f"line {broken_line + 12}"),
        ("reference_solutions_complete_their_tasks", "verifiers", "add_other"),
        ("lists_are_bounded_and_ordered", "tools", "list_notes"),
        ("near_misses_are_refused", "verifiers", "add_one"),
    }
    assert not [each for each in report.findings if "could not be checked" in each.message]
    (note,) = [each for each in report.findings if "left out" in each.message]
    assert "table labels" in note.message
    assert len(report.results) == len(CHECKS)


@pytest.mark.parametrize(
    ("name", "tried"),
    [
        pytest.param("a table without a primary key", 45, marks=pytest.mark.at_length),
        pytest.param("a foreign key to the wrong table", 45, marks=pytest.mark.at_length),
        pytest.param("a seed row that refers to nobody", 45, marks=pytest.mark.at_length),
        pytest.param("an actor who does not exist", 45, marks=pytest.mark.at_length),
        pytest.param("a tool that reads the wall clock", 45, marks=pytest.mark.at_length),
    ],
)
def test_nothing_is_blamed_for_what_was_left_out(clinic, name, tried):
    fault = next(each for each in FAULTS if each.name == name)
    report = check_environment(fault.plant(clinic))
    assert len({(each.check, each.part) for each in report.findings if each.blocks}) == 1
    assert sum(each.passed for each in report.results) >= tried


def test_rows_that_do_not_load_are_left_out_with_those_that_refer_to_them():
    rows = {
        "folders": ({"id": 1, "name": "home"}, {"id": 2, "name": None}),
        "notes": ({"id": 1, "folder_id": 1, "text": "milk"}, {"id": 2, "folder_id": 2, "text": "call"}),
    }
    environment = rebuilt(make_environment(), seed_data=SeedData(rows=rows))
    remainder = SoundParts(environment).remainder()
    assert remainder is not None
    assert remainder.left_out == ("2 rows", "task add_one")
    assert [row["id"] for members in remainder.environment.seed_data.rows.values() for row in members] == [
        1,
        1,
    ]


def test_tools_that_ask_for_a_lost_actor_are_left_out():
    tools = TOOLS + '\n\ndef who(db) -> dict:\n    """Say who asks."""\n    return {"key": db.actor}\n'
    lost = SeedData(rows=make_environment().seed_data.rows, actor=Actor(table="folders", key=99))
    remainder = SoundParts(rebuilt(make_environment(tools), seed_data=lost)).remainder()
    assert remainder is not None
    assert [tool.name for tool in remainder.environment.tools.tools] == [
        "list_notes",
        "add_note",
        "delete_note",
    ]


def test_a_sound_environment_has_no_remainder(clinic):
    assert SoundParts(clinic).remainder() is None


@pytest.mark.parametrize(
    ("piece", "lost"),
    [
        ("def one(db) -> dict:\ndef two(db) -> dict:\n    return {}\n", {"one"}),
        ("NAMES = ('a', 'b'\n\n\ndef two(db) -> dict:\n    return {'n': NAMES}\n", {"NAMES", "two"}),
        ('def one(db) -> dict:\n    """Open.\n    return {}\n', {"one"}),
    ],
)
def test_a_piece_that_does_not_parse_is_cut_out_with_what_needs_it(piece, lost):
    toolset = SoundTools(TOOLS + "\n\n" + piece).without((), actor=False)
    assert toolset is not None
    assert {tool.name for tool in toolset.tools} >= {"list_notes", "add_note", "delete_note"} - lost
    assert not any(f"def {name}(" in toolset.source or f"\n{name} =" in toolset.source for name in lost)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def notes_have_folders(db:\n    return True\n", "was never closed"),
        (
            'import os\n\n\ndef all_is_well(db):\n    """All is well."""\n    return True\n',
            "os cannot be imp",
        ),
    ],
    ids=["no_python", "forbidden"],
)
def test_invariants_that_do_not_compile_are_left_out_and_everything_else_is_tried(source, words):
    invariants = Invariants.model_construct(source=source, declared=())
    environment = make_environment(TOOLS).replace(invariants=invariants)
    report = check_environment(environment)
    blocking = [each for each in report.findings if each.blocks]
    (finding,) = [each for each in blocking if each.part == "invariants"]
    assert words in finding.message
    assert not any("could not be checked" in each.message for each in blocking)
    (note,) = [each for each in report.findings if "was left out" in each.message]
    assert "all invariants" in note.message
    figures = {result.claim: result.figures for result in report.results}
    assert figures["no_tool_fails"]
