"""The seal: what holds in a sealed child, as root, as an ordinary user and inside a container's profile."""

from __future__ import annotations

import os
import platform
import signal
from typing import Any

import pytest

from synthesis.worlds.sandbox.seal import SealExit

REFUSED = "[seal.kernel.PreparedCall(lambda: 0, 1, lambda result: seal.kernel.refuse(-1))]"
"""A step that the kernel refuses."""

HOSTS = [
    pytest.param({}, id="as-started"),
    pytest.param({"user": "nobody"}, id="ordinary-user"),
    pytest.param({"user": "bare-root"}, id="without-capabilities"),
    pytest.param(
        {"user": "nobody", "profile": "docker"},
        id="restricted-profile",
        marks=pytest.mark.skipif(platform.machine() != "x86_64", reason="the profile is written for x86_64"),
    ),
]


def run(sealed: Any, code: str, **request: object) -> Any:
    done = sealed(code, **request)
    assert (done["status"], done["killed"], len(done["told"])) == (0, False, 1), done
    return done["told"][0]


@pytest.mark.parametrize("host", HOSTS)
def test_the_boundary_is_in_force(sealed: Any, host: dict[str, Any]) -> None:
    report = run(sealed, "tell(report)", **host)
    assert report["seccomp"] is True
    assert report["no_new_privs"] is True
    assert {k: v for k, v in report["limits"].items() if k != "RLIMIT_AS"} == {
        "RLIMIT_FSIZE": 0,
        "RLIMIT_NPROC": 0,
        "RLIMIT_CORE": 0,
        "RLIMIT_MEMLOCK": 0,
        "RLIMIT_MSGQUEUE": 0,
        "RLIMIT_RTPRIO": 0,
        "RLIMIT_NOFILE": 4,
        "RLIMIT_CPU": 600,
    }


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize(
    ("attempt", "refusal"),
    [
        ("open('/etc/passwd')", "FileNotFoundError"),
        ("open('/tmp/x', 'w')", "FileNotFoundError"),
        ("os.stat('/')", "FileNotFoundError"),
        ("os.listdir('/')", "FileNotFoundError"),
        ("os.mkdir('/tmp/made')", "PermissionError"),
        ("os.fork()", "PermissionError"),
        ("os.kill(os.getppid(), 0)", "PermissionError"),
        ("os.execv('/bin/true', ['true'])", "PermissionError"),
        ("os.memfd_create('m')", "PermissionError"),
        ("os.pipe()", "PermissionError"),
        ("os.dup(3)", "PermissionError"),
        ("socket.socket()", "PermissionError"),
        ("socket.socketpair()", "PermissionError"),
        ("_thread.start_new_thread(int, ())", "RuntimeError"),
        ("mmap.mmap(-1, 4096, prot=7)", "PermissionError"),
        ("resource.setrlimit(resource.RLIMIT_CPU, (1, 1))", "PermissionError|ValueError"),
        ("os.setuid(0)", "PermissionError"),
        ("fcntl.fcntl(3, fcntl.F_SETOWN, 1)", "PermissionError"),
        ("os.sendfile(1, 3, 0, 1)", "PermissionError"),
    ],
)
def test_it_refuses(sealed: Any, host: dict[str, Any], attempt: str, refusal: str) -> None:
    code = f"import os, socket, mmap, resource, fcntl, _thread\ntry:\n  tell(['did', {attempt}])\n"
    code += "except Exception as error:\n  tell(type(error).__name__)"
    assert run(sealed, code, **host) in refusal.split("|")


def test_only_four_descriptors_are_open(sealed: Any) -> None:
    code = (
        "import os, select\n"
        "p = select.poll()\n"
        "found = []\n"
        "for fd in range(64):\n"
        "    p.register(fd, 1); events = dict(p.poll(0)); p.unregister(fd)\n"
        "    found += [fd] if not events.get(fd, 0) & select.POLLNVAL else []\n"
        "tell(found)"
    )
    assert run(sealed, code) == [0, 1, 2, 3]


def test_the_standard_streams_lead_nowhere(sealed: Any) -> None:
    assert run(sealed, "import os; tell([os.read(0, 9), os.write(1, b'x'), os.write(2, b'x')])") == [
        "b''",
        1,
        1,
    ]


def test_memory_is_bounded_beyond_what_was_inherited(sealed: Any) -> None:
    code = (
        "kept = []\n"
        "try:\n"
        "    while True: kept.append(bytearray(1 << 20))\n"
        "except MemoryError:\n"
        "    count = len(kept); kept.clear(); tell(count)"
    )
    assert 32 <= run(sealed, code, memory_mib=64) <= 64


