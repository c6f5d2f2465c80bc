from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from synthesis.cli import main
from synthesis.documents.intake import Intake
from synthesis.worlds.database import read_schema

SCRIPT = """
CREATE TABLE customer (id serial PRIMARY KEY, name text, search tsvector);
CREATE TABLE invoice (id serial PRIMARY KEY, customer_id int REFERENCES customer, total numeric(8,2));
INSERT INTO customer VALUES (1, 'Real Person', '');
"""
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def command(*arguments: str | Path) -> tuple[int, str, str]:
        status = main(["intake", *map(str, arguments)])
        texts = capsys.readouterr()
        return status, texts.out, texts.err

    return command


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "billing.sql"
    path.write_text(SCRIPT)
    return path


def test_intake_shows_the_schema_its_tables_and_what_was_left_behind(run: Run, script: Path) -> None:
    status, out, _ = run(script)
    assert status == 0
    assert 'CREATE TABLE "invoice"' in out
    assert "2 tables" in out
    assert "customer.search is left out" in out
    assert "2:58" in out


def test_intake_prints_one_json_document(run: Run, script: Path) -> None:
    status, out, _ = run(script, "--json", "--sample-rows", "3", "--tables", "invoice")
    intake = Intake.model_validate(orjson.loads(out))
    assert status == 0
    assert {table.name for table in intake.schema.tables} == {"customer", "invoice"}
    assert intake.seed_data is not None
    assert "Real Person" not in out


def test_intake_writes_a_schema_that_builds(run: Run, script: Path, tmp_path: Path) -> None:
    status, _, _ = run(script, "--out", tmp_path / "made" / "here")
    assert status == 0
    sql = (tmp_path / "made" / "here" / "schema.sql").read_text()
    assert len(read_schema(sql).tables) == 2
    assert orjson.loads((tmp_path / "made" / "here" / "intake.json").read_bytes())["source"] == "billing.sql"


def test_a_source_that_cannot_be_read_is_one_line_without_a_password(run: Run) -> None:
    status, out, err = run("postgresql://somebody:hunter2hunter2@127.0.0.1:1/shop")
    assert (status, out) == (1, "")
    assert err.count("\n") == 1
    assert "postgresql://127.0.0.1:1/shop cannot be read" in err
    assert "hunter2" not in err
    assert run("/no/such/file.sql")[2] == "worldwright: file.sql cannot be read: No such file or directory.\n"
