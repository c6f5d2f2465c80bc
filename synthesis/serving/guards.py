"""Guards: what every request must pass first: host, origin, token, rate, size, time, room."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections import OrderedDict
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from synthesis.errors import WorldwrightError
from synthesis.serving.faults import Refused, fault, refusal_of
from synthesis.serving.metrics import Metrics
from synthesis.serving.settings import LOOPBACK, ServeSettings

_OPEN_PATHS = frozenset({"/health"})
"""Answered without a token, for load balancers."""

_MAX_CLIENTS = 10_000


class _ClientGone(Exception):  # nobody is left to be told of an error
    """The client left before its request was whole."""


class Guards:
    """An ASGI application around another one."""

    def __init__(self, app: ASGIApp, settings: ServeSettings, metrics: Metrics) -> None:
        self.app, self.settings, self.metrics = app, settings, metrics
        self.in_flight = 0
        self._hosts = settings.hosts
        self._expected = f"Bearer {settings.token}".encode() if settings.token else None
        self._rate = Rate(settings.rate) if settings.rate else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            self._admit(scope)
            receive = await self._with_body(scope, receive)
        except _ClientGone:
            self.metrics.count("worldwright_refusals_total", "code", "client_gone")
            return
        except Refused as refused:
            self.metrics.count("worldwright_refusals_total", "code", refused.code)
            await fault(refused)(scope, receive, send)
            return
        self.in_flight += 1
        try:
            await self.app(scope, receive, send)
        except WorldwrightError as error:
            await fault(refusal_of(error))(scope, receive, send)
        finally:
            self.in_flight -= 1

    def _admit(self, scope: Scope) -> None:
        headers: dict[bytes, bytes] = dict(scope["headers"])
        self._check_host(headers)
        self._check_origin(headers)
        if self._expected is not None and scope["path"] not in _OPEN_PATHS:
            given = headers.get(b"authorization", b"")
            if not hmac.compare_digest(given, self._expected):
                raise Refused(401, "token", "This server asks for a token: Authorization: Bearer <token>.")
        if self._rate is not None and not self._rate.allows(self._client(scope, headers)):
            raise Refused(
                429, "rate", f"More than {self._rate.per_second:g} requests a second.", retry_after=1
            )
        if self.in_flight >= self.settings.max_in_flight:
            raise Refused(503, "busy", "Too many requests at once; try again in a moment.", retry_after=1)

    def _check_host(self, headers: dict[bytes, bytes]) -> None:
        """A page on another site that resolves to this machine (DNS rebinding) names a foreign host."""
        if self._hosts is None:
            return
        host = _hostname(headers.get(b"host", b"").decode("latin-1"))
        if host not in self._hosts:
            raise Refused(
                421, "host", f"This server does not answer for the host {host!r}; see --allow-host."
            )

    def _check_origin(self, headers: dict[bytes, bytes]) -> None:
        """Only browsers send Origin; pages of other sites are not clients."""
        origin = headers.get(b"origin", b"").decode("latin-1")
        if not origin or origin in self.settings.allowed_origins or urlsplit(origin).hostname in LOOPBACK:
            return
        raise Refused(403, "origin", f"Pages of {origin!r} may not use this server; see --allow-origin.")

    def _client(self, scope: Scope, headers: dict[bytes, bytes]) -> str:
        if self.settings.trusted_proxy and (chain := headers.get(b"x-forwarded-for")):
            return chain.rsplit(b",", 1)[-1].strip().decode("latin-1")
        return scope["client"][0] if scope.get("client") else ""

    async def _with_body(self, scope: Scope, receive: Receive) -> Receive:
        """The whole body, within its limits, before a handler starts; then whatever else the client sends."""
        if scope["method"] in ("GET", "HEAD", "DELETE"):
            return receive
        limit = self.settings.max_body_bytes
        length = dict(scope["headers"]).get(b"content-length", b"")
        if length.isdigit() and int(length) > limit:
            raise Refused(413, "too_large", f"The body has {int(length)} bytes; {limit} are allowed.")
        try:
            async with asyncio.timeout(self.settings.body_seconds):
                messages = await _read(receive, limit)
        except TimeoutError as error:
            raise Refused(408, "too_slow", "The body did not arrive in time.") from error

        async def replay() -> Message:
            return messages.pop(0) if messages else await receive()

        return replay


async def _read(receive: Receive, limit: int) -> list[Message]:
    messages, size = [], 0
    while True:
        message = await receive()
        messages.append(message)
        size += len(message.get("body", b""))
        if size > limit:
            raise Refused(413, "too_large", f"The body has more than the {limit} bytes that are allowed.")
        if message["type"] != "http.request":
            raise _ClientGone
        if not message.get("more_body"):
            return messages


def _hostname(host: str) -> str:
    """The name in a Host header, without port and brackets."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].lower()


class Rate:
    """A token bucket per client; the clients longest silent are forgotten first."""

    def __init__(self, per_second: float) -> None:
        self.per_second, self.burst = per_second, max(1.0, per_second * 10)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, client: str) -> bool:
        """Take one token, if there is one."""
        now = time.monotonic()
        left, seen = self._buckets.pop(client, (self.burst, now))
        left = min(self.burst, left + (now - seen) * self.per_second)
        allowed = left >= 1
        self._buckets[client] = (left - 1 if allowed else left, now)
        if len(self._buckets) > _MAX_CLIENTS:
            self._buckets.popitem(last=False)
        return allowed