def test_a_worker_that_works_on_after_its_answer_is_ended_by_the_kernel(sealed: Any) -> None:
    done = sealed("tell('the answer')\nwhile True: pass", cpu_seconds=1, seconds=30)
    assert done == {"told": ["the answer"], "status": -signal.SIGKILL, "killed": False}


def test_a_worker_dies_with_its_parent_and_not_before(sealed: Any) -> None:
    done = sealed("tell('alive')", parent_pid=1 if os.getpid() != 1 else 2)
    assert done == {"told": [], "status": SealExit.ORPHANED, "killed": False}


def test_root_becomes_somebody_without_rights(sealed: Any) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root may change its user id")
    own = run(sealed, "import os; tell([os.getuid(), os.geteuid(), kernel.effective_capabilities()])")
    other = run(sealed, "import os; tell([os.getuid(), os.geteuid(), kernel.effective_capabilities()])")
    assert own[0] == own[1] not in (0, 65534)
    assert own[2] == 0
    assert own != other


def test_root_that_keeps_its_id_has_no_capability(sealed: Any) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root has capabilities to lose")
    code = (
        "import ctypes, sys; identity = sys.modules['synthesis.worlds.sandbox.identity']\n"
        "tell([report['uid'], kernel.keep_capabilities(0)])"
    )
    assert run(sealed, code, own_uid=False) == [None, -1]


@pytest.mark.parametrize(
    ("broken", "status"),
    [
        ("seal.signal.set_wakeup_fd = None", SealExit.BROKEN),
        (f"seal.descriptors.keep_only = lambda socket: {REFUSED}", SealExit.DESCRIPTORS),
        (f"seal.identity.OwnIdentity.steps = lambda self: {REFUSED}", SealExit.IDENTITY),
        (f"seal._GIVE_UP_PRIVILEGES = {REFUSED}", SealExit.PRIVILEGES),
        (f"seal.ceilings.Ceilings.steps = lambda self: {REFUSED}", SealExit.LIMITS),
        (f"seal.seccomp.steps = lambda machine: {REFUSED}", SealExit.FILTER),
        ("seal.seccomp.steps = lambda machine: []", SealExit.SELF_TEST),
    ],
)
def test_a_child_that_is_not_surely_sealed_ends(sealed: Any, broken: str, status: SealExit) -> None:
    assert sealed("tell('ran')", broken=broken) == {"told": [], "status": status, "killed": False}
    assert status.meaning


def test_no_opt_out_for_a_seal_that_leaks(sealed: Any) -> None:
    done = sealed("tell('ran')", broken="seal.seccomp.steps = lambda machine: []", waived=True)
    assert done == {"told": [], "status": SealExit.SELF_TEST, "killed": False}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the profile is written for x86_64")
def test_without_seccomp_nothing_runs(sealed: Any) -> None:
    done = sealed("tell('ran')", user="nobody", profile="no_seccomp")
    assert done == {"told": [], "status": SealExit.FILTER, "killed": False}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the profile is written for x86_64")
def test_trusted_code_runs_without_seccomp_but_not_by_accident_into_files(sealed: Any) -> None:
    code = (
        "import os, socket\n"
        "seen = [report['seccomp']]\n"
        "for attempt in (lambda: open('/etc/passwd'), socket.socket, os.fork, lambda: os.system('true')):\n"
        "    try: attempt(); seen.append('did')\n"
        "    except OSError as error: seen.append(type(error).__name__)\n"
        "tell(seen)"
    )
    message = run(sealed, code, user="nobody", profile="no_seccomp", waived=True)
    assert message == [False, "FileNotFoundError", "PermissionError", "PermissionError", "PermissionError"]


def test_a_waiver_takes_nothing_away_where_the_kernel_can_seal(sealed: Any) -> None:
    assert run(sealed, "tell(report['seccomp'])", waived=True) is True


def test_the_seal_cannot_be_opened_again(sealed: Any) -> None:
    code = (
        "import sys\n"
        "seal = sys.modules['synthesis.worlds.sandbox.seal']\n"
        "seccomp = sys.modules['synthesis.worlds.sandbox.seccomp']\n"
        "tell([seccomp.install(kernel.machine()), kernel.prctl(kernel.PR_SET_DUMPABLE, 1)])"
    )
    assert run(sealed, code) == [-1, -1]
