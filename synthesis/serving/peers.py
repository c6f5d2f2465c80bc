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
from urllib.parse import parse_qs

import orjson
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from synthesis.serving.faults import RequestRefused, answer, fault
from synthesis.serving.openenv_messages import RELAY

_OWNER = re.compile(r"^/i/w(\d{1,3})-")
_COOKIE_OWNER = re.compile(rb"worldwright_instance=w(\d{1,3})-")
"""In the Cookie header: the session of a NeMo Gym client."""
_RPC_OWNER = re.compile(rb'"session_id"\s*:\s*"w(\d{1,3})-')
"""In a body of POST /mcp: the session of an OpenEnv client."""
_SESSION = re.compile(r"w(\d{1,3})-[\w.-]{1,200}", re.ASCII)
_HOP = frozenset(
    {b"connection", b"keep-alive", b"transfer-encoding", b"content-length", b"expect", b"te", b"upgrade"}
)
_MAX_HEAD = 65_536
_ALIVE_SECONDS = 0.7
"""How long a process may take to answer for its part of /health and /metrics."""
_SILENT_ALIVE_SECONDS = 0.1
"""The same of one that did not a short while ago."""
_PATIENCE_SECONDS = 5.0
"""The same where a call waits for it: that is not given up for a machine that is slow."""
_DOUBT_SECONDS = 3.0
"""How long an answer may take before the process is asked whether it is there; calls may take longer."""
_OPEN_ROUNDS = ((0.3, 0.4), (_DOUBT_SECONDS, _PATIENCE_SECONDS))
"""Doubt and patience for a new instance: short ones first, as another process can open it as well."""
_SILENT_SECONDS = 10.0
"""How long a process that did not say so gets no new instances."""
_HEALTH = b"GET /health HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n"
_STALE_SECONDS = 30.0
"""A pooled connection idle for longer is not used again: the peer may be about to close it."""


def prefix_of(index: int) -> str:
    """What the ids of a process start with."""
    return f"w{index}-"


