"""The service's side of the sandbox: one fork server per service process, and the workers it forks."""

from __future__ import annotations

import atexit
import contextlib
import os
import resource
import select
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import orjson

from synthesis.errors import CapacityExhausted, SandboxUnavailable
from synthesis.worlds.sandbox.probe import probe
from synthesis.worlds.sandbox.worker_process import WorkerProcess, end

_START_SECONDS = 60.0
_FORK_SECONDS = 30.0
_PACKET_BYTES = 4096
_WITHOUT_PLUGINS = "from synthesis.worlds.sandbox.no_plugins import import_pydantic; import_pydantic(); "
"""For tools; applications may ask for what is installed."""
_CLEAN_ENVIRONMENT = {"PYTHONHASHSEED": "0", "TZ": "UTC0", "LC_ALL": "C.UTF-8"}
"""Constants only: the order of sets and the time zone are the same in every worker on every machine."""


class Forker:
    """Something that forks workers on request: the fork server, or a template of one world.

    Args:
        control: The packet socket to it.
        waived: The operator runs trusted code only: workers go on where the kernel refuses the filter.
    """

    def __init__(self, control: socket.socket, *, waived: bool) -> None:
        self._control, self._waived = control, waived
        self._lock = threading.Lock()

    def fork(self, *, memory_mib: int) -> WorkerProcess:
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
        return WorkerProcess(ours, pid, pidfd, self)

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
            end(self._pidfd)
        os.close(self._pidfd)
        self._pidfd = -1


class ForkClient(Forker):
    """A fork server of this process, started by exec with an environment of constants.

    Args:
        waived: The operator runs trusted code only.
        layer: A module of ours that is loaded, and whose `prepare` is called, before anything is forked.
    """

    def __init__(self, *, waived: bool = False, layer: str = "") -> None:
        control, theirs = _pair(socket.SOCK_SEQPACKET)
        super().__init__(control, waived=waived)
        # The package's own folder, so that a checkout works like an installed package.
        folder = str(Path(__file__).resolve().parents[3])
        program = (
            f"import sys; sys.path[:0] = {[folder, *_site_folders()]!r}; "
            "from synthesis.worlds.sandbox.large_pages import reserve_arenas; reserve_arenas(); "
            f"{'' if layer else _WITHOUT_PLUGINS}"
            "from synthesis.worlds.worker.fork_server import main; main()"
        )
        self._process = subprocess.Popen(
            [sys.executable, "-s", "-P", "-B", "-c", program, str(theirs.fileno()), layer],
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
            blueprint: What `synthesis.worlds.worker.worker.read_blueprint` reads.

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
            _, pidfd = self._order({"op": "template", "waived": self._waived}, [theirs.fileno(), given])
        except BaseException:
            control.close()
            raise
        finally:
            theirs.close()
            os.close(given)
        result = Template(control, pidfd, waived=self._waived)
        if not _is_ready(control):
            result.close()
            raise SandboxUnavailable(
                "The template of a world did not start; see what it wrote to standard error."
            )
        return result

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
        ends = socket.socketpair(socket.AF_UNIX, kind)
    except OSError as error:
        raise CapacityExhausted(f"No descriptors left ({error.strerror}): raise `ulimit -n`.") from error
    for end_of_pair in ends:
        # Sockets are made with the process's default timeout, which Celery sets while it looks for a lost
        # broker: the far end would then not wait for a request, and a worker would end at its first one.
        end_of_pair.setblocking(True)
    return ends


def _is_ready(control: socket.socket) -> bool:
    """Wait for the first packet of what was started; afterwards an answer may take as long as a fork does."""
    control.settimeout(_START_SECONDS)
    try:
        ready = control.recv(_PACKET_BYTES)
    except OSError:
        return False
    control.settimeout(_FORK_SECONDS)
    return bool(ready)


class _SharedClients:
    """The fork servers of this process, one per layer."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._servers: dict[str, ForkClient] = {}

    def get(self, layer: str) -> ForkClient:
        with self._lock:
            server = self._servers.get(layer)
            if server is None or not server.alive:
                if server is not None:
                    server.close()
                status = probe()
                status.require()
                _allow_many_descriptors()
                server = self._servers[layer] = ForkClient(waived=status.waived, layer=layer)
            return server

    def close(self) -> None:
        with self._lock:
            for server in self._servers.values():
                server.close()
            self._servers.clear()

    def after_fork(self) -> None:
        self._lock = threading.Lock()
        for server in self._servers.values():
            server.forget()
        self._servers.clear()


_SHARED = _SharedClients()
atexit.register(_SHARED.close)
os.register_at_fork(after_in_child=_SHARED.after_fork)


def fork_client(layer: str = "") -> ForkClient:
    """The fork server of this process for a layer; started by the first call, again if it was lost.

    Args:
        layer: See `ForkClient`; without one, what every worker has.

    Raises:
        SandboxUnavailable: It does not start, or this host lacks what the sandbox needs.
    """
    return _SHARED.get(layer)


def _site_folders() -> list[str]:
    return [entry for entry in sys.path if entry.endswith(("site-packages", "dist-packages"))]


def _allow_many_descriptors() -> None:
    """Two descriptors per instance: the usual soft limit of 1,024 would end at 500."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
