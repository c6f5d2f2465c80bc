"""Announcer: tells a studio of this server, gives signs of life with its load, and leaves when it stops.

A thread of its own, beside the server's event loop. It asks the server's own /health over its socket, so what
it reports is what clients meet: a server that no longer answers counts as unhealthy.
"""

from __future__ import annotations

import contextlib
import http.client
import logging
import re
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import orjson

from synthesis.documents.bundle import Bundle
from synthesis.documents.document import Document
from synthesis.errors import InvalidInput
from synthesis.serving.release import VERSION

log = logging.getLogger("worldwright.serving")

_ANSWER_SECONDS = 5.0
"""How long the studio and the server's own /health may take."""
_MOST_BYTES = 1_048_576
_LONGEST_WAIT = 60.0
"""Between two attempts to register."""
_HEARTBEAT_BOUNDS = (0.1, 300.0)
_UNWANTED = re.compile(r"[^A-Za-z0-9._:-]+")
"""What the name of a server cannot have."""


class StudioRefused(Exception):
    """The studio answered, and did not do it.

    Args:
        status: HTTP status.
        message: Why.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Registered(Document):
    """What the studio answers to a registration."""

    id: int
    session: str
    heartbeat_seconds: float


class _Served(NamedTuple):
    """What is announced, known once the server listens."""

    listening: str
    description: dict[str, Any]


class Announcer:
    """Announces one server to one studio.

    Args:
        studio: The studio's address.
        token: Its token.
        name: What the server is called; host and port when empty.
        capacity: Instances the server can have at once.
        sandbox: The layers around generated code, as GET /health has them.

    Raises:
        InvalidInput: The address cannot be used.
    """

    def __init__(
        self, studio: str, token: str, *, name: str = "", capacity: int, sandbox: Mapping[str, Any]
    ) -> None:
        self._studio, self._token = _studio_address(studio), token
        self._name, self._capacity, self._sandbox = name, capacity, sandbox
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._last_problem = ""

    def begin(self, listening: str, url: str, bundles: Mapping[str, Bundle]) -> None:
        """Announce from now on, in the background.

        Args:
            listening: URL of the socket the server listens on.
            url: URL under which clients reach it.
            bundles: What it serves.
        """
        description = {
            "name": self._name or _UNWANTED.sub("-", f"{socket.gethostname()}:{urlsplit(listening).port}"),
            "address": url,
            "release": VERSION,
            "capacity": self._capacity,
            "bundles": {name: bundle.environment.fingerprint for name, bundle in bundles.items()},
            "sandbox": {
                "mode": self._sandbox.get("mode", "unknown"),
                "layers": {each["name"]: each["in_force"] for each in self._sandbox.get("layers", ())},
            },
        }
        self._thread = threading.Thread(
            target=self._announce, args=(_Served(listening, description),), name="announcer", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """The server is about to stop: leave, in the background."""
        self._stopping.set()

    def close(self) -> None:
        """Stop, and wait until the studio knows or cannot be reached."""
        self.stop()
        if self._thread is not None:
            self._thread.join(3 * _ANSWER_SECONDS)

    def _announce(self, served: _Served) -> None:
        registered: Registered | None = None
        wait, failures = 0.0, 0
        while not self._stopping.wait(wait):
            try:
                if registered is None:
                    registered = self._register(served)
                self._give_sign(registered, served)
                wait, failures, self._last_problem = _bounded(registered.heartbeat_seconds), 0, ""
            except StudioRefused as refused:
                if registered is not None and refused.status == 409:
                    log.error("%s This server is no longer announced.", refused)
                    return
                if refused.status == 404:
                    registered = None
                failures += 1
                wait = self._after(f"The studio refuses this server: {refused}", failures)
            except (OSError, http.client.HTTPException, ValueError) as error:
                failures += 1
                wait = self._after(f"The studio cannot be reached: {error}", failures)
        if registered is not None:
            with contextlib.suppress(StudioRefused, OSError, http.client.HTTPException, ValueError):
                self._ask(f"/{registered.id}/leave", {"session": registered.session})

    def _after(self, problem: str, failures: int) -> float:
        """Seconds until the next attempt; a problem is logged once until it changes."""
        if problem != self._last_problem:
            log.warning("%s", problem)
            self._last_problem = problem
        return float(min(_LONGEST_WAIT, 2.0 ** min(failures - 1, 10)))

    def _register(self, served: _Served) -> Registered:
        answer = self._ask("", served.description)
        return Registered.model_validate(answer)

    def _give_sign(self, registered: Registered, served: _Served) -> None:
        health = _health(served.listening)
        body = {
            "session": registered.session,
            "healthy": health.get("status") == "ok",
            "instances": health.get("instances", 0),
            "capacity": health.get("max_instances", 0),
        }
        self._ask(f"/{registered.id}/heartbeat", body)

    def _ask(self, path: str, body: dict[str, Any]) -> Any:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        request = urllib.request.Request(  # noqa: S310 - the operator's own studio, http or https
            f"{self._studio}/api/world-servers{path}", orjson.dumps(body), headers, method="POST"
        )
        try:
            with _OPENER.open(request, timeout=_ANSWER_SECONDS) as answer:
                content = answer.read(_MOST_BYTES)
        except urllib.error.HTTPError as error:
            with error:
                raise StudioRefused(error.code, _reason(error)) from None
        return orjson.loads(content) if content else None


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer like any other: the token goes to no other address."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Follow none."""


_OPENER = urllib.request.build_opener(_NoRedirects)


def _studio_address(address: str) -> str:
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:
        usable = False
    if not usable or {"?", "#"} & set(address):
        raise InvalidInput(
            f"--register {address}: name a studio as http://HOST or https://HOST; its token goes into "
            "WORLDWRIGHT_STUDIO_TOKEN."
        )
    return address.rstrip("/")


def _bounded(seconds: float) -> float:
    lowest, highest = _HEARTBEAT_BOUNDS
    return min(max(seconds, lowest), highest)


def _health(listening: str) -> dict[str, Any]:
    """What the server's own /health says; nothing when it does not answer."""
    parts = urlsplit(listening)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=_ANSWER_SECONDS)
    with contextlib.closing(connection):
        try:
            # Every server answers to this name, whichever address it listens on.
            connection.request("GET", "/health", headers={"Host": "localhost"})
            details = orjson.loads(connection.getresponse().read(_MOST_BYTES))
        except (OSError, http.client.HTTPException, ValueError):
            return {}
    return details if isinstance(details, dict) else {}


def _reason(error: urllib.error.HTTPError) -> str:
    """The studio's message and remedy, on one line of bounded length."""
    try:
        problem = orjson.loads(error.read(_MOST_BYTES))
        text = f"{problem['message']} {problem['remedy']}"
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        text = f"it answers {error.code}"
    return "".join(each if each.isprintable() else " " for each in text[:500]).strip()
