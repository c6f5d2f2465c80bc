"""What a data model means without saying it: references by name, partitions, keys, tables of frameworks."""

from __future__ import annotations

from synthesis.documents.intake import Intake
from synthesis.intake import ImportOptions, read_ddl

RAILS = """
CREATE TABLE schema_migrations (version varchar PRIMARY KEY);
CREATE TABLE projects (id bigint PRIMARY KEY, name varchar NOT NULL);
CREATE TABLE tags (id bigint PRIMARY KEY, name varchar NOT NULL);
CREATE TABLE projects_tags (project_id bigint NOT NULL, tag_id bigint NOT NULL);
CREATE UNIQUE INDEX i ON projects_tags (project_id, tag_id);
CREATE TABLE comments (id bigint PRIMARY KEY, project_type varchar,
    project_id bigint, tag_id text, author_id bigint);
"""
PARTITIONED = """
CREATE TABLE visit (id int NOT NULL, day date NOT NULL, room text NOT NULL) PARTITION BY RANGE (day);
CREATE TABLE visit_2026 (id int NOT NULL, day date NOT NULL, room text NOT NULL);
ALTER TABLE ONLY visit ATTACH PARTITION visit_2026 FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
COPY visit_2026 (id, day, room) FROM stdin;
1	2026-02-01	north
\\.

ALTER TABLE ONLY visit ADD PRIMARY KEY (id, day);
ALTER TABLE ONLY visit_2026 ADD PRIMARY KEY (id, day);
"""


def keys(made: Intake) -> set[tuple[str, str, str]]:
    return {
        (table.name, key.columns[0], key.table) for table in made.schema.tables for key in table.foreign_keys
    }


def checks(made: Intake) -> dict[str, str]:
    return {finding.check: finding.where for finding in made.findings}


def test_a_column_refers_to_the_only_table_its_name_can_mean() -> None:
    intake = read_ddl(RAILS, source="structure.sql")
    assert keys(intake) == {("projects_tags", "project_id", "projects"), ("projects_tags", "tag_id", "tags")}
    assert checks(intake)["references_are_taken_from_names"].startswith("projects_tags.")


def test_a_unique_index_is_the_key_of_a_table_without_one() -> None:
    intake = read_ddl(RAILS, source="structure.sql")
    (joined,) = [table for table in intake.schema.tables if table.name == "projects_tags"]
    assert joined.primary_key == ("project_id", "tag_id")


def test_tables_of_frameworks_are_left_out_unless_asked_for() -> None:
    intake = read_ddl(RAILS, source="structure.sql")
    assert "schema_migrations" not in {table.name for table in intake.schema.tables}
    assert checks(intake)["bookkeeping_is_left_out"] == "schema_migrations"
    wanted = ImportOptions(tables=("schema_migrations",))
    assert [table.name for table in read_ddl(RAILS, source="s.sql", import_options=wanted).schema.tables] == [
        "schema_migrations"
    ]


def test_an_attached_partition_is_rows_of_the_whole() -> None:
    intake = read_ddl(PARTITIONED, source="visits.sql", import_options=ImportOptions(rows=5))
    assert [table.name for table in intake.schema.tables] == ["visit"]
    assert intake.seed_data is not None
    assert len(intake.seed_data.rows["visit"]) == 1


def test_a_business_may_have_jobs_and_sessions_of_its_own() -> None:
    intake = read_ddl(
        """
        CREATE TABLE clients (id int PRIMARY KEY, name varchar(40) NOT NULL);
        CREATE TABLE sessions (id int PRIMARY KEY, client_id int REFERENCES clients (id), held_on date);
        CREATE TABLE jobs (id int PRIMARY KEY, queue varchar(40), payload text, attempts int);
        """,
        source="gym.sql",
    )
    assert {table.name for table in intake.schema.tables} == {"clients", "sessions"}
    assert checks(intake)["bookkeeping_is_left_out"] == "jobs"
