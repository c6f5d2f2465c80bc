"""What a throw-away process finds out about this host by really trying; `probe` starts it."""

from __future__ import annotations

import json
import os
import socket
import sys
from typing import Any

from synthesis.worlds.sandbox import descriptors, identity, kernel, landlock, namespaces
from synthesis.worlds.sandbox.seal import SealFailed, SealPolicy, apply

_LONGEST = 65536


def main() -> None:
    """Try everything and print one JSON object as the last line."""
    given = namespaces.enter()  # first, as the fork server does: what follows may come out differently there
    found = {
        "seal": _sealed_child(),
        "landlock_offered": landlock.version(),
        "may_change_uid": identity.may_change(),
        "root": os.geteuid() == 0,
        "pidfd": _pidfd(),
        "namespaces": given,
    }
    sys.stdout.write(json.dumps(found) + "\n")


def _sealed_child() -> dict[str, Any]:
    """Seal a child and let it tell through its socket, which proves that the socket still works."""
    ours, theirs = socket.socketpair()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        _seal_and_tell(theirs.fileno(), parent)
    theirs.close()
    told = ours.recv(_LONGEST)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if told:
        answer: dict[str, Any] = json.loads(told)
        return answer
    return {"failed": "ended", "detail": f"the sealed child ended with status {status} and told nothing"}


def _seal_and_tell(theirs: int, parent: int) -> None:
    told: dict[str, Any]
    where = descriptors.SOCKET
    try:
        told = {"report": apply(SealPolicy(socket=theirs, parent_pid=parent)).as_json()}
    except SealFailed as failed:
        told = {"failed": failed.status.name, "detail": str(failed)}
    except Exception as error:  # noqa: BLE001 - the child must tell what happened, whatever it was
        told, where = {"failed": "error", "detail": f"{type(error).__name__}: {error}"}, theirs
    try:
        os.write(where, json.dumps(told).encode())
    finally:
        os._exit(0)


def _pidfd() -> bool:
    opened = kernel.call(kernel.SETUP_CALLS["pidfd_open"], os.getpid(), 0)
    if opened < 0:
        return False
    os.close(opened)
    return True
