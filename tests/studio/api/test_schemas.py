"""Own schemas for programs: read, start, and what an environment lacks."""

from __future__ import annotations

from studio.models import Run, RunKind

SCRIPT = "CREATE TABLE tools (id serial PRIMARY KEY, name text NOT NULL UNIQUE, shape geometry);"


def test_a_schema_is_read_and_its_findings_say_where(api, lead):
    answer = api(lead).post("/schemas/read", {"text": SCRIPT, "source": "hire.sql", "name": "Tool hire"})
    message = answer.json()
    assert answer.status_code == 200
    assert (message["title"], [table["name"] for table in message["tables"]]) == ("Tool hire", ["tools"])
    (lost,) = [finding for finding in message["findings"] if finding["severity"] == "warning"]
    assert (lost["where"], lost["evidence"]) == ("tools.shape", {"line": 1, "column": 71})
    assert not Run.objects.exists()


def test_a_schema_starts_a_run(api, lead):
    answer = api(lead).post("/schemas", {"text": SCRIPT, "tasks": 2, "seed": 4})
    run = Run.objects.get()
    assert answer.status_code == 202
    assert (run.kind, run.request["tasks"], run.request["seed"]) == (RunKind.INTAKE, 2, 4)


def test_what_cannot_be_read_is_refused_with_its_place(api, lead, reviewer):
    refused = api(lead).post("/schemas/read", {"text": "CREATE TABLE a (\n  CHECK (id >)\n);"})
    assert refused.status_code == 422
    assert "line 2, column " in refused.json()["message"]
    address = api(lead).post("/schemas", {"text": "mysql://root:hunter2@db/shop"})
    assert address.status_code == 422
    assert "hunter2" not in address.content.decode()
    assert api(lead).post("/schemas", {"text": SCRIPT, "dialect": "oracle"}).status_code == 422
    assert api(reviewer).post("/schemas", {"text": SCRIPT}).status_code == 403
    assert not Run.objects.exists()


def test_an_environment_made_here_has_no_origin(api, lead, stored):
    assert api(lead).get(f"/environments/{stored.name}/origin").status_code == 404
