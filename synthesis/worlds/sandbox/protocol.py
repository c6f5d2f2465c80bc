"""The wire between the service and its workers: length-prefixed JSON frames with a binary tail.

A frame is two unsigned 32-bit lengths in network order, a JSON object, and a blob that is passed on unread (a
database image, compiled code). A request carries a random id, the reply repeats it. Nothing is ever pickled.
"""

from __future__ import annotations

import os
import struct
from typing import Any

import orjson

from synthesis.errors import ProtocolViolated

HEADER = struct.Struct("!II")
MAX_BODY_BYTES = 256 * 2**20
"""Largest JSON part that is written at all; readers set their own, lower ceilings."""
_FIRST_READ = 2048
"""Bytes; the buffer is allocated for each request."""


def encode(message: dict[str, Any], blob: bytes = b"") -> bytes:
    """One frame as bytes.

    Raises:
        TypeError: The message holds something JSON cannot express.
    """
    body = orjson.dumps(message)
    return HEADER.pack(len(body), len(blob)) + body + blob


def frame_sizes(header: bytes, *, max_body: int, max_blob: int) -> tuple[int, int]:
    """The lengths a header announces.

    Raises:
        ProtocolViolated: One of them is over its ceiling.
    """
    body, blob = HEADER.unpack(header)
    if body > max_body or blob > max_blob:
        raise ProtocolViolated(
            f"A frame of {body} + {blob} bytes is over the limit of {max_body} + {max_blob}."
        )
    return body, blob


def decode(body: bytes) -> dict[str, Any]:
    """The JSON object of a frame.

    Raises:
        ProtocolViolated: It is no JSON, or no object.
    """
    try:
        message = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise ProtocolViolated(f"A frame holds no JSON: {error}") from error
    if type(message) is not dict:
        raise ProtocolViolated("A frame holds JSON that is no object.")
    return message


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
