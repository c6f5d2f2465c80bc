"""Frames are read as hostile bytes."""

from __future__ import annotations

import os

import pytest

from synthesis.errors import ProtocolViolated
from synthesis.worlds.sandbox.protocol import HEADER, decode, encode, frame_sizes, read_frame, write_frame


def test_a_frame_comes_through_whole() -> None:
    reading, writing = os.pipe()
    write_frame(writing, encode({"id": "x", "n": [1, None, "ü"]}, b"\x00blob"))
    assert read_frame(reading) == ({"id": "x", "n": [1, None, "ü"]}, b"\x00blob")
    os.close(writing)
    assert read_frame(reading) is None
    os.close(reading)


def test_a_frame_that_breaks_off_is_the_end() -> None:
    reading, writing = os.pipe()
    os.write(writing, encode({"id": "x"})[:-1])
    os.close(writing)
    assert read_frame(reading) is None
    os.close(reading)


@pytest.mark.parametrize(("body", "blob"), [(11, 0), (0, 6), (2**32 - 1, 2**32 - 1)])
def test_an_over_long_frame_is_refused_by_its_header(body: int, blob: int) -> None:
    with pytest.raises(ProtocolViolated, match="over the limit"):
        frame_sizes(HEADER.pack(body, blob), max_body=10, max_blob=5)


@pytest.mark.parametrize(
    "body", [b"", b"[1]", b'{"a": NaN}', b"{", b"\xff", b'"x"', b"[" * 100_000, b'{"a":1}{"b":2}']
)
def test_what_is_no_json_object_is_refused(body: bytes) -> None:
    with pytest.raises(ProtocolViolated):
        decode(body)
