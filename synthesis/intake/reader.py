"""Read: the one door of the intake, for a file or an address."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from synthesis.documents.intake import Intake
from synthesis.errors import BrokenEnvironment, InvalidInput
from synthesis.intake.carry import Carrier
from synthesis.intake.ddl import DIALECTS, detected, read_script
from synthesis.intake.foreign import ForeignModel
from synthesis.intake.implied import add_implied_references, leave_out_bookkeeping
from synthesis.intake.notes import Notes
from synthesis.intake.proposal import propose
from synthesis.intake.sample import carry_rows, latest
from synthesis.intake.selection import MOST_TABLES, select
from synthesis.worlds.database import read_schema

MOST_BYTES = 64 * 2**20
"""Size of a file that is read."""
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_API_ENDINGS = frozenset({".yaml", ".yml", ".json"})
_API_BEGINS = re.compile(r"\s*\{|(?:\s*(?:#[^\n]*|---[^\n]*)\n)*\s*[\"']?(?:openapi|swagger)[\"']?\s*:")
_NO_TEXT = (
    (b"PGDMP", "is an archive of pg_dump. Make a script of it: pg_restore --schema-only -f schema.sql FILE"),
    (b"SQLite format 3\0", "is a SQLite database. Write its schema down: sqlite3 FILE .schema > schema.sql"),
    (b"\x1f\x8b", "is compressed. Unpack it first: gunzip FILE"),
    (b"PK\x03\x04", "is an archive. Unpack it first"),
    (b"\xff\xfe", "is UTF-16. Save it as UTF-8"),
    (b"\xfe\xff", "is UTF-16. Save it as UTF-8"),
)
"""How files begin that people hand in and that are no text, and what to do with them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the asker wants of a source.

    Attributes:
        dialect: Dialect of a script, one of `DIALECTS`; empty to find out.
        tables: Names of the tables wanted; empty for all, or the best connected ones of very many.
        rows: Rows per table to bring along, anonymised; 0 for none.
        seed: Seed of everything that is drawn: the values that stand in for personal ones.
        name: What the business is called; empty for what the source calls itself.
        most_tables: Tables to keep at most.
    """

    dialect: str = ""
    tables: Sequence[str] = ()
    rows: int = 0
    seed: int = 0
    name: str = ""
    most_tables: int = MOST_TABLES


def read(source: str, *, wishes: Wishes | None = None) -> Intake:
    """Read a DDL script, a live database or an OpenAPI file.

    Args:
        source: A path, or the address of a database (postgresql://, mysql:// or sqlite://).
        wishes: Which tables, how many rows, which dialect.

    Raises:
        InvalidInput: The source cannot be read or holds no table; the text says where and what to do, and
            never holds the password of an address.
    """
    wanted = wishes or Wishes()
    if _ADDRESS.match(source):
        from synthesis.intake.address import read_address

        return read_address(source, wanted)
    path = Path(source)
    return read_text(_text(path), source=path.name, wishes=wanted)


def read_text(text: str, *, source: str, wishes: Wishes | None = None) -> Intake:
    """Read the text of a DDL script or an OpenAPI file.

    Args:
        text: What it says; which of both it is, its name or its beginning tells.
        source: What it is called, for messages and the proposed name.
        wishes: Which tables, how many rows, which dialect.

    Raises:
        InvalidInput: It cannot be read or holds no table; the text says line and column where there are any.
    """
    wanted = wishes or Wishes()
    if Path(source).suffix.lower() not in _API_ENDINGS and not _API_BEGINS.match(text):
        return read_ddl(text, source=source, wishes=wanted)
    from synthesis.intake.openapi import read_api

    notes = Notes()
    model, title = read_api(text, source=source, notes=notes)
    return intake(model, name=wanted.name or title, source=source, wishes=wanted, notes=notes)


def read_ddl(script: str, *, source: str, wishes: Wishes | None = None) -> Intake:
    """Read the text of a DDL script.

    Args:
        script: Its text.
        source: What it is called, for messages and the proposed name.
        wishes: Which tables, how many rows, which dialect.

    Raises:
        InvalidInput: A statement cannot be read, or there is no table.
    """
    wanted = wishes or Wishes()
    dialect = wanted.dialect or detected(script)
    if dialect not in DIALECTS:
        raise InvalidInput(f"There is no dialect {dialect!r}. Known: {', '.join(DIALECTS)}.")
    notes = Notes()
    model = read_script(script, source=source, dialect=dialect, notes=notes, rows=wanted.rows)
    name = wanted.name or Path(source).stem
    return intake(model, name=name, source=source, wishes=wanted, notes=notes)


def intake(
    model: ForeignModel,
    *,
    name: str,
    source: str,
    wishes: Wishes,
    notes: Notes,
    fetch: Callable[[Carrier], None] | None = None,
) -> Intake:
    """The intake that a foreign model becomes.

    Args:
        model: The tables; those that are not wanted are removed.
        name: What the source calls itself.
        source: What was read, for people.
        wishes: Which tables, how many rows.
        notes: What was left behind so far.
        fetch: Brings sample rows into the tables' sources, once it is known which columns are wanted.

    Raises:
        InvalidInput: The model has no table, or what it became does not build.
    """
    if not any(table.columns for table in model.tables.values()):
        raise InvalidInput(
            f"{source} declares no table. Hand in the CREATE TABLE statements, for example the output of "
            "pg_dump --schema-only, mysqldump --no-data or sqlite3 FILE .schema."
        )
    leave_out_bookkeeping(model, wanted=wishes.tables, notes=notes)
    add_implied_references(model, notes)
    select(model, tables=wishes.tables, notes=notes, most=wishes.most_tables)
    carrier = Carrier(model, notes)
    try:
        schema = read_schema(carrier.sql(source=source))
    except BrokenEnvironment as error:
        raise InvalidInput(f"{source} was read, but what it became does not build: {error}") from error
    if fetch is not None and wishes.rows:
        fetch(carrier)
    seed_data = carry_rows(carrier, schema, seed=wishes.seed, notes=notes)
    weights = _weights(carrier)
    names = sorted(weights, key=lambda table: (-weights[table], table))
    return Intake(
        scenario=propose(name, names, clock=latest(carrier, seed_data)),
        schema=schema,
        seed_data=seed_data,
        findings=notes.findings(),
        source=source,
    )


def decoded(content: bytes, *, source: str) -> str:
    """The text of a file, with line feeds only.

    Raises:
        InvalidInput: It is no text; the message says what to do instead.
    """
    for begins, words in _NO_TEXT:
        if content.startswith(begins):
            raise InvalidInput(f"{source} {words}.")
    if b"\0" in content:
        raise InvalidInput(f"{source} is no text: it holds zero bytes. Hand in SQL, YAML or JSON as UTF-8.")
    return content.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")


def _weights(carrier: Carrier) -> dict[str, int]:
    """How much each table is bound to others; being referred to counts twice."""
    weights = dict.fromkeys(carrier.references, 0)
    for name, references in carrier.references.items():
        for one in references:
            weights[one.table] += 2
            weights[name] += 1
    return weights


def _text(path: Path) -> str:
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise InvalidInput(
                f"{path.name} has {size / 2**20:,.0f} MiB; at most {MOST_BYTES >> 20} are read. Hand in the "
                "schema without its rows, for example with pg_dump --schema-only."
            )
        return decoded(path.read_bytes(), source=path.name)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InvalidInput(f"{path.name or path} cannot be read: {reason}.") from error
