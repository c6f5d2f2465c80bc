"""The service's side of the wire against a worker that does not keep the protocol."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from synthesis.errors import ProtocolViolated, SandboxError, WorkerDied, WorkerTimeout
from synthesis.worlds.sandbox import protocol, worker_process
from synthesis.worlds.sandbox.protocol import HEADER, AnswerLimit, encode, read_frame
from synthesis.worlds.sandbox.seal import SealExit
from synthesis.worlds.sandbox.worker_exit import WorkerExit, exit_for
from synthesis.worlds.sandbox.worker_process import WorkerProcess


class Told:
    """Knows how every worker ended."""

    def __init__(self, status: int | None = -int(signal.SIGSYS)) -> None:
        self._status = status

    def exit_status(self, pid: int) -> int | None:
        return self._status


Peer = Callable[[socket.socket], None]


@contextlib.contextmanager
def talking_to(peer: Peer, message: Told | None = None) -> Iterator[WorkerProcess]:
    """A handle on a sleeping process, while the other end of its wire is played by `peer`."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        ours.close()
        theirs.close()
        time.sleep(30)
        os._exit(0)
    thread = threading.Thread(target=peer, args=(theirs,))
    thread.start()
    worker = WorkerProcess(ours, pid, os.pidfd_open(pid), message or Told())
    try:
        yield worker
    finally:
        worker.kill()
        worker.kill()
        with contextlib.suppress(OSError):
            theirs.shutdown(socket.SHUT_RDWR)
        thread.join()
        theirs.close()
        os.waitpid(pid, 0)


def ask(worker: WorkerProcess) -> tuple[dict[str, Any], bytes]:
    return worker.request("hash", {}, soft=0.2, grace=0.2, most=AnswerLimit(1_000, 100, 10))


def ask_often(worker: WorkerProcess, pad: str) -> None:
    for _ in range(100):
        worker.request("x", {"pad": pad}, soft=0.5, grace=0.2, most=AnswerLimit(1_000, 100))


def seem(monkeypatch: pytest.MonkeyPatch, worker: WorkerProcess, state: str, used: float) -> None:
    """Let a process seem to be in a state, and each look at its clock to be so many seconds later."""
    looks = iter(range(1_000))
    monkeypatch.setattr(worker_process, "cpu_seconds", lambda pid: used * next(looks))
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: f"{worker.pid} (x) {state} 1")


def answering(make: Callable[[str], bytes]) -> Peer:
    """A peer that answers the first request with some bytes."""

    def peer(wire: socket.socket) -> None:
        frame = read_frame(wire.fileno())
        if frame is not None:
            wire.sendall(make(str(frame[0]["id"])))

    return peer


def test_a_good_answer_comes_through_in_pieces() -> None:
    def peer(wire: socket.socket) -> None:
        frame = read_frame(wire.fileno())
        assert frame
        for byte in encode({"id": frame[0]["id"], "ok": True, "x": 1}, b"tail"):
            wire.send(bytes([byte]))

    with talking_to(peer) as worker:
        answer, tail = ask(worker)
        assert (answer["x"], tail) == (1, b"tail")
        assert worker.alive


@pytest.mark.parametrize(
    ("state", "used", "patience", "repeats"),
    [("R", 0.0, 0, 0), ("S", 0.0, 9, 0), ("R", 9.0, 9, 0), ("R", 0.0, 2, 2)],
    ids=["not patient", "sleeps", "works", "three times its limit"],
)
def test_a_limit_ends_a_worker_that_is_not_kept_from_working(
    monkeypatch: pytest.MonkeyPatch, state: str, used: float, patience: int, repeats: int
) -> None:
    begun: list[object] = []
    begin_again = worker_process._Deadline.begin_again

    def counted(deadline: worker_process._Deadline) -> None:
        begun.append(deadline)
        begin_again(deadline)

    monkeypatch.setattr(worker_process._Deadline, "begin_again", counted)
    with talking_to(lambda wire: None) as worker:
        seem(monkeypatch, worker, state, used)
        with pytest.raises(WorkerTimeout):
            worker.request("x", {}, soft=0.1, grace=0.1, most=AnswerLimit(1_000, 100), patience=patience)
        assert not worker.alive
    assert len(begun) == repeats


