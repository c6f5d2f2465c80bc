from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from synthesis.bundles.awm.folder import REQUIRED, read_awm_folder
from synthesis.bundles.awm.importing import REPORT, AwmImportOptions, ImportLine, import_awm
from synthesis.bundles.open import open_bundle
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import FinalAnswer
from synthesis.episode import Episode
from synthesis.worlds.toolset import verifiers_findings
from synthesis.worlds.world import World

AWM = Path(__file__).parents[3] / "data" / "awm"
QUICK = AwmImportOptions(prove=False)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """The small folder's environment as a world."""
    folder = tmp_path_factory.mktemp("tiny")
    import_one(small_folder(folder), folder / "out")
    with World(open_bundle(folder / "out" / "tiny_shop").environment, isolation="shared") as world:
        yield world


def small_folder(tmp_path: Path, **changed: Any) -> Path:
    """A folder of one scenario with one table and two routes."""
    row = {"scenario": "Tiny Shop"}
    ddl = "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
    verification = {"code": VERIFIER, "raw_response": ""}
    files: dict[str, list[dict[str, Any]]] = {
        "gen_envs": [{**row, "db_path": "", "full_code": CODE}],
        "gen_tasks": [{**row, "tasks": ["Change my name to Ada, please."]}],
        "gen_db": [{**row, "db_schema": {"tables": [{"name": "users", "ddl": ddl, "indexes": []}]}}],
        "gen_sample": [
            {**row, "sample_data": {"tables": [{"table_name": "users", "insert_statements": [INSERT]}]}}
        ],
        "gen_verifier.pure_code": [{**row, "task_idx": 0, "task": "", "verification": verification}],
        **changed,
    }
    folder = tmp_path / "folder"
    folder.mkdir()
    for name, rows in files.items():
        (folder / f"{name}.jsonl").write_bytes(b"".join(orjson.dumps(each) + b"\n" for each in rows))
    return folder


def import_one(folder: Path, target: Path, **options: Any) -> ImportLine:
    (line,), _ = import_awm(folder, target, AwmImportOptions(prove=False, **options))
    return line


INSERT = "INSERT INTO users (id, name) VALUES (1, 'Bob')"
VERIFIER = """
def verify_task_completion(initial_db_path, final_db_path, final_answer=None):
    import sqlite3
    row = sqlite3.connect(final_db_path).execute("SELECT name FROM users WHERE id = 1").fetchone()
    return {"result": "complete" if row and row[0] == "Ada" else "others"}
"""
GENERATED = (
    "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, "
    "number TEXT GENERATED ALWAYS AS ('U-' || id) VIRTUAL);"
)
CODE = """
import random, time, uuid
from datetime import datetime
from fastapi import Depends, FastAPI, HTTPException
from pydantic import BaseModel
from sqlalchemy import Column, DateTime, Integer, Text, create_engine
from sqlalchemy.orm import Session, declarative_base, sessionmaker

engine = create_engine("sqlite:///./tiny.db", connect_args={"check_same_thread": False})
SessionLocal = sessionmaker(bind=engine)
Base = declarative_base()
app = FastAPI()


class User(Base):
    __tablename__ = "users"
    id = Column(Integer, primary_key=True)
    name = Column(Text)


class Note(Base):
    __tablename__ = "notes"
    id = Column(Integer, primary_key=True)
    at = Column(DateTime, default=datetime.utcnow)


class Rename(BaseModel):
    name: str


def get_db():
    db = SessionLocal()
    try:
        yield db
    finally:
        db.close()


@app.get("/me", operation_id="get_me")
def get_me(db: Session = Depends(get_db)) -> dict:
    return {"name": db.get(User, 1).name}


@app.put("/me", operation_id="rename_me")
async def rename_me(body: Rename, db: Session = Depends(get_db)) -> dict:
    db.get(User, 1).name = body.name
    if body.name == "nobody":
        db.rollback()
        raise HTTPException(status_code=409, detail="taken")
    db.add(Note())
    db.commit()
    return {"name": body.name}


@app.get("/moment", operation_id="get_moment")
def get_moment() -> dict:
    return {"now": datetime.now().isoformat(), "seconds": time.time(), "random": random.random(),
            "id": str(uuid.uuid4())}


@app.get("/files", operation_id="read_file")
def read_file() -> dict:
    return {"text": open("/etc/hostname").read()}


@app.get("/network", operation_id="reach_network")
def reach_network() -> dict:
    import socket
    return {"socket": socket.socket().fileno()}


@app.put("/me", operation_id="rename_me_again")
def rename_me_again(body: Rename) -> dict:
    return {}


Base.metadata.create_all(bind=engine)

if __name__ == "__main__":
    import uvicorn
    uvicorn.run(app, host="127.0.0.1", port=8000)
"""


