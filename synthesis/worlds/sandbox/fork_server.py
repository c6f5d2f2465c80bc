"""The service's side of the sandbox: one fork server per service process, and the workers it forks."""

from __future__ import annotations

import atexit
import contextlib
import os
import resource
import secrets
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import orjson

import synthesis
from synthesis.errors import (
    CapacityExhausted,
    ProtocolViolated,
    SandboxUnavailable,
    WorkerDied,
    WorkerTimeout,
)
from synthesis.worlds.sandbox.probe import probe
from synthesis.worlds.sandbox.protocol import HEADER, decode, encode, frame_sizes
from synthesis.worlds.sandbox.seal import SealExit
from synthesis.worlds.soft_limit import SIGNAL

_START_SECONDS = 60.0
_FORK_SECONDS = 30.0
_CHUNK = 65_536
_PACKET_BYTES = 4096
_CLEAN_ENVIRONMENT = {"PYTHONHASHSEED": "0", "TZ": "UTC0", "LC_ALL": "C.UTF-8"}
"""Constants only: the order of sets and the time zone are the same in every worker on every machine."""


class Worker:
    """One worker process as the service sees it: a wire and a handle to end it.

    Not thread-safe: one request at a time, by whoever owns the worker.
    """

    def __init__(self, wire: socket.socket, pid: int, pidfd: int, forker: Forker) -> None:
        self._wire, self.pid, self._pidfd, self._forker = wire, pid, pidfd, forker
        self._owner = os.getpid()

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
        try:
            self._send(frame, deadline)
            return self._receive(number, deadline, max_body, max_blob)
        except (ConnectionError, EOFError):
            how = self._ended()
            raise WorkerDied(f"The worker {how}.") from None
        except (ProtocolViolated, WorkerTimeout):
            self.kill()
            raise

    def kill(self) -> None:
        """End the process at once; harmless when it has ended."""
        if self._pidfd < 0:
            return
        if self._owner == os.getpid():  # a fork of the service has the descriptors but not the worker
            _kill(self._pidfd)
        os.close(self._pidfd)
        self._pidfd = -1
        self._wire.close()

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


class Forker:
    """Something that forks workers on request: the fork server, or a template of one world.

    Args:
        control: The packet socket to it.
        waived: The operator runs trusted code only: workers go on where the kernel refuses the filter.
    """

    def __init__(self, control: socket.socket, *, waived: bool) -> None:
        self._control, self._waived = control, waived
        self._lock = threading.Lock()

    def fork(self, *, memory_mib: int) -> Worker:
        """A new, sealed worker.

        Raises:
            CapacityExhausted: No descriptors or processes are left.
            SandboxUnavailable: The forker is gone.
        """
        ours, theirs = _pair(socket.SOCK_STREAM)
        request = {"op": "fork", "memory_mib": memory_mib, "waived": self._waived}
        try:
            pid, pidfd = self._order(request, [theirs.fileno()])
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        return Worker(ours, pid, pidfd, self)

    def exit_status(self, pid: int) -> int | None:
        """How an ended worker ended: an exit status, a negative signal number, or None if it is not known."""
        with self._lock:
            try:
                self._control.send(orjson.dumps({"op": "status", "pid": pid}))
                status: int | None = orjson.loads(self._control.recv(_PACKET_BYTES))["status"]
            except (OSError, orjson.JSONDecodeError):
                return None
            return status

    def _order(self, request: dict[str, Any], descriptors: list[int]) -> tuple[int, int]:
        """The process id and pidfd of what was forked."""
        try:
            with self._lock:
                socket.send_fds(self._control, [orjson.dumps(request)], descriptors)
                packet, attached, _, _ = socket.recv_fds(self._control, _PACKET_BYTES, 1)
        except OSError as error:
            raise SandboxUnavailable(f"The fork server does not answer: {error}") from error
        if not packet:
            raise SandboxUnavailable("The fork server has ended.")
        answer = orjson.loads(packet)
        if "error" in answer or not attached:
            why = answer.get("error", "no descriptors left: raise `ulimit -n`")
            raise CapacityExhausted(f"No worker could be started: {why}.")
        return int(answer["pid"]), attached[0]


class Template(Forker):
    """A fork server of one world: its workers are copies that already hold the world's database and code."""

    def __init__(self, control: socket.socket, pidfd: int, *, waived: bool) -> None:
        super().__init__(control, waived=waived)
        self._pidfd, self._owner = pidfd, os.getpid()

    @property
    def alive(self) -> bool:
        """Whether it can fork, and belongs to this process."""
        if self._pidfd < 0 or self._owner != os.getpid():
            return False
        poll = select.poll()
        poll.register(self._pidfd, select.POLLIN)
        return not poll.poll(0)

    def close(self) -> None:
        """End it; its workers die with it."""
        if self._pidfd < 0:
            return
        self._control.close()
        if self._owner == os.getpid():
            _kill(self._pidfd)
        os.close(self._pidfd)
        self._pidfd = -1


