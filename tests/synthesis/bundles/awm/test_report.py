from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from synthesis.bundles.awm.folder import read_awm_folder
from synthesis.bundles.awm.report import AwmReport, inspect_awm
from synthesis.errors import InvalidBundle

AWM = Path(__file__).parents[3] / "data" / "awm"
Rows = list[dict[str, Any]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(AWM, tmp_path / "awm")
    return tmp_path / "awm"


def edit(folder: Path, name: str, change: Callable[[Rows], Rows]) -> None:
    rows = [orjson.loads(line) for line in (folder / name).read_bytes().splitlines()]
    (folder / name).write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in change(rows)))


def only_the_shop(folder: Path) -> None:
    edit(folder, "gen_envs.jsonl", lambda rows: rows[:1])


def shop(folder: Path) -> AwmReport:
    only_the_shop(folder)
    (report,) = inspect_awm(folder)
    return report


def messages(report: AwmReport, check: str) -> list[str]:
    return [finding.message for finding in report.findings if finding.check == check]


def test_every_environment_of_the_folder_is_read_built_and_tried() -> None:
    heard: list[str] = []
    reports = inspect_awm(AWM, on_report=lambda report: heard.append(report.name))
    assert heard == [report.name for report in reports] == ["e_commerce_storefront", "clinic_appointments"]
    for report in reports:
        assert (report.tables, len(report.tools), report.tasks) == (18, 35, 10)
        assert (report.verifiers, report.verifiers_tried, report.idle_passes) == (10, 10, ())
        assert report.rows >= 127
        assert messages(report, "every_insert_succeeds") == []
        assert messages(report, "every_query_of_a_verifier_runs") == []
        assert not report.blocked


def test_inserts_that_depend_on_the_time_are_counted() -> None:
    shop_report, _ = inspect_awm(AWM)
    assert messages(shop_report, "two_builds_are_the_same") == [
        "56 of 127 INSERTs depend on time or chance; no two builds agree."
    ]


def test_what_can_be_built_upon_is_a_draft(folder: Path) -> None:
    draft = shop(folder).draft
    assert draft.scenario is not None
    assert draft.scenario.name == "e_commerce_storefront"
    assert draft.schema is not None
    assert draft.seed_data is not None
    assert draft.seed_data.count == 127
    assert draft.seed_data.actor is not None
    assert draft.outlines is not None
    assert len(draft.outlines.outlines) == 10
    assert draft.tools is None
    assert draft.fingerprint == shop(folder).draft.fingerprint, "the same folder gives the same rows"


def test_a_failing_insert_is_named_with_its_statement(folder: Path) -> None:
    def break_one(rows: Rows) -> Rows:
        rows[0]["sample_data"]["tables"][0]["insert_statements"].append("INSERT INTO nowhere (id) VALUES (1)")
        return rows

    edit(folder, "gen_sample.jsonl", break_one)
    report = shop(folder)
    (message,) = messages(report, "every_insert_succeeds")
    assert "no such table: nowhere" in message
    assert "INSERT INTO nowhere" in message
    assert report.blocked


def test_rows_that_only_some_loaders_keep_are_named(folder: Path) -> None:
    columns = "user_id, label, street, city, state, postal_code"
    orphan = f"INSERT INTO addresses ({columns}) VALUES (99, 'a', 'b', 'c', 'd', 'e')"

    def add(rows: Rows) -> Rows:
        rows[0]["sample_data"]["tables"].append({"table_name": "addresses", "insert_statements": [orphan]})
        return rows

    edit(folder, "gen_sample.jsonl", add)
    (message,) = messages(shop(folder), "every_loader_builds_the_same_rows")
    assert "FOREIGN KEY" in message
    assert orphan in message


def test_a_database_that_does_not_build_ends_the_trial_with_its_reason(folder: Path) -> None:
    def break_ddl(rows: Rows) -> Rows:
        rows[0]["db_schema"]["tables"][0]["ddl"] = "CREATE TABLE users (id INTEGER PRIMARY KEY,"
        return rows

    edit(folder, "gen_db.jsonl", break_ddl)
    report = shop(folder)
    assert report.blocked
    assert report.rows == 0
    assert any(finding.part == "schema" for finding in report.findings)


def verifier(code: str) -> Callable[[Rows], Rows]:
    def change(rows: Rows) -> Rows:
        rows[0]["verification"]["code"] = code
        return rows

    return change


