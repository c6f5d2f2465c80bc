"""Address: a live database by its URL, read-only and within bounds; its password is never repeated."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import quote, quote_plus

from synthesis.documents.intake import Intake
from synthesis.errors import InvalidInput
from synthesis.intake.conversion import intake
from synthesis.intake.import_options import ImportOptions
from synthesis.intake.notes import Notes
from synthesis.intake.scripts.ddl import read_script

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Engine

CONNECT_SECONDS = 10
STATEMENT_SECONDS = 15
"""A statement that takes longer is stopped by the server."""
READ_SECONDS = 60
"""Time for the whole of one reading of SQLite, which has no server to stop it."""

_DRIVERS = {
    "postgresql": ("postgresql+psycopg", "postgres"),
    "postgres": ("postgresql+psycopg", "postgres"),
    "mysql": ("mysql+pymysql", "mysql"),
    "mariadb": ("mysql+pymysql", "mysql"),
    "sqlite": ("sqlite", "sqlite"),
}


class Address:
    """A database's URL, taken apart.

    Args:
        text: The URL.

    Raises:
        InvalidInput: It is no URL of a database that can be read; the text does not repeat it.
    """

    def __init__(self, text: str) -> None:
        try:
            from sqlalchemy.engine import make_url
            from sqlalchemy.exc import ArgumentError
        except ImportError as error:
            raise InvalidInput(
                "Reading a live database needs SQLAlchemy: pip install 'worldwright[intake]'."
            ) from error
        try:
            self._url: URL = make_url(text)
        except (ArgumentError, ValueError):
            raise InvalidInput(
                "The address of the database cannot be read; write postgresql://user:password@host/name, "
                "mysql://... or sqlite:///path."
            ) from None
        family = self._url.drivername.partition("+")[0]
        if family not in _DRIVERS:
            known = ", ".join(f"{name}://" for name in ("postgresql", "mysql", "sqlite"))
            raise InvalidInput(
                f"Addresses that begin with {family}:// are not supported; supported are {known}."
            )
        driver, self.dialect = _DRIVERS[family]
        self._url = self._url.set(drivername=driver)
        self.name = Path(self._url.database or "").stem or family

    @property
    def shown(self) -> str:
        """The address for people: no user, no password, no options."""
        plain = self._url.set(username=None, password=None, query={})
        if self.dialect == "sqlite":
            return f"sqlite:///{Path(self._url.database or '').name}"
        family = plain.drivername.partition("+")[0]
        port = f":{plain.port}" if plain.port else ""
        return f"{family}://{plain.host or 'localhost'}{port}/{plain.database or ''}"

    def scrub(self, text: str) -> str:
        """A text without anything of the address that could let somebody in."""
        secrets = [str(self._url.password or "")]
        secrets += [
            value for one in self._url.query.values() for value in ([one] if isinstance(one, str) else one)
        ]
        forms = {
            form for secret in secrets if secret for form in (secret, quote(secret, ""), quote_plus(secret))
        }
        for form in sorted(forms, key=len, reverse=True):
            text = text.replace(form, "***")
        return text

    def engine(self) -> Engine:
        """An engine that keeps no connection open.

        Raises:
            InvalidInput: A SQLite file does not exist, or the driver is not installed.
        """
        from sqlalchemy import create_engine
        from sqlalchemy.pool import NullPool

        try:
            if self.dialect == "sqlite":
                return create_engine("sqlite://", creator=self._open_file, poolclass=NullPool)
            return create_engine(
                self._url, poolclass=NullPool, connect_args=self._arguments(), hide_parameters=True
            )
        except ImportError as error:
            raise InvalidInput(
                f"The driver for {self.dialect} is missing ({error.name}): pip install 'worldwright[intake]'."
            ) from error

    def _arguments(self) -> dict[str, Any]:
        if self.dialect == "postgres":
            return {"connect_timeout": CONNECT_SECONDS, "application_name": "worldwright intake"}
        return {"connect_timeout": CONNECT_SECONDS, "read_timeout": STATEMENT_SECONDS * 2}

    def _open_file(self) -> sqlite3.Connection:
        path = Path(self._url.database or "")
        if not path.is_file():
            raise InvalidInput(f"{self.shown}: there is no such file.")
        connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=5)
        connection.execute("PRAGMA trusted_schema = OFF")
        end = time.monotonic() + READ_SECONDS
        connection.set_progress_handler(lambda: time.monotonic() > end, 10_000)
        return connection


@contextmanager
def reading(address: Address) -> Iterator[Connection]:
    """A connection in a read-only transaction whose statements are stopped after `STATEMENT_SECONDS`.

    Raises:
        InvalidInput: The database cannot be reached, or cannot be read; the text holds no password.
    """
    from sqlalchemy.exc import SQLAlchemyError

    engine = address.engine()
    try:
        with engine.connect() as connection:
            _guard(connection, address.dialect)
            yield connection
            connection.rollback()
    except SQLAlchemyError as error:
        _refuse(address, error)
    finally:
        engine.dispose()


def read_address(text: str, import_options: ImportOptions) -> Intake:
    """Read a live database.

    Args:
        text: Its URL.
        import_options: Which tables, how many sample rows.

    Raises:
        InvalidInput: It cannot be reached or read, or holds no table.
    """
    from synthesis.intake.live.catalogues import script_of
    from synthesis.intake.live.fetch import Fetcher

    address, notes = Address(text), Notes()
    with reading(address) as connection:
        script = script_of(connection, address.dialect, notes)
        model = read_script(
            script, source=address.shown, dialect=address.dialect, notes=notes, rows=0, lenient=True
        )
        fetch = Fetcher(connection, address.dialect, rows=import_options.rows, notes=notes)
        return intake(
            model,
            name=address.name,
            source=address.shown,
            import_options=import_options,
            notes=notes,
            fetch=fetch,
        )


def _guard(connection: Connection, dialect: str) -> None:
    """Let the server itself refuse every write, and stop what takes too long."""
    if dialect == "postgres":
        connection.exec_driver_sql("SET TRANSACTION READ ONLY")
        connection.exec_driver_sql(f"SET LOCAL statement_timeout = '{STATEMENT_SECONDS}s'")
        connection.exec_driver_sql("SET LOCAL lock_timeout = '3s'")
        connection.exec_driver_sql("SET LOCAL search_path = pg_catalog")
    elif dialect == "mysql":
        version = str(connection.exec_driver_sql("SELECT version()").scalar())
        limit = (
            f"SET SESSION max_statement_time = {STATEMENT_SECONDS}"
            if "maria" in version.lower()
            else f"SET SESSION max_execution_time = {STATEMENT_SECONDS * 1000}"
        )
        connection.exec_driver_sql(limit)
        connection.exec_driver_sql("SET SESSION sql_quote_show_create = 1")
        connection.rollback()
        connection.exec_driver_sql("SET SESSION TRANSACTION READ ONLY")
        connection.exec_driver_sql("START TRANSACTION READ ONLY")


def _refuse(address: Address, error: Exception) -> NoReturn:
    """Say what the driver said, without the address; the driver's own error is not chained to it."""
    text = str(getattr(error, "orig", None) or error).strip()
    words = address.scrub(" ".join(text.split()))[:300]
    raise InvalidInput(
        f"{address.shown} cannot be read: {words} Check that it is reachable from here and that the user may "
        "SELECT."
    ) from None
