"""Web processes of a benchmark, on the database that its own process uses."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import httpx

from studio.management.web_server import KEEP_ALIVE_SECONDS

WEB_PROCESSES = 2
_PATIENCE = 120.0


@contextlib.contextmanager
def web(folder: Path) -> Iterator[str]:
    """Web processes on this process's database; their address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options: tuple[str, ...] = ("--timeout-keep-alive", str(KEEP_ALIVE_SECONDS))
    options += ("--host", "127.0.0.1", "--port", str(port), "--workers", str(WEB_PROCESSES))
    command = (sys.executable, "-m", "uvicorn", "studio.asgi:application", *options, "--lifespan", "off")
    with (folder / "web.log").open("wb") as log:
        environ = os.environ | {"DATABASE_URL": database_url()}
        server = subprocess.Popen((*command, "--no-access-log"), env=environ, stdout=log, stderr=log)
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_for(url, server)
        yield url
    finally:
        server.terminate()
        server.wait(timeout=30)


def _wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until and server.poll() is None:
        with contextlib.suppress(httpx.TransportError):
            if httpx.get(f"{url}/health/").status_code == 200:
                return
        time.sleep(0.1)
    raise RuntimeError("The web processes did not start.")


def database_url() -> str:
    """The address of the database that this process uses."""
    from django.db import connection

    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    return urlunsplit(urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}"))