SIGNATURE = "def verify_task_completion(initial_db_path, final_db_path, final_answer=None):\n"


@pytest.mark.parametrize(
    "body",
    [
        "    return {'result': 'complete'}\n",
        # Real queries through both files, by position, by name and with parameters: the trial runs them.
        """    import sqlite3, json
    first = sqlite3.connect(f"file:{initial_db_path}?mode=ro", uri=True)
    first.row_factory = sqlite3.Row
    cursor = first.cursor()
    cursor.execute("SELECT id, username FROM users WHERE id = ?", (1,))
    row = cursor.fetchone()
    with sqlite3.connect(final_db_path) as last:
        names = [r[0] for r in last.execute("SELECT username FROM users ORDER BY id")]
    same = row["username"] == row[1] == names[0] and dict(row)["id"] == 1 and len(names) > 1
    return {"result": "complete" if same and final_answer == "" else "others"}
""",
    ],
)
def test_a_verifier_that_passes_an_idle_agent_is_found(folder: Path, body: str) -> None:
    edit(folder, "gen_verifier.pure_code.jsonl", verifier(SIGNATURE + body))
    report = shop(folder)
    assert report.idle_passes == (0,)
    assert len(messages(report, "no_verifier_passes_an_idle_agent")) == 1


def test_a_verifier_whose_queries_fail_in_silence_is_found(folder: Path) -> None:
    body = """    import sqlite3
    try:
        sqlite3.connect(final_db_path).execute("SELECT colour FROM users")
    except Exception:
        return {"result": "others"}
"""
    edit(folder, "gen_verifier.pure_code.jsonl", verifier(SIGNATURE + body))
    (message,) = messages(shop(folder), "every_query_of_a_verifier_runs")
    assert "no such column: colour" in message


@pytest.mark.parametrize(
    "body",
    ["import socket", "open('/etc/passwd')", "while True: pass", "return [}", "raise KeyError('x')"],
)
def test_hostile_and_broken_verifiers_are_reported_and_harm_nobody(folder: Path, body: str) -> None:
    edit(folder, "gen_verifier.pure_code.jsonl", verifier(f"{SIGNATURE}    {body}\n"))
    report = shop(folder)
    (message,) = messages(report, "every_verifier_can_be_tried")
    assert "could not be run" in message
    assert report.verifiers_tried == 9


def test_a_helper_that_readers_take_for_the_verifier_is_found(folder: Path) -> None:
    code = "def verify_row(row):\n    return True\n\n" + SIGNATURE + "    return {'result': 'others'}\n"
    edit(folder, "gen_verifier.pure_code.jsonl", verifier(code))
    (message,) = messages(shop(folder), "every_verifier_has_an_entry")
    assert "verify_row" in message


def code_with(change: Callable[[str], str]) -> Callable[[Rows], Rows]:
    def edited(rows: Rows) -> Rows:
        rows[0]["full_code"] = change(rows[0]["full_code"])
        return rows

    return edited


def test_a_route_that_is_lost_is_named(folder: Path) -> None:
    decorator = '@app.post("/api/wishlists/{wishlist_id}/items", operation_id="add_twice")'
    twin = f"\n\n{decorator}\nasync def add_twice():\n    pass\n"
    edit(
        folder,
        "gen_envs.jsonl",
        code_with(lambda code: code.replace("\n\nif __name__", twin + "\n\nif __name__")),
    )
    report = shop(folder)
    (message,) = messages(report, "no_route_is_lost")
    assert message.startswith("add_twice (line ")
    assert "POST /api/wishlists/{wishlist_id}/items of add_wishlist_item" in message
    assert "add_twice" not in report.tools


@pytest.mark.parametrize(
    "change",
    [
        lambda code: code.replace("create_engine(DATABASE_PATH, ", "create_engine(\n    DATABASE_PATH, "),
        lambda code: code.replace("uvicorn.run(app, ", "uvicorn.run('server:app', "),
        lambda code: "from __future__ import annotations\n" + code,
    ],
)
def test_code_that_launchers_break_is_found(folder: Path, change: Callable[[str], str]) -> None:
    edit(folder, "gen_envs.jsonl", code_with(change))
    assert len(messages(shop(folder), "the_launcher_can_rewrite_it")) == 1


def test_operations_that_the_code_lacks_are_named(folder: Path) -> None:
    edit(
        folder,
        "gen_envs.jsonl",
        code_with(lambda code: code.replace('operation_id="add_wishlist_item"', 'operation_id="x"')),
    )
    (message,) = messages(shop(folder), "every_specified_operation_is_a_tool")
    assert "add_wishlist_item" in message


