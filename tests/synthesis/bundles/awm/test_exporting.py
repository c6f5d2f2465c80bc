"""What is exported in the Agent World Model's format: read as upstream reads it, and read back by us."""

from __future__ import annotations

import ast
import json
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from synthesis.bundles.awm.codec import AwmCodec
from synthesis.bundles.awm.exporting import AwmExportLine, export_awm, prompt
from synthesis.bundles.awm.importing import AwmImportOptions, import_awm
from synthesis.bundles.awm.row_statements import row_statements
from synthesis.bundles.awm.standalone.answers import declines, says
from synthesis.bundles.awm.verifier_code import verifier_code
from synthesis.bundles.open import open_bundle
from synthesis.cli.command_line import main
from synthesis.documents.bundle import Bundle, JudgedTrajectory
from synthesis.documents.environment import Environment
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import FinalAnswer, Trajectory
from synthesis.episode import Episode
from synthesis.errors import InvalidInput
from synthesis.procedural.business.author import compose
from synthesis.worlds.database import read_schema
from synthesis.worlds.toolset import read_toolset
from synthesis.worlds.world import World

SENTENCE = "A hotel takes bookings and bills its guests"
FILES = {
    "gen_scenario.jsonl": {"name", "description", "clock"},
    "gen_tasks.jsonl": {"scenario", "tasks"},
    "gen_db.jsonl": {"scenario", "db_schema", "db_path"},
    "gen_sample.jsonl": {"scenario", "tables_count", "inserts_count", "sample_data"},
    "gen_spec.jsonl": {"scenario", "api_spec"},
    "gen_envs.jsonl": {"scenario", "db_path", "full_code"},
    "gen_verifier.jsonl": {"scenario", "task_idx", "task", "verification"},
    "gen_verifier.pure_code.jsonl": {"scenario", "task_idx", "task", "verification"},
}
WORDS = re.compile(r"\w+")
ALLOWED_BUILTINS = WORDS.findall(
    "__build_class__ __import__ abs all any bool bytes dict enumerate Exception float frozenset getattr "
    "hasattr int isinstance iter len list map max min next print range repr reversed round set sorted str "
    "sum tuple type ValueError zip"
)
"""Fewer than readers of the format give a verifier."""


@pytest.fixture(scope="module")
def hotel() -> Environment:
    return compose(SENTENCE, seed=3)


@pytest.fixture(scope="module")
def environments(clinic: Environment, hotel: Environment) -> dict[str, Environment]:
    return {each.name: each for each in (clinic, hotel)}


@pytest.fixture(scope="module")
def recorded(clinic: Environment) -> Trajectory:
    """A reference solution as it was played."""
    task = clinic.tasks.tasks[0]
    with World(clinic, isolation="shared") as world, Episode(world, task.id) as episode:
        episode.reset(seed=4)
        for call in task.reference_solution:
            episode.step(call)
        episode.step(FinalAnswer(text=task.reference_answer))
        return episode.trajectory(agent="reference")


@pytest.fixture(scope="module")
def folder(
    environments: dict[str, Environment], recorded: Trajectory, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    target = tmp_path_factory.mktemp("awm") / "folder"
    trajectories = {recorded.environment_name: (JudgedTrajectory(trajectory=recorded),)}
    lines = export_awm(
        (
            Bundle(environment=each, trajectories=trajectories.get(each.name, ()))
            for each in environments.values()
        ),
        target,
    )
    assert [(line.name, line.reason, line.left_out) for line in lines] == [
        (name, "", {}) for name in environments
    ]
    return target


@pytest.fixture(scope="module")
def imported(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, World]]:
    """The same environments read back, hosted as what others wrote."""
    target = tmp_path_factory.mktemp("imported")
    lines, problems = import_awm(folder, target, AwmImportOptions(prove=False))
    assert [(line.status, line.reason, line.findings, line.idle_passes) for line in lines] == [
        ("imported", "", (), 0)
    ] * len(lines)
    assert problems == ()
    worlds = {
        line.name: World(open_bundle(target / line.name).environment, isolation="shared") for line in lines
    }
    yield worlds
    for world in worlds.values():
        world.close()


