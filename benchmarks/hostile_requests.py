"""The attacks of suite `hostile` by clients that send what no honest one sends, or read nothing."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Iterable

from benchmarks.hostile_attackers import Attackers, attack

_HEAD = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n"
_CHUNKED = b"POST /instances HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"


@attack("slow_headers", 4)
async def _slow_headers(attackers: Attackers) -> None:
    await _drip(attackers, _HEAD, b"X-%d: y\r\n")


@attack("slow_bodies", 4)
async def _slow_bodies(attackers: Attackers) -> None:
    head = b"POST /instances HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\n"
    await _drip(attackers, head, b"{%d")


async def _drip(attackers: Attackers, head: bytes, piece: bytes) -> None:
    """Many connections that send a little every while."""
    writers = [(await attackers.raw())[1] for _ in range(4 * attackers.size)]
    for writer in writers:
        writer.write(head)
    for number in range(12):
        await asyncio.sleep(0.5)
        for writer in writers:
            writer.write(piece % number)
    for writer in writers:
        writer.close()


@attack("huge_headers", 4)
async def _huge_headers(attackers: Attackers) -> None:
    line = b"X-Header: " + b"y" * 1_000 + b"\r\n"
    many = b"X: y\r\n"
    for head in (line * 20_000, many * 8_000, many * 500_000, b"X-Header: " + b"y" * 20_000_000 + b"\r\n"):
        await asyncio.gather(*(_send(attackers, head) for _ in range(8)))


async def _send(attackers: Attackers, head: bytes) -> None:
    with contextlib.suppress(OSError):
        reader, writer = await attackers.raw()
        writer.write(_HEAD + head + b"\r\n")
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(10):
                await writer.drain()
                await reader.read()
        writer.close()


@attack("heads_byte_by_byte", 4)
async def _byte_by_byte(attackers: Attackers) -> None:
    head = _HEAD + b"X: " + b"y" * 400 + b"\r\n\r\n"
    await asyncio.gather(*(_pieces(attackers, b"", (bytes([byte]) for byte in head)) for _ in range(64)))


@attack("endless_trailers", 4)
async def _trailers(attackers: Attackers) -> None:
    trailer = (b"X-%d: y\r\n" % number for number in itertools.count())
    await asyncio.gather(
        *(_pieces(attackers, _CHUNKED + b"2\r\n{}\r\n0\r\n", trailer) for _ in range(attackers.size))
    )


@attack("endless_chunk_sizes", 4)
async def _chunk_sizes(attackers: Attackers) -> None:
    for begun, more in ((b"", b"0" * 512), (b"1;", b"a" * 512), (b"", b"1\r\n{\r\n" * 64)):
        await asyncio.gather(
            *(
                _pieces(attackers, _CHUNKED + begun, itertools.repeat(more, 4_000))
                for _ in range(attackers.size // 4)
            )
        )


async def _pieces(attackers: Attackers, head: bytes, pieces: Iterable[bytes]) -> None:
    """One connection that sends piece after piece until the server closes it."""
    with contextlib.suppress(OSError):
        _, writer = await attackers.raw()
        writer.write(head)
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)
            if writer.transport.is_closing():
                return
        writer.close()


@attack("bodies_of_a_byte_a_second", 4)
async def _slowest_bodies(attackers: Attackers) -> None:
    """As many as there are places for bodies that are being read."""
    head = b"POST /instances HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n"
    connections = [await attackers.raw() for _ in range(8 * attackers.size)]
    for _, writer in connections:
        writer.write(head)
    for _ in range(12):
        for _, writer in connections:
            writer.write(b"{")
        await asyncio.sleep(1)
    for _, writer in connections:
        writer.close()


@attack("answers_never_read", 4)
async def _never_read(attackers: Attackers) -> None:
    """Eight clients that ask for 16 MiB each and read nothing."""
    connections = []
    for _ in range(8):
        id = await attackers.open()
        reader, writer = await attackers.raw()
        connections.append((reader, writer))
        body = b'{"name": "long", "arguments": {"kibibytes": 900}}'
        head = f"POST /i/{id}/call HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write((head.encode() + body) * 18)
        writer.transport.pause_reading()  # type: ignore[attr-defined]
    await asyncio.sleep(10)
    for _, writer in connections:
        writer.transport.abort()


@attack("requests_pipelined", 4)
async def _pipelined(attackers: Attackers) -> None:
    request = b"POST /instances HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n[]"
    await asyncio.gather(*(_pieces(attackers, b"", [request * 1_000]) for _ in range(16)))
    await asyncio.gather(*(_send(attackers, b"\r\n" + (_HEAD + b"\r\n") * 1_000) for _ in range(16)))


@attack("nested_bodies", 2)
async def _nested_bodies(attackers: Attackers) -> None:
    """As much JSON at once as the server takes, all of it lists."""
    ids = await attackers.open_many(4)
    for value in (b"[]," * 340_000 + b"[]", b"[" * 500_000 + b"]" * 500_000, b'{"a":1},' * 120_000 + b"{}"):
        body = b'{"name": "note", "arguments": {"text": [' + value + b"]}}"
        await asyncio.gather(*(_post(attackers, f"/i/{id}/{way}", body) for id in ids for way in _WAYS))


_WAYS = ("call", "mcp") * 4


async def _post(attackers: Attackers, path: str, body: bytes) -> None:
    with contextlib.suppress(OSError):
        reader, writer = await attackers.raw()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-06-18\r\n"
            f"Connection: close\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        await writer.drain()
        await reader.read()
        writer.close()
