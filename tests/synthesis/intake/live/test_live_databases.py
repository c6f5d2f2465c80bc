"""Live databases: real connections; a server that is not there is skipped by name."""

from __future__ import annotations

import logging
import os
import sqlite3
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import URL, create_engine, event
from sqlalchemy.engine import Engine, make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from synthesis.documents.intake import Intake
from synthesis.errors import InvalidInput
from synthesis.intake import ImportOptions, read
from synthesis.intake.live import address

LOCAL = "postgresql://worldwright:worldwright-ci@127.0.0.1:5432/postgres"
POSTGRES = os.environ.get("DATABASE_URL") or LOCAL
MYSQL = "mysql://root@127.0.0.1:3306/"
PASSWORD = "s3cr3t/&@pass word"

SHOP = """
CREATE SCHEMA crm;
CREATE TYPE public.tier AS ENUM ('gold', 'sil''ver');
CREATE TABLE public.customers (id bigserial PRIMARY KEY, full_name text NOT NULL, email varchar(60) UNIQUE,
    password_hash text NOT NULL, api_token text, tier public.tier DEFAULT 'gold', notes text, phone text,
    tags text[] DEFAULT '{}', created_at timestamptz NOT NULL DEFAULT now(),
    parent_id bigint REFERENCES customers,
    search tsvector GENERATED ALWAYS AS (to_tsvector('english', full_name)) STORED, "100%" int);
CREATE TABLE crm.orders (id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    customer_id bigint NOT NULL REFERENCES customers ON DELETE CASCADE,
    customer_email varchar(60) REFERENCES customers (email), total numeric(10,2) CHECK (total > 0.5),
    status text NOT NULL DEFAULT 'new' CHECK (status = ANY (ARRAY['new','paid'])), during tstzrange,
    EXCLUDE USING gist (during WITH &&));
COMMENT ON TABLE crm.orders IS 'It''s an order \\ back';
CREATE INDEX ON crm.orders (lower(status));
CREATE FUNCTION public.touch() RETURNS trigger AS $$ BEGIN RETURN NEW; END $$ LANGUAGE plpgsql;
CREATE TRIGGER touched BEFORE UPDATE ON crm.orders FOR EACH ROW EXECUTE FUNCTION public.touch();
CREATE VIEW crm.paid AS SELECT 1 AS one;
CREATE TABLE public.log (id bigint, at date) PARTITION BY RANGE (at);
CREATE TABLE public.log_2020 PARTITION OF log FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
INSERT INTO customers (full_name, email, password_hash, api_token, notes, phone, tags, parent_id)
    SELECT 'Real Person ' || i, 'real' || i || '@corp.example', 'hash' || i, 'token' || i,
    'Call Real Person at +49 170 1234567', '+49 170 1234' || i, '{a,"b c"}', CASE WHEN i > 1 THEN 1 END
    FROM generate_series(1, 1000) i;
INSERT INTO crm.orders (customer_id, customer_email, total)
    SELECT 1001 - i, 'real' || (1001 - i) || '@corp.example', i FROM generate_series(1, 1000) i;
"""
FILMS = """
CREATE TABLE people (id int unsigned AUTO_INCREMENT PRIMARY KEY, name varchar(50) NOT NULL,
    email varchar(60) UNIQUE,
    tier enum('a','b') DEFAULT 'a', active tinyint(1) NOT NULL DEFAULT 1, meta json);
CREATE TABLE orders (id bigint AUTO_INCREMENT PRIMARY KEY, person int unsigned NOT NULL, total decimal(10,2),
    at datetime NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, note text,
    FULLTEXT KEY f (note), FOREIGN KEY (person) REFERENCES people (id) ON DELETE CASCADE);
CREATE VIEW v AS SELECT 1 AS one;
INSERT INTO people (name, email, meta)
    VALUES ('Max Real', 'max@corp.example', '{}'), ('Mia', 'mia@corp.example', NULL);
INSERT INTO orders (person, total, at, note) VALUES (2, 5.5, '2026-01-02 03:04:05', 'call 0170 1234567');
CREATE TRIGGER t BEFORE INSERT ON people FOR EACH ROW SET NEW.name = 'x';
CREATE PROCEDURE p() SELECT 1;
"""
PARTS = """
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT UNIQUE,
    boss INT REFERENCES person);
CREATE TABLE part (id INTEGER PRIMARY KEY, owner INT NOT NULL REFERENCES person,
    price DECIMAL(8,2), big TEXT);
CREATE VIRTUAL TABLE words USING fts5(a);
CREATE VIEW v AS SELECT 1;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
    INSERT INTO person
    SELECT i, 'Real ' || i, 'real' || i || '@corp.example', CASE WHEN i < 200 THEN i + 1 END FROM n;
INSERT INTO part SELECT id, 201 - id, id * 1.5, printf('%.*c', 100000, 'x') FROM person;
"""


