"""A process that seals children on request: JSON lines in, JSON lines out. Started by conftest.py.

A request: {"code": ..., "user": "nobody"|"bare-root"|null, "profile": "docker"|"no_seccomp"|null,
"waived": bool, "own_uid": bool, "seal": bool, "confine": bool, "memory_mib": int, "cpu_seconds": int,
"seconds": float, "parent_pid": int, "broken": code that runs before the seal}.
The reply: {"told": [...], "status": exit status or -signal, "killed": whether its time was over}.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import socket
import struct
import sys
import time

from synthesis.worlds.sandbox import confinement, identity, kernel, namespaces, preload, seal, seccomp

DENIED_BY_PROFILE = {
    "docker": [101, 310, 311, 165, 166, 272, 308, 321, 298, 250, 248, 249, 155, 161, 133],
    "no_seccomp": [317],
}
PRCTL = 157
SECRET = "hunter2-the-parent-knows-it"


def under_profile(name: str) -> None:
    """Put a filter around us as a container runtime would (x86_64)."""
    code = [(0x20, 0, 0, 0)]
    for number in DENIED_BY_PROFILE[name]:
        code += [(0x15, 0, 1, number), (0x06, 0, 0, 0x00050001)]
    if name == "no_seccomp":
        code += [(0x15, 0, 3, PRCTL), (0x20, 0, 0, 16), (0x15, 0, 1, 22), (0x06, 0, 0, 0x00050016)]
    code.append((0x06, 0, 0, seccomp.ALLOW))
    raw = b"".join(struct.pack("=HBBI", *line) for line in code)
    buffer = ctypes.create_string_buffer(raw, len(raw))
    program = seccomp._Program(len(code), ctypes.addressof(buffer))
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    refused = kernel.prctl(kernel.PR_SET_SECCOMP, 2, ctypes.addressof(program))
    assert refused == 0, os.strerror(-refused)


def become(user: str | None) -> None:
    if user == "nobody" and os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
    if user == "bare-root":
        kernel.keep_capabilities(0)
        identity.may_change.cache_clear()


def child(theirs: socket.socket, parent: int, request: dict[str, object]) -> None:
    policy = seal.SealPolicy(
        socket=theirs.fileno(),
        parent_pid=int(request.get("parent_pid", parent)),  # type: ignore[call-overload]
        memory_mib=int(request.get("memory_mib", 128)),  # type: ignore[call-overload]
        cpu_seconds=int(request.get("cpu_seconds", 600)),  # type: ignore[call-overload]
        own_uid=bool(request.get("own_uid", True)),
        waived=bool(request.get("waived", False)),
    )
    if "broken" in request:
        exec(str(request["broken"]), {"seal": seal})
    if request.get("confine"):
        confinement.confine()
    report = {}
    if request.get("seal", True):
        prepared = seal.Seal(policy)
        prepared.close()
        report = prepared.report().as_json()
    wire = 3 if report else theirs.fileno()

    def tell(value: object) -> None:
        os.write(wire, json.dumps(value, default=repr).encode() + b"\n")

    given = {
        "__name__": "__main__",
        "tell": tell,
        "report": report,
        "kernel": kernel,
        "seal": seal,
        "wire": wire,
    }
    try:
        exec(str(request["code"]), given)
    except BaseException as error:  # noqa: BLE001 - whatever hostile code raises is told
        tell({"error": f"{type(error).__name__}: {error}"})
    os._exit(0)


def serve(request: dict[str, object]) -> dict[str, object]:
    """Fork, seal, run; whatever the child says until it ends or its time is over."""
    ours, theirs = socket.socketpair()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        ours.close()
        child(theirs, parent, request)
    theirs.close()
    content, deadline = b"", time.monotonic() + float(request.get("seconds", 5.0))  # type: ignore[arg-type]
    while (left := deadline - time.monotonic()) > 0:
        if not select.select([ours], [], [], left)[0]:
            break
        try:
            piece = ours.recv(65536)
        except ConnectionError:
            break
        if not piece:
            break
        content = (content + piece)[-65536:]
    over = deadline <= time.monotonic()
    if over:
        os.kill(pid, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    lines = content.decode(errors="replace").splitlines()
    return {"told": [json.loads(line) for line in lines], "status": status, "killed": over}


def in_between(request: dict[str, object]) -> dict[str, object]:
    """Serve from a process that is another user or stands under a profile first."""
    readable, writable = os.pipe()
    pid = os.fork()
    if pid == 0:
        become(request.get("user"))  # type: ignore[arg-type]
        if request.get("profile"):
            under_profile(str(request["profile"]))
        namespaces.enter()
        os.write(writable, json.dumps(serve(request)).encode())
        os._exit(0)
    os.close(writable)
    with os.fdopen(readable) as pipe:
        answer: dict[str, object] = json.loads(pipe.read())
    os.waitpid(pid, 0)
    return answer


def main() -> None:
    os.environ["SECRET_KEY"] = SECRET
    preload.preload()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        request = json.loads(line)
        between = request.get("user") or request.get("profile")
        sys.stdout.write(json.dumps(in_between(request) if between else serve(request)) + "\n")
        sys.stdout.flush()


main()