@dataclass(frozen=True)
class PeerReply:
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
    silent_since: float | None = None
    """When it was last found not to answer, stopped or stuck; None when it answered since."""

    @property
    def is_silent(self) -> bool:
        """Whether it did not answer a short while ago."""
        return self.silent_since is not None and time.monotonic() - self.silent_since < _SILENT_SECONDS

    async def ask(
        self, head: bytes, body: bytes, *, doubt: float = _DOUBT_SECONDS, patience: float = _PATIENCE_SECONDS
    ) -> PeerReply:
        """One request and its answer, as long as it takes and the process lives.

        Args:
            head: Of the request.
            body: Of the request.
            doubt: Seconds until the process is asked whether it is there, and again from then on.
            patience: Seconds it may take to say so.

        Raises:
            RequestRefused: The process is not there, ended before it answered, or does nothing any more.
        """
        answer = asyncio.ensure_future(self._ask(head, body))
        try:
            while not (await asyncio.wait({answer}, timeout=doubt))[0]:
                await self.ask_soon(_HEALTH, seconds=patience)
            return answer.result()
        finally:
            answer.cancel()

    async def ask_soon(self, head: bytes, *, seconds: float | None = None) -> PeerReply:
        """One request without a body that every process that is alive answers at once.

        Raises:
            RequestRefused: It did not.
        """
        if seconds is None:
            seconds = _SILENT_ALIVE_SECONDS if self.is_silent else _ALIVE_SECONDS
        try:
            async with asyncio.timeout(seconds):
                reply = await self._ask(head, b"")
        except TimeoutError as error:
            self.silent_since = time.monotonic()
            raise RequestRefused(
                504, "worker_silent", "The server process of this instance does not answer.", retry_after=5
            ) from error
        self.silent_since = None
        return reply

    async def _ask(self, head: bytes, body: bytes) -> PeerReply:
        try:
            reader, writer = await self._connection()
            try:
                writer.write(head + body)
                reply, keep = await _read_reply(reader)
            except BaseException:
                writer.close()
                raise
        except (OSError, EOFError, ValueError, asyncio.LimitOverrunError) as error:
            raise RequestRefused(
                502, "worker_lost", "The server process of this instance exited; create another instance."
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


async def _read_reply(reader: asyncio.StreamReader) -> tuple[PeerReply, bool]:
    """A whole HTTP/1.1 response with a known length, and whether the connection stays open."""
    head = await reader.readuntil(b"\r\n\r\n")
    status_line, *lines = head[:-4].split(b"\r\n")
    headers = tuple(
        (name.strip().lower(), value.strip()) for name, _, value in (line.partition(b":") for line in lines)
    )
    details = dict(headers)
    status = int(status_line.split(b" ", 2)[1])
    if b"transfer-encoding" in details:
        raise ValueError("a peer answers with a length")
    body = await reader.readexactly(int(details.get(b"content-length", b"0")))
    return PeerReply(status, headers, body), details.get(b"connection", b"").lower() != b"close"


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
            self._lead(scope)
            await self.app(scope, receive, send)
            return
        path, method = scope["path"], scope["method"]
        if path == "/mcp" and method == "POST":
            body = await Request(scope, receive).body()
            receive = _again(body, receive)
            owner = self._other(_RPC_OWNER.search(body))
        else:
            owner = self._other(_OWNER.match(path) or _COOKIE_OWNER.search(_header(scope, b"cookie")))
        if owner is not None:
            await self._relay(owner, scope, receive, send)
            return
        response: Response | None = None
        try:
            if path == "/instances" and method == "POST":
                response = await self._open(scope, receive)
            elif path == "/metrics" and method == "GET":
                response = await self._metrics(scope)
            elif path == "/health" and method == "GET":
                response = await self._health(scope)
        except RequestRefused as refused:
            response = fault(refused)
        await (response or self.app)(scope, receive, send)

    def _other(self, match: re.Match[str] | re.Match[bytes] | None) -> Peer | None:
        """The process that a match names in its first group, unless it is this one."""
        owner = int(match[1]) if match is not None else self.index
        return self.peers[owner] if owner != self.index and owner < len(self.peers) else None

    def _lead(self, scope: Scope) -> None:
        """Have the messages of a socket answered by the process that has its session."""
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("session_id", [""])[0]
        session = _SESSION.fullmatch(given)
        owner = self._other(session)
        if session is None or owner is None:
            return

        async def relay(message: dict[str, Any]) -> dict[str, Any]:
            body = orjson.dumps(message)
            head = (
                f"POST /i/{given}/openenv HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(body)}\r\n\r\n"
            )
            reply = await owner.ask(head.encode(), body)
            values: dict[str, Any] = orjson.loads(reply.body)
            if reply.status != 200:
                raise RequestRefused(reply.status, values["error"]["code"], values["error"]["message"])
            return values

        scope[RELAY] = relay

    async def _relay(self, peer: Peer, scope: Scope, receive: Receive, send: Send) -> None:
        body = await Request(scope, receive).body()
        try:
            response = (await peer.ask(_head(scope, body), body)).response()
        except RequestRefused as refused:
            response = fault(refused)
        await response(scope, receive, send)

    async def _open(self, scope: Scope, receive: Receive) -> Response:
        """Make the instance in the next process in turn that has room."""
        body = await Request(scope, receive).body()
        head = _head(scope, body)
        for doubt, patience in _OPEN_ROUNDS:
            response: Response | None = None
            for peer in self._in_turn():
                with contextlib.suppress(RequestRefused):
                    reply = await peer.ask(head, body, doubt=doubt, patience=patience)
                    response = reply.response()
                    if reply.status != 503:
                        return response
            if response is not None:
                return response
        return fault(RequestRefused(503, "capacity", "No server process answers.", retry_after=5))

    def _in_turn(self) -> list[Peer]:
        """All of them, beginning with the next; those that were silent a short while ago come last."""
        self._next = (self._next + 1) % len(self.peers)
        turned = [*self.peers[self._next :], *self.peers[: self._next]]
        return sorted(turned, key=lambda peer: peer.is_silent)

    async def _all(self, scope: Scope) -> list[PeerReply]:
        """What every process that answers says to a request without a body."""
        head = _head(scope, b"")
        replies = await asyncio.gather(*(peer.ask_soon(head) for peer in self.peers), return_exceptions=True)
        return [reply for reply in replies if isinstance(reply, PeerReply)]

    async def _metrics(self, scope: Scope) -> Response:
        texts = [reply.body.decode() for reply in await self._all(scope)]
        return PlainTextResponse(summed(texts), media_type="text/plain; version=0.0.4")

    async def _health(self, scope: Scope) -> Response:
        messages: list[dict[str, Any]] = [orjson.loads(reply.body) for reply in await self._all(scope)]
        if not messages:
            raise RequestRefused(503, "stopping", "No server process answers.")
        total = {name: sum(each[name] for each in messages) for name in ("instances", "max_instances")}
        workers = {"workers": len(self.peers), "workers_answering": len(messages)}
        stopping = any(each["status"] != "ok" for each in messages)
        return answer({**messages[0], **total, **workers}, 503 if stopping else 200)


def _header(scope: Scope, wanted: bytes) -> bytes:
    return next((bytes(value) for name, value in scope["headers"] if name == wanted), b"")


def _again(body: bytes, receive: Receive) -> Receive:
    """What gives a body that was read once more, then what comes after it."""
    parts: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return parts.pop() if parts else await receive()

    return replay


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
