"""Connection: one client's connection, bounded in bytes and time before any application sees a request.

uvicorn bounds neither heads nor slow clients, so a client that never ends a header, sends trailers for ever
or reads nothing would cost memory and a place without end. Requests cost no timers here: a sweep every second
looks at all connections.
"""

from __future__ import annotations

import asyncio
import heapq
import logging
from collections.abc import Awaitable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import orjson
import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from synthesis.serving.faults import RequestRefused
from synthesis.serving.repeated_lines import RepeatedLines
from synthesis.serving.settings import ServeSettings

LINGER_SECONDS = 2.0
"""How long what a client still sends is thrown away after its answer: closed at once, it would lose that."""
_LINGER_BYTES = 2**20
"""How much of that is read; then the client waits until the connection is closed."""
FLUSH_SECONDS = 5.0
"""How long a connection that is closed may take to send what is left."""
MOST_PIPELINED = 32
"""Requests that may wait behind one another on a connection."""
_FRAMING_PER_BODY_BYTE = 8
"""Bytes of chunk sizes that are allowed for each byte of a body: chunks of one byte take five."""
_MOST_CHUNKS = 1_024
_LEAST_CHUNK_BYTES = 64
"""Bytes of the body for each further chunk: parsing one costs microseconds, so what a thousand connections
send in chunks of a byte between two turns of the loop would keep all other clients waiting for seconds."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one connection may take."""

    head_bytes: int
    headers: int
    head_seconds: float
    write_seconds: float
    bytes_per_second: float
    connections: int
    unsent_bytes: int

    @classmethod
    def of(cls, settings: ServeSettings) -> Bounds:
        """The bounds that an operator set."""
        return cls(
            head_bytes=settings.max_head_bytes,
            headers=settings.max_headers,
            head_seconds=settings.head_seconds,
            write_seconds=settings.write_seconds,
            bytes_per_second=settings.min_bytes_per_second,
            connections=settings.max_connections,
            unsent_bytes=settings.max_unsent_bytes,
        )


class BoundedConfig(uvicorn.Config):
    """uvicorn's configuration with the bounds of connections."""

    def __init__(self, app: Any, bounds: Bounds, **options: Any) -> None:
        super().__init__(app, http=BoundedConnection, **options)
        self.bounds = bounds

    def configure_logging(self) -> None:
        """Log as uvicorn does, but no line for every request that is none."""
        super().configure_logging()
        logging.getLogger("uvicorn.error").filters[:] = [RepeatedLines()]


