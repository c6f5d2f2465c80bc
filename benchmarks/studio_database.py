"""A studio of the benchmark's own: a fresh database that is gone afterwards, and its own folders."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def fresh_studio(folder: Path) -> Iterator[str]:
    """Django with an empty, migrated database; gives the vendor's name.

    The database is a file in the folder, or, where DATABASE_URL names a server, one beside the named one
    ("test_" before its name): nobody's data are read or written. Everything else the studio would keep under
    var/ lies in the folder.

    Args:
        folder: Scratch space.

    Raises:
        RuntimeError: Django is running in this process already, with somebody's settings.
    """
    from django.apps import apps

    if apps.ready:
        raise RuntimeError("This suite needs a process of its own: run `python -m benchmarks SUITE`.")
    os.environ["WORLDWRIGHT_VAR"] = str(folder / "var")
    os.environ["DJANGO_SETTINGS_MODULE"] = "studio.settings"
    import django

    django.setup()
    from django.db import connection

    if connection.vendor == "sqlite":
        connection.settings_dict["TEST"]["NAME"] = str(folder / "studio.sqlite3")
    before = connection.settings_dict["NAME"]
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    try:
        yield connection.vendor
    finally:
        connection.creation.destroy_test_db(before, verbosity=0)


def let_connections_go() -> None:
    """Close all connections with the pools that keep some of them open; the next query opens others.

    Before a fork, which must not talk on its parent's connections, and before a database is dropped.
    """
    from django.db import connections

    for connection in connections.all(initialized_only=True):
        connection.close()
        if close_pool := getattr(connection, "close_pool", None):  # PostgreSQL's alone has one
            close_pool()
