"""System calls are prepared before a fork: what a worker then looks up or builds is paid by every one."""

from __future__ import annotations

import os

import pytest

from synthesis.worlds.sandbox import kernel, landlock, preload, seccomp
from synthesis.worlds.sandbox.kernel import Numbers

GETPPID = Numbers(110, 173)
NEVER = Numbers(None, None)


def test_a_prepared_call_answers_as_a_call_does() -> None:
    assert kernel.invoke(kernel.prepared(GETPPID)) == kernel.call(GETPPID) == os.getppid()
    assert kernel.invoke(kernel.prepared(NEVER)) == kernel.call(NEVER) == -38
    dumpable = kernel.prepared_prctl(kernel.PR_GET_DUMPABLE)
    assert kernel.invoke(dumpable) == kernel.prctl(kernel.PR_GET_DUMPABLE)
    assert kernel.invoke(kernel.prepared_prctl(-5)) == kernel.prctl(-5) < 0


def test_a_bare_fork_gives_a_child_of_ones_own() -> None:
    read, write = os.pipe()
    pid = kernel.fork()
    if pid == 0:
        os.write(write, f"{os.getpid()} {os.getppid()}".encode())
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    assert os.read(read, 100).decode() == f"{pid} {os.getpid()}"
    os.close(read)
    os.close(write)


@pytest.mark.skipif(kernel.MACHINE is None, reason="no machine the sandbox knows")
def test_the_filter_and_the_rules_are_made_once_before_any_fork() -> None:
    preload.preload()
    results = seccomp.prepare.cache_info().misses, landlock.prepare.cache_info().misses
    doors = [seccomp.prepare(kernel.MACHINE, template) for template in (False, True)]
    landlock.prepare()
    assert (seccomp.prepare.cache_info().misses, landlock.prepare.cache_info().misses) == results
    assert doors[0] != doors[1]
    assert kernel.keeping.cache_info().currsize >= 1
