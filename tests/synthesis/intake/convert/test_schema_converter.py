from __future__ import annotations

import pytest

from synthesis.documents.intake import Intake
from synthesis.errors import InvalidInput
from synthesis.intake import ImportOptions, read_ddl


def read(script: str, **import_options: object) -> Intake:
    return read_ddl(
        script, source="model.sql", import_options=ImportOptions(dialect="postgres", **import_options)
    )  # type: ignore[arg-type]


def told(intake: Intake, check: str) -> str:
    return "\n".join(finding.message for finding in intake.findings if finding.check == check)


def test_a_table_without_a_key_is_given_one_and_it_is_said() -> None:
    intake = read(
        "CREATE TABLE a (x int, y text); CREATE TABLE b (x int NOT NULL UNIQUE); CREATE TABLE c (id text)"
    )
    assert [table.primary_key for table in intake.schema.tables] == [("id",), ("x",), ("c_id",)]
    assert told(intake, "every_table_has_a_primary_key").count("no primary key") == 3


def test_foreign_keys_in_a_circle_are_checked_at_the_end() -> None:
    intake = read(
        "CREATE TABLE a (id int PRIMARY KEY, b_id int NOT NULL);"
        "CREATE TABLE b (id int PRIMARY KEY, a_id int NOT NULL REFERENCES a);"
        "ALTER TABLE a ADD FOREIGN KEY (b_id) REFERENCES b (id);"
        "CREATE TABLE c (id int PRIMARY KEY, c_id int REFERENCES c, a_id int REFERENCES a);"
    )
    assert intake.schema.sql.count("DEFERRABLE INITIALLY DEFERRED") == 2
    assert "a (b_id) -> b" in told(intake, "foreign_keys_form_no_cycle")


def test_tables_stand_below_those_they_refer_to() -> None:
    intake = read(
        "CREATE TABLE a (id int PRIMARY KEY, b int REFERENCES b); CREATE TABLE b (id int PRIMARY KEY)"
    )
    assert [table.name for table in intake.schema.tables] == ["b", "a"]


def test_reserved_words_stay_and_hostile_names_become_plain() -> None:
    intake = read(
        'CREATE TABLE "order" ("select" int PRIMARY KEY, "group" text CHECK ("group" <> \'\'));'
        'CREATE TABLE "a""; DROP TABLE x;--" ("1a" int PRIMARY KEY, "Größe" text, "größe" int, "" int);'
        'CREATE TABLE "sqlite_sequence" (id int PRIMARY KEY); CREATE TABLE "A" (id int PRIMARY KEY);'
        f'CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE "{"x" * 300}" (id int PRIMARY KEY);'
    )
    names = [table.name for table in intake.schema.tables]
    assert names[:3] == ["order", "a_drop_table_x", "table_sqlite_sequence"]
    assert all(name.isidentifier() and len(name) <= 63 for name in names)
    hostile = intake.schema.table("a_drop_table_x")
    assert hostile is not None
    assert [column.name for column in hostile.columns] == ["column_1a", "grosse", "grosse_2", "column"]
    assert "renamed to a_drop_table_x" in told(intake, "names_are_plain")


def test_names_of_other_scripts_are_spelled_in_latin_letters() -> None:
    intake = read(
        'CREATE TABLE "Клиенты" (id int PRIMARY KEY, "Straße & Nr" text, "Größe (cm)" int, "الاسم" text);'
        'CREATE TABLE "顧客" (id int PRIMARY KEY);'
    )
    assert [table.name for table in intake.schema.tables] == ["klienty", "guke"]
    assert [column.name for column in intake.schema.tables[0].columns][1:3] == ["strasse_nr", "grosse_cm"]
    assert intake.schema.tables[0].columns[3].name.isidentifier()
    assert "column" not in intake.schema.tables[0].columns[3].name


