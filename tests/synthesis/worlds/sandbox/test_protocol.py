"""Frames are read as hostile bytes."""

from __future__ import annotations

import contextlib
import os
import threading
import time

import pytest

from synthesis.errors import ProtocolViolated
from synthesis.worlds.sandbox import protocol
from synthesis.worlds.sandbox.protocol import (
    HEADER,
    LARGE_ANSWERS,
    UNCOUNTED_BYTES,
    AnswerLimit,
    decode,
    encode,
    frame_sizes,
    read_frame,
    write_frame,
)


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


def test_an_answer_has_no_binary_part_unless_its_operation_says_so() -> None:
    limit = AnswerLimit(body=10, brackets=1)
    assert limit.blob == 0
    with pytest.raises(ProtocolViolated, match=r"2 \+ 1 bytes exceeds the limit of 10 \+ 0"):
        frame_sizes(HEADER.pack(2, 1), max_body=limit.body, max_blob=limit.blob)


def test_a_request_before_the_answer_to_the_last_one_is_refused() -> None:
    reading, writing = os.pipe()
    os.write(writing, encode({"id": "x"}) + encode({"id": "y"}))
    with pytest.raises(ProtocolViolated, match="Another request"):
        read_frame(reading)
    os.close(writing)
    os.close(reading)


class Counted:
    """A lock that counts who took it."""

    def __init__(self) -> None:
        self.taken = 0

    def __enter__(self) -> None:
        self.taken += 1

    def __exit__(self, *_: object) -> None:
        pass


@pytest.mark.parametrize(("size", "taken"), [(10, 0), (UNCOUNTED_BYTES + 1, 1)])
def test_large_bodies_are_decoded_one_at_a_time(
    monkeypatch: pytest.MonkeyPatch, size: int, taken: int
) -> None:
    lock = Counted()
    monkeypatch.setattr(protocol, "LARGE_ANSWERS", [lock])
    decode(b'{"text": "' + b"x" * size + b'"}')
    assert lock.taken == taken


def test_a_fork_does_not_inherit_that_another_thread_decodes() -> None:
    if (pid := os.fork()) == 0:
        with contextlib.suppress(BaseException):
            os._exit(int(LARGE_ANSWERS[0].locked()))
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    with LARGE_ANSWERS[0]:
        if (pid := os.fork()) == 0:
            os._exit(int(LARGE_ANSWERS[0].locked()))
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_brackets_are_counted_in_large_bodies_alone() -> None:
    small, large = b'{"a":[[[]]]}', b'{"a":[[[]]],"b":"' + b"x" * UNCOUNTED_BYTES + b'"}'
    assert decode(small, brackets=1) == {"a": [[[]]]}
    assert decode(large, brackets=4)["a"] == [[[]]]
    with pytest.raises(ProtocolViolated, match="more than 3 lists and objects"):
        decode(large, brackets=3)
