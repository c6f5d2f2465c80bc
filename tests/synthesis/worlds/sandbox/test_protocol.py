"""Frames are read as hostile bytes."""

from __future__ import annotations

import os
import threading
import time

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
    with pytest.raises(ProtocolViolated, match="exceeds the limit"):
        frame_sizes(HEADER.pack(body, blob), max_body=10, max_blob=5)


@pytest.mark.parametrize(
    "body", [b"", b"[1]", b'{"a": NaN}', b"{", b"\xff", b'"x"', b"[" * 100_000, b'{"a":1}{"b":2}']
)
def test_what_is_no_json_object_is_refused(body: bytes) -> None:
    with pytest.raises(ProtocolViolated):
        decode(body)


@pytest.mark.parametrize("cut", [1, HEADER.size - 1, HEADER.size, HEADER.size + 3, 2047, 2048, 2049, 5_000])
def test_a_request_that_comes_in_pieces_is_the_same_request(cut: int) -> None:
    message, blob = {"id": "x", "text": "ü" * 1_500}, bytes(range(256)) * 20
    frame = encode(message, blob)
    reading, writing = os.pipe()

    def send() -> None:
        os.write(writing, frame[:cut])
        time.sleep(0.02)
        os.write(writing, frame[cut:])

    sender = threading.Thread(target=send)
    sender.start()
    assert read_frame(reading) == (message, blob)
    sender.join()
    os.close(writing)
    assert read_frame(reading) is None
    os.close(reading)


def test_a_request_before_the_answer_to_the_last_one_is_refused() -> None:
    reading, writing = os.pipe()
    os.write(writing, encode({"id": "x"}) + encode({"id": "y"}))
    with pytest.raises(ProtocolViolated, match="Another request"):
        read_frame(reading)
    os.close(writing)
    os.close(reading)
