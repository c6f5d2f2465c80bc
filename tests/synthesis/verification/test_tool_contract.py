import random
from datetime import datetime

import pytest

from benchmarks.planted_faults import in_tools
from synthesis.documents.tools import Tool, ToolCall
from synthesis.verification.argument_values import ArgumentValues, singular
from synthesis.verification.tool_contract import DAYS, HOSTILE_TEXTS, MOMENTS, candidates, probes
from synthesis.verification.tool_trial import try_tools
from synthesis.worlds.arguments import validation_errors
from synthesis.worlds.limits import Limits
from synthesis.worlds.world import World

TOOL = Tool(
    name="book",
    description="Book.",
    inputSchema={
        "type": "object",
        "properties": {
            "slot_id": {"type": "integer"},
            "count": {"type": "integer", "minimum": 1, "maximum": 9},
            "kind": {"enum": ["a", "b"]},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        },
        "required": ["slot_id", "count", "kind"],
        "additionalProperties": False,
    },
    mutates_state=True,
)
RIGHT = {"slot_id": 3, "count": 2, "kind": "a"}


def made(kind):
    return [probe for probe in probes(TOOL, RIGHT) if probe.kind == kind]


def test_every_required_parameter_is_left_out_once():
    left_out = [set(RIGHT) - set(probe.call.arguments) for probe in made("missing")]
    assert left_out == [{"slot_id"}, {"count"}, {"kind"}]


def test_bounds_are_met_and_passed():
    assert [probe.call.arguments["count"] for probe in made("boundary") if "count" in probe.call.arguments][
        -2:
    ] == [1, 9]
    assert [(probe.call.arguments["count"], probe.expected) for probe in made("out_of_bounds")] == [
        (0, "invalid"),
        (10, "invalid"),
    ]


def test_unknown_ids_and_hostile_texts_are_tried():
    assert [probe.call.arguments["slot_id"] for probe in made("unknown_id")] == [987_654_321]
    texts = [probe.call.arguments["note"] for probe in made("hostile_text")]
    assert "\x00" in texts
    assert any("DROP TABLE" in text for text in texts)


def test_days_and_moments_are_tried_at_the_edges_of_the_calendar():
    text = {"type": "string"}
    rules = {"due_on": text, "starts_at": text, "note": {"anyOf": [text, {"type": "null"}]}}
    tool = TOOL.replace(input_schema={"type": "object", "properties": rules})
    odd = [probe.call.arguments for probe in probes(tool, {}) if probe.kind == "odd_time"]
    assert [given["due_on"] for given in odd if "due_on" in given] == [*DAYS]
    assert [given["starts_at"] for given in odd if "starts_at" in given] == [*MOMENTS]
    assert not any("note" in given for given in odd)
    assert max(len(text) for text in HOSTILE_TEXTS) == 10_000


def test_the_examples_of_a_schema_are_called_first():
    example = {"slot_id": 41, "count": 2, "kind": "b"}
    tool = TOOL.replace(input_schema={**TOOL.input_schema, "examples": [example]})
    values = ArgumentValues(random.Random(0), clock=datetime(2026, 3, 11))
    assert candidates(tool, values, 12)[0].arguments == example


def test_what_is_expected_to_be_invalid_is_invalid():
    for probe in probes(TOOL, RIGHT):
        assert bool(validation_errors(TOOL.input_schema, probe.call.arguments)) == (
            probe.expected == "invalid"
        ), probe


def test_generated_arguments_always_fit_their_schema(clinic):
    values = ArgumentValues(random.Random(1), clock=datetime(2026, 3, 11))
    for tool in (TOOL, *clinic.tools.tools):
        for _ in range(30):
            arguments = values.arguments(tool)
            assert validation_errors(tool.input_schema, arguments) == "", (tool.name, arguments)


def test_values_that_were_seen_are_preferred():
    values = ArgumentValues(random.Random(1), clock=datetime(2026, 3, 11))
    values.observe({"items": [{"slot_id": 77}]})
    drawn = [values.arguments(TOOL)["slot_id"] for _ in range(40)]
    assert drawn.count(77) > 20
    assert values.seen("new_slot_id") == (77,)


@pytest.mark.parametrize(
    ("many", "one"),
    [
        ("patients", "patient"),
        ("entries", "entry"),
        ("boxes", "box"),
        ("classes", "class"),
        ("staff", "staff"),
        ("children", "child"),
        ("lent_monies", "lent_money"),
    ],
)
def test_a_table_is_named_for_one_of_it(many, one):
    assert singular(many) == one


def test_trying_all_tools_leaves_the_world_as_it_was(clinic_world, clinic):
    before = clinic_world.base.hash
    trials = try_tools(clinic_world, clinic)
    assert [trial.tool.name for trial in trials] == [tool.name for tool in clinic.tools.tools]
    assert all(trial.score == 1.0 for trial in trials)
    with clinic_world.instance() as instance:
        assert instance.state_hash() == before


@pytest.mark.slow
def test_a_tool_that_hangs_is_found_without_waiting_for_every_call(clinic):
    stuck = in_tools(
        (
            '    sql = "SELECT id AS department_id',
            '    while True:\n        pass\n    sql = "SELECT id AS department_id',
        )
    )
    environment = stuck(clinic)
    with World(environment, limits=Limits(call_seconds=0.3)) as world:
        trial = next(one for one in try_tools(world, environment) if one.tool.name == "list_departments")
    failed = [probed_call for probed_call in trial.calls if probed_call.result.status == "error"]
    assert 3 <= len(failed) <= 10
    assert "longer than 0.3 s" in failed[0].result.message


def test_a_tool_that_was_asked_for_what_is_so_already_is_asked_for_something_else(
    clinic_world, clinic, monkeypatch
):
    with clinic_world.instance() as instance:
        patient = instance.rows(limit=1)["patients"][0]
    same = ToolCall(
        name="update_patient_contact", arguments={"patient_id": patient["id"], "phone": patient["phone"]}
    )
    monkeypatch.setattr("synthesis.verification.tool_trial.candidates", lambda *_: [same])
    reading = "read_total_owed"  # its solution shows no call of the tool
    untold = clinic.replace(
        tasks=clinic.tasks.replace(tasks=[task for task in clinic.tasks.tasks if task.id == reading]),
        verifiers=clinic.verifiers.replace(
            verifiers=[each for each in clinic.verifiers.verifiers if each.task_id == reading]
        ),
    )
    trials = {trial.tool.name: trial for trial in try_tools(clinic_world, untold)}
    trial = trials["update_patient_contact"]
    assert trial.calls[0].result.ok
    assert not trial.calls[0].result.changes
    assert trial.changed_rows
