from __future__ import annotations

import pytest

from synthesis.documents.intake import Intake
from synthesis.errors import InvalidInput
from synthesis.intake import ImportOptions, read_ddl
from synthesis.intake.notes import Notes
from synthesis.intake.scripts.ddl import detected, read_script
from synthesis.worlds.database import seed_findings

POSTGRES = """
CREATE EXTENSION IF NOT EXISTS citext;
CREATE TYPE public.tier AS ENUM ('gold', 'sil''ver');
CREATE TYPE public.pair AS (a integer, b integer);
CREATE DOMAIN public.share AS numeric(5,2) DEFAULT 10 CHECK (VALUE >= 0 AND VALUE <= 100);
CREATE TABLE public.customers (
    id integer NOT NULL,
    email character varying(60) NOT NULL,
    tier public.tier DEFAULT 'gold'::public.tier,
    share public.share,
    tags text[] DEFAULT '{}'::text[],
    profile jsonb DEFAULT '{}'::jsonb,
    pair public.pair,
    host inet,
    search tsvector,
    joined timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public."order" (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    customer_id integer NOT NULL,
    total numeric(10,2) DEFAULT 0.50 NOT NULL,
    state text DEFAULT 'new'::text,
    room integer,
    during tstzrange,
    doubled integer GENERATED ALWAYS AS ((room * 2)) STORED,
    CONSTRAINT total_check CHECK ((total >= 0.5)),
    CONSTRAINT state_check CHECK (((state)::text = ANY ((ARRAY['new'::text, 'paid'::text])::text[]))),
    CONSTRAINT room_check CHECK ((state ~ '^[a-z]+$')),
    EXCLUDE USING gist (room WITH =, during WITH &&)
) PARTITION BY RANGE (customer_id);
CREATE TABLE public.order_1 PARTITION OF public."order" FOR VALUES FROM (1) TO (2);
CREATE SEQUENCE public.customers_id_seq;
ALTER TABLE ONLY public.customers ALTER COLUMN id SET DEFAULT nextval('public.customers_id_seq'::regclass);
ALTER TABLE ONLY public.customers ADD CONSTRAINT customers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.customers ADD CONSTRAINT customers_email UNIQUE (email);
ALTER TABLE ONLY public."order" ADD CONSTRAINT order_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public."order" ADD CONSTRAINT order_customer FOREIGN KEY (customer_id)
    REFERENCES public.customers(id) ON DELETE CASCADE;
CREATE INDEX order_state ON public."order" USING btree (state) WHERE (room IS NOT NULL);
CREATE INDEX customer_tags ON public.customers USING gin (tags);
CREATE VIEW public.paid AS SELECT 1;
CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN; RETURN NEW; END; $$;
CREATE TRIGGER touch BEFORE UPDATE ON public."order" FOR EACH ROW EXECUTE FUNCTION public.f();
COMMENT ON TABLE public.customers IS 'People who buy; "they"';
GRANT SELECT ON TABLE public.customers TO reader;
"""
MYSQL = """
/*!40101 SET NAMES utf8mb4 */;
DROP TABLE IF EXISTS `film`;
CREATE TABLE `language` (`id` tinyint unsigned NOT NULL AUTO_INCREMENT, `name` char(20) NOT NULL,
  PRIMARY KEY (`id`));
CREATE TABLE `film` (
  `film_id` smallint unsigned NOT NULL AUTO_INCREMENT,
  `title` varchar(128) NOT NULL DEFAULT 'it''s; new',
  `year` year DEFAULT NULL,
  `language_id` tinyint unsigned NOT NULL,
  `rating` enum('G','PG','NC-17') DEFAULT 'G',
  `features` set('Trailers','Commentaries') DEFAULT NULL,
  `active` tinyint(1) NOT NULL DEFAULT '1',
  `cover` blob,
  `changed` timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  PRIMARY KEY (`film_id`),
  KEY `idx_title` (`title`(10)),
  FULLTEXT KEY `words` (`title`),
  CONSTRAINT `fk_language` FOREIGN KEY (`language_id`) REFERENCES `language` (`id`) ON UPDATE CASCADE
) ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4
/*!50100 PARTITION BY RANGE (film_id) (PARTITION p0 VALUES LESS THAN (10) ENGINE = InnoDB) */;
INSERT INTO `language` VALUES (1,'It\\'s (a); language'),(2,'German');
DELIMITER ;;
/*!50003 CREATE*/ /*!50003 TRIGGER `ins_film` AFTER INSERT ON `film` FOR EACH ROW BEGIN
    INSERT INTO film_text VALUES (new.film_id); UPDATE film SET active = 0;
  END */;;
DELIMITER ;
"""
SQLITE = """
PRAGMA foreign_keys = ON;
CREATE TABLE part (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT COLLATE NOCASE NOT NULL, price REAL,
    twice GENERATED ALWAYS AS (id * 2) VIRTUAL, bare, CHECK (length(name) > 1));
CREATE TABLE use (part_id INTEGER REFERENCES part ON DELETE CASCADE, at datetime DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (part_id, at)) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5(name);
CREATE TRIGGER t AFTER INSERT ON part BEGIN SELECT 1; SELECT CASE WHEN 1 THEN 2 END; END;
CREATE INDEX by_price ON part (price);
"""