def own_database(server: str, driver: str, quote: str) -> Iterator[URL]:
    """A database of its own on a server, dropped at the end."""
    url = make_url(server).set(drivername=driver)
    engine = create_engine(url, isolation_level="AUTOCOMMIT", poolclass=NullPool)
    name = f"intake_{uuid.uuid4().hex[:12]}"
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql(f"CREATE DATABASE {quote}{name}{quote}")
    except SQLAlchemyError:
        pytest.skip(
            f"no {driver.partition('+')[0]} server at {url.host}:{url.port} lets this user make a database"
        )
    try:
        yield url.set(database=name)
    finally:
        with engine.connect() as connection:
            force = " WITH (FORCE)" if driver.startswith("postgresql") else ""
            connection.exec_driver_sql(f"DROP DATABASE {quote}{name}{quote}{force}")


def execute(url: URL, *statements: str) -> None:
    engine = create_engine(url, isolation_level="AUTOCOMMIT", poolclass=NullPool)
    with engine.connect() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement.replace("%", "%%"))


def told(url: URL) -> str:
    return url.set(drivername=url.drivername.partition("+")[0]).render_as_string(hide_password=False)


@pytest.fixture(scope="module")
def shop() -> Iterator[URL]:
    if not POSTGRES.startswith("postgres"):
        pytest.skip("DATABASE_URL names no PostgreSQL")
    for url in own_database(POSTGRES, "postgresql+psycopg", '"'):
        execute(url, *SHOP.strip().split(";\n"))
        yield url


@pytest.fixture(scope="module")
def films() -> Iterator[URL]:
    for url in own_database(MYSQL, "mysql+pymysql", "`"):
        execute(url, *FILMS.strip().rstrip(";").split(";\n"))
        yield url


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    path = tmp_path / "parts.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(PARTS)
    connection.close()
    return path


def checks(made: Intake) -> set[str]:
    return {finding.check for finding in made.findings}


def test_a_postgresql_database_is_read_with_all_that_stays_behind(shop: URL) -> None:
    intake = read(told(shop))
    assert {table.name for table in intake.schema.tables} == {"customers", "orders", "log"}
    assert "CHECK (\"tier\" IN ('gold', 'sil''ver'))" in intake.schema.sql
    assert "IN ('new', 'paid')" in intake.schema.sql
    assert "It's an order \\ back" in intake.schema.sql
    assert checks(intake) >= {
        "views_are_not_converted",
        "triggers_are_not_converted",
        "routines_are_not_converted",
        "partitions_are_not_converted",
        "exclusion_constraints_are_not_converted",
        "exotic_indexes_are_not_converted",
        "columns_are_not_converted",
    }
    assert intake.seed_data is None


def test_a_sample_is_closed_bounded_and_names_nobody(shop: URL) -> None:
    intake = read(told(shop), import_options=ImportOptions(rows=5, seed=3))
    assert intake.seed_data is not None
    customers, orders = intake.seed_data.rows["customers"], intake.seed_data.rows["orders"]
    assert len(orders) == 5
    assert len(customers) <= 20
    by_key = {row["id"]: row for row in customers}
    assert all(by_key[order["customer_id"]]["email"] == order["customer_email"] for order in orders)
    text = intake.model_dump_json()
    for secret in ("Real Person", "@corp.example", "hash1", "token1", "+49 170"):
        assert secret not in text
    assert intake == read(told(shop), import_options=ImportOptions(rows=5, seed=3))