def test_a_limit_begins_again_while_the_machine_keeps_a_worker_from_working(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def peer(wire: socket.socket) -> None:
        frame = read_frame(wire.fileno())
        assert frame
        time.sleep(0.6)
        wire.sendall(encode({"id": frame[0]["id"], "ok": True}))

    with talking_to(peer) as worker:
        seem(monkeypatch, worker, "R", 0.0)
        worker.request("x", {}, soft=0.1, grace=0.1, most=AnswerLimit(1_000, 100), patience=50)
        assert worker.alive


@pytest.mark.parametrize(
    "make",
    [
        lambda number: encode({"id": "wrong", "ok": True}),
        lambda number: encode({"ok": True}),
        lambda number: encode({"id": number, "ok": 1}),
        lambda number: encode({"id": number}),
        lambda number: encode({"id": number, "ok": True}) + b"x",
        lambda number: encode({"id": number, "ok": True}) * 2,
        lambda number: encode({"id": number, "ok": True}, b"x" * 11),
        lambda number: encode({"id": number, "ok": True, "x": "y" * 1_000}),
        lambda number: HEADER.pack(2**32 - 1, 0),
        lambda number: HEADER.pack(4, 0) + b"null",
        lambda number: HEADER.pack(15, 0) + b'{"id": Infinity',
        lambda number: HEADER.pack(900, 0) + b"[" * 900,
    ],
)
def test_anything_outside_the_protocol_kills_the_worker(make: Callable[[str], bytes]) -> None:
    with talking_to(answering(make)) as worker:
        with pytest.raises(ProtocolViolated):
            ask(worker)
        assert not worker.alive
        with pytest.raises(WorkerDied):
            ask(worker)


def test_early_bytes_are_no_answer() -> None:
    with talking_to(lambda wire: wire.sendall(encode({"id": "early", "ok": True}))) as worker:
        time.sleep(0.1)
        with pytest.raises(SandboxError):
            ask(worker)
        assert not worker.alive


@pytest.mark.parametrize(
    "make",
    [lambda number: b"", lambda number: HEADER.pack(10, 0)[:3], lambda number: HEADER.pack(10, 0) + b"{"],
)
def test_silence_ends_with_a_kill_in_time(make: Callable[[str], bytes]) -> None:
    with talking_to(answering(make)) as worker:
        began = time.monotonic()
        with pytest.raises(WorkerTimeout):
            ask(worker)
        assert 0.3 < time.monotonic() - began < 2
        assert not worker.alive


def test_one_byte_at_a_time_does_not_outlast_the_limit() -> None:
    def peer(wire: socket.socket) -> None:
        with contextlib.suppress(OSError):
            wire.send(HEADER.pack(900, 0))
            while True:
                wire.send(b" ")
                time.sleep(0.01)

    with talking_to(peer) as worker:
        began = time.monotonic()
        with pytest.raises(WorkerTimeout):
            ask(worker)
        assert time.monotonic() - began < 2


def test_a_worker_that_does_not_read_is_killed() -> None:
    with talking_to(lambda wire: None) as worker:
        with pytest.raises(WorkerTimeout):
            worker.request("x", {}, b"x" * 50_000_000, soft=0.2, grace=0.2, most=AnswerLimit(10, 10))
        assert not worker.alive


def test_small_requests_that_nobody_reads_end_with_a_kill_in_time() -> None:
    def peer(wire: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:  # answers what it is asked and takes nothing
                peeked = wire.recv(65_536, socket.MSG_PEEK)
                at = peeked.rfind(b'"id":"') + 6
                wire.sendall(encode({"id": peeked[at : at + 16].decode(), "ok": True}))
                while len(wire.recv(2**20, socket.MSG_PEEK)) == len(peeked):
                    time.sleep(0.001)

    with talking_to(peer) as worker:
        began = time.monotonic()
        with pytest.raises(SandboxError):
            ask_often(worker, "y" * 20_000)
        assert not worker.alive
        assert time.monotonic() - began < 30


def test_brackets_are_counted_before_a_large_answer_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol.orjson, "loads", lambda text: pytest.fail("decoded"))
    nested = b'{"x":[' + b"[]," * 50_000 + b"[]]}"
    with pytest.raises(ProtocolViolated, match="more than 1,000 lists"):
        protocol.decode(nested, brackets=1_000)


def test_a_slow_worker_gives_way() -> None:
    priorities: list[int] = []

    def peer(wire: socket.socket) -> None:
        for seconds in (0.0, 0.4):
            frame = read_frame(wire.fileno())
            time.sleep(seconds)
            priorities.append(os.getpriority(os.PRIO_PROCESS, worker.pid))
            if frame is not None:
                wire.sendall(encode({"id": frame[0]["id"], "ok": True}))

    with talking_to(peer) as worker:
        for _ in range(2):
            worker.request("x", {}, soft=5, grace=1, most=AnswerLimit(1_000, 10))
    assert priorities[0] < priorities[1] == 10


def test_a_death_is_told_with_its_cause() -> None:
    def peer(wire: socket.socket) -> None:
        read_frame(wire.fileno())
        os.kill(worker.pid, signal.SIGKILL)
        wire.shutdown(socket.SHUT_RDWR)

    with (
        talking_to(peer) as worker,
        pytest.raises(WorkerDied, match="SIGSYS: it made a forbidden system call"),
    ):
        ask(worker)


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (WorkerExit.WIRE_BROKEN, "ended by itself .status 90.: its connection to the service broke"),
        (WorkerExit.OUT_OF_MEMORY, "no memory was left between two requests"),
        (SealExit.SELF_TEST, "ended by itself with status 86, which is none of its own"),
        (1, "ended by itself with status 1, which is none of its own"),
        (None, "has ended"),
    ],
)
def test_an_end_is_never_told_as_a_bare_number(status: int | None, words: str) -> None:
    def peer(wire: socket.socket) -> None:
        read_frame(wire.fileno())
        os.kill(worker.pid, signal.SIGKILL)
        wire.shutdown(socket.SHUT_RDWR)

    with talking_to(peer, Told(status)) as worker, pytest.raises(WorkerDied, match=words):
        ask(worker)


