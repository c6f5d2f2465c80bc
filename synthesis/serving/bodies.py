"""Bodies: request bodies, read whole before a handler starts, within limits of size, time and sum."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping

from starlette.types import Message, Receive

from synthesis.serving.faults import RequestRefused
from synthesis.serving.settings import ServeSettings
from synthesis.worlds.limits import Limits
from synthesis.worlds.sandbox.protocol import UNCOUNTED_BYTES, brackets_in

GRACE_SECONDS = 5.0
"""How long a body may take however little of it has come; then the least rate counts."""

MOST_BRACKETS = Limits().max_brackets
"""Opening brackets and braces in a body, those in its texts too: as many as in a result."""

WITHOUT_BODY = frozenset({"GET", "HEAD", "DELETE"})


class ClientGone(Exception):  # nobody is left to be told of an error
    """The client left before its request was whole."""


class Bodies:
    """What all bodies that are read or served take together."""

    def __init__(self, settings: ServeSettings) -> None:
        self.settings = settings
        self.places = max(1, settings.max_in_flight // 2)
        self.reading = Counter[str]()
        """Bodies that are being read, by client."""
        self.bytes = 0

    def begin(self, client: str) -> None:
        """Take a place; one client gets as many as it leaves free for others.

        Raises:
            RequestRefused: There is none (503).
        """
        free = self.places - self.reading.total()
        if free <= 0 or self.reading[client] > free:
            raise RequestRefused(
                503, "busy", "Too many bodies are being sent; try again in a moment.", retry_after=1
            )
        self.reading[client] += 1

    def end(self, client: str) -> None:
        """Give the place back."""
        self.reading[client] -= 1
        if not self.reading[client]:
            del self.reading[client]


class Body:
    """The body of one request, in the sum from its first byte until it is released.

    Args:
        bodies: The sum.
        client: Who sends it.
    """

    def __init__(self, bodies: Bodies, client: str) -> None:
        self._bodies, self._settings, self._client = bodies, bodies.settings, client
        self._messages: list[Message] = []
        self.size = 0

    async def read(self, headers: Mapping[bytes, bytes], receive: Receive) -> Receive:
        """Read all of it; gives what the application is to receive from.

        Args:
            headers: Of the request.
            receive: Where the body comes from.

        Raises:
            RequestRefused: It is too large, too nested or too slow, or all bodies together are too much.
            ClientGone: The client left.
        """
        limit = self._settings.max_body_bytes
        length = headers.get(b"content-length", b"")
        if length.isdigit() and int(length) > limit:
            raise RequestRefused(413, "too_large", f"The body has {int(length)} bytes; {limit} are allowed.")
        self._bodies.begin(self._client)
        try:
            await self._read(receive)
        finally:
            self._bodies.end(self._client)
        self._check_brackets()

        async def replay() -> Message:
            return self._messages.pop(0) if self._messages else await receive()

        return replay

    def _check_brackets(self) -> None:
        """Decoded, a byte of nested lists takes seventy."""
        if self.size <= UNCOUNTED_BYTES:
            return
        if sum(brackets_in(message.get("body", b"")) for message in self._messages) > MOST_BRACKETS:
            raise RequestRefused(
                413,
                "too_large",
                f"The body opens more than the {MOST_BRACKETS:,} lists and objects that are allowed.",
            )

    def release(self) -> None:
        """Take it out of the sum."""
        self._bodies.bytes -= self.size

    async def _read(self, receive: Receive) -> None:
        started = asyncio.get_running_loop().time()
        while True:
            try:
                async with asyncio.timeout_at(started + self._seconds()):
                    message = await receive()
            except TimeoutError as error:
                raise RequestRefused(408, "too_slow", "The body did not arrive in time.") from error
            if message["type"] != "http.request":
                raise ClientGone
            self._add(message)
            if not message.get("more_body"):
                return

    def _seconds(self) -> float:
        """How long what has come so far and the next part may take in all."""
        rate = self._settings.min_bytes_per_second
        return min(self._settings.body_seconds, GRACE_SECONDS + self.size / rate)

    def _add(self, message: Message) -> None:
        size = len(message.get("body", b""))
        self.size += size
        self._bodies.bytes += size
        self._messages.append(message)
        limit = self._settings.max_body_bytes
        if self.size > limit:
            raise RequestRefused(
                413, "too_large", f"The body has more than the {limit} bytes that are allowed."
            )
        if self._bodies.bytes > self._settings.max_bodies_bytes:
            raise RequestRefused(
                503, "busy", "Too much data is being sent at once; try again in a moment.", retry_after=1
            )
