"""Confinement of a template: it holds a world's data and loaded code in memory and can do nothing but fork.

None of that code runs in a template. But reading it takes the interpreter's and SQLite's own C code, so a
template is kept from files, sockets and programs like a worker; what it may do besides is what forking and
sealing its workers takes.
"""

from __future__ import annotations

import os

from synthesis.worlds.sandbox import ceilings, descriptors, identity, kernel, landlock, seccomp, self_test
from synthesis.worlds.sandbox.seal import SealExit


def confine(*, waived: bool = False) -> None:
    """Confine this process, for good. Call it in the forked template before it is given anything.

    A process that cannot confine itself ends with a `SealExit` status and never returns.

    Args:
        waived: The operator runs trusted code only: go on where the kernel refuses the filter.
    """
    try:
        _hold_open()
        identity.keep_what_workers_need()
    except OSError:
        os._exit(SealExit.IDENTITY)
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    landlock.restrict()
    machine = kernel.machine()
    if machine is None or seccomp.install(machine, template=True) < 0:
        if not waived:
            os._exit(SealExit.FILTER)
    elif self_test.template_holes():
        os._exit(SealExit.SELF_TEST)


def _hold_open() -> None:
    """What workers open while they seal themselves, opened now: afterwards nothing can be."""
    descriptors.hold_null()
    ceilings.hold()
