from collections import Counter
from dataclasses import replace

import pytest

from synthesis.documents.schema import Column, Table
from synthesis.verification.near_misses import NearMissMaker
from synthesis.verification.other_values import invented_rows, other_values
from synthesis.verification.reference_run import run_reference
from synthesis.verification.row_edits import RowEditor
from synthesis.worlds.database import read_schema


@pytest.fixture(scope="module")
def late(clinic_world, clinic):
    return run_reference(clinic_world, clinic.task("cancel_late_and_waive_fee"))


def test_a_changing_task_gets_every_kind_of_near_miss(clinic, late):
    kinds = Counter(one.kind for one in NearMissMaker(clinic, late).all())
    expected = {"other_row", "wrong_value", "other_cell", "twice", "partial", "reverted", "collateral"}
    assert set(kinds) == expected
    assert sum(kinds.values()) > 100


def test_every_table_is_damaged_in_three_ways(clinic, late):
    damages = [one.description for one in NearMissMaker(clinic, late).collateral()]
    for table in clinic.schema.tables:
        assert sum(f" of {table.name} is " in text for text in damages) == 3


def test_every_cell_of_a_changed_row_gets_another_value(clinic, late):
    tried = {
        (edit.table, column)
        for one in NearMissMaker(clinic, late).all()
        for edits in one.variants
        for edit in edits
        if edit.kind == "update"
        for column in edit.values
    }
    for change in late.changes.updated:
        table = clinic.schema.table(change.table)
        assert {(table.name, c.name) for c in table.columns if not c.primary_key and not c.generated} <= tried


def test_what_depends_on_the_time_is_no_mistake(late):
    assert late.volatile == {("appointments", "cancelled_at"), ("messages", "sent_at")}


def test_no_near_miss_that_must_be_rejected_asks_for_a_moment_or_for_who_acted(clinic, late):
    for one in NearMissMaker(clinic, late).all():
        if one.kind in ("wrong_value", "other_row") and one.required:
            columns = {column for edits in one.variants for edit in edits for column in edit.values}
            assert not columns & {"sent_at", "sent_by"}, one.description


def test_a_question_gets_damages_alone(clinic, clinic_world):
    run = run_reference(clinic_world, clinic.task("read_total_owed"))
    near_misses = list(NearMissMaker(clinic, run).all())
    assert {one.kind for one in near_misses} == {"collateral"}
    assert len(near_misses) == 3 * len(clinic.schema.tables)


def test_descriptions_are_unique_so_that_each_can_be_named(clinic, late):
    descriptions = [one.description for one in NearMissMaker(clinic, late).all()]
    assert len(descriptions) == len(set(descriptions))


def test_values_on_both_sides_of_the_right_one_are_tried():
    table = Table(
        name="visits",
        columns=(Column(name="starts_at", type="TEXT"), Column(name="cents", type="INTEGER")),
        sql="CREATE TABLE visits (starts_at TEXT, cents INTEGER)",
    )
    moments = list(other_values(table, "starts_at", "2026-03-10T09:30:00", {}))
    assert {"2026-03-10T10:00:00", "2026-03-09T09:30:00", "2026-03-11T09:30:00", "2026-03-10"} <= set(moments)
    amounts = list(other_values(table, "cents", 4000, {}))
    assert {4001, 3999, -4000, 8000, None} <= set(amounts)


def test_a_table_without_rows_is_given_an_invented_one():
    schema = read_schema(
        "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL);\n"
        "CREATE TABLE entries (id INTEGER PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES people (id), "
        "kind TEXT NOT NULL CHECK (kind IN ('in', 'out')), day TEXT NOT NULL, size REAL NOT NULL, note TEXT);"
    )
    table = schema.table("entries")
    rows = {"people": [{"id": 7, "name": "Ada"}], "entries": []}
    invented = list(invented_rows(table, rows))
    assert invented[0] == {"person_id": 7, "kind": "in", "day": "x", "size": 1}
    assert invented[1]["day"] == "2026-01-01"
    assert list(invented_rows(table, {"people": [], "entries": []})) == []


def test_a_new_row_is_there_twice_also_where_its_own_values_must_be_unique(clinic, clinic_world):
    run = run_reference(clinic_world, clinic.task("hand_freed_slot_to_waiting_list"))
    (near_miss,) = (
        one for one in NearMissMaker(clinic, run).twice() if one.description.startswith("the new row app")
    )
    taken = {row["slot_id"] for row in run.rows["appointments"]}
    with RowEditor(clinic_world) as editor:
        second = editor.make(run.after, near_miss.variants)
    assert second is not None
    (added,) = second.changes.inserted
    assert (added.table, second.changes.changes) == ("appointments", (added,))
    assert added.after["slot_id"] not in taken


@pytest.mark.parametrize(
    "columns",
    [
        "member_id INTEGER NOT NULL, day TEXT NOT NULL, PRIMARY KEY (member_id, day)",
        "member_id TEXT PRIMARY KEY, day TEXT NOT NULL UNIQUE",
        "id INTEGER PRIMARY KEY, member_id INTEGER NOT NULL UNIQUE",
    ],
)
def test_copies_of_a_row_are_under_another_key_of_any_form(clinic, late, columns):
    table = read_schema(f"CREATE TABLE visits ({columns});").tables[0]
    row = {column.name: 1 if "INT" in column.type else "2026-01-05" for column in table.columns}
    maker = NearMissMaker(clinic, replace(late, rows={"visits": [row]}))
    copies = [edit.values for edit in maker._copies(table, row)]
    for name, value in row.items():
        assert any(copy.get(name) != value for copy in copies), name
