"""A worker process as the service sees it: a wire, a handle to end it, and its time limits."""

from __future__ import annotations

import contextlib
import os
import secrets
import select
import signal
import socket
import threading
import time
from typing import Any, Protocol

from synthesis.errors import ProtocolViolated, WorkerDied, WorkerTimeout
from synthesis.worlds.sandbox.idle_watch import IdleWatch
from synthesis.worlds.sandbox.protocol import HEADER, decode, encode, frame_sizes
from synthesis.worlds.sandbox.seal import SealExit
from synthesis.worlds.sandbox.worker_exit import WorkerExit
from synthesis.worlds.soft_limit import SIGNAL

_CHUNK = 65_536
WATCH = IdleWatch()
"""The one of this process."""
os.register_at_fork(after_in_child=WATCH.forget_all)


class Teller(Protocol):
    """Whoever forked a worker and so knows how it ended."""

    def exit_status(self, pid: int) -> int | None:
        """An exit status, a negative signal number, or None if it is not known."""
        ...


class WorkerProcess:
    """One worker process as the service sees it: a wire and a handle to end it.

    Not thread-safe: one request at a time, by whoever owns the worker.
    """

    def __init__(self, wire: socket.socket, pid: int, pidfd: int, forker: Teller) -> None:
        self._wire, self.pid, self._pidfd, self._forker = wire, pid, pidfd, forker
        self._owner = os.getpid()
        self._handle = threading.Lock()
        self.requests = 0
        self.busy = False
        WATCH.add(self)

    @property
    def alive(self) -> bool:
        """Whether it can be asked something; a worker that broke the protocol is not."""
        return self._pidfd >= 0

    def request(
        self,
        op: str,
        body: dict[str, Any],
        blob: bytes = b"",
        *,
        soft: float,
        grace: float,
        max_body: int,
        max_blob: int = 0,
    ) -> tuple[dict[str, Any], bytes]:
        """Ask and wait for the answer.

        Args:
            op: What to do.
            body: Its arguments, JSON.
            blob: Bytes that go along.
            soft: Seconds until the worker is told to stop what it does.
            grace: Further seconds until it is killed.
            max_body: Largest JSON answer.
            max_blob: Largest binary answer.

        Raises:
            WorkerDied: The process ended.
            WorkerTimeout: It did not stop in time and was killed.
            ProtocolViolated: It said something outside the protocol and was killed.
        """
        if not self.alive:
            raise WorkerDied("The worker has already ended.")
        number = secrets.token_hex(8)
        frame = encode({"id": number, "op": op, **body}, blob)
        now = time.monotonic()
        deadline = _Deadline(now + soft, now + soft + grace)
        WATCH.look()
        self.requests += 1
        self.busy = True
        try:
            self._send(frame, deadline)
            return self._receive(number, deadline, max_body, max_blob)
        except (ConnectionError, EOFError):
            how = self._ended()
            raise WorkerDied(f"The worker {how}.") from None
        except (ProtocolViolated, WorkerTimeout):
            self.kill()
            raise
        finally:
            self.busy = False

    def kill(self) -> None:
        """End the process at once; harmless when it has ended."""
        with self._handle:
            if self._pidfd < 0:
                return
            if self._owner == os.getpid():  # a fork of the service has the descriptors but not the worker
                end(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = -1
            self._wire.close()

    def condemn(self) -> None:
        """End the process from any thread; its owner finds it dead at the next request."""
        with self._handle:
            if self._pidfd >= 0 and self._owner == os.getpid() and not self.busy:
                end(self._pidfd)

    def _send(self, frame: bytes, deadline: _Deadline) -> None:
        self._wire.settimeout(None)
        if len(frame) <= _CHUNK:  # fits the socket's buffer, which is empty between requests
            self._wire.sendall(frame)
            return
        view = memoryview(frame)
        while view:
            self._wire.settimeout(deadline.left_hard())
            try:
                view = view[self._wire.send(view[: 2**20]) :]
            except TimeoutError:
                raise WorkerTimeout("The worker does not read its requests and was killed.") from None

    def _receive(
        self, number: str, deadline: _Deadline, max_body: int, max_blob: int
    ) -> tuple[dict[str, Any], bytes]:
        data = bytearray(self._read(_CHUNK, deadline))
        while len(data) < HEADER.size:
            data += self._read(_CHUNK, deadline)
        body_size, blob_size = frame_sizes(bytes(data[: HEADER.size]), max_body=max_body, max_blob=max_blob)
        end = HEADER.size + body_size + blob_size
        while len(data) < end:
            data += self._read(min(end - len(data), 2**20), deadline)
        if len(data) > end:
            raise ProtocolViolated("The worker sent more than one answer and was killed.")
        answer = decode(bytes(data[HEADER.size : HEADER.size + body_size]))
        if answer.get("id") != number or type(answer.get("ok")) is not bool:
            raise ProtocolViolated("The worker answered what it was not asked and was killed.")
        return answer, bytes(data[HEADER.size + body_size :])

    def _read(self, size: int, deadline: _Deadline) -> bytes:
        while True:
            self._wire.settimeout(deadline.left())
            try:
                chunk = self._wire.recv(size)
            except TimeoutError:
                self._on_time(deadline)
                continue
            if not chunk:
                raise EOFError
            return chunk

    def _on_time(self, deadline: _Deadline) -> None:
        if deadline.soft_passed_once():
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, SIGNAL)
        elif deadline.left_hard() <= 0.001:
            raise WorkerTimeout(f"The worker did not stop within {deadline.seconds:g} s and was killed.")

    def _ended(self) -> str:
        """How the process ended, in words."""
        poll = select.poll()
        poll.register(self._pidfd, select.POLLIN)
        if not poll.poll(1_000):
            self.kill()
            return "closed its wire and was killed"
        status = self._forker.exit_status(self.pid)
        self.kill()
        return _how_it_ended(status)


class _Deadline:
    """A soft and a hard moment on the monotonic clock."""

    __slots__ = ("_hard", "_signalled", "_soft", "seconds")

    def __init__(self, soft: float, hard: float) -> None:
        self._soft, self._hard, self._signalled = soft, hard, False
        self.seconds = hard - time.monotonic()

    def left(self) -> float:
        """Seconds until the next thing to do, never 0, which would mean not to wait at all."""
        return max((self._hard if self._signalled else self._soft) - time.monotonic(), 0.0005)

    def left_hard(self) -> float:
        """Seconds until the kill."""
        return max(self._hard - time.monotonic(), 0.0005)

    def soft_passed_once(self) -> bool:
        """True the first time it is asked."""
        first, self._signalled = not self._signalled, True
        return first


def end(pidfd: int) -> None:
    """Kill a process; harmless when it has ended."""
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)


def _how_it_ended(status: int | None) -> str:
    if status is None:
        return "has ended"
    if status < 0:
        names = {signal.SIGSYS: "it made a forbidden system call", signal.SIGSEGV: "it crashed"}
        why = names.get(signal.Signals(-status), "it was killed")
        return f"was ended by signal {signal.Signals(-status).name}: {why}"
    if status in list(SealExit):
        return f"could not be sealed: {SealExit(status).meaning}"
    if status in list(WorkerExit):
        return f"ended by itself (status {status}): {WorkerExit(status).meaning}"
    # Nothing of ours ends so: code that it ran did, or the service closed the wire under a request.
    return f"ended by itself with status {status}, which is none of its own"
