"""What is exported in the Agent World Model's format, read as upstream reads it."""

from __future__ import annotations

import ast
import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from synthesis.bundles.awm.codec import AwmCodec
from synthesis.bundles.awm.exporting import export_awm, prompt
from synthesis.bundles.awm.row_statements import row_statements
from synthesis.cli.command_line import main
from synthesis.documents.bundle import Bundle, JudgedTrajectory
from synthesis.documents.environment import Environment
from synthesis.documents.trajectory import Trajectory
from synthesis.errors import InvalidInput
from synthesis.worlds.database import read_schema
from tests.synthesis.bundles.awm.one_table import TOOLS, one_table
from tests.synthesis.bundles.awm.upstream_reader import (
    FILES,
    built_by_their_loader,
    contents,
    rows_of,
    verdict,
)


def test_every_file_has_the_fields_that_upstream_reads(
    exported: Path, environments: dict[str, Environment]
) -> None:
    for name, fields in FILES.items():
        assert "" not in (exported / name).read_text().splitlines()
        rows = rows_of(exported, name)
        assert all(set(row) == fields for row in rows), name
        assert {row.get("scenario", row.get("name")) for row in rows} == set(environments)
    tasks = {row["scenario"]: row["tasks"] for row in rows_of(exported, "gen_tasks.jsonl")}
    for name in ("gen_verifier.jsonl", "gen_verifier.pure_code.jsonl"):
        for row in rows_of(exported, name):
            assert row["task"] == tasks[row["scenario"]][row["task_idx"]]
    for row in rows_of(exported, "gen_verifier.jsonl"):
        assert json.loads(row["verification"]["raw_response"])["function_name"] == "verify_task"


def test_an_agent_is_told_what_is_asked_and_by_which_rules(clinic: Environment) -> None:
    text = prompt(clinic, clinic.tasks.tasks[0])
    assert text.startswith(clinic.tasks.tasks[0].instruction)
    assert clinic.policy is not None
    assert clinic.policy.text in text
    assert "2026-03-11 08:30" in text


def test_upstreams_loader_builds_the_shipped_database(
    exported: Path, environments: dict[str, Environment], tmp_path: Path
) -> None:
    for name in environments:
        path = built_by_their_loader(exported, name, tmp_path / f"{name}.db")
        assert contents(path) == contents(exported / "databases" / f"{name}.db")
        assert not re.search(
            r"'now'|current_", json.dumps(rows_of(exported, "gen_sample.jsonl")), re.IGNORECASE
        )


def test_upstreams_launcher_can_replace_the_lines_it_replaces(exported: Path) -> None:
    for row in rows_of(exported, "gen_envs.jsonl"):
        lines = [
            "import warnings",
            *(
                f"{line.split('create_engine(')[0]}create_engine('sqlite:///x.db')"
                if "create_engine(" in line
                else "    uvicorn.run(app, host=host, port=port)"
                if "uvicorn.run(app" in line
                else line
                for line in row["full_code"].split("\n")
            ),
        ]
        ast.parse("\n".join(lines))
        assert sum("uvicorn.run(app" in line for line in lines) == 1
        assert "synthesis" not in row["full_code"]


def test_runs_are_folders_that_upstreams_verifier_reads(exported: Path, recorded: Trajectory) -> None:
    (place,) = [path.parent for path in exported.rglob("trajectory.json")]
    assert place.relative_to(exported).parts == ("runs", recorded.environment_name, "task_0", "run_1")
    record = json.loads((place / "trajectory.json").read_text())
    code = rows_of(exported, "gen_verifier.pure_code.jsonl")[record["task_id"]]["verification"]["code"]
    answers = [each["content"] for each in record["messages"] if each["role"] == "assistant"]
    assert verdict(code, place / "initial.db", place / "final.db", answers[-1]) == "complete"
    assert contents(place / "initial.db") == contents(
        exported / "databases" / f"{recorded.environment_name}.db"
    )
    assert record["total_iterations"] == len(recorded.steps)
    assert '"tool_name"' in record["messages"][1]["content"]
    assert record["trajectory"][0]["tool_response"]["content"].startswith("{")
    assert record["trajectory"][-1]["is_final"]


def test_a_run_without_an_answer_ends_with_an_empty_one(
    clinic: Environment, recorded: Trajectory, tmp_path: Path
) -> None:
    stopped = recorded.model_copy(update={"steps": recorded.steps[:1], "stop_reason": "step_limit"})
    export_awm(
        [Bundle(environment=clinic, trajectories=(JudgedTrajectory(trajectory=stopped),))], tmp_path / "out"
    )
    (path,) = (tmp_path / "out").rglob("trajectory.json")
    assert json.loads(path.read_text())["messages"][-1] == {"role": "assistant", "content": ""}


