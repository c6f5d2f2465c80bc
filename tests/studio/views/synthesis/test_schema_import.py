"""An own schema in the browser: what was read comes first, every mistake is named and the text stays."""

from __future__ import annotations

import html

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from studio.models import Run, RunKind
from synthesis.intake import read_text, subprocess_reader

ADDRESS = "/environments/from-schema/"
SCRIPT = """CREATE TABLE customers (
  id serial PRIMARY KEY,
  name varchar(60) NOT NULL UNIQUE,
  search tsvector
);
CREATE VIEW everybody AS SELECT * FROM customers;
"""
PASSWORD = "hunter2-hunter2"


@pytest.fixture
def hand_in(lead, client, monkeypatch):
    """Posts the form; the text is read in this process, since another one is tried elsewhere."""
    monkeypatch.setattr(
        subprocess_reader,
        "read_in_subprocess",
        lambda text, *, source, import_options: read_text(text, source=source, import_options=import_options),
    )
    client.force_login(lead)

    def post(schema="", step="read", **values):
        return client.post(ADDRESS, {"schema": schema, "step": step, "tasks": "3", "seed": "5"} | values)

    return post


def text(answer):
    return html.unescape(" ".join(answer.content.decode().split()))


def test_it_first_shows_what_was_read_and_what_was_lost_with_its_place(hand_in):
    answer = hand_in(SCRIPT, name="Tool hire")
    shown = text(answer)
    assert answer.status_code == 200
    assert "Tool hire" in shown
    assert "1 table" in shown
    assert "line 4, column 3" in shown
    assert "customers.search is left out" in shown
    assert "line 6, column 1" in shown
    assert "Create environment" in shown
    assert "CREATE VIEW everybody" in shown
    assert not Run.objects.exists()


def test_the_second_button_starts_the_run_of_what_was_shown(hand_in, sent, lead):
    seen = hand_in(SCRIPT).context["intake"]
    answer = hand_in(SCRIPT, step="start", shown=seen.fingerprint)
    run = Run.objects.get()
    assert answer["Location"] == run.get_absolute_url()
    assert (run.kind, run.requested_by) == (RunKind.INTAKE, lead)
    assert (run.request["tasks"], run.request["seed"]) == (3, 5)
    assert run.request["intake"]["schema"]["sql"] == seen.schema.sql


def test_what_changed_since_it_was_shown_is_shown_again(hand_in):
    seen = hand_in(SCRIPT).context["intake"]
    answer = hand_in(SCRIPT.replace("varchar(60)", "varchar(70)"), step="start", shown=seen.fingerprint)
    assert "has changed since the preview" in text(answer)
    assert not Run.objects.exists()


def test_a_file_is_read_and_its_text_stays_in_the_form(hand_in):
    file = SimpleUploadedFile("hire_desk.sql", SCRIPT.encode())
    answer = hand_in(schema_file=file)
    assert answer.context["intake"].source == "hire_desk.sql"
    assert answer.context["form"]["schema"].value() == SCRIPT
    assert 'value="hire_desk.sql"' in answer.content.decode()


def test_an_api_is_known_by_its_text(hand_in):
    api = (
        "openapi: 3.0.3\ninfo: {title: Kennels, version: '1'}\npaths: {}\n"
        "components:\n  schemas:\n    Dog:\n      type: object\n      required: [name]\n"
        "      properties:\n        id: {type: integer}\n        name: {type: string}\n"
        "        tags: {type: object}\n"
    )
    shown = text(hand_in(api))
    assert "Kennels" in shown
    assert "line 12, column 9" in shown


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ("", "Choose a file or paste its text."),
        ("CREATE TABLE a (\n  id int PRIMARY KEY,\n  CHECK (id >)\n);", "line 3, column "),
        ("Dear sirs, please find attached", "line 1, column 1"),
        ("SET names utf8;", "declares no table"),
        ("CREATE TABLE a (b bytea);", "by which people could name a row"),
        ('{"openapi": "3.0.0",\n \'paths\': 1}', "line 2, column 2"),
        ("swagger: '2.0'\npaths: {}", "It is Swagger 2; convert it to OpenAPI 3 first."),
        ("openapi: 3.0.0\npaths:\n  /a: [", "line 4, column 1"),
        ("CREATE TABLE a (id int PRIMARY KEY, b int REFERENCES a(id));", "by which people could name a row"),
        ("CREATE TABLE " + "a" * 2**21, "more than 2 MB"),
    ],
)
def test_bad_input_names_the_place_or_the_remedy_and_stays(hand_in, schema, says):
    answer = hand_in(schema)
    assert answer.status_code == 422
    assert says in text(answer)
    assert answer.context["form"]["schema"].value() == schema
    assert not Run.objects.exists()


def test_an_address_is_refused_and_its_password_not_shown_again(hand_in):
    answer = hand_in(f"  postgresql://reader:{PASSWORD}@db.example/shop ")
    assert answer.status_code == 422
    assert "read from the command line" in text(answer)
    assert PASSWORD not in answer.content.decode()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"PGDMP\x01", "is a pg_dump archive"),
        (b"SQLite format 3\0", "sqlite3 FILE .schema"),
        (b"\xff\xfeC\0", "Save it as UTF-8"),
        (b"CREATE\0", "is not text"),
        (b"", "declares no table"),
        (b"-" * (2**21 + 1), "a page accepts 2 MB"),
    ],
)
def test_a_file_that_is_no_schema_says_what_to_hand_in(hand_in, content, says):
    answer = hand_in(schema_file=SimpleUploadedFile("dump.sql", content))
    assert answer.status_code == 422
    assert says in text(answer)


def test_hostile_names_are_text(hand_in):
    name = "<script>alert(1)</script>"
    script = f'CREATE TABLE "{name}" (id int PRIMARY KEY, "a\u202eb]""/" text NOT NULL, s tsvector);'
    shown = hand_in(script, name="<b>x</b>").content.decode()
    assert "<script>alert" not in shown
    assert "<b>x</b>" not in shown


def test_below_a_lead_nobody_hands_in(reviewer, client):
    client.force_login(reviewer)
    assert client.post(ADDRESS, {"schema": SCRIPT}).status_code == 403
