"""The fork server: started by exec with an empty environment, it forks one worker per request.

It never runs generated code and reads no data of any environment; for a world it forks a template, a fork
server that holds the world's database and its loaded code, and forks that world's instances. A request is one
packet with the worker's socket attached; the reply is one packet with its process id and its pidfd attached.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import select
import signal
import socket
import sys
from collections import OrderedDict
from pathlib import Path
from typing import Any

import orjson

from synthesis.worlds.collector import tune_collector
from synthesis.worlds.sandbox import ceilings, descriptors, gaps, kernel, large_pages, namespaces
from synthesis.worlds.sandbox.confinement import confine
from synthesis.worlds.sandbox.descriptors import SOCKET
from synthesis.worlds.sandbox.preload import preload
from synthesis.worlds.sandbox.seal import Seal, SealPolicy
from synthesis.worlds.sandbox.soft_limit import SOFT_LIMIT
from synthesis.worlds.worker import worker
from synthesis.worlds.worker.live import WorldBlueprint
from synthesis.worlds.worker.namespace import PRELOADED, prepare, prepare_spare
from synthesis.worlds.worker.store import one_thread
from synthesis.worlds.worker.warm_up import warm_up

PACKET_BYTES = 4096
_FIRST_LOOK, _LAST_LOOK = 100, 30_000
"""Milliseconds without a request after which it looks again for workers that have ended. To hear of each by
a signal writes to pages that it shares with other workers, which are copied (measured: 0.15 of the 2.2 ms of
a worker that does nothing)."""
_REMEMBERED_ENDS = 4096


class ForkServer:
    """Forks workers until the service goes away.

    Args:
        control: The packet socket to the service.
        blueprint: The world whose instances its workers hold, in a template; None in the fork server itself.
    """

    def __init__(self, control: socket.socket, blueprint: WorldBlueprint | None = None) -> None:
        self._control, self._blueprint = control, blueprint
        self._worker = worker.Worker(blueprint)
        self._seals: dict[tuple[int, bool], Seal] = {}
        self._ends: OrderedDict[int, int] = OrderedDict()

    def serve(self) -> None:
        """Answer requests; returns when the service has closed its end."""
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # else none of them could be waited for
        SOFT_LIMIT.arm()
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        patience = _FIRST_LOOK
        while True:
            if poll.poll(patience):
                if not self._answer():
                    return
                patience = _FIRST_LOOK
            else:
                patience = min(2 * patience, _LAST_LOOK)
            self._reap()

    def _answer(self) -> bool:
        packet, attached, _, _ = socket.recv_fds(self._control, PACKET_BYTES, 2)
        if not packet:
            return False
        request = orjson.loads(packet)
        if request["op"] == "status":
            self._reap()
            self._control.send(orjson.dumps({"status": self._ends.pop(request["pid"], None)}))
        else:
            self._fork(request, attached)
        return True

    def _fork(self, request: dict[str, Any], attached: list[int]) -> None:
        try:
            seal = self._seal(request, attached[0]) if request["op"] == "fork" else None
            parent = os.getpid()
            pid = os.fork() if seal is None else kernel.fork()
        except OSError as error:
            self._control.send(orjson.dumps({"error": f"fork: {error.strerror}"}))
        else:
            if pid == 0:
                self._become(request, attached, parent, seal)
            pidfd = os.pidfd_open(pid)
            socket.send_fds(self._control, [orjson.dumps({"pid": pid})], [pidfd])
            os.close(pidfd)
        for descriptor in attached:
            os.close(descriptor)

    def _seal(self, request: dict[str, Any], descriptor: int) -> Seal:
        """How a child will seal itself."""
        memory_mib, waived = request["memory_mib"], request["waived"]
        seal = self._seals.get((memory_mib, waived))
        if seal is None:
            policy = SealPolicy(
                socket=descriptor, parent_pid=os.getpid(), memory_mib=memory_mib, waived=waived
            )
            seal = self._seals[memory_mib, waived] = Seal(policy)
        seal.aim(descriptor, ceilings.mapped_bytes())
        return seal

    def _become(self, request: dict[str, Any], attached: list[int], parent: int, seal: Seal | None) -> None:
        """Turn the forked child into what was asked for; never returns."""
        try:
            if seal is not None:
                seal.close()
                worker.run(SOCKET, self._worker)
            self._become_template(request, attached, parent)
        finally:
            os._exit(1)

    def _become_template(self, request: dict[str, Any], attached: list[int], parent: int) -> None:
        """A fork server for one world: its database is open and its code loaded, but none of it has run."""
        self._control.close()
        confine(waived=request["waived"])
        if kernel.prctl(kernel.PR_SET_PDEATHSIG, int(signal.SIGKILL)) < 0 or os.getppid() != parent:
            return
        control = socket.socket(fileno=attached[0])
        gaps.use_up()
        with os.fdopen(attached[1], "rb") as given:
            blueprint = worker.read_blueprint(given.read())
        tune_collector()
        gaps.use_up()
        control.send(orjson.dumps({"ready": os.getpid()}))
        ForkServer(control, blueprint).serve()
        os._exit(0)

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            self._ends[pid] = os.waitstatus_to_exitcode(status)
            while len(self._ends) > _REMEMBERED_ENDS:
                self._ends.popitem(last=False)


def _be_killed_first() -> None:
    """When the host's memory ends, the kernel shall end a worker and not the service."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("900", encoding="ascii")


def main() -> None:
    """Run as a program: the arguments are the descriptor of the control socket and the layer, if any."""
    control = socket.socket(fileno=int(sys.argv[1]))
    control.set_inheritable(False)
    # Ctrl-C and a service manager reach the whole group: the service finishes what is in flight first, and
    # needs its workers for it. All of this ends when the service closes its end.
    for asked_to_end in (signal.SIGINT, signal.SIGTERM):
        signal.signal(asked_to_end, signal.SIG_IGN)
    namespaces.enter()
    _be_killed_first()
    one_thread()
    layer = sys.argv[2]
    preload(PRELOADED, for_applications=bool(layer))
    prepare()
    warm_up()
    if layer:
        importlib.import_module(layer).prepare()
    descriptors.hold_null()
    ceilings.hold()
    prepare_spare()
    tune_collector()
    gaps.use_up()
    large_pages.gather()
    control.send(orjson.dumps({"ready": os.getpid()}))
    ForkServer(control).serve()
