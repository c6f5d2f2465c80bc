"""What is exported and read back: the same tools, the same rewards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from synthesis.bundles.awm.exporting import AwmExportLine, export_awm
from synthesis.bundles.awm.importing import AwmImportOptions, import_awm
from synthesis.bundles.open import open_bundle
from synthesis.documents.bundle import Bundle
from synthesis.documents.environment import Environment
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import FinalAnswer
from synthesis.episode import Episode
from synthesis.worlds.world import World
from tests.synthesis.bundles.awm.one_table import one_table
from tests.synthesis.bundles.awm.upstream_reader import (
    contents,
    rows_of,
    verdict,
)


def test_every_reference_is_complete_and_nothing_else_is(
    exported: Path, environments: dict[str, Environment], imported: dict[str, World], tmp_path: Path
) -> None:
    """The exported tools played in the sealed host; the exported verifiers run as upstream runs them."""
    codes = {
        (row["scenario"], row["task_idx"]): row["verification"]["code"]
        for row in rows_of(exported, "gen_verifier.pure_code.jsonl")
    }
    for name, environment in environments.items():
        initial = exported / "databases" / f"{name}.db"
        for index, task in enumerate(environment.tasks.tasks):
            final = tmp_path / f"{name}{index}.db"
            with imported[name].instance() as instance:
                assert all(instance.call(each.name, each.arguments).ok for each in task.reference_solution)
                final.write_bytes(instance.snapshot().image)
            code = codes[name, index]
            assert verdict(code, initial, final, task.reference_answer) == "complete", task.id
            assert verdict(code, initial, initial, "") == "others", task.id
            if contents(initial) == contents(final):
                assert verdict(code, initial, final, "I could not find out.") == "others", task.id
            else:
                assert verdict(code, initial, initial, task.reference_answer) == "others", task.id


def test_what_is_read_back_rewards_the_same(
    environments: dict[str, Environment], imported: dict[str, World]
) -> None:
    for name, environment in environments.items():
        for index, task in enumerate(environment.tasks.tasks):
            for calls, answer, reward in (
                (task.reference_solution, task.reference_answer, 1.0),
                ((), "", 0.0),
            ):
                with Episode(imported[name], f"task_{index}") as episode:
                    episode.reset()
                    for call in calls:
                        episode.step(call)
                    episode.step(FinalAnswer(text=answer))
                    assert episode.verdict is not None
                    assert episode.verdict.reward == reward, (name, task.id)


def test_tools_keep_their_names_arguments_and_whether_they_write(
    environments: dict[str, Environment], imported: dict[str, World]
) -> None:
    for name, environment in environments.items():
        read = {tool.name: tool for tool in imported[name].tools}
        assert list(read) == [tool.name for tool in environment.tools.tools]
        for tool in environment.tools.tools:
            known: Any = read[tool.name].input_schema
            declared: Any = tool.input_schema
            assert read[tool.name].mutates_state is tool.mutates_state
            assert list(known["properties"]) == list(declared["properties"])
            assert sorted(known["required"]) == sorted(declared.get("required", ()))
            assert all("type" in rule or "enum" in rule for rule in known["properties"].values())


WRONG = [
    ToolCall(name="get_patient", arguments={"patient_id": 999}),
    ToolCall(name="get_patient", arguments={"patient_id": "one"}),
    ToolCall(name="get_patient", arguments={}),
    ToolCall(name="find_patients", arguments={"name": "", "limit": 0}),
    ToolCall(name="send_message", arguments={"patient_id": 1, "template": "no such"}),
    ToolCall(name="record_payment", arguments={"invoice_id": 1, "amount_cents": -5, "method": "cash"}),
    ToolCall(name="record_payment", arguments={"invoice_id": 1, "amount_cents": "5", "method": "cash"}),
]


@pytest.mark.parametrize("call", WRONG, ids=str)
def test_a_wrong_call_is_refused_and_changes_nothing(
    clinic: Environment, imported: dict[str, World], call: ToolCall
) -> None:
    with World(clinic, isolation="shared") as world, world.instance() as native:
        expected = native.call(call.name, call.arguments)
    with imported[clinic.name].instance() as instance:
        result = instance.call(call.name, call.arguments)
        assert not expected.ok
        assert result.status == "refused"
        assert instance.diff().changes == ()
    if expected.status == "refused":
        assert json.dumps(expected.message)[1:-1] in result.message


def test_null_means_left_out(clinic: Environment, imported: dict[str, World]) -> None:
    call = ToolCall(
        name="register_patient",
        arguments={
            "first_name": "Ada",
            "last_name": "Byron",
            "birth_date": "1990-12-10",
            "phone": "555-0100",
            "preferred_channel": None,
            "email": None,
        },
    )
    with imported[clinic.name].instance() as instance:
        assert instance.call(call.name, call.arguments).ok
        (change,) = instance.diff().changes
        assert change.after is not None
        assert change.after["preferred_channel"] == "sms"


def round_trip(environment: Environment, tmp_path: Path) -> tuple[AwmExportLine, World]:
    (line,) = export_awm([Bundle(environment=environment)], tmp_path / "out")
    import_awm(tmp_path / "out", tmp_path / "back", AwmImportOptions(prove=False))
    return line, World(open_bundle(tmp_path / "back" / environment.name).environment, isolation="shared")


def test_a_write_that_breaks_an_invariant_is_undone(tmp_path: Path) -> None:
    line, worlds = round_trip(one_table(invariant="rooms"), tmp_path)
    assert line.reason == ""
    with worlds as world, world.instance() as instance:
        assert instance.call("add_room", {"name": "Elm"}).ok
        result = instance.call("add_room", {"name": "Oak"})
        assert result.status == "error"
        assert "At most three rooms" in result.message
        assert len(instance.diff().changes) == 1


def test_the_clock_and_chance_are_those_of_the_world(tmp_path: Path) -> None:
    line, worlds = round_trip(one_table(), tmp_path)
    assert line.reason == ""
    with worlds as world, world.instance() as instance:
        assert instance.call("get_now", {}).value == {
            "now": "2026-03-11T08:30:00",
            "sql": "2026-03-11 08:30:00",
        }
