"""What a throw-away process finds out about this host by really trying; `probe` starts it."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

from synthesis.worlds.sandbox import ceilings, descriptors, identity, kernel, landlock, namespaces
from synthesis.worlds.sandbox.confinement import confine
from synthesis.worlds.sandbox.seal import Seal, SealExit, SealFailed, SealPolicy

_LONGEST = 65536


def main() -> None:
    """Try everything and print one JSON object as the last line."""
    given = namespaces.enter()  # first, as the fork server does: what follows may come out differently there
    results = {
        "seal": _sealed_report(_seal_and_report),
        "template": _sealed_report(_confine_fork_and_report),
        "landlock_offered": landlock.version(),
        "may_change_uid": identity.may_change(),
        "root": os.geteuid() == 0,
        "pidfd": _pidfd(),
        "memory_file": _memory_file(),
        "namespaces": given,
    }
    sys.stdout.write(json.dumps(results) + "\n")


def _sealed_report(become: Callable[[int, int], None]) -> dict[str, Any]:
    """Seal a child and let it tell through its socket, which proves that the socket still works."""
    ours, theirs = socket.socketpair()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        ours.close()
        become(theirs.fileno(), parent)
    theirs.close()
    content = ours.recv(_LONGEST)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if content:
        answer: dict[str, Any] = json.loads(content)
        return answer
    if status in list(SealExit):
        return {"failed": SealExit(status).name, "detail": SealExit(status).meaning}
    return {"failed": "ended", "detail": f"the sealed child exited with status {status} and reported nothing"}


def _confine_fork_and_report(theirs: int, _parent: int) -> None:
    """Become what a world's template is, with its limits, and let a worker forked there tell."""
    confine()
    mapped = ceilings.mapped_bytes()
    me = os.getpid()
    try:
        worker = kernel.fork()
    except OSError as error:
        os.write(theirs, json.dumps({"failed": "fork", "detail": f"fork: {error.strerror}"}).encode())
        os._exit(0)
    if worker == 0:
        _seal_and_report(theirs, me, mapped)
    os._exit(os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]) & 0xFF)


def _seal_and_report(theirs: int, parent: int, mapped: int = 0) -> None:
    details: dict[str, Any]
    where = descriptors.SOCKET
    try:
        prepared = Seal(SealPolicy(socket=theirs, parent_pid=parent, mapped_bytes=mapped))
        prepared.apply()
        details = {"report": prepared.report().as_json()}
    except SealFailed as failed:
        details = {"failed": failed.status.name, "detail": str(failed)}
    except Exception as error:  # noqa: BLE001 - the child must tell what happened, whatever it was
        details, where = {"failed": "error", "detail": f"{type(error).__name__}: {error}"}, theirs
    try:
        os.write(where, json.dumps(details).encode())
    finally:
        os._exit(0)


def _pidfd() -> bool:
    opened = kernel.call(kernel.SETUP_CALLS["pidfd_open"], os.getpid(), 0)
    if opened < 0:
        return False
    try:
        signal.pidfd_send_signal(opened, 0)
    except OSError:  # a profile may give the handle and refuse its use
        return False
    else:
        return True
    finally:
        os.close(opened)


def _memory_file() -> bool:
    """Whether a world can be handed to its template."""
    try:
        os.close(os.memfd_create("trial", os.MFD_CLOEXEC))
    except OSError:
        return False
    return True
