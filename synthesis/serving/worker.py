"""Worker: one of several server processes behind one address; `supervisor` starts it and it ends with it."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import Any

import orjson

from synthesis.documents.document import Document
from synthesis.serving.app import create_app
from synthesis.serving.server import compiled, open_bundles, run
from synthesis.serving.settings import ServeSettings
from synthesis.worlds.limits import Limits
from synthesis.worlds.world import Isolation

READY = b"ready\n"


class WorkerOrders(Document):
    """What the parent tells a worker, as one line of JSON on standard input."""

    index: int
    listener: int
    """Descriptor of the public listening socket."""
    sockets: list[str]
    """Paths of the private sockets of all workers."""
    bundles: list[str]
    settings: dict[str, Any]
    token: str | None
    key: str
    """Of the credentials, in hexadecimal digits."""
    isolation: Isolation
    limits: dict[str, Any]
    sandbox: dict[str, Any]


def main() -> None:
    """Serve until SIGTERM, or until the parent is gone."""
    orders = WorkerOrders.model_validate(orjson.loads(sys.stdin.buffer.readline()))
    threading.Thread(target=_end_with_parent, daemon=True).start()
    settings = ServeSettings.model_validate({**orders.settings, "token": orders.token})
    bundles = open_bundles([Path(path) for path in orders.bundles])
    public = socket.socket(fileno=orders.listener)
    public.setblocking(False)
    private = private_socket(orders.sockets[orders.index])
    with (
        contextlib.closing(public),
        contextlib.closing(private),
        compiled(bundles, isolation=orders.isolation, limits=Limits(**orders.limits)) as worlds,
    ):
        app = create_app(
            worlds,
            settings,
            sandbox=orders.sandbox,
            process=(orders.index, orders.sockets),
            key=bytes.fromhex(orders.key),
        )
        run(app, [public, private], settings, ready=_say_ready)


def private_socket(path: str) -> socket.socket:
    """The listening Unix socket at a path, in place of one that a process before left there."""
    Path(path).unlink(missing_ok=True)
    result = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    result.bind(path)
    result.listen(2_048)
    result.setblocking(False)
    return result


def _say_ready() -> None:
    sys.stdout.buffer.write(READY)
    sys.stdout.buffer.flush()


def _end_with_parent() -> None:
    """The parent holds the other end of standard input and never writes again: its end is ours."""
    # Not through `sys.stdin`: a thread that waits in there holds its lock, and Python aborts at its own end.
    os.read(sys.stdin.fileno(), 1)
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