def test_only_a_worker_that_took_no_request_could_not_be_sealed() -> None:
    def peer(wire: socket.socket) -> None:
        wire.recv(1, socket.MSG_PEEK)
        os.kill(worker.pid, signal.SIGKILL)
        wire.close()

    with (
        talking_to(peer, Told(SealExit.FILTER)) as worker,
        pytest.raises(WorkerDied, match="could not be sealed: the kernel refused the seccomp filter"),
    ):
        ask(worker)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (BlockingIOError(), WorkerExit.WIRE_BROKEN),
        (ProtocolViolated("x"), WorkerExit.OUTSIDE_PROTOCOL),
        (MemoryError(), WorkerExit.OUT_OF_MEMORY),
        (KeyboardInterrupt(), WorkerExit.INTERRUPTED),
        (RuntimeError(), WorkerExit.UNEXPECTED),
    ],
)
def test_a_worker_ends_with_what_stopped_it(error: BaseException, status: WorkerExit) -> None:
    assert exit_for(error) is status
    assert status.meaning


def test_the_reasons_of_workers_and_of_the_seal_are_told_apart() -> None:
    assert not {int(status) for status in WorkerExit} & {int(status) for status in SealExit}


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (-int(signal.SIGSYS), "SIGSYS: it made a forbidden system call"),
        (-int(signal.SIGKILL), "SIGKILL: it was killed"),
        (-35, "signal 35: it was killed"),  # a real-time signal without a name
        (-200, "signal 200: it was killed"),
    ],
)
def test_every_signal_that_ends_a_worker_can_be_told(status: int, words: str) -> None:
    with talking_to(lambda wire: wire.close(), Told(status)) as worker:
        os.kill(worker.pid, signal.SIGKILL)
        with pytest.raises(WorkerDied) as error:
            worker.request("x", {}, soft=5, grace=5, most=AnswerLimit(100, 10))
    assert words in str(error.value)


def test_a_process_is_asked_for_while_another_thread_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real, enders = select.poll, list[threading.Thread]()

    def interrupted() -> Any:
        enders.append(threading.Thread(target=worker.kill))
        enders[0].start()
        enders[0].join(0.3)
        return real()

    with talking_to(lambda wire: None) as worker:
        monkeypatch.setattr(worker_process.select, "poll", interrupted)
        assert not worker.has_ended
        monkeypatch.undo()
        enders[0].join()
        assert worker.has_ended
