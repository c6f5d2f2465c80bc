"""Peers: several server processes behind one address; a request finds the process that has its instance.

All processes accept from one listening socket, so the kernel spreads connections over them, and every id
says which process made it (`w2-...`). A request that came to the wrong process is relayed to the right one
over a private Unix socket. The other ways were worse: a port per process has to be published and balanced by
clients; a front process that relays everything is the bottleneck that more processes were to remove; passing
the accepted socket on fails when one connection serves several instances.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from dataclasses import dataclass, field
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from synthesis.serving.faults import Refused, answer, fault

_OWNER = re.compile(r"^/i/w(\d{1,3})-")
_HOP = frozenset(
    {b"connection", b"keep-alive", b"transfer-encoding", b"content-length", b"expect", b"te", b"upgrade"}
)
_MAX_HEAD = 65_536
_STALE_SECONDS = 30.0
"""A pooled connection idle for longer is not used again: the peer may be about to close it."""


def prefix_of(index: int) -> str:
    """What the ids of a process start with."""
    return f"w{index}-"


@dataclass(frozen=True)
class Reply:
    """What a peer answered."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes

    def response(self) -> Response:
        """The same to our client."""
        response = Response(self.body, self.status)
        response.raw_headers = [(name, value) for name, value in self.headers if name not in _HOP]
        response.raw_headers.append((b"content-length", str(len(self.body)).encode()))
        if self.status == 204:
            response.raw_headers.pop()
        return response


@dataclass
class Peer:
    """One process and the idle connections to it."""

    path: str
    idle: list[tuple[float, asyncio.StreamReader, asyncio.StreamWriter]] = field(default_factory=list)

    async def ask(self, head: bytes, body: bytes) -> Reply:
        """One request and its answer.

        Raises:
            Refused: The process is not there or ended before it answered.
        """
        try:
            reader, writer = await self._connection()
            try:
                writer.write(head + body)
                reply, keep = await _read_reply(reader)
            except BaseException:
                writer.close()
                raise
        except (OSError, EOFError, ValueError, asyncio.LimitOverrunError) as error:
            raise Refused(
                502, "worker_lost", "The server process of this instance ended; make another instance."
            ) from error
        if keep:
            self.idle.append((time.monotonic(), reader, writer))
        else:
            writer.close()
        return reply

    async def _connection(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        while self.idle:
            since, reader, writer = self.idle.pop()
            if time.monotonic() - since < _STALE_SECONDS and not reader.at_eof() and not writer.is_closing():
                return reader, writer
            writer.close()
        return await asyncio.open_unix_connection(self.path, limit=_MAX_HEAD)


async def _read_reply(reader: asyncio.StreamReader) -> tuple[Reply, bool]:
    """A whole HTTP/1.1 response with a known length, and whether the connection stays open."""
    head = await reader.readuntil(b"\r\n\r\n")
    status_line, *lines = head[:-4].split(b"\r\n")
    headers = tuple(
        (name.strip().lower(), value.strip()) for name, _, value in (line.partition(b":") for line in lines)
    )
    told = dict(headers)
    status = int(status_line.split(b" ", 2)[1])
    if b"transfer-encoding" in told:
        raise ValueError("a peer answers with a length")
    body = await reader.readexactly(int(told.get(b"content-length", b"0")))
    return Reply(status, headers, body), told.get(b"connection", b"").lower() != b"close"


class Peers:
    """An ASGI application before the local one, which serves what is local and relays the rest.

    Args:
        app: The local application.
        index: Which process this is.
        sockets: The private sockets of all processes, this one's included, by index.
    """

    def __init__(self, app: ASGIApp, index: int, sockets: list[str]) -> None:
        self.app, self.index = app, index
        self.peers = [Peer(path) for path in sockets]
        self._next = index

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or relay one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path, method = scope["path"], scope["method"]
        if found := _OWNER.match(path):
            owner = int(found[1])
            if owner != self.index and owner < len(self.peers):
                await self._relay(self.peers[owner], scope, receive, send)
                return
        response: Response | None = None
        try:
            if path == "/instances" and method == "POST":
                response = await self._open(scope, receive)
            elif path == "/metrics" and method == "GET":
                response = await self._metrics(scope)
            elif path == "/health" and method == "GET":
                response = await self._health(scope)
        except Refused as refused:
            response = fault(refused)
        await (response or self.app)(scope, receive, send)

    async def _relay(self, peer: Peer, scope: Scope, receive: Receive, send: Send) -> None:
        body = await Request(scope, receive).body()
        try:
            response = (await peer.ask(_head(scope, body), body)).response()
        except Refused as refused:
            response = fault(refused)
        await response(scope, receive, send)

    async def _open(self, scope: Scope, receive: Receive) -> Response:
        """Make the instance in the next process in turn that has room."""
        body = await Request(scope, receive).body()
        head = _head(scope, body)
        response = fault(Refused(503, "capacity", "No server process answers.", retry_after=5))
        for _ in self.peers:
            self._next = (self._next + 1) % len(self.peers)
            with contextlib.suppress(Refused):
                reply = await self.peers[self._next].ask(head, body)
                response = reply.response()
                if reply.status != 503:
                    break
        return response

    async def _all(self, scope: Scope) -> list[Reply]:
        """What every process that is there says to a request without a body."""
        head = _head(scope, b"")
        replies = await asyncio.gather(*(peer.ask(head, b"") for peer in self.peers), return_exceptions=True)
        return [reply for reply in replies if isinstance(reply, Reply)]

    async def _metrics(self, scope: Scope) -> Response:
        texts = [reply.body.decode() for reply in await self._all(scope)]
        return PlainTextResponse(summed(texts), media_type="text/plain; version=0.0.4")

    async def _health(self, scope: Scope) -> Response:
        told: list[dict[str, Any]] = [orjson.loads(reply.body) for reply in await self._all(scope)]
        if not told:
            raise Refused(503, "stopping", "No server process answers.")
        total = {name: sum(each[name] for each in told) for name in ("instances", "max_instances")}
        workers = {"workers": len(self.peers), "workers_answering": len(told)}
        stopping = any(each["status"] != "ok" for each in told)
        return answer({**told[0], **total, **workers}, 503 if stopping else 200)


def _head(scope: Scope, body: bytes) -> bytes:
    """The head of a request as it is passed on."""
    query = scope.get("query_string", b"")
    target = scope.get("raw_path") or scope["path"].encode()
    lines = [b"%s %s HTTP/1.1" % (scope["method"].encode(), target + (b"?" + query if query else b""))]
    lines += [b"%s: %s" % (name, value) for name, value in scope["headers"] if name not in _HOP]
    lines.append(b"content-length: %d" % len(body))
    return b"\r\n".join([*lines, b"", b""])


def summed(texts: list[str]) -> str:
    """Several Prometheus texts as one: equal series are added, a family's series stay together."""
    families: dict[str, dict[str, float]] = {}
    for text in texts:
        family: dict[str, float] = {}
        for line in text.splitlines():
            if line.startswith("#"):
                family = families.setdefault(line, {})
            elif line:
                series, _, value = line.rpartition(" ")
                family[series] = family.get(series, 0.0) + float(value)
    lines = [
        line
        for type_line, family in families.items()
        for line in (type_line, *(f"{series} {value:.12g}" for series, value in family.items()))
    ]
    return "\n".join([*lines, ""])