def test_a_task_whose_verifier_needs_more_is_left_out_with_the_reason(
    clinic: Environment, tmp_path: Path
) -> None:
    first, *others = clinic.verifiers.verifiers
    asking = first.model_copy(update={"source": first.source.replace("answer)", "answer, calls)", 1)})
    changed = clinic.model_copy(
        update={"verifiers": clinic.verifiers.model_copy(update={"verifiers": (asking, *others)})}
    )
    (line,) = export_awm([Bundle(environment=changed)], tmp_path / "out")
    assert line.tasks == len(clinic.tasks.tasks) - 1
    assert "calls" in line.left_out[first.task_id]
    tasks = rows_of(tmp_path / "out", "gen_tasks.jsonl")[0]["tasks"]
    assert len(tasks) == line.tasks


Break = Callable[[], Environment]


def _shadowing() -> Environment:
    return one_table(source=TOOLS + "\n\ndef engine(db) -> dict:\n    '''Start it.'''\n    return {}\n")


def _rewritten() -> Environment:
    return one_table(source=TOOLS.replace("Tell the time.", "Tell the time, not create_engine(x)."))


def _circle() -> Environment:
    schema = (
        "CREATE TABLE rooms (id INTEGER PRIMARY KEY, name TEXT NOT NULL, next INTEGER REFERENCES rooms (id) "
        "DEFERRABLE INITIALLY DEFERRED);"
    )
    environment = one_table(schema=schema)
    rows = ({"id": 1, "name": "Oak", "next": 2}, {"id": 2, "name": "Ash", "next": 1})
    return environment.model_copy(
        update={"seed_data": environment.seed_data.model_copy(update={"rows": {"rooms": rows}})}
    )


@pytest.mark.parametrize(
    ("broken", "words"),
    [(_shadowing, "define engine"), (_rewritten, "create_engine("), (_circle, "refer back")],
    ids=["a name of ours", "a line that launchers replace", "rows in a circle"],
)
def test_an_environment_that_cannot_be_said_is_left_out_whole(
    broken: Break, words: str, tmp_path: Path
) -> None:
    lines = export_awm([Bundle(environment=broken())], tmp_path / "out")
    assert words in lines[0].reason
    assert all((tmp_path / "out" / name).read_bytes() == b"" for name in FILES)
    assert list((tmp_path / "out" / "databases").iterdir()) == []


def test_a_name_that_is_there_already_is_left_out(clinic: Environment, tmp_path: Path) -> None:
    lines = export_awm([Bundle(environment=clinic)] * 2, tmp_path / "out")
    assert [bool(line.reason) for line in lines] == [False, True]
    assert len(rows_of(tmp_path / "out", "gen_envs.jsonl")) == 1


def test_rows_stand_after_the_rows_they_refer_to(clinic: Environment) -> None:
    schema = read_schema(
        "CREATE TABLE a (id INTEGER PRIMARY KEY, above INTEGER REFERENCES a (id),"
        " b INTEGER REFERENCES b (id));"
        "CREATE TABLE b (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a (id));"
    )
    rows = {
        "a": ({"id": 1, "above": 2, "b": None}, {"id": 2, "above": 2, "b": 7}),
        "b": ({"id": 7, "a": None}, {"id": 8, "a": 1}),
    }
    every = row_statements(clinic.model_copy(update={"schema": schema}), rows)
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(schema.sql)
        database.execute("PRAGMA foreign_keys = ON")
        for _, statements in every:
            for statement in statements:
                database.execute(statement)
        assert database.execute("SELECT count(*) FROM a").fetchone() == (2,)


def test_a_folder_that_holds_something_is_left_alone(clinic: Environment, tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("mine")
    with pytest.raises(InvalidInput, match="already exists"):
        export_awm([Bundle(environment=clinic)], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["kept.txt"]


def test_the_codec_writes_a_folder_or_an_archive(clinic: Environment, tmp_path: Path) -> None:
    codec = AwmCodec()
    bundle = Bundle(environment=clinic)
    assert set(FILES) <= {path.name for path in codec.write(bundle, tmp_path / "folder").iterdir()}
    archive = codec.write(bundle, tmp_path / "one.zip")
    shutil.unpack_archive(archive, tmp_path / "unpacked")
    (inner,) = (tmp_path / "unpacked").iterdir()
    assert set(FILES) <= {path.name for path in inner.iterdir()}
    with pytest.raises(InvalidInput, match="import-awm"):
        codec.read(archive)


def test_the_command_writes_a_folder_and_says_what_is_in_it(
    clinic_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export-awm", str(clinic_path), "--out", str(tmp_path / "out")]) == 0
    assert "clinic_front_desk: 10 tasks, 0 runs" in capsys.readouterr().out
    assert main(["export-awm", str(clinic_path), str(clinic_path), "--out", str(tmp_path / "two")]) == 1
    assert "left out: An environment of this name" in capsys.readouterr().out
