"""Guards: what every request must pass first: host, origin, token, rate, size, time, room."""

from __future__ import annotations

import hmac
import re
import time
from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv6Address

from starlette.types import ASGIApp, Receive, Scope, Send

from synthesis.errors import WorldwrightError
from synthesis.serving.bodies import WITHOUT_BODY, Bodies, Body, ClientGone
from synthesis.serving.credentials import OF_INSTANCES, Credentials, is_an_agents
from synthesis.serving.faults import RequestRefused, fault, refusal_of
from synthesis.serving.metrics import Metrics
from synthesis.serving.settings import LOOPBACK, ServeSettings

_OPEN_PATHS = frozenset({"/health"})
"""Answered without a token, for load balancers."""

_MAX_CLIENTS = 10_000

_AUTHORITY = re.compile(rb"(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<name>[\w.-]*))(?::\d{0,5})?")
"""A host as in RFC 9110, without user names and percent signs; underscores are common in containers."""
_SCHEME = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*")


class Guards:
    """An ASGI application around another one.

    Args:
        app: The other one.
        settings: What is allowed.
        metrics: Where to count refusals.
        credentials: Of the instances behind the other one.
    """

    def __init__(
        self,
        app: ASGIApp,
        settings: ServeSettings,
        metrics: Metrics,
        credentials: Credentials | None = None,
    ) -> None:
        self.app, self.settings, self.metrics, self._credentials = app, settings, metrics, credentials
        self.in_flight = 0
        self._bodies = Bodies(settings)
        self._hosts = settings.hosts
        self._expected = f"Bearer {settings.token}".encode() if settings.token else None
        self._rate = Rate(settings.rate) if settings.rate else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers: dict[bytes, bytes] = dict(scope["headers"])
        try:
            self._admit(scope, headers)
        except RequestRefused as refused:
            await self._refuse(refused, scope, receive, send)
            return
        if scope["type"] == "websocket":
            await self.app(scope, receive, send)
            return
        self.in_flight += 1
        try:
            if scope["method"] in WITHOUT_BODY:
                await self._serve(scope, receive, send)
            else:
                await self._serve_with_body(headers, scope, receive, send)
        finally:
            self.in_flight -= 1

    async def _serve_with_body(
        self, headers: dict[bytes, bytes], scope: Scope, receive: Receive, send: Send
    ) -> None:
        """The whole body, within its limits, before a handler starts; then whatever else the client sends."""
        body = Body(self._bodies, self._client(scope, headers))
        try:
            receive = await body.read(headers, receive)
            await self._serve(scope, receive, send)
        except ClientGone:
            self.metrics.count("worldwright_refusals_total", "code", "client_gone")
        except RequestRefused as refused:
            await self._refuse(refused, scope, receive, send)
        finally:
            body.release()

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self.app(scope, receive, send)
        except WorldwrightError as error:
            await fault(refusal_of(error))(scope, receive, send)

    async def _refuse(self, refused: RequestRefused, scope: Scope, receive: Receive, send: Send) -> None:
        self.metrics.count("worldwright_refusals_total", "code", refused.code)
        await fault(refused)(scope, receive, send)

    def _admit(self, scope: Scope, headers: dict[bytes, bytes]) -> None:
        self._check_host(scope["headers"], headers)
        self._check_origin(headers)
        if self._credentials is not None and scope["path"].startswith(OF_INSTANCES):
            self._credentials.grant(
                scope
            )  # the handler asks again for what; here nothing is read for a stranger
        elif scope["path"] not in _OPEN_PATHS:
            self._check_token(headers)
        if self._rate is not None and not self._rate.allows(self._client(scope, headers)):
            raise RequestRefused(
                429, "rate", f"More than {self._rate.per_second:g} requests a second.", retry_after=1
            )
        if self.in_flight >= self.settings.max_in_flight:
            raise RequestRefused(
                503, "busy", "Too many requests at once; try again in a moment.", retry_after=1
            )

    def _check_token(self, headers: dict[bytes, bytes]) -> None:
        given = headers.get(b"authorization", b"")
        if self._expected is not None and not hmac.compare_digest(given, self._expected):
            raise RequestRefused(401, "token", "This server requires a token: Authorization: Bearer <token>.")
        if is_an_agents(given):
            raise RequestRefused(403, "role", "An agent's credential opens the tools of its instance only.")

    def _check_host(self, listed: Sequence[tuple[bytes, bytes]], headers: dict[bytes, bytes]) -> None:
        """A page on another site that resolves to this machine (DNS rebinding) names a foreign host."""
        host = _hostname(headers.get(b"host", b""))
        repeated = len(listed) > len(headers) and sum(name == b"host" for name, _ in listed) > 1
        if host is None or repeated:
            raise RequestRefused(
                400, "host", "The Host header must be one name or address, optionally with a port."
            )
        if self._hosts is not None and host not in self._hosts:
            raise RequestRefused(
                421, "host", f"This server does not accept the host {host!r}; see --allow-host."
            )

    def _check_origin(self, headers: dict[bytes, bytes]) -> None:
        """Only browsers send Origin; pages of other sites are not clients."""
        given = headers.get(b"origin", b"")
        if not given:
            return
        origin = given.decode("latin-1")
        if origin in self.settings.allowed_origins:
            return
        scheme, _, authority = given.partition(b"://")
        host = _hostname(authority) if _SCHEME.fullmatch(scheme) else None
        if host is None and given != b"null":
            raise RequestRefused(
                400, "origin", "The Origin header must be a scheme, a host and optionally a port."
            )
        if host not in LOOPBACK:
            raise RequestRefused(
                403, "origin", f"Pages of {origin!r} may not use this server; see --allow-origin."
            )

    def _client(self, scope: Scope, headers: dict[bytes, bytes]) -> str:
        if self.settings.trusted_proxy and (chain := headers.get(b"x-forwarded-for")):
            return chain.rsplit(b",", 1)[-1].strip().decode("latin-1")
        return scope["client"][0] if scope.get("client") else ""


@lru_cache(maxsize=256)
def _hostname(authority: bytes) -> str | None:
    """The name in a Host header or an origin, without port and brackets; None where it is none at all."""
    match = _AUTHORITY.fullmatch(authority)
    if match is None:
        return None
    if match["v6"] is None:
        return match["name"].decode().lower()
    try:
        return str(IPv6Address(match["v6"].decode()))
    except ValueError:
        return None


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