def test_the_server_itself_refuses_writes_and_no_row_is_counted_or_sorted(
    shop: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts: list[str] = []

    def listen(engine: Engine) -> Engine:
        event.listen(engine, "before_cursor_execute", lambda *arguments: texts.append(arguments[2]))
        return engine

    plain = address.Address.engine
    monkeypatch.setattr(address.Address, "engine", lambda self: listen(plain(self)))
    read(told(shop), import_options=ImportOptions(rows=5))
    rows = [query for query in texts if '"customers"' in query and query.startswith("SELECT")]
    assert rows
    assert all(
        "LIMIT" in query and "count(" not in query.lower() and "ORDER BY" not in query for query in rows
    )
    assert not any("password_hash" in query or "api_token" in query for query in texts)
    with (
        pytest.raises(InvalidInput, match="read-only transaction"),
        address.reading(address.Address(told(shop))) as one,
    ):
        one.exec_driver_sql("INSERT INTO public.log VALUES (1, '2020-05-05')")


def test_a_table_that_does_not_answer_in_time_gives_no_rows_and_says_so(
    shop: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute(
        shop,
        "CREATE TABLE public.slow (id int PRIMARY KEY, state text)",
        "INSERT INTO public.slow SELECT i, 'x' FROM generate_series(1, 50) i",
        "ALTER TABLE public.slow ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE public.slow FORCE ROW LEVEL SECURITY",
        "CREATE POLICY waits ON public.slow USING (pg_sleep(0.5) IS NOT NULL)",
    )
    monkeypatch.setattr(address, "STATEMENT_SECONDS", 1)
    try:
        intake = read(told(shop), import_options=ImportOptions(rows=20))
    finally:
        execute(shop, "DROP TABLE public.slow")
    assert intake.seed_data is not None
    if "slow" in intake.seed_data.rows:
        pytest.skip("this role is above row level security, so its table is not slow")
    assert any("slow: no sample rows" in finding.message for finding in intake.findings)
    assert intake.seed_data.rows["orders"]


def test_a_user_who_may_only_read_is_enough(shop: URL) -> None:
    name = f"reader_{uuid.uuid4().hex[:8]}"
    admin = create_engine(shop, isolation_level="AUTOCOMMIT", poolclass=NullPool)
    with admin.connect() as connection:
        try:
            connection.exec_driver_sql(f"CREATE ROLE {name} LOGIN PASSWORD '{PASSWORD.replace('%', '%%')}'")
        except SQLAlchemyError:
            pytest.skip("this role may not make other roles")
        try:
            connection.exec_driver_sql(f"GRANT USAGE ON SCHEMA public, crm TO {name}")
            connection.exec_driver_sql(f"GRANT SELECT ON public.customers TO {name}")
            intake = read(
                told(shop.set(username=name, password=PASSWORD)), import_options=ImportOptions(rows=3)
            )
        finally:
            connection.exec_driver_sql(f"DROP OWNED BY {name}")
            connection.exec_driver_sql(f"DROP ROLE {name}")
    assert intake.seed_data is not None
    assert len(intake.seed_data.rows["customers"]) >= 3
    assert "orders" not in intake.seed_data.rows
    assert PASSWORD not in intake.model_dump_json()


def test_a_mysql_or_mariadb_database_is_read_with_a_sample(films: URL) -> None:
    intake = read(told(films), import_options=ImportOptions(rows=5))
    assert {table.name for table in intake.schema.tables} == {"people", "orders"}
    assert checks(intake) >= {
        "views_are_not_converted",
        "triggers_are_not_converted",
        "routines_are_not_converted",
        "exotic_indexes_are_not_converted",
        "updates_by_themselves_are_not_converted",
    }
    assert intake.seed_data is not None
    assert intake.seed_data.rows["orders"][0]["total_cents"] == 550
    assert len(intake.seed_data.rows["people"]) == 2
    assert "corp.example" not in intake.model_dump_json()
    with pytest.raises(InvalidInput, match="READ ONLY"), address.reading(address.Address(told(films))) as one:
        one.exec_driver_sql("DELETE FROM orders")


def test_a_sqlite_file_is_read_and_never_written(parts: Path) -> None:
    before = parts.read_bytes()
    intake = read(f"sqlite:///{parts}", import_options=ImportOptions(rows=4))
    assert parts.read_bytes() == before
    assert {table.name for table in intake.schema.tables} == {"person", "part"}
    assert intake.seed_data is not None
    assert len(intake.seed_data.rows["part"]) == 4
    people = {row["id"] for row in intake.seed_data.rows["person"]}
    assert {row["owner"] for row in intake.seed_data.rows["part"]} <= people
    assert all(len(str(row["big"])) < 3_000 for row in intake.seed_data.rows["part"])
    assert intake.source == "sqlite:///parts.db"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("postgresql://u:{p}@127.0.0.1:1/shop", "postgresql://127.0.0.1:1/shop cannot be read"),
        ("mysql://u:{p}@127.0.0.1:1/shop", "mysql://127.0.0.1:1/shop cannot be read"),
        ("postgresql://u:{p}@127.0.0.1:5432/nowhere_at_all", "cannot be read"),
        ("oracle://u:{p}@host/x", "begin with oracle://"),
        ("postgresql://u:{p}@host:port/x", "cannot be read; write postgresql://"),
        ("sqlite:///no/such/file.db?key={p}", "no such file"),
        ("postgresql://127.0.0.1:1/x?password={p}", "cannot be read"),
    ],
)
def test_what_cannot_be_reached_is_said_without_the_password(
    source: str, words: str, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    from urllib.parse import quote

    caplog.set_level(logging.DEBUG)
    with pytest.raises(InvalidInput) as refused:
        read(source.replace("{p}", quote(PASSWORD, safe="")))
    chain: BaseException | None = refused.value
    while chain is not None:
        assert PASSWORD not in str(chain)
        assert quote(PASSWORD, safe="") not in repr(chain)
        chain = None if chain.__suppress_context__ else (chain.__cause__ or chain.__context__)
    assert words in str(refused.value)
    assert PASSWORD not in caplog.text
    assert "s3cr3t" not in "".join(capsys.readouterr())


def test_a_password_stays_out_of_everything_that_is_told(shop: URL, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    intake = read(told(shop), import_options=ImportOptions(rows=2))
    assert shop.password
    assert shop.password not in intake.model_dump_json()
    assert shop.password not in caplog.text
    assert intake.source == f"postgresql://{shop.host}:{shop.port}/{shop.database}"
