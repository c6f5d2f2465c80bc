"""A lean HTTP client: one kept connection, JSON in and out; the official clients cost more than a server."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Iterator
from typing import Any, Self
from urllib.parse import urlsplit


class Connection:
    """One keep-alive connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str) -> None:
        self._reader, self._writer, self._host = reader, writer, host

    @classmethod
    async def open(cls, url: str, *, source: str | None = None) -> Self:
        """Connect, from an address of this machine if one is named."""
        where = urlsplit(url)
        reader, writer = await asyncio.open_connection(
            where.hostname, where.port, local_addr=(source, 0) if source else None
        )
        return cls(reader, writer, where.netloc)

    async def request(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers by lower-case name, body."""
        content = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self._host}", f"Content-Length: {len(content)}"]
        lines += ["Content-Type: application/json", "Accept: application/json, text/event-stream"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        self._writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + content)
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        fields = {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:-2])
        }
        return int(head[0].split()[1]), fields, await self._content(fields)

    async def call(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> Any:
        """The parsed JSON of an answer, from a plain body or from the data of a server-sent event."""
        status, _, content = await self.request(method, path, body, headers)
        if status >= 400:
            raise RuntimeError(f"{method} {path}: {status} {content[:300]!r}")
        if content.startswith((b"event:", b"id:", b"data:", b":")):
            lines = [line for line in content.splitlines() if line.startswith(b"data:") and len(line) > 6]
            content = lines[-1][5:]
        return json.loads(content) if content else None

    @contextlib.contextmanager
    def kept(self) -> Iterator[None]:
        """Use it for a while and close it without waiting."""
        try:
            yield
        finally:
            self._writer.close()

    async def close(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()

    async def _content(self, fields: dict[str, str]) -> bytes:
        if "content-length" in fields:
            return await self._reader.readexactly(int(fields["content-length"]))
        if fields.get("transfer-encoding") != "chunked":
            return b""
        pieces = []
        while size := int(await self._reader.readline(), 16):
            pieces.append(await self._reader.readexactly(size))
            await self._reader.readexactly(2)
        await self._reader.readexactly(2)
        return b"".join(pieces)
