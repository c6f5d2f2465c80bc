"""The wire between the service and its workers: length-prefixed JSON frames with a binary tail.

A frame is two unsigned 32-bit lengths in network order, a JSON object, and a blob that is passed on unread (a
database image, compiled code). A request carries a random id, the reply repeats it. Nothing is ever pickled.
"""

from __future__ import annotations

import os
import struct
import threading
from dataclasses import dataclass
from typing import Any

import orjson

from synthesis.errors import ProtocolViolated

HEADER = struct.Struct("!II")
MAX_BODY_BYTES = 256 * 2**20
"""Largest JSON part that is written at all; readers set their own, lower ceilings."""
UNCOUNTED_BYTES = 2**15
"""A body up to this is decoded as it is, in well under a millisecond whatever it holds."""
LARGE_ANSWERS = [threading.Lock()]
"""Held by whoever reads a large answer: nothing else in this process goes on meanwhile, so those who wait for
the interpreter shall not wait for several. In a list, because a fork replaces it."""
_FIRST_READ = 2048
"""Bytes; the buffer is allocated for each request."""


def _after_fork() -> None:
    LARGE_ANSWERS[:] = [threading.Lock()]  # another thread of the parent may have held it


os.register_at_fork(after_in_child=_after_fork)


@dataclass(frozen=True, slots=True)
class AnswerLimit:
    """What the answer to one operation may hold."""

    body: int
    """Bytes of its JSON part."""
    brackets: int
    """Opening brackets and braces in a JSON part that is large."""
    blob: int = 0
    """Bytes of its binary part."""


def encode(message: dict[str, Any], blob: bytes = b"") -> bytes:
    """One frame as bytes.

    Raises:
        TypeError: The message holds something JSON cannot express.
    """
    body = orjson.dumps(message)
    return HEADER.pack(len(body), len(blob)) + body + blob


def frame_sizes(header: bytes | bytearray, *, max_body: int, max_blob: int) -> tuple[int, int]:
    """The lengths a header announces.

    Raises:
        ProtocolViolated: One of them is over its ceiling.
    """
    body, blob = HEADER.unpack(header)
    if body > max_body or blob > max_blob:
        raise ProtocolViolated(
            f"A frame of {body} + {blob} bytes exceeds the limit of {max_body} + {max_blob}."
        )
    return body, blob


def decode(body: bytes | memoryview, brackets: int = MAX_BODY_BYTES) -> dict[str, Any]:
    """The JSON object of a frame.

    Args:
        body: Its JSON part.
        brackets: Opening brackets and braces it may hold. They are counted in a large body before it is
            decoded: as lists, three bytes become seventy.

    Raises:
        ProtocolViolated: It is no JSON, no object, or holds more.
    """
    large = len(body) > UNCOUNTED_BYTES
    if large and brackets_in(body) > brackets:
        raise ProtocolViolated(f"A frame contains more than {brackets:,} lists and objects.")
    try:
        if large:
            with LARGE_ANSWERS[0]:
                message = orjson.loads(body)
        else:
            message = orjson.loads(body)
    except (orjson.JSONDecodeError, MemoryError) as error:
        raise ProtocolViolated(f"A frame contains no valid JSON: {error}") from error
    if type(message) is not dict:
        raise ProtocolViolated("A frame contains JSON that is not an object.")
    return message


def brackets_in(body: bytes | memoryview) -> int:
    """Opening brackets and braces in a JSON text, those in its strings too."""
    text = bytes(body)
    return text.count(b"[") + text.count(b"{")


def read_frame(descriptor: int) -> tuple[dict[str, Any], bytes] | None:
    """The next request, read in the worker; None when the service has closed the wire."""
    begun = os.read(descriptor, _FIRST_READ)  # nearly every request whole: it is sent only after an answer
    if len(begun) < HEADER.size:
        header = _read_exactly(descriptor, HEADER.size, begun)
        if header is None:
            return None
        begun = header
    body_size, blob_size = frame_sizes(begun[: HEADER.size], max_body=MAX_BODY_BYTES, max_blob=MAX_BODY_BYTES)
    body_end = HEADER.size + body_size
    if len(begun) > body_end + blob_size:
        raise ProtocolViolated("Another request follows one that nobody has answered yet.")
    body = _read_exactly(descriptor, body_size, begun[HEADER.size : body_end])
    blob = _read_exactly(descriptor, blob_size, begun[body_end:])
    if body is None or blob is None:
        return None
    return decode(body), blob


def write_frame(descriptor: int, frame: bytes) -> None:
    """Write a whole frame from the worker."""
    view = memoryview(frame)
    while view:
        view = view[os.write(descriptor, view) :]


def _read_exactly(descriptor: int, size: int, begun: bytes = b"") -> bytes | None:
    """So many bytes, of which the first are read already; None when the wire ends before."""
    chunks, missing = [begun], size - len(begun)
    while missing:
        chunk = os.read(descriptor, min(missing, 2**20))
        if not chunk:
            return None
        chunks.append(chunk)
        missing -= len(chunk)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)
