"""Server: bundles from disk to a listening process, until it is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import uvicorn

from synthesis.bundles.open import open_bundle
from synthesis.documents.bundle import Bundle
from synthesis.errors import InvalidInput
from synthesis.serving.announcer import Announcer
from synthesis.serving.app import create_app
from synthesis.serving.connection import BoundedConfig, Bounds, sweep
from synthesis.serving.settings import ServeSettings
from synthesis.worlds.collector import tune_collector
from synthesis.worlds.limits import Limits
from synthesis.worlds.world import Isolation, World

log = logging.getLogger("worldwright.serving")

BACKLOG = 2_048


def open_bundles(paths: Sequence[Path]) -> dict[str, Bundle]:
    """The bundles at some paths by environment name.

    Raises:
        InvalidBundle: One cannot be opened.
        InvalidInput: Two hold environments of one name.
    """
    bundles: dict[str, Bundle] = {}
    for path in paths:
        bundle = open_bundle(path)
        name = bundle.environment.name
        if name in bundles:
            raise InvalidInput(
                f"{path}: an environment named {name!r} is already served; serve it on another port."
            )
        bundles[name] = bundle
    return bundles


@contextlib.contextmanager
def compiled(
    bundles: Mapping[str, Bundle], *, isolation: Isolation, limits: Limits
) -> Iterator[dict[str, World]]:
    """The worlds of some bundles, compiled; closed at the end."""
    with contextlib.ExitStack() as stack:
        yield {
            name: stack.enter_context(World(bundle.environment, isolation=isolation, limits=limits))
            for name, bundle in bundles.items()
        }


def listen(settings: ServeSettings) -> socket.socket:
    """The socket the server listens on; port 0 takes a free one.

    Raises:
        InvalidInput: The address cannot be had.
    """
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # Without the protocol named, asyncio leaves Nagle's algorithm on and every answer waits 40 ms for an ACK.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
    except OSError as error:
        listener.close()
        raise InvalidInput(
            f"Cannot listen on {settings.host} port {settings.port}: {error.strerror or error}."
        ) from error
    listener.listen(BACKLOG)
    listener.setblocking(False)
    return listener


def address(listener: socket.socket) -> str:
    """The URL a listening socket is reached by."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _nothing() -> None:
    """Nobody wants to know."""


class Server(uvicorn.Server):
    """uvicorn that says when it is ready and when it stops, and cuts slow clients."""

    def __init__(
        self,
        config: BoundedConfig,
        ready: Callable[[], None],
        stopping: Callable[[], None] = _nothing,
    ) -> None:
        super().__init__(config)
        self._ready, self._stopping = ready, stopping
        self._unsent_bytes = config.bounds.unsent_bytes

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second: whether to stop."""
        if counter % 10 == 0:
            now = asyncio.get_running_loop().time()
            sweep(list(self.server_state.connections), now, self._unsent_bytes)
        return await super().on_tick(counter)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then say so."""
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Say so, then finish the calls in flight."""
        self._stopping()
        await super().shutdown(sockets)


def configured(app: Any, settings: ServeSettings) -> BoundedConfig:
    """How uvicorn serves an application."""
    return BoundedConfig(
        app,
        Bounds.of(settings),
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        ws="websockets-sansio",
        ws_max_size=settings.max_body_bytes,
        ws_per_message_deflate=False,
        lifespan="on",
        backlog=BACKLOG,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=int(settings.drain_seconds),
    )


def once_ready(
    listener: socket.socket,
    settings: ServeSettings,
    bundles: dict[str, Bundle],
    announcer: Announcer | None,
    ready: Callable[[str, dict[str, Bundle]], None],
) -> Callable[[], None]:
    """What a server does when it answers requests: announce itself where it is to, and say its URL."""
    listening = address(listener)
    url = settings.public_url or listening

    def begin() -> None:
        if announcer is not None:
            announcer.begin(listening, url, bundles)
        ready(url, bundles)

    return begin


def run(
    app: Any,
    listeners: list[socket.socket],
    settings: ServeSettings,
    *,
    ready: Callable[[], None],
    stopping: Callable[[], None] = _nothing,
) -> None:
    """Serve an application on some sockets until SIGINT or SIGTERM; calls in flight are finished first."""
    for number in (signal.SIGINT, signal.SIGTERM):
        # uvicorn stops on them and, having stopped, sends them again; the worlds are still to be closed then.
        signal.signal(number, lambda *_: None)
    tune_collector()
    Server(configured(app, settings), ready, stopping).run(listeners)


def serve(
    paths: Sequence[Path],
    settings: ServeSettings,
    *,
    isolation: Isolation = "process",
    limits: Limits | None = None,
    sandbox: Mapping[str, object] | None = None,
    announcer: Announcer | None = None,
    ready: Callable[[str, dict[str, Bundle]], None],
) -> None:
    """Serve the bundles at some paths until told to stop.

    The bundles are read once: what happens to the files afterwards changes nothing that is served.

    Args:
        paths: Native bundles.
        settings: Address and limits.
        isolation: "process", or "shared" for code the operator trusts.
        limits: Limits of the worlds.
        sandbox: What GET /health says about the layers around generated code.
        announcer: Tells a studio of this server.
        ready: Called once with the URL when requests are answered.

    Raises:
        InvalidInput: A bundle or the address cannot be used.
        SandboxUnavailable: This host lacks a layer without which generated code is not run.
    """
    bundles = open_bundles(paths)
    with (
        contextlib.closing(listen(settings)) as listener,
        compiled(bundles, isolation=isolation, limits=limits or Limits()) as worlds,
    ):
        run(
            create_app(worlds, settings, sandbox=sandbox),
            [listener],
            settings,
            ready=once_ready(listener, settings, bundles, announcer, ready),
            stopping=announcer.stop if announcer else _nothing,
        )
