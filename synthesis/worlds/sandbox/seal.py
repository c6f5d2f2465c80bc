"""The seal: what a forked child does to itself before it is given generated code.

The order matters; each step was once a hole or a failure when it stood elsewhere.
"""

from __future__ import annotations

import enum
import errno
import os
import signal
from dataclasses import asdict, dataclass, field
from typing import Any

from synthesis.worlds.sandbox import (
    accidents,
    ceilings,
    descriptors,
    identity,
    kernel,
    landlock,
    seccomp,
    self_test,
)

_DIE_WITH_PARENT = kernel.prepared_prctl(kernel.PR_SET_PDEATHSIG, int(signal.SIGKILL))
_NOT_DUMPABLE = kernel.prepared_prctl(kernel.PR_SET_DUMPABLE, 0)
_NO_NEW_PRIVILEGES = kernel.prepared_prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)


class SealExit(enum.IntEnum):
    """Exit status of a child that could not seal itself; see `meaning`."""

    DESCRIPTORS = 80
    IDENTITY = 81
    ORPHANED = 82
    PRIVILEGES = 83
    LIMITS = 84
    FILTER = 85
    SELF_TEST = 86
    BROKEN = 87
    OUTLIVING = 88

    @property
    def meaning(self) -> str:
        """What went wrong, as a sentence for people."""
        return _MEANINGS[self]


_MEANINGS = {
    SealExit.DESCRIPTORS: "the worker could not put /dev/null and its socket in place",
    SealExit.IDENTITY: "the worker could not give up its capabilities",
    SealExit.ORPHANED: "the worker's parent had ended before the worker was ready",
    SealExit.PRIVILEGES: "the kernel refused no_new_privs",
    SealExit.LIMITS: "the kernel refused a resource limit",
    SealExit.FILTER: "the kernel refused the seccomp filter",
    SealExit.SELF_TEST: "the seal is in place but the self-test broke through it",
    SealExit.OUTLIVING: "the kernel refused to end the worker with its parent",
    SealExit.BROKEN: "sealing stopped with an unexpected error",
}


class SealFailed(Exception):
    """A step of the seal failed. The process is half sealed and must end.

    Args:
        status: Which step, as the exit status to end with.
        detail: What the kernel said.
    """

    def __init__(self, status: SealExit, detail: str) -> None:
        super().__init__(f"{status.meaning}: {detail}")
        self.status, self.detail = status, detail


@dataclass(frozen=True, slots=True, kw_only=True)
class SealPolicy:
    """What a worker is left with.

    Args:
        socket: Descriptor of the connected stream socket to the service; it ends up on 3.
        parent_pid: Process that must still be the parent; the worker dies with it.
        memory_mib: Address space it may map beyond what it inherited.
        cpu_seconds: CPU time until the kernel kills it. The service's clock runs only while it waits for an
            answer; this is for a worker that works on after it has answered.
        own_uid: Take a user id of its own where the host allows it.
        waived: The operator runs trusted code only: where the kernel refuses the filter, go on with an audit
            hook instead.
    """

    socket: int
    parent_pid: int
    memory_mib: int = 256
    cpu_seconds: int = 600
    own_uid: bool = True
    waived: bool = False
    mapped_bytes: int = 0
    """What it inherited, where its parent has looked; 0: it looks itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealReport:
    """What is in force in a sealed worker."""

    seccomp: bool
    no_new_privs: bool
    landlock: int
    """Version in force, 0 for none."""
    uid: int | None
    """The user id of its own, None where it kept the service's."""
    limits: dict[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The same as plain values."""
        return asdict(self)


def seal(policy: SealPolicy) -> SealReport:
    """Seal this process, for good. Call it in the child right after the fork, before anything else.

    The socket is on descriptor 3 afterwards. A child that cannot seal itself ends with a `SealExit` status
    and never returns.
    """
    try:
        return apply(policy)
    except SealFailed as failed:
        os._exit(failed.status)
    except BaseException:  # noqa: BLE001 - a child that is not surely sealed must end, whatever happened
        os._exit(SealExit.BROKEN)


def apply(policy: SealPolicy) -> SealReport:
    """Seal this process as `seal` does, but raise SealFailed, so that a probe can tell why."""
    signal.set_wakeup_fd(-1)
    # Landlock closes /proc, and the limits come after it.
    mapped = policy.mapped_bytes or ceilings.mapped_bytes()
    try:
        descriptors.keep_only(policy.socket)
    except (OSError, ValueError) as error:
        raise SealFailed(SealExit.DESCRIPTORS, str(error)) from error
    try:
        uid = identity.drop(own_uid=policy.own_uid)
    except (OSError, ValueError) as error:
        raise SealFailed(SealExit.IDENTITY, str(error)) from error
    _die_with(policy.parent_pid)
    no_new_privs = _give_up_privileges(waived=policy.waived)
    rules = landlock.restrict() if no_new_privs else 0
    try:
        limits = ceilings.lower(mapped + (policy.memory_mib << 20), cpu_seconds=policy.cpu_seconds)
    except (OSError, ValueError) as error:
        raise SealFailed(SealExit.LIMITS, str(error)) from error
    filtered = no_new_privs and _filter(waived=policy.waived)
    if filtered:
        _try_oneself()
    else:
        accidents.guard()
    return SealReport(seccomp=filtered, no_new_privs=no_new_privs, landlock=rules, uid=uid, limits=limits)


def _die_with(parent: int) -> None:
    """A change of user id clears this wish, so it comes after that; a parent that died before is noticed."""
    refused = kernel.invoke(_DIE_WITH_PARENT)
    if refused < 0:
        raise SealFailed(SealExit.OUTLIVING, os.strerror(-refused))
    if os.getppid() != parent:
        raise SealFailed(SealExit.ORPHANED, f"the parent is not process {parent} any more")


def _give_up_privileges(*, waived: bool) -> bool:
    kernel.invoke(_NOT_DUMPABLE)
    refused = kernel.invoke(_NO_NEW_PRIVILEGES)
    if refused == 0 and kernel.prctl(kernel.PR_GET_NO_NEW_PRIVS) == 1:
        return True
    if waived:
        return False
    raise SealFailed(SealExit.PRIVILEGES, os.strerror(-refused or errno.EPERM))


def _filter(*, waived: bool) -> bool:
    machine = kernel.MACHINE
    refused = -errno.ENOSYS if machine is None else seccomp.install(machine)
    if refused == 0:
        return True
    if waived:
        return False
    raise SealFailed(SealExit.FILTER, os.strerror(-refused))


def _try_oneself() -> None:
    if let_through := self_test.holes():
        raise SealFailed(SealExit.SELF_TEST, f"it could still use {', '.join(let_through)}")
