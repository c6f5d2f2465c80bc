"""The web server of the studio: uvicorn around the ASGI application."""

from __future__ import annotations

import socket

from django.core.management.base import CommandError

BACKLOG = 2_048
"""Connections that may wait to be accepted; uvicorn's own default."""


def bind(host: str, port: int, *, or_any: bool = False) -> socket.socket:
    """A listening socket.

    Args:
        host: Address to listen on.
        port: Port; 0 takes a free one.
        or_any: Take a free port when that one is taken.

    Raises:
        CommandError: The address cannot be had; the text says what to do.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        # From here on a browser that is quicker than the server waits instead of being refused.
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        if or_any and port:
            return bind(host, 0)
        raise CommandError(
            f"{host}:{port} cannot be opened ({error.strerror}); choose another with --port."
        ) from None
    return listener


KEEP_ALIVE_SECONDS = 75
"""Seconds an idle connection stays open: longer than a proxy keeps its own, so that it never sends into
one that is being closed."""


def address_of(listener: socket.socket, host: str) -> str:
    """Where a browser finds it."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{'localhost' if host in ('127.0.0.1', '::1') else shown}:{listener.getsockname()[1]}/"


def serve_web(listener: socket.socket) -> None:
    """Answer requests on the socket until SIGINT or SIGTERM."""
    import uvicorn

    config = uvicorn.Config(
        "studio.asgi:application",
        lifespan="off",
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        timeout_graceful_shutdown=5,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
    )
    uvicorn.Server(config).run(sockets=[listener])
