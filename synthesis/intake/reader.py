"""Read: the single entry point of the intake, for a file or an address."""

from __future__ import annotations

import re
from pathlib import Path

from synthesis.documents.intake import Intake
from synthesis.errors import InvalidInput
from synthesis.intake.conversion import intake
from synthesis.intake.import_options import ImportOptions
from synthesis.intake.notes import Notes
from synthesis.intake.scripts.ddl import DIALECTS, detected, read_script

MOST_BYTES = 64 * 2**20
"""Size of a file that is read."""
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_API_ENDINGS = frozenset({".yaml", ".yml", ".json"})
_API_BEGINS = re.compile(r"\s*\{|(?:\s*(?:#[^\n]*|---[^\n]*)\n)*\s*[\"']?(?:openapi|swagger)[\"']?\s*:")
_NO_TEXT = (
    (
        b"PGDMP",
        "is a pg_dump archive. Convert it to a script first: pg_restore --schema-only -f schema.sql FILE",
    ),
    (b"SQLite format 3\0", "is a SQLite database. Dump its schema first: sqlite3 FILE .schema > schema.sql"),
    (b"\x1f\x8b", "is compressed. Unpack it first: gunzip FILE"),
    (b"PK\x03\x04", "is an archive. Unpack it first"),
    (b"\xff\xfe", "is UTF-16. Save it as UTF-8"),
    (b"\xfe\xff", "is UTF-16. Save it as UTF-8"),
)
"""How files begin that people hand in and that are no text, and what to do with them."""


def read(source: str, *, import_options: ImportOptions | None = None) -> Intake:
    """Read a DDL script, a live database or an OpenAPI file.

    Args:
        source: A path, or the address of a database (postgresql://, mysql:// or sqlite://).
        import_options: Which tables, how many rows, which dialect.

    Raises:
        InvalidInput: The source cannot be read or holds no table; the text says where and what to do, and
            never holds the password of an address.
    """
    wanted = import_options or ImportOptions()
    if _ADDRESS.match(source):
        from synthesis.intake.live.address import read_address

        return read_address(source, wanted)
    path = Path(source)
    return read_text(_text(path), source=path.name, import_options=wanted)


def read_text(text: str, *, source: str, import_options: ImportOptions | None = None) -> Intake:
    """Read the text of a DDL script or an OpenAPI file.

    Args:
        text: What it says; which of both it is, its name or its beginning tells.
        source: What it is called, for messages and the proposed name.
        import_options: Which tables, how many rows, which dialect.

    Raises:
        InvalidInput: It cannot be read or holds no table; the text says line and column where there are any.
    """
    wanted = import_options or ImportOptions()
    if Path(source).suffix.lower() not in _API_ENDINGS and not _API_BEGINS.match(text):
        return read_ddl(text, source=source, import_options=wanted)
    from synthesis.intake.openapi.reader import read_api

    notes = Notes()
    model, title = read_api(text, source=source, notes=notes)
    return intake(model, name=wanted.name or title, source=source, import_options=wanted, notes=notes)


def read_ddl(script: str, *, source: str, import_options: ImportOptions | None = None) -> Intake:
    """Read the text of a DDL script.

    Args:
        script: Its text.
        source: What it is called, for messages and the proposed name.
        import_options: Which tables, how many rows, which dialect.

    Raises:
        InvalidInput: A statement cannot be read, or there is no table.
    """
    wanted = import_options or ImportOptions()
    dialect = wanted.dialect or detected(script)
    if dialect not in DIALECTS:
        raise InvalidInput(f"There is no dialect {dialect!r}. Known: {', '.join(DIALECTS)}.")
    notes = Notes()
    model = read_script(script, source=source, dialect=dialect, notes=notes, rows=wanted.rows)
    name = wanted.name or Path(source).stem
    return intake(model, name=name, source=source, import_options=wanted, notes=notes)


def decoded(content: bytes, *, source: str) -> str:
    """The text of a file, with line feeds only.

    Raises:
        InvalidInput: It is no text; the message says what to do instead.
    """
    for begins, words in _NO_TEXT:
        if content.startswith(begins):
            raise InvalidInput(f"{source} {words}.")
    if b"\0" in content:
        raise InvalidInput(
            f"{source} is not text: it contains NUL bytes. Provide SQL, YAML or JSON as UTF-8."
        )
    return content.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")


def _text(path: Path) -> str:
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise InvalidInput(
                f"{path.name} has {size / 2**20:,.0f} MiB; at most {MOST_BYTES >> 20} are read. Provide the "
                "schema without its rows, for example with pg_dump --schema-only."
            )
        return decoded(path.read_bytes(), source=path.name)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InvalidInput(f"{path.name or path} cannot be read: {reason}.") from error