class ForkServer(Forker):
    """The fork server of this process, started by exec with an environment of constants."""

    def __init__(self, *, waived: bool = False) -> None:
        control, theirs = _pair(socket.SOCK_SEQPACKET)
        super().__init__(control, waived=waived)
        # The package's own folder, so that a checkout works like an installed package. Nothing of the environment.
        folder = str(Path(synthesis.__file__).resolve().parent.parent)
        program = (
            f"import sys; sys.path[:0] = {[folder, *_site_folders()]!r}; "
            "from synthesis.worlds.sandbox.zygote import main; main()"
        )
        self._process = subprocess.Popen(
            [sys.executable, "-s", "-P", "-B", "-c", program, str(theirs.fileno())],
            env=_CLEAN_ENVIRONMENT,
            pass_fds=[theirs.fileno()],
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        theirs.close()
        if not _is_ready(self._control):
            self.close()
            raise SandboxUnavailable("The fork server did not start; see what it wrote to standard error.")

    def template(self, blueprint: bytes) -> Template:
        """A template that holds one world.

        Args:
            blueprint: What `synthesis.worlds.sandbox.worker.read_blueprint` reads.

        Raises:
            SandboxUnavailable: It did not start.
            CapacityExhausted: No descriptors or processes are left.
        """
        control, theirs = _pair(socket.SOCK_SEQPACKET)
        given = os.memfd_create("blueprint", os.MFD_CLOEXEC)
        try:
            with os.fdopen(os.dup(given), "wb") as file:
                file.write(blueprint)
            os.lseek(given, 0, os.SEEK_SET)
            _, pidfd = self._order({"op": "template"}, [theirs.fileno(), given])
        except BaseException:
            control.close()
            raise
        finally:
            theirs.close()
            os.close(given)
        made = Template(control, pidfd, waived=self._waived)
        if not _is_ready(control):
            made.close()
            raise SandboxUnavailable(
                "The template of a world did not start; see what it wrote to standard error."
            )
        return made

    @property
    def alive(self) -> bool:
        """Whether it can fork."""
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def close(self) -> None:
        """End it; its workers and templates die with it."""
        self._control.close()
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def forget(self) -> None:
        """Drop the descriptors after a fork of the service itself: the server belongs to the parent."""
        self._control.close()
        self._process.returncode = 0  # not ours to wait for


def _pair(kind: int) -> tuple[socket.socket, socket.socket]:
    try:
        return socket.socketpair(socket.AF_UNIX, kind)
    except OSError as error:
        raise CapacityExhausted(f"No descriptors left ({error.strerror}): raise `ulimit -n`.") from error


def _is_ready(control: socket.socket) -> bool:
    """Wait for the first packet of what was started; afterwards an answer may take as long as a fork does."""
    control.settimeout(_START_SECONDS)
    try:
        ready = control.recv(_PACKET_BYTES)
    except OSError:
        return False
    control.settimeout(_FORK_SECONDS)
    return bool(ready)


def _kill(pidfd: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)


class _Shared:
    """The one fork server of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._server: ForkServer | None = None

    def get(self) -> ForkServer:
        with self._lock:
            if self._server is None or not self._server.alive:
                status = probe()
                status.require()
                _allow_many_descriptors()
                self._server = ForkServer(waived=status.waived)
            return self._server

    def close(self) -> None:
        with self._lock:
            if self._server is not None:
                self._server.close()
                self._server = None

    def after_fork(self) -> None:
        self._lock = threading.Lock()
        if self._server is not None:
            self._server.forget()
            self._server = None


_SHARED = _Shared()
atexit.register(_SHARED.close)
os.register_at_fork(after_in_child=_SHARED.after_fork)


def fork_server() -> ForkServer:
    """The fork server of this process; started by the first call, again if it was lost.

    Raises:
        SandboxUnavailable: It does not start, or this host lacks what the sandbox needs.
    """
    return _SHARED.get()


def _site_folders() -> list[str]:
    return [entry for entry in sys.path if entry.endswith(("site-packages", "dist-packages"))]


def _allow_many_descriptors() -> None:
    """Two descriptors per instance: the usual soft limit of 1,024 would end at 500."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _how_it_ended(status: int | None) -> str:
    if status is None:
        return "has ended"
    if status < 0:
        names = {signal.SIGSYS: "it made a forbidden system call", signal.SIGSEGV: "it crashed"}
        why = names.get(signal.Signals(-status), "it was killed")
        return f"was ended by signal {signal.Signals(-status).name}: {why}"
    if status in list(SealExit):
        return f"could not be sealed: {SealExit(status).meaning}"
    return f"ended with status {status}"