def rows_of(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def built_by_their_loader(folder: Path, scenario: str, path: Path) -> Path:
    """As upstream builds a database: statements one by one, then each INSERT alone with foreign keys on."""
    (schema,) = [row for row in rows_of(folder, "gen_db.jsonl") if row["scenario"] == scenario]
    (sample,) = [row for row in rows_of(folder, "gen_sample.jsonl") if row["scenario"] == scenario]
    with closing(sqlite3.connect(path)) as database:
        for table in schema["db_schema"]["tables"]:
            for statement in (table["ddl"], *table["indexes"]):
                database.execute(statement)
        database.commit()
        database.execute("PRAGMA foreign_keys = ON")
        for table in sample["sample_data"]["tables"]:
            for statement in table["insert_statements"]:
                database.execute(statement)
        database.commit()
    return path


def contents(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    with closing(sqlite3.connect(path)) as database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: sorted(database.execute(f'SELECT * FROM "{name}"'), key=repr) for name in names}


def verdict(code: str, initial: Path, final: Path, answer: str) -> Any:
    """As readers run a verifier, with less in its namespace than any of them gives."""
    given = vars(__builtins__) if not isinstance(__builtins__, dict) else __builtins__
    builtins = {name: given[name] for name in ALLOWED_BUILTINS}
    space: dict[str, Any] = {"__builtins__": builtins, "__name__": "__main__"}
    exec(code, space)
    return space["verify_task_completion"](
        initial_db_path=str(initial), final_db_path=str(final), final_answer=answer
    )["result"]


def test_every_file_has_the_fields_that_upstream_reads(
    folder: Path, environments: dict[str, Environment]
) -> None:
    for name, fields in FILES.items():
        assert "" not in (folder / name).read_text().splitlines()
        rows = rows_of(folder, name)
        assert all(set(row) == fields for row in rows), name
        assert {row.get("scenario", row.get("name")) for row in rows} == set(environments)
    tasks = {row["scenario"]: row["tasks"] for row in rows_of(folder, "gen_tasks.jsonl")}
    for name in ("gen_verifier.jsonl", "gen_verifier.pure_code.jsonl"):
        for row in rows_of(folder, name):
            assert row["task"] == tasks[row["scenario"]][row["task_idx"]]
    for row in rows_of(folder, "gen_verifier.jsonl"):
        assert json.loads(row["verification"]["raw_response"])["function_name"] == "verify_task"


def test_an_agent_is_told_what_is_asked_and_by_which_rules(clinic: Environment) -> None:
    text = prompt(clinic, clinic.tasks.tasks[0])
    assert text.startswith(clinic.tasks.tasks[0].instruction)
    assert clinic.policy is not None
    assert clinic.policy.text in text
    assert "2026-03-11 08:30" in text


def test_upstreams_loader_builds_the_shipped_database(
    folder: Path, environments: dict[str, Environment], tmp_path: Path
) -> None:
    for name in environments:
        path = built_by_their_loader(folder, name, tmp_path / f"{name}.db")
        assert contents(path) == contents(folder / "databases" / f"{name}.db")
        assert not re.search(
            r"'now'|current_", json.dumps(rows_of(folder, "gen_sample.jsonl")), re.IGNORECASE
        )


def test_upstreams_launcher_can_replace_the_lines_it_replaces(folder: Path) -> None:
    for row in rows_of(folder, "gen_envs.jsonl"):
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


def test_every_reference_is_complete_and_nothing_else_is(
    folder: Path, environments: dict[str, Environment], imported: dict[str, World], tmp_path: Path
) -> None:
    """The exported tools played in the sealed host; the exported verifiers run as upstream runs them."""
    codes = {
        (row["scenario"], row["task_idx"]): row["verification"]["code"]
        for row in rows_of(folder, "gen_verifier.pure_code.jsonl")
    }
    for name, environment in environments.items():
        initial = folder / "databases" / f"{name}.db"
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


def test_runs_are_folders_that_upstreams_verifier_reads(folder: Path, recorded: Trajectory) -> None:
    (place,) = [path.parent for path in folder.rglob("trajectory.json")]
    assert place.relative_to(folder).parts == ("runs", recorded.environment_name, "task_0", "run_1")
    record = json.loads((place / "trajectory.json").read_text())
    code = rows_of(folder, "gen_verifier.pure_code.jsonl")[record["task_id"]]["verification"]["code"]
    answers = [each["content"] for each in record["messages"] if each["role"] == "assistant"]
    assert verdict(code, place / "initial.db", place / "final.db", answers[-1]) == "complete"
    assert contents(place / "initial.db") == contents(
        folder / "databases" / f"{recorded.environment_name}.db"
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


def one_table(*, source: str = "", schema: str = "", invariant: str = "") -> Environment:
    """The clinic with a small world of one's own in place of its parts."""
    clinic = open_bundle(Path(__file__).parents[3] / "data" / "clinic_front_desk").environment
    task = clinic.tasks.tasks[0]
    tables = read_schema(schema or "CREATE TABLE rooms (id INTEGER PRIMARY KEY, name TEXT NOT NULL);")
    invariants = clinic.invariants
    assert invariants is not None
    return clinic.model_copy(
        update={
            "schema": tables,
            "seed_data": clinic.seed_data.model_copy(
                update={
                    "rows": {"rooms": ({"id": 1, "name": "O'Hara's"}, {"id": 2, "name": "Ash"})},
                    "actor": None,
                }
            ),
            "tools": read_toolset(source or TOOLS),
            "invariants": invariants.model_copy(update={"source": LIMIT}) if invariant else None,
            "tasks": clinic.tasks.model_copy(
                update={"tasks": (task.model_copy(update={"reference_solution": ()}),)}
            ),
            "verifiers": clinic.verifiers.model_copy(
                update={
                    "verifiers": (
                        clinic.verifiers.verifiers[0].model_copy(
                            update={"task_id": task.id, "source": VERIFIER}
                        ),
                    )
                }
            ),
        }
    )


LIMIT = '''
def rooms(db) -> bool:
    """At most three rooms."""
    return db.one("SELECT count(*) AS n FROM rooms")["n"] <= 3
'''
TOOLS = '''
def add_room(db, name: str) -> dict:
    """Add a room.

    Args:
        name: Its name.
    """
    return {"id": db.insert("rooms", name=name)}


def get_now(db) -> dict:
    """Tell the time."""
    return {"now": db.now().isoformat(), "sql": db.one("SELECT datetime('now') AS t")["t"]}
'''
VERIFIER = """
def verify(before, after, changes, answer):
    yield check("a room was added", len(changes.inserted) == 1)
"""


def round_trip(environment: Environment, tmp_path: Path) -> tuple[AwmExportLine, World]:
    (line,) = export_awm([Bundle(environment=environment)], tmp_path / "out")
    import_awm(tmp_path / "out", tmp_path / "back", AwmImportOptions(prove=False))
    return line, World(open_bundle(tmp_path / "back" / environment.name).environment, isolation="shared")


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


def test_a_verifier_for_a_judge_shows_the_rows_and_the_checks(
    clinic: Environment, folder: Path, imported: dict[str, World], tmp_path: Path
) -> None:
    task = clinic.tasks.tasks[0]
    code = verifier_code(clinic, task, "sql")
    space: dict[str, Any] = {}
    exec(code, space)
    initial = folder / "databases" / f"{clinic.name}.db"
    with imported[clinic.name].instance() as instance:
        for call in task.reference_solution:
            instance.call(call.name, call.arguments)
        (tmp_path / "final.db").write_bytes(instance.snapshot().image)
    shown = space["verify_task"](str(initial), str(tmp_path / "final.db"))
    assert json.dumps(shown)
    assert all(shown["checks"].values())
    assert {change[2] for change in shown["changes"]} == {"inserted", "updated"}


MONEY = {"name": "total", "type": "money_cents", "value": 17000}


@pytest.mark.parametrize(
    ("fact", "right", "wrong"),
    [
        (MONEY, "She owes 170.00.", "She owes 17.00."),
        ({"name": "n", "type": "number", "value": 2}, "two visits", "22 visits"),
        ({"name": "day", "type": "date", "value": "2026-07-12"}, "on 12 Jul", "on 2026-07-21"),
        ({"name": "time", "type": "time", "value": "09:40"}, "at 9:40", "at 19:40"),
        ({"name": "room", "type": "name", "value": "Elm"}, "in Elm.", "in Elmwood."),
        ({"name": "it was sent", "type": "boolean", "value": False}, "It was not sent.", "It was sent."),
        ({"name": "it was sent", "type": "boolean", "value": True}, "Yes, it was sent.", "It was not sent."),
    ],
)
def test_a_fact_is_read_by_value(fact: dict[str, Any], right: str, wrong: str) -> None:
    assert says(right, fact)
    assert not says(wrong, fact)
    assert not says("", fact)


def test_a_refusal_is_a_denial_with_a_reason() -> None:
    reason = {"text": "the standing of the borrower is suspended", "value": "suspended", "type": "text"}
    assert declines("I did not enter it: the standing is suspended.", reason)
    assert not declines("Done, although the standing is suspended.", reason)
    assert not declines("I did not enter it.", reason)
    assert declines("Sorry, no.")