def checks(read: Intake) -> set[str]:
    return {finding.check for finding in read.findings}


def told(read: Intake, check: str) -> str:
    return "\n".join(finding.message for finding in read.findings if finding.check == check)


@pytest.fixture(scope="module")
def postgres() -> Intake:
    return read_ddl(POSTGRES, source="shop.sql")


@pytest.fixture(scope="module")
def mysql() -> Intake:
    return read_ddl(MYSQL, source="films.sql")


def test_keys_that_a_dump_adds_later_stand_in_the_tables(postgres: Intake) -> None:
    customers, order = postgres.schema.table("customers"), postgres.schema.table("order")
    assert customers is not None
    assert order is not None
    assert customers.primary_key == ("id",)
    assert 'UNIQUE ("email")' in customers.sql
    (key,) = order.foreign_keys
    assert (key.columns, key.table, key.references, key.on_delete) == (
        ("customer_id",),
        "customers",
        ("id",),
        "CASCADE",
    )


def test_enumerations_domains_and_any_of_an_array_become_checks(postgres: Intake) -> None:
    sql = postgres.schema.sql
    assert "\"tier\" TEXT DEFAULT 'gold' CHECK (\"tier\" IN ('gold', 'sil''ver'))" in sql
    assert '"share" >= 0 AND "share" <= 100' in sql
    assert "IN ('new', 'paid')" in sql


def test_money_is_in_cents_in_its_column_its_default_and_its_check(postgres: Intake) -> None:
    assert '"total_cents" INTEGER NOT NULL DEFAULT 50' in postgres.schema.sql
    assert '"total_cents" >= 50' in postgres.schema.sql


def test_defaults_of_arrays_documents_clocks_and_uuids_stay_what_they_are(postgres: Intake) -> None:
    sql = postgres.schema.sql
    assert "\"tags\" TEXT DEFAULT '[]'" in sql
    assert "\"profile\" TEXT DEFAULT '{}'" in sql
    assert "DEFAULT (strftime('%Y-%m-%dT%H:%M:%S', 'now'))" in sql
    assert "randomblob" in sql


def test_a_row_of_defaults_loads(postgres: Intake) -> None:
    from synthesis.documents.seed_data import SeedData

    rows = {"customers": ({"email": "a@b.c"},), "order": ({"customer_id": 1, "room": 4},)}
    assert not seed_findings(postgres.schema, SeedData(rows=rows))


def test_everything_that_stays_behind_is_a_finding(postgres: Intake) -> None:
    assert checks(postgres) >= {
        "extensions_are_not_converted",
        "types_are_not_converted",
        "columns_are_not_converted",
        "checks_are_not_converted",
        "exclusion_constraints_are_not_converted",
        "partitions_are_not_converted",
        "exotic_indexes_are_not_converted",
        "views_are_not_converted",
        "routines_are_not_converted",
        "triggers_are_not_converted",
        "rights_are_not_converted",
        "sequences_are_not_converted",
    }
    assert "order_1" in told(postgres, "partitions_are_not_converted")
    assert "^[a-z]+$" in told(postgres, "checks_are_not_converted")
    assert not any(finding.blocks for finding in postgres.findings)


def test_comments_stand_above_their_tables(postgres: Intake) -> None:
    assert '-- People who buy; "they"\nCREATE TABLE "customers"' in postgres.schema.sql


def test_a_mysql_dump_is_read_with_its_conditional_comments(mysql: Intake) -> None:
    film = mysql.schema.table("film")
    assert film is not None
    assert film.primary_key == ("film_id",)
    assert "CHECK (\"rating\" IN ('G', 'PG', 'NC-17'))" in film.sql
    assert '"active" INTEGER NOT NULL DEFAULT 1 CHECK ("active" IN (0, 1))' in film.sql
    assert "DEFAULT 'it''s; new'" in film.sql
    assert checks(mysql) >= {
        "partitions_are_not_converted",
        "triggers_are_not_converted",
        "updates_by_themselves_are_not_converted",
        "exotic_indexes_are_not_converted",
        "columns_are_not_converted",
        "types_are_not_converted",
        "rows_stay_behind",
    }


