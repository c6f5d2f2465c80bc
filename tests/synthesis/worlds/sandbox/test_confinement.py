"""Confinement: what a template, which holds data and code but runs none, can do."""

from __future__ import annotations

import os
from typing import Any

import pytest

HOSTS = [pytest.param({}, id="as-started"), pytest.param({"user": "nobody"}, id="ordinary-user")]


def run(sealed: Any, code: str, **request: object) -> Any:
    done = sealed(code, seal=False, confine=True, **request)
    assert (done["status"], done["killed"], len(done["told"])) == (0, False, 1), done
    return done["told"][0]


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize(
    ("attempt", "refusal"),
    [
        ("open('/etc/passwd')", "FileNotFoundError"),
        ("open('/dev/null')", "FileNotFoundError"),
        ("os.mkdir('/tmp/made')", "PermissionError"),
        ("os.execv('/bin/true', ['true'])", "PermissionError"),
        ("os.memfd_create('m')", "PermissionError"),
        ("os.kill(os.getppid(), 0)", "PermissionError"),
        ("socket.socket()", "PermissionError"),
        ("_thread.start_new_thread(int, ())", "RuntimeError"),
        ("mmap.mmap(-1, 4096, prot=7)", "PermissionError"),
    ],
)
def test_a_template_is_refused(sealed: Any, host: dict[str, Any], attempt: str, refusal: str) -> None:
    code = f"import os, socket, mmap, _thread\ntry:\n  tell(['did', {attempt}])\n"
    code += "except Exception as error:\n  tell(type(error).__name__)"
    assert run(sealed, code, **host) == refusal


def test_a_template_keeps_only_the_capabilities_that_its_workers_need(sealed: Any) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root has capabilities to lose")
    needed = 1 << 5 | 1 << 6 | 1 << 7
    assert run(sealed, "tell(kernel.effective_capabilities())") in (needed, 0)


@pytest.mark.parametrize("host", HOSTS)
def test_a_worker_of_a_template_is_sealed_like_any_other(sealed: Any, host: dict[str, Any]) -> None:
    code = """
import os
parent = os.getpid()
child = os.fork()
if child == 0:
    prepared = seal.Seal(seal.SealPolicy(socket=wire, parent_pid=parent))
    prepared.close()
    try:
        os.fork()
    except PermissionError:
        os.write(3, b'["refused", %d]' % (prepared.report().limits['RLIMIT_AS'] >> 20) + b"\\n")
    os._exit(0)
os.waitpid(child, 0)
"""
    text, mib = run(sealed, code, **host)
    assert text == "refused"
    assert 256 < mib < 1024