def test_a_foreign_key_to_what_is_not_unique_or_not_there_is_left_out_and_said() -> None:
    intake = read(
        "CREATE TABLE a (id int PRIMARY KEY, x int);"
        "CREATE TABLE b (id int PRIMARY KEY, x int REFERENCES a (x), y int REFERENCES gone (id))"
    )
    assert not any(table.foreign_keys for table in intake.schema.tables)
    assert "neither the key of a nor unique" in told(intake, "foreign_keys_are_not_converted")
    assert "table gone is not imported" in told(intake, "foreign_keys_are_not_converted")


def test_amounts_that_are_added_and_multiplied_by_counts_are_computed_in_cents() -> None:
    intake = read(
        "CREATE TABLE a (id int PRIMARY KEY, price numeric(8,2), fee numeric(8,2), n int,"
        "total numeric(8,2) GENERATED ALWAYS AS (price * n + fee) STORED)"
    )
    assert '"price_cents" * "n" + "fee_cents"' in intake.schema.sql


def test_other_computing_with_money_is_left_out_and_said() -> None:
    intake = read(
        "CREATE TABLE a (id int PRIMARY KEY, price numeric(8,2), n int,"
        "total numeric(8,2) GENERATED ALWAYS AS (price * 1.19) STORED, CHECK (price * n < 100))"
    )
    table = intake.schema.tables[0]
    assert not any(column.generated for column in table.columns)
    assert "CHECK" not in table.sql
    assert "computes with money" in told(intake, "generated_columns_are_not_converted")
    assert "computes with money" in told(intake, "checks_are_not_converted")


def test_two_schemas_with_tables_of_one_name_keep_both() -> None:
    intake = read(
        "CREATE TABLE crm.note (id int PRIMARY KEY);"
        "CREATE TABLE hr.note (id int PRIMARY KEY, n int REFERENCES crm.note)"
    )
    assert [table.name for table in intake.schema.tables] == ["note", "hr_note"]
    assert intake.schema.tables[1].foreign_keys[0].table == "note"


def chain(count: int, step: int = 3) -> str:
    def parent(i: int) -> int:
        return max(i - 1, 0) if step == 1 else i // step

    return "\n".join(
        f"CREATE TABLE t{i} (id int PRIMARY KEY, p int REFERENCES t{i // step});" for i in range(count)
    )


def test_of_five_hundred_tables_a_closed_part_is_taken_and_the_rest_is_said() -> None:
    intake = read(chain(500))
    names = {table.name for table in intake.schema.tables}
    assert len(names) == 60
    assert all(key.table in names for table in intake.schema.tables for key in table.foreign_keys)
    assert all(table.foreign_keys for table in intake.schema.tables), "no reference was cut"
    assert "440 of 500 tables are left out" in told(intake, "tables_are_left_out")


def test_the_tables_asked_for_come_with_those_they_refer_to() -> None:
    intake = read(chain(500), tables=("T499",))
    assert {table.name for table in intake.schema.tables} == {"t499", "t166", "t55", "t18", "t6", "t2", "t0"}


def test_an_unknown_table_or_too_many_are_refused_by_name() -> None:
    with pytest.raises(InvalidInput, match=r"no table 'nope'\. Tables: t0"):
        read(chain(3), tables=("nope",))
    with pytest.raises(InvalidInput, match="at most 60 fit"):
        read(chain(500, step=1), tables=tuple(f"t{i}" for i in range(100)))


def test_five_hundred_tables_that_all_refer_to_each_other_still_end() -> None:
    script = "\n".join(
        f"CREATE TABLE t{i} (id int PRIMARY KEY, "
        + ", ".join(f"c{j} int REFERENCES t{(i * 7 + j * 13) % 500}" for j in range(6))
        + ");"
        for i in range(500)
    )
    intake = read(script)
    assert len(intake.schema.tables) == 60
    assert "is not imported" in told(intake, "foreign_keys_are_not_converted")
