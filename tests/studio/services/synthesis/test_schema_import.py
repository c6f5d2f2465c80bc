"""An own data model becomes an environment by a run that keeps what was read and never the address."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import call_command
from django.core.management.base import CommandError

from studio.jobs import execute_run
from studio.models import EnvironmentRecord, Run, RunKind, RunState
from studio.services.environments.environments import load_environment
from studio.services.synthesis import schema_import
from synthesis.errors import InvalidInput

SCRIPT = """
CREATE TYPE state AS ENUM ('open', 'paid', 'void');
CREATE TABLE customers (id serial PRIMARY KEY, name varchar(60) NOT NULL UNIQUE, city text NOT NULL,
    joined date NOT NULL);
CREATE TABLE products (id serial PRIMARY KEY, title varchar(60) NOT NULL UNIQUE,
    price numeric(8,2) NOT NULL CHECK (price > 0), stock int NOT NULL CHECK (stock >= 0));
CREATE TABLE invoices (id serial PRIMARY KEY, number varchar(20) NOT NULL UNIQUE,
    customer_id int NOT NULL REFERENCES customers, product_id int NOT NULL REFERENCES products,
    quantity int NOT NULL CHECK (quantity > 0), status state NOT NULL DEFAULT 'open', issued date NOT NULL,
    note tsvector);
CREATE TRIGGER touch BEFORE UPDATE ON invoices FOR EACH ROW EXECUTE FUNCTION touch();
"""
PASSWORD = "hunter2-hunter2"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "billing.sql"
    path.write_text(SCRIPT)
    return path


def everything_stored() -> str:
    """Every value of every row of the studio's own tables."""
    models = apps.get_app_config("studio").get_models()
    return "\n".join(repr(row) for model in models for row in model.objects.values())


def test_an_own_schema_becomes_a_proved_environment_with_its_findings(db, script, client, viewer):
    run = schema_import.start_intake(intake=schema_import.read_source(source=str(script)), seed=4, tasks=3)
    ended = execute_run(run.pk)
    assert ended is not None
    assert (ended.state, ended.error) == (RunState.FINISHED, "")
    record = EnvironmentRecord.objects.get(name=ended.result["environment"])
    revision = record.current
    assert "Read from billing.sql; 2 findings" in revision.reason
    assert ended.environment == record
    first = ended.attempts.get(stage="schema")
    assert (first.author, first.accepted) == ("procedural", True)
    assert {finding.check for finding in first.finding_documents()} >= {
        "triggers_are_not_converted",
        "columns_are_not_converted",
    }
    assert first.reply == ended.request["intake"]["schema"]["sql"]
    assert ended.attempts.last().accepted
    run.delete()
    origin = schema_import.origin_of(record)
    assert (origin.source, origin.findings) == ("billing.sql", first.finding_documents())
    client.force_login(viewer)
    page = " ".join(client.get(record.get_absolute_url()).content.decode().split())
    assert "What could not be converted from the source" in page
    assert "invoices.note is left out" in page
    assert "line 10, column 5" in page
    message = client.get(f"/api/environments/{record.name}/origin").json()
    assert message["source"] == "billing.sql"
    assert load_environment(revision).provenance["schema"].origin == origin


def test_the_run_page_shows_what_was_left_behind(db, script, client, viewer):
    run = schema_import.start_intake(intake=schema_import.read_source(source=str(script)), tasks=1)
    execute_run(run.pk)
    client.force_login(viewer)
    page = client.get(run.get_absolute_url())
    assert page.status_code == 200
    assert "billing.sql" in page.content.decode()
    attempt = run.attempts.get(stage="schema")
    shown = client.get(f"{run.get_absolute_url()}attempts/{attempt.pk}/")
    assert "invoices.note is left out" in shown.content.decode()


def test_a_run_that_is_asked_to_stop_keeps_nothing(db, script, monkeypatch):
    run = schema_import.start_intake(intake=schema_import.read_source(source=str(script)), tasks=1)
    monkeypatch.setattr("studio.services.runs.execution.RunLease.cancelled", lambda lease: True)
    ended = execute_run(run.pk)
    assert ended is not None
    assert ended.state == RunState.CANCELLED
    assert not EnvironmentRecord.objects.exists()


def test_the_command_reads_the_source_itself_and_queues_what_it_read(db, script, capsys):
    call_command("synthesize", from_schema=str(script), tasks=2, no_wait=True, tables="products")
    run = Run.objects.get()
    assert run.kind == RunKind.INTAKE
    assert run.request["tasks"] == 2
    assert [table["name"] for table in run.request["intake"]["schema"]["tables"]] == ["products"]


@pytest.mark.parametrize(
    "options", [{"count": 2}, {"scenario": "a shop"}, {"author": "model"}, {"dialect": "oracle"}]
)
def test_the_command_refuses_what_does_not_go_with_a_schema(db, script, options):
    with pytest.raises(CommandError):
        call_command("synthesize", from_schema=str(script), no_wait=True, **options)
    assert not Run.objects.exists()


def test_an_address_leaves_no_password_in_any_record(db, tmp_path, script, monkeypatch, caplog):
    """The engine reads the address; what is stored is what it read."""
    import sqlite3

    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    connection.close()
    read = schema_import.read_source(source=f"sqlite:///{path}?key={PASSWORD}", rows=3)
    run = schema_import.start_intake(intake=read, tasks=1)
    execute_run(run.pk)
    with pytest.raises(InvalidInput) as refused:
        schema_import.read_source(source=f"postgresql://u:{PASSWORD}@127.0.0.1:1/shop")
    assert PASSWORD not in str(refused.value)
    assert PASSWORD not in everything_stored()
    assert PASSWORD not in caplog.text
    assert str(tmp_path) not in everything_stored()