@pytest.mark.at_length
def test_every_environment_of_the_folder_comes_in_and_its_tools_answer(tmp_path: Path) -> None:
    lines, problems = import_awm(AWM, tmp_path, AwmImportOptions(prove=False, jobs=2))
    assert [(line.status, line.tools, line.tasks) for line in lines] == [("imported", 35, 10)] * 2
    assert problems == ()
    with World(open_bundle(tmp_path / "e_commerce_storefront").environment, isolation="shared") as shop:
        first, second = shop.instance(), shop.instance()
        assert [
            each.table for each in first.call("create_wishlist", {"name": "Birthday"}).changes.changes
        ] == ["wishlists"]
        for instance, expected in ((first, True), (second, False)):
            found = instance.call("list_wishlists", {}).value
            assert ("Birthday" in orjson.dumps(found).decode()) is expected


def test_what_fastapi_refuses_the_agent_reads_with_its_status(tiny: World) -> None:
    refused = tiny.instance().call("rename_me", {"title": "seven"})
    assert refused.status == "refused"
    assert refused.message.startswith("Error calling rename_me. Status code: 422. Response: {")


def test_an_application_is_sealed_like_any_generated_code(tiny: World) -> None:
    instance = tiny.instance()
    for name, expected in (("read_file", "FileNotFoundError"), ("reach_network", "PermissionError")):
        result = instance.call(name, {})
        assert (result.status, expected in result.message) == ("error", True), result.message


def test_a_route_that_only_reads_is_told_from_one_that_commits(tiny: World) -> None:
    writing = {tool.name for tool in tiny.tools if tool.mutates_state}
    assert writing == {"rename_me"}


def test_instances_that_share_an_application_do_not_share_rows(tiny: World) -> None:
    first, second = tiny.instance(), tiny.instance()
    renamed = first.call("rename_me", {"name": "Ada"})
    assert sorted({change.table for change in renamed.changes.changes}) == ["notes", "users"]
    assert [one.call("get_me", {}).value for one in (first, second)] == [{"name": "Ada"}, {"name": "Bob"}]


def test_time_and_chance_are_the_worlds_and_what_the_application_creates_is_there(tmp_path: Path) -> None:
    line = import_one(small_folder(tmp_path), tmp_path / "out")
    assert (line.status, line.tables, line.tools) == ("imported", 2, 5)
    assert {finding.check for finding in line.findings} >= {
        "no_route_is_lost",
        "the_schema_declares_every_table",
    }
    environment = open_bundle(tmp_path / "out" / "tiny_shop").environment
    with World(environment, isolation="shared") as world:
        moments = [world.instance(seed=3).call("get_moment", {}).value for _ in range(2)]
        assert moments[0] == moments[1]
        assert moments[0]["now"] == environment.scenario.clock.isoformat()  # type: ignore[index,call-overload]
        instance = world.instance()
        assert instance.call("rename_me", {"name": "nobody"}).status == "refused"
        before = instance.snapshot()
        assert instance.call("get_me", {}).value == {"name": "Bob"}
        assert instance.call("rename_me", {"name": "Ada"}).value == {"name": "Ada"}
        first = world.verify_code("task_0", before, instance.snapshot(), "")
        idle = world.verify_code("task_0", before, before, "")
        assert (first[0].passed, idle[0].passed) == (True, False)


def test_a_route_that_repeats_another_is_given_its_own_path_on_request(tmp_path: Path) -> None:
    line = import_one(small_folder(tmp_path), tmp_path / "out", repair=True)
    assert line.tools == 6
    assert line.repairs == ("PUT /me of rename_me_again is now /me/rename_me_again.",)


def test_an_import_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    target = tmp_path / "out"
    folder = small_folder(tmp_path)
    for left in ("", "bundle"):
        if left == "bundle":
            shutil.rmtree(target / "tiny_shop")
        new: list[str] = []
        import_awm(folder, target, QUICK, on_line=lambda line, new=new: new.append(line.name))
        assert new == ["tiny_shop"]
    new = []
    lines, _ = import_awm(folder, target, QUICK, on_line=lambda line: new.append(line.name))
    assert (new, [line.status for line in lines]) == ([], ["imported"])
    assert len((target / REPORT).read_bytes().splitlines()) == 2


def test_unreadable_lines_are_named_and_the_others_come_in(tmp_path: Path) -> None:
    folder = small_folder(tmp_path)
    envs = folder / "gen_envs.jsonl"
    other = orjson.dumps({"scenario": "Broken Shop", "full_code": "app = FastAPI("})
    envs.write_bytes(b'{"scenario":\n' + envs.read_bytes() + other + b'\n{"scenario": "!!"}\n')
    lines, problems = import_awm(folder, tmp_path / "out", QUICK)
    assert [(line.name, line.status) for line in lines] == [
        ("tiny_shop", "imported"),
        ("broken_shop", "refused"),
    ]
    assert "gen_envs.jsonl, line 1: is not JSON" in problems[0]
    assert "'!!' is no name of a scenario" in problems[1]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [REPORT, "tiny_shop"]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("x = 1\n", "binds no FastAPI application to the name app"),
        ("def (:\n", "does not parse: invalid syntax"),
        ("app = FastAPI()\n", "NameError: name 'FastAPI' is not defined"),
    ],
)
def test_an_application_that_is_none_is_refused_with_what_is_wrong_with_it(
    tmp_path: Path, code: str, words: str
) -> None:
    row = {"scenario": "Tiny Shop", "db_path": "", "full_code": code}
    line = import_one(small_folder(tmp_path, gen_envs=[row]), tmp_path / "out")
    assert line.status == "refused"
    assert words in line.reason
    assert "draft" not in line.reason