class BoundedConnection(HttpToolsProtocol):
    """uvicorn's protocol with bounds; those of other processes of ours, over a Unix socket, have none."""

    config: BoundedConfig

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin; a full server first gives up connections that wait longest without a request."""
        super().connection_made(transport)
        self._bounds = self.config.bounds
        self._own = self.server is not None and self.server[1] is None
        self._framing = self._body = self._largest_head = self._chunks = 0
        self._refused: RequestRefused | None = None
        self._closes = False
        self._thrown_away = 0
        self._says_last: RequestRefused | None = None
        self._idle_since = self.loop.time()
        self._head_since: float | None = self._idle_since
        self._closed_since: float | None = None
        self._lingers_since: float | None = None
        self._unsent: tuple[float, int] | None = None
        if not self._own and len(self.connections) > self._bounds.connections:
            _give_up_some(self.connections, self)

    def data_received(self, data: bytes) -> None:
        """Feed the parser, unless the head or what frames a body has grown beyond its limit."""
        if self._lingers_since is not None or self._says_last is not None:
            self._thrown_away += len(data)
            if self._thrown_away > _LINGER_BYTES:
                self.flow.pause_reading()
            return
        self._framing = self._largest_head = self._framing + len(data)
        super().data_received(data)
        if self._head_since is None and not self._is_serving():
            self._head_since = self.loop.time()
        if self._framing > self._bounds.head_bytes:
            self._check_framing()

    def _check_framing(self) -> None:
        allowed = self._bounds.head_bytes + _FRAMING_PER_BODY_BYTE * self._body
        if self._framing > allowed and not self._own and not self.transport.is_closing():
            self._refuse(self._too_large())

    def on_headers_complete(self) -> None:
        """Start the request, unless its head is too large or too many wait before it.

        Raises:
            RequestRefused: It is; the parser stops, and `send_400_response` tells the client.
        """
        self._head_since = None
        if not self._own and self._is_too_large():
            self._refused = self._too_large()
        elif len(self.pipeline) >= MOST_PIPELINED:
            self._refused = RequestRefused(429, "pipelined", "Too many requests wait on this connection.")
        if self._refused is not None:
            raise self._refused
        super().on_headers_complete()

    def on_chunk_header(self) -> None:
        """The size of a chunk.

        Raises:
            RequestRefused: There are too many small ones; the parser stops here.
        """
        self._chunks += 1
        if self._chunks > _MOST_CHUNKS + self._body // _LEAST_CHUNK_BYTES and not self._own:
            self._refused = RequestRefused(
                413, "too_many_chunks", f"Send chunks of at least {_LEAST_CHUNK_BYTES} bytes."
            )
            raise self._refused

    def on_body(self, body: bytes) -> None:
        """A part of a body."""
        self._framing -= len(body)
        self._body += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The end of a request.

        Raises:
            RequestRefused: Its trailers are too many.
        """
        self._framing = self._body = self._chunks = 0
        if len(self.headers) > self._bounds.headers and not self._own:
            self._refused = self._too_large()
            raise self._refused
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """A request that was answered before it was whole is not read to its end, which may never come."""
        self._unsent = None  # the buffer has grown by an answer: what was seen of it before says nothing
        last = not self.pipeline and not self.transport.is_closing()
        if last and self._says_last is not None:
            self.transport.write(_raw(self._says_last))
        if last and (self._closes or self._says_last is not None or self.cycle.more_body):
            self._linger()
            return
        self._idle_since = self.loop.time()
        super().on_response_complete()

    def _linger(self) -> None:
        """Say no more, and throw away what still comes."""
        self._lingers_since = self.loop.time()
        if self._thrown_away <= _LINGER_BYTES:
            self.flow.resume_reading()
        if self.transport.can_write_eof():
            self.transport.write_eof()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGIApp) -> None:  # type: ignore[override]
        super()._start_asgi_task(cycle, partial(self._run, cycle, app))

    def _run(
        self, cycle: RequestResponseCycle, app: ASGIApp, scope: Scope, receive: Receive, send: Send
    ) -> Awaitable[None]:
        def start_or_go_on(message: Message) -> Awaitable[None]:
            early = cycle.more_body and not cycle.response_started and not cycle.disconnected
            return self._start_early(cycle, message) if early else send(message)

        return app(scope, receive, start_or_go_on)

    async def _start_early(self, cycle: RequestResponseCycle, message: Message) -> None:
        """Begin an answer before the request is whole.

        The connection ends after it, so a client must hear that: it would send its next request in vain.
        """
        self._closes = True
        headers = [*message.get("headers", ()), (b"connection", b"close")]
        await cycle.send({**message, "headers": headers})  # type: ignore[arg-type]
        cycle.keep_alive = True  # closed at once, the client would lose the answer; it lingers instead

    def send_400_response(self, msg: str) -> None:
        """Refuse what cannot be read as a request, in the shape of every other refusal."""
        self._refuse(self._refused or RequestRefused(400, "not_http", msg))

    def sweep(self, now: float) -> None:
        """Cut the client if it is slower than it may be."""
        if self.transport.is_closing():
            self._closed_since = self._closed_since or now
            if now - self._closed_since > FLUSH_SECONDS:
                self.transport.abort()
        elif self._lingers_since is not None:
            if now - self._lingers_since > LINGER_SECONDS:
                self.transport.close()
        elif not self._own:
            if self._says_last is None:
                self._sweep_head(now)
            self._sweep_unsent(now)

    def unsent(self) -> int:
        """Bytes of answers that the client has not taken yet."""
        return 0 if self._own else self.transport.get_write_buffer_size()

    def waits_since(self) -> float | None:
        """Since when no request is served here; None while one is."""
        if self._is_serving():
            return None
        return self._idle_since if self._head_since is None else self._head_since

    def _is_serving(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not cycle.response_complete

    def _sweep_head(self, now: float) -> None:
        if self._head_since is None:
            return
        if self.flow.read_paused:  # it is we who do not read
            self._head_since = now
        elif now - self._head_since > self._bounds.head_seconds:
            seconds = f"{self._bounds.head_seconds:g}"
            self._refuse(
                RequestRefused(408, "too_slow", f"The request's head did not arrive within {seconds} s.")
            )

    def _sweep_unsent(self, now: float) -> None:
        """An answer has to be taken at the least rate; what is in the buffer is counted, never asked."""
        size = self.transport.get_write_buffer_size()
        if not size:
            self._unsent = None
        elif self._unsent is None:
            self._unsent = (now, size)
        elif now - self._unsent[0] > self._bounds.write_seconds:
            since, before = self._unsent
            if before - size < self._bounds.bytes_per_second * (now - since):
                self.transport.abort()
            self._unsent = (now, size)

    def _is_too_large(self) -> bool:
        if len(self.headers) > self._bounds.headers:
            return True
        if self._largest_head <= self._bounds.head_bytes:  # what came since the last request is no more
            return False
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        return size > self._bounds.head_bytes

    def _too_large(self) -> RequestRefused:
        bounds = self._bounds
        return RequestRefused(
            431,
            "head_too_large",
            f"A request's head may have at most {bounds.head_bytes} bytes and {bounds.headers} headers.",
        )

    def _refuse(self, refused: RequestRefused) -> None:
        """Say why and close, after the answers to requests that came whole before."""
        cycle: RequestResponseCycle | None = self.cycle
        broken = cycle is not None and cycle.more_body and not cycle.response_complete
        if not self._is_serving():
            self.transport.write(_raw(refused))
            self._linger()
        elif not broken:
            self._says_last = refused
        elif self.pipeline:
            self.pipeline.popleft()  # the newest, which will never be whole
            self._says_last = refused
        elif self.cycle.response_started:
            self.transport.close()
        else:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            self.transport.write(_raw(refused))
            self._linger()


def sweep(connections: Iterable[asyncio.Protocol], now: float, unsent_bytes: int) -> None:
    """Cut slow clients; and where all answers waiting to be read are too much, those that hold the most."""
    bounded = [connection for connection in connections if isinstance(connection, BoundedConnection)]
    for connection in bounded:
        connection.sweep(now)
    sizes = [(each.unsent(), number) for number, each in enumerate(bounded)]
    total = sum(size for size, _ in sizes)
    if total <= unsent_bytes:
        return
    for size, number in sorted(sizes, reverse=True):
        if total <= unsent_bytes:
            return
        bounded[number].transport.abort()
        total -= size


def _give_up_some(connections: Iterable[asyncio.Protocol], newest: BoundedConnection) -> None:
    """Cut a sixteenth of the connections, those that wait longest; the newest where none waits."""
    bounded = [each for each in connections if isinstance(each, BoundedConnection) and each is not newest]
    waiting = [
        (since, number) for number, each in enumerate(bounded) if (since := each.waits_since()) is not None
    ]
    for _, number in heapq.nsmallest(max(1, len(bounded) // 16), waiting):
        bounded[number].transport.abort()
    if not waiting:
        newest.transport.abort()


def _raw(refused: RequestRefused) -> bytes:
    """A refusal as the bytes of a whole response."""
    body = orjson.dumps({"error": {"code": refused.code, "message": str(refused)}})
    head = (
        f"HTTP/1.1 {refused.status} {_PHRASES.get(refused.status, 'Refused')}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
    )
    return head.encode() + body


_PHRASES = {400: "Bad Request", 408: "Request Timeout", 413: "Content Too Large", 429: "Too Many Requests"}