def test_a_sqlite_script_is_read_with_bare_columns_and_generated_ones() -> None:
    read = read_ddl(SQLITE, source="parts.sql")
    part, use = read.schema.table("part"), read.schema.table("use")
    assert part is not None
    assert use is not None
    assert next(column for column in part.columns if column.name == "twice").generated
    assert use.primary_key == ("part_id", "at")
    assert use.foreign_keys[0].references == ("id",)
    assert checks(read) >= {"text_search_is_not_converted", "triggers_are_not_converted"}


@pytest.mark.parametrize(
    ("script", "dialect"), [(POSTGRES, "postgres"), (MYSQL, "mysql"), (SQLITE, "sqlite")]
)
def test_the_dialect_is_found_out(script: str, dialect: str) -> None:
    assert detected(script) == dialect


def test_rows_of_inserts_and_copies_come_along_when_asked_for_and_no_more_than_asked() -> None:
    script = (
        "CREATE TABLE a (id serial PRIMARY KEY, code text, ok boolean, price numeric(6,2));\n"
        "INSERT INTO a VALUES (1, 'x (y), ''z'';', true, 5.25), (2, 'b', false, -1);\n"
        "COPY public.a (id, code, ok) FROM stdin;\n3\ta\\tb\tt\n4\t\\N\tf\n\\.\n"
    )
    read = read_ddl(script, source="a.sql", import_options=ImportOptions(rows=3))
    assert read.seed_data is not None
    rows = read.seed_data.rows["a"]
    assert [row["id"] for row in rows][:2] == [1, 2]
    assert rows[0]["price_cents"] == 525
    assert rows[1]["ok"] == 0
    assert (
        len(read_ddl(script, source="a.sql", import_options=ImportOptions(rows=10)).seed_data.rows["a"]) == 4
    )  # type: ignore[union-attr]
    assert read_ddl(script, source="a.sql").seed_data is None


def test_reading_twice_gives_the_same_bytes() -> None:
    assert read_ddl(MYSQL, source="films.sql") == read_ddl(MYSQL, source="films.sql")


@pytest.mark.parametrize(
    ("script", "place", "words"),
    [
        (
            "CREATE TABLE a (id int);\n\n  CREATE TABLE b (\n id int\n x text);",
            "line 5, column 2",
            "near 'x'",
        ),
        ("\n CREATE TABEL a (id int);", "line 2, column 2", "CREATE TABEL"),
        ("CREATE TABLE a (id int default 'x);", "line 1, column 1", "a quote is left open"),
        ("CREATE TABLE a (\n  id int primary key, name text,, x\n);", "line 2, column 33", "nothing before"),
        ("CREATE TABLE a (\n  id int,\n  b text,\n);", "line 3, column 9", "nothing behind"),
        ("CREATE TABLE a (, id int);", "line 1, column 17", "nothing before"),
        ("CREATE TABLE a (id serial,\n  label);", "line 2, column 3", "'label' has no type"),
        ("CREATE TABLE a (id int, 5 text);", "line 1, column 25", "'5' is not a column name"),
        ("CREATE TABLE a (price numeric(,2));", "line 1, column 31", "nothing before"),
        ("SELECT 1;\nDear reader, hello.", "line 2, column 1", "does not start a known statement"),
        (
            "CREATE TABLE a (x int check (" + "(" * 3000 + "1" + ")" * 3000 + "))",
            "line 1",
            "nests too deeply",
        ),
    ],
)
def test_a_syntax_error_names_line_column_and_statement(script: str, place: str, words: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_ddl(script, source="broken.sql", import_options=ImportOptions(dialect="postgres"))
    assert f"broken.sql, {place}" in str(refused.value)
    assert words in str(refused.value)


@pytest.mark.parametrize("script", ["", "SELECT 1;", "-- nothing here", "CREATE VIEW v AS SELECT 1;"])
def test_a_script_without_tables_says_what_to_hand_in(script: str) -> None:
    with pytest.raises(InvalidInput, match=r"declares no table.*pg_dump --schema-only"):
        read_ddl(script, source="empty.sql")


def test_an_unknown_dialect_is_told_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match=r"oracle.*postgres, mysql, sqlite"):
        read_ddl("CREATE TABLE a (id int)", source="a.sql", import_options=ImportOptions(dialect="oracle"))


def test_reading_ends_when_its_time_is_over() -> None:
    with pytest.raises(InvalidInput, match="stopped after 0 s at line"):
        read_script(POSTGRES, source="a.sql", dialect="postgres", notes=Notes(), rows=0, seconds=0.0)