def test_a_failing_create_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    tables = [
        {"name": "users", "ddl": "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT);", "indexes": []},
        {"name": "bad", "ddl": "CREATE TABLE bad (id INTEGER PRIMARY KEY,, x);", "indexes": []},
    ]
    folder = small_folder(tmp_path, gen_db=[{"scenario": "tiny shop", "db_schema": {"tables": tables}}])
    line = import_one(folder, tmp_path / "out")
    assert line.status == "imported"
    assert [finding.where for finding in line.findings if finding.check == "every_statement_builds"] == [
        "bad"
    ]


def test_a_verifier_in_the_other_modes_file_is_tried_for_an_idle_agent(tmp_path: Path) -> None:
    verification = {
        "code": 'def verify_task(initial_db_path, final_db_path):\n    return {"result": "complete"}\n',
        "raw_response": "",
    }
    rows = [{"scenario": "Tiny Shop", "task_idx": 0, "task": "", "verification": verification}]
    folder = small_folder(tmp_path, **{"gen_verifier": rows, "gen_verifier.pure_code": []})
    assert import_one(folder, tmp_path / "out").idle_passes == 1


def test_a_verifier_that_only_collects_evidence_decides_nothing(tmp_path: Path) -> None:
    verification = {
        "code": 'def verify_task(initial_db_path, final_db_path):\n    return {"rows": 1}\n',
        "raw_response": "",
    }
    rows = [{"scenario": "Tiny Shop", "task_idx": 0, "task": "", "verification": verification}]
    folder = small_folder(tmp_path, **{"gen_verifier": rows, "gen_verifier.pure_code": []})
    line = import_one(folder, tmp_path / "out")
    assert line.status == "refused"
    assert "every_verifier_decides" in {finding.check for finding in line.findings}


def test_generated_columns_are_not_read_back_as_rows(tmp_path: Path) -> None:
    schema = {"tables": [{"name": "users", "ddl": GENERATED, "indexes": []}]}
    folder = small_folder(tmp_path, gen_db=[{"scenario": "Tiny Shop", "db_schema": schema}])
    assert import_one(folder, tmp_path / "out").status == "imported"
    environment = open_bundle(tmp_path / "out" / "tiny_shop").environment
    with World(environment, isolation="shared") as world, world.instance() as instance:
        assert instance.query("SELECT number FROM users") == [{"number": "U-1"}]


def test_a_true_answer_is_no_lie_where_nothing_says_what_is_right(tiny: World) -> None:
    with Episode(tiny, "task_0") as episode:
        episode.reset()
        episode.step(ToolCall(name="rename_me", arguments={"name": "Ada"}))
        episode.step(FinalAnswer(text="I changed your name to Ada; it was Bob before."))
        assert episode.verdict is not None
        assert episode.verdict.reward == 1.0


def test_an_adapted_verifier_does_nothing_that_verifiers_must_not(tiny: World) -> None:
    assert verifiers_findings(tiny.environment.verifiers.verifiers) == ()


def test_a_folder_may_say_when_its_world_begins(tmp_path: Path) -> None:
    row = {"name": "Tiny Shop", "description": "A shop.", "clock": "2026-03-11T08:30:00"}
    folder = small_folder(tmp_path, gen_scenario=[row])
    import_one(folder, tmp_path / "out")
    environment = open_bundle(tmp_path / "out" / "tiny_shop").environment
    assert environment.scenario.clock.isoformat() == row["clock"]


def test_ten_thousand_environments_with_blank_lines_are_read_with_one_finding_a_file(tmp_path: Path) -> None:
    lines = b"".join(orjson.dumps({"scenario": f"Shop {n}"}) + b"\n\n" for n in range(10_000))
    for name in REQUIRED:
        (tmp_path / name).write_bytes(lines)
    scenarios = read_awm_folder(tmp_path)
    assert len(scenarios) == 10_000
    blank = [each for each in scenarios["shop_7"].findings if each.check == "files_have_no_blank_line"]
    assert [each.message for each in blank] == [
        f"{name}, line 2 and 9999 more: is blank; the format's own reader crashes on it."
        for name in ("gen_envs.jsonl", "gen_tasks.jsonl", "gen_db.jsonl", "gen_sample.jsonl")
    ]


def test_a_task_that_is_cut_off_is_told(tmp_path: Path) -> None:
    folder = small_folder(
        tmp_path, gen_tasks=[{"scenario": "Tiny Shop", "tasks": ["Change my name. " * 300]}]
    )
    line = import_one(folder, tmp_path / "out")
    assert [each.severity for each in line.findings if "longer than 4,000" in each.message] == ["warning"]
