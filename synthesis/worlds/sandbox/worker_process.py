"""A worker process as the service sees it: a wire, a handle to end it, and its time limits."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import struct
import threading
import time
from pathlib import Path
from typing import Any, Protocol

from synthesis.errors import ProtocolViolated, WorkerDied, WorkerTimeout
from synthesis.worlds.sandbox.idle_watch import IdleWatch, cpu_seconds
from synthesis.worlds.sandbox.kills import KILLS, KillReason, reason_of
from synthesis.worlds.sandbox.large_frames import LARGE_FRAMES, SMALL_BYTES
from synthesis.worlds.sandbox.protocol import HEADER, AnswerLimit, decode, encode, frame_sizes
from synthesis.worlds.sandbox.seal import SealExit
from synthesis.worlds.sandbox.soft_limit import SIGNAL
from synthesis.worlds.sandbox.worker_exit import WorkerExit

_CHUNK = 65_536
_PIECE = 2**20
_SLOW_SECONDS = 0.25
_SLOW_TIME = struct.pack("ll", 0, int(_SLOW_SECONDS * 1_000_000))
_SLOW_PRIORITY = 10
"""A worker that takes so long gives way, from then on, to all that answer sooner. Not nice(2)'s lowest
priority: on a busy machine, a killed process of that would take seconds to end."""
_SIGNALS = frozenset(signal.Signals)
"""Those with a name; most real-time signals have none."""
WATCH = IdleWatch()
"""The one of this process."""
os.register_at_fork(after_in_child=WATCH.forget_all)


class ExitStatusSource(Protocol):
    """Whoever forked a worker and so knows how it ended."""

    def exit_status(self, pid: int) -> int | None:
        """An exit status, a negative signal number, or None if it is not known."""
        ...


class WorkerProcess:
    """One worker process as the service sees it: a wire and a handle to end it.

    Not thread-safe: one request at a time, by whoever owns the worker.
    """

    def __init__(self, wire: socket.socket, pid: int, pidfd: int, forker: ExitStatusSource) -> None:
        self._wire, self.pid, self._pidfd, self._forker = wire, pid, pidfd, forker
        self._owner = os.getpid()
        wire.setblocking(True)
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _SLOW_TIME)
        self._readable = select.poll()
        self._readable.register(wire, select.POLLIN)
        self._handle = threading.Lock()
        self.requests = 0
        self.busy = False
        self.answered: float | None = None
        self._used = 0.0
        self._is_condemned = False
        WATCH.add(self)

    @property
    def alive(self) -> bool:
        """Whether it can be asked something; a worker that broke the protocol is not."""
        return self._pidfd >= 0

    @property
    def has_ended(self) -> bool:
        """Whether its process is gone, also where nobody has asked it anything since."""
        with self._handle:  # another thread may end it, and the descriptor may be another file's then
            if not self.alive:
                return True
            poll = select.poll()
            poll.register(self._pidfd, select.POLLIN)
            return bool(poll.poll(0))

    def request(
        self,
        op: str,
        body: dict[str, Any],
        blob: bytes = b"",
        *,
        soft: float,
        grace: float,
        most: AnswerLimit,
        patience: int = 0,
    ) -> tuple[dict[str, Any], bytes]:
        """Ask and wait for the answer.

        Args:
            op: What to do.
            body: Its arguments, JSON.
            blob: Bytes that go along.
            soft: Seconds until the worker is told to stop what it does.
            grace: Further seconds until it is killed.
            most: What the answer may hold.
            patience: How often `soft` begins again while the machine keeps the worker from working.

        Raises:
            WorkerDied: The process ended.
            WorkerTimeout: It did not stop in time and was killed.
            ProtocolViolated: It said something outside the protocol and was killed.
        """
        if not self.alive:
            raise WorkerDied("The worker has already ended.")
        number = os.urandom(8).hex()
        frame = encode({"id": number, "op": op, **body}, blob)
        now = time.monotonic()
        deadline = _Deadline(now, soft, grace, patience)
        if patience:
            self._used = cpu_seconds(self.pid) or 0.0
        WATCH.look()
        self.requests += 1
        self.busy = True
        try:
            self._send(frame, deadline)
            return self._receive(number, deadline, most)
        except (ConnectionError, EOFError) as lost:
            # A socket whose peer ends with a request unread is reset; code that ran had taken one.
            how = self._ended(unread=isinstance(lost, ConnectionError) and self.requests == 1)
            raise WorkerDied(f"The worker {how}.") from None
        except (ProtocolViolated, WorkerTimeout) as error:
            KILLS.add(KillReason.TIME if isinstance(error, WorkerTimeout) else KillReason.PROTOCOL)
            self.kill()
            raise
        finally:
            self.answered = cpu_seconds(self.pid)
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

    def condemn(self, *, asked: bool = False) -> None:
        """End the process from any thread; its owner finds it dead at the next request, or at this one.

        Args:
            asked: Even where somebody waits for its answer.
        """
        with self._handle:
            if self._pidfd >= 0 and self._owner == os.getpid() and (asked or not self.busy):
                if not asked and not self._is_condemned:
                    KILLS.add(KillReason.IDLE)
                self._is_condemned = True
                end(self._pidfd)

    def lay_to_rest(self) -> None:
        """Close the handle of a process that has ended, and count why it did."""
        if self._owner == os.getpid():
            self._ended(unread=False)
        self.kill()

    def _send(self, frame: bytes, deadline: _Deadline) -> None:
        try:  # no context manager: those of the request's path cost as much as the rest of it
            sent = self._wire.send(
                frame, socket.MSG_DONTWAIT
            )  # nearly always all of it: the wire is empty between requests
        except BlockingIOError:
            sent = 0
        if sent < len(frame):
            self._send_rest(memoryview(frame)[sent:], deadline)

    def _send_rest(self, view: memoryview, deadline: _Deadline) -> None:
        writable = select.poll()
        writable.register(self._wire, select.POLLOUT)
        while view:
            if deadline.passed():
                raise WorkerTimeout("The worker does not read its requests and was killed.")
            if writable.poll(deadline.left_hard()):
                with contextlib.suppress(BlockingIOError):
                    view = view[self._wire.send(view[:_PIECE], socket.MSG_DONTWAIT) :]

    def _receive(self, number: str, deadline: _Deadline, most: AnswerLimit) -> tuple[dict[str, Any], bytes]:
        data: bytes | bytearray = self._read(_CHUNK, deadline)
        while len(data) < HEADER.size:
            data += self._read(_CHUNK, deadline)
        body_size, blob_size = frame_sizes(data[: HEADER.size], max_body=most.body, max_blob=most.blob)
        end = HEADER.size + body_size + blob_size
        if end > SMALL_BYTES:
            waited = time.monotonic()
            with LARGE_FRAMES.taken():
                deadline.extend(time.monotonic() - waited)  # it is not the worker who was slow
                data = self._read_rest(bytearray(data), end, deadline)
                return _answer_in(data, number, body_size, end, most)
        if len(data) < end:
            data = self._read_rest(bytearray(data), end, deadline)
        return _answer_in(data, number, body_size, end, most)

    def _read_rest(self, data: bytearray, end: int, deadline: _Deadline) -> bytearray:
        while len(data) < end:
            if deadline.passed():  # bytes may come without end
                raise WorkerTimeout("The worker did not finish its answer in time and was killed.")
            data += self._read(min(end - len(data), _PIECE), deadline)
        return data

    def _read(self, size: int, deadline: _Deadline) -> bytes:
        flags = 0 if deadline.fresh_once() else socket.MSG_DONTWAIT
        while True:
            if flags and not self._readable.poll(deadline.left()):
                self._on_time(deadline)
                continue
            try:
                chunk = self._wire.recv(size, flags)  # the first waits by itself: one call less
            except BlockingIOError:
                flags = socket.MSG_DONTWAIT
                continue
            if not chunk:
                raise EOFError
            return chunk

    def _on_time(self, deadline: _Deadline) -> None:
        if deadline.slow_once():
            with contextlib.suppress(
                OSError
            ):  # it has ended, or is another user's and this host does not let us
                os.setpriority(os.PRIO_PROCESS, self.pid, _SLOW_PRIORITY)
        elif deadline.is_patient and self._is_kept_from_working(deadline.soft_seconds):
            deadline.begin_again()
        elif deadline.soft_passed_once():
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, SIGNAL)
        elif deadline.passed():
            raise WorkerTimeout(f"The worker did not stop within {deadline.seconds:g} s and was killed.")

    def _is_kept_from_working(self, seconds: float) -> bool:
        """Whether it wants to run, and had less than half of some seconds on a processor since asked."""
        used = cpu_seconds(self.pid)
        if used is None or used - self._used >= seconds / 2:
            return False
        self._used = used
        with contextlib.suppress(OSError):
            status = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii", errors="replace")
            return status.rpartition(") ")[2].startswith("R")
        return False

    def _ended(self, *, unread: bool) -> str:
        """How the process ended, in words; `unread` says that it took no request, so none of its code ran."""
        poll = select.poll()
        poll.register(self._pidfd, select.POLLIN)
        if not poll.poll(1_000):
            KILLS.add(KillReason.PROTOCOL)
            self.kill()
            return "closed its wire and was killed"
        status = self._forker.exit_status(self.pid)
        if not self._is_condemned:  # those were ended, and counted where they had to be
            KILLS.add(reason_of(status))
        self.kill()
        return _how_it_ended(status, unread=unread)


def _answer_in(
    data: bytes | bytearray, number: str, body_size: int, end: int, most: AnswerLimit
) -> tuple[dict[str, Any], bytes]:
    """The answer in the bytes that came, and its binary part."""
    if len(data) > end:
        raise ProtocolViolated("The worker sent more than one answer and was killed.")
    frame = memoryview(data)
    answer = decode(frame[HEADER.size : HEADER.size + body_size], most.brackets)
    if answer.get("id") != number or type(answer.get("ok")) is not bool:
        raise ProtocolViolated("The worker answered what it was not asked and was killed.")
    return answer, bytes(frame[HEADER.size + body_size :])


class _Deadline:
    """What is to be done about a worker that does not answer, and when on the monotonic clock."""

    __slots__ = ("_fresh", "_hard", "_next", "_patience", "_signalled", "_soft", "seconds", "soft_seconds")

    def __init__(self, now: float, soft: float, grace: float, patience: int = 0) -> None:
        self._soft, self._hard, self._signalled = now + soft, now + soft + grace, False
        self.soft_seconds, self._patience = soft, patience
        self._next = min(now + _SLOW_SECONDS, self._soft)
        self._fresh = soft >= _SLOW_SECONDS
        self.seconds = soft + grace

    def fresh_once(self) -> bool:
        """Whether all of the time is left in which nothing is to be done; true at most once."""
        fresh, self._fresh = self._fresh, False
        return fresh

    def extend(self, seconds: float) -> None:
        """Move what is still to come by so many seconds."""
        self._soft += seconds
        self._hard += seconds
        self._next += seconds

    @property
    def is_patient(self) -> bool:
        """Whether the soft limit may begin again; not once the worker was told to stop."""
        return self._patience > 0 and not self._signalled

    def begin_again(self) -> None:
        """Give the worker all of the soft limit once more."""
        self._patience -= 1
        self.extend(self.soft_seconds)
        self._next = self._soft

    def left(self) -> float:
        """Milliseconds until the next thing to do."""
        return max(self._next - time.monotonic(), 0.0) * 1_000

    def left_hard(self) -> float:
        """Milliseconds until the kill."""
        return max(self._hard - time.monotonic(), 0.0) * 1_000

    def passed(self) -> bool:
        """Whether it is time for the kill."""
        return time.monotonic() >= self._hard

    def slow_once(self) -> bool:
        """Whether it is time for others to go first; true once."""
        first = self._next < self._soft
        if first:
            self._next = self._soft
        return first

    def soft_passed_once(self) -> bool:
        """True the first time it is asked."""
        first, self._signalled = not self._signalled, True
        self._next = self._hard
        return first


def end(pidfd: int) -> None:
    """Kill a process; harmless when it has ended."""
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)


def _how_it_ended(status: int | None, *, unread: bool) -> str:
    if status is None:
        return "has ended"
    if status < 0:
        reasons: dict[int, str] = {
            signal.SIGSYS: "it made a forbidden system call",
            signal.SIGSEGV: "it crashed",
        }
        name = signal.Signals(-status).name if -status in _SIGNALS else str(-status)
        return f"was ended by signal {name}: {reasons.get(-status, 'it was killed')}"
    if unread and status in list(SealExit):
        return f"could not be sealed: {SealExit(status).meaning}"
    if status in list(WorkerExit):
        return f"ended by itself (status {status}): {WorkerExit(status).meaning}"
    # Nothing of ours ends so: code that it ran did, or the service closed the wire under a request.
    return f"ended by itself with status {status}, which is none of its own"
