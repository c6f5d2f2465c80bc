"""Django's command line for the studio, with one line for what an operator has to mend."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Sequence

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import OperationalError, ProgrammingError, connection

_WITHOUT_DATABASE = frozenset(
    {
        "check",
        "collectstatic",
        "compilemessages",
        "diffsettings",
        "findstatic",
        "help",
        "makemessages",
        "makemigrations",
        "optimizemigration",
        "sendtestemail",
        "spectacular",
        "startapp",
        "startproject",
        "version",
    }
)
"""Commands of Django and its extensions that work where there is no database yet, as when an image is built.
Every other command is assumed to need it."""

_ANSWER_SECONDS = 3.0
"""How long a command waits for the database's first answer; addresses of one name are tried one by one."""

_MOST_PATIENCE = 10
"""How many times as long it waits at most on a machine with more to do than it has processors for."""


def main(arguments: Sequence[str]) -> None:
    """Run the command that the arguments name; `--traceback` shows the whole of an error.

    Args:
        arguments: The program's name, the command's name and its options.
    """
    try:
        if _needs_database(arguments[1:]):
            _require_database()
        execute_from_command_line(list(arguments))
    except (ImproperlyConfigured, OperationalError, ProgrammingError) as error:
        if "--traceback" in arguments or (isinstance(error, ProgrammingError) and not lacks_tables(error)):
            raise
        sys.exit(_remedy(error))


def _needs_database(arguments: Sequence[str]) -> bool:
    if not arguments or arguments[0].startswith("-") or {"-h", "--help"} & set(arguments):
        return False
    return arguments[0] not in _WITHOUT_DATABASE


def _require_database() -> None:
    """Ask before Django loads the applications, which takes seconds, and before its system checks.

    In a thread: a name server that does not answer keeps the C library waiting beyond every limit of the
    client's.

    Raises:
        OperationalError: The database refuses, or does not answer in time.
    """
    errors: list[Exception] = []
    seconds = _ANSWER_SECONDS * patience(os.getloadavg()[0], os.cpu_count() or 1)
    _ = connection.vendor  # loads the driver, which on a busy machine takes longer than an answer
    asking = threading.Thread(target=_ask_database, args=(errors, time.monotonic() + seconds), daemon=True)
    asking.start()
    asking.join(_ANSWER_SECONDS)
    if asking.is_alive() and seconds > _ANSWER_SECONDS:
        sys.stderr.write(
            f"The database has not answered for {_ANSWER_SECONDS:g} seconds. This machine is busy; waiting "
            f"up to {seconds:.0f} seconds.\n"
        )
        asking.join(seconds - _ANSWER_SECONDS)
    if asking.is_alive():
        raise OperationalError(f"it did not answer within {seconds:.3g} seconds")
    for error in errors:
        raise error


def patience(load: float, processors: int) -> float:
    """How many times as long as on an idle machine an answer may take.

    Args:
        load: Processes that want a processor.
        processors: How many there are.
    """
    return min(max(load / processors, 1.0), _MOST_PATIENCE)


def _ask_database(errors: list[Exception], until: float) -> None:
    """Connect once; again while there is time, where an attempt ran out of the client's own."""
    while True:
        try:
            connection.ensure_connection()
            connection.close()
        except Exception as error:  # noqa: BLE001 - raised again where the command was started
            if "timeout" in str(error) and time.monotonic() < until - _ANSWER_SECONDS:
                continue
            errors.append(error)
        return


def lacks_tables(error: Exception) -> bool:
    """Whether a table that is asked for is not there: PostgreSQL and SQLite say it in different words."""
    return "no such table" in str(error) or getattr(error.__cause__, "sqlstate", "") == "42P01"


def _remedy(error: Exception) -> str:
    reason = str(error).strip()
    if isinstance(error, ImproperlyConfigured):
        return reason
    if lacks_tables(error):
        return "The database has no tables of this studio yet. Create them with: migrate"
    from django.conf import settings

    database = settings.DATABASES["default"]
    # Of PostgreSQL's text what happened; its hints stand on lines of their own, indented.
    reason = " ".join(line.strip() for line in reason.splitlines() if not line.startswith("\t")).rstrip(".")
    if not database["HOST"]:
        remedy = "Correct DATABASE_URL, or WORLDWRIGHT_VAR where that is not set."
        return f"The database {database['NAME']} cannot be used: {reason}. {remedy}"
    where = f"{database['NAME']} at {database['HOST']}:{database['PORT'] or 5432}"
    return f"The database {where} cannot be used: {reason}. Start it, or correct DATABASE_URL."