def test_double_rows_blank_lines_and_missing_rows_are_noted(folder: Path) -> None:
    edit(folder, "gen_verifier.pure_code.jsonl", lambda rows: [*rows[1:], rows[3]])
    edit(folder, "gen_tasks.jsonl", lambda rows: rows[1:])
    path = folder / "gen_db.jsonl"
    path.write_bytes(path.read_bytes() + b"\n")
    report = shop(folder)
    checks = {finding.check for finding in report.findings}
    assert {"rows_stand_once", "files_have_no_blank_line", "every_file_knows_the_scenario"} <= checks
    assert report.verifiers == 9


def test_two_names_that_readers_take_for_one_are_found(folder: Path) -> None:
    edit(folder, "gen_envs.jsonl", lambda rows: [rows[0], {**rows[0], "scenario": "e-commerce  STOREFRONT"}])
    (report,) = inspect_awm(folder)
    assert len(messages(report, "names_stay_apart")) == 1


def test_a_second_row_of_one_name_is_found(folder: Path) -> None:
    edit(folder, "gen_envs.jsonl", lambda rows: [rows[0], rows[0]])
    (report,) = inspect_awm(folder)
    assert messages(report, "names_stay_apart") == [
        "gen_envs.jsonl has more than one row for it; readers take the first."
    ]


def test_what_is_no_such_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidBundle, match=r"gen_tasks\.jsonl: is missing"):
        inspect_awm(tmp_path)
    (folder / "gen_envs.jsonl").write_text("{\n")
    with pytest.raises(InvalidBundle, match=r"gen_envs\.jsonl, line 1: is not JSON"):
        inspect_awm(folder)
    (folder / "gen_envs.jsonl").write_text("[]\n")
    with pytest.raises(InvalidBundle, match="expected a JSON object"):
        inspect_awm(folder)


@pytest.mark.parametrize(
    ("index", "told"),
    [
        ("3", "task_idx must be a whole number, not '3'"),
        (3.0, r"task_idx must be a whole number, not 3\.0"),
        (True, "task_idx must be a whole number, not True"),
        ([3], r"task_idx must be a whole number, not \[3\]"),
        (None, "task_idx must be a whole number, not None"),
        (-1, "task_idx -1 is none of its 10 tasks"),
        (10, "task_idx 10 is none of its 10 tasks"),
    ],
)
def test_an_index_that_readers_do_not_find_costs_its_verifier_alone(
    folder: Path, index: object, told: str
) -> None:
    name = "gen_verifier.pure_code.jsonl"
    edit(folder, name, lambda rows: [{**rows[0], "task_idx": index}, *rows[1:]])
    shop = read_awm_folder(folder)["e_commerce_storefront"]
    assert sorted(shop.verifiers) == list(range(1, 10))
    (finding,) = [each for each in shop.findings if each.check == "rows_have_their_fields"]
    assert re.search(told, finding.message)


def test_a_text_where_a_list_of_statements_belongs_is_not_read_by_letters(folder: Path) -> None:
    def spoilt(rows: Rows) -> Rows:
        rows[0]["db_schema"]["tables"][0]["indexes"] = "CREATE INDEX a ON b (c)"
        return rows

    edit(folder, "gen_db.jsonl", spoilt)
    shop, other = read_awm_folder(folder).values()
    assert (shop.ddl, bool(other.ddl)) == ((), True)
    messages = [each.message for each in shop.findings if each.check == "rows_have_their_fields"]
    assert messages == ["gen_db.jsonl: ValueError: indexes must be a list of texts"]


@pytest.mark.parametrize("name", [None, 7, ["a"], {"a": 1}])
def test_a_line_without_a_name_is_told_with_its_number(folder: Path, name: object) -> None:
    for file in ("gen_envs.jsonl", "gen_tasks.jsonl"):
        edit(folder, file, lambda rows: [rows[0], {**rows[1], "scenario": name}, rows[1]])
    problems: list[str] = []
    assert len(read_awm_folder(folder, on_problem=problems.append)) == 2
    assert [problem.partition(": ")[0].rpartition("/")[2] for problem in problems] == [
        "gen_envs.jsonl, line 2",
        "gen_tasks.jsonl, line 2",
    ]
    assert all("expected the name of a scenario" in problem for problem in problems)
