"""The seal: what a forked child does to itself before it is given generated code."""

from __future__ import annotations

import ctypes
import enum
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
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
from synthesis.worlds.sandbox.kernel import PreparedCall


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


_WAIVED = (SealExit.PRIVILEGES, SealExit.FILTER)
"""Without which an operator who runs trusted code goes on."""

_DIE_WITH_PARENT = kernel.prepared_prctl(kernel.PR_SET_PDEATHSIG, int(signal.SIGKILL))
_PARENT = kernel.prepared(kernel.SETUP_CALLS["getppid"])
"""Asked after the wish to die with it: one that died before is noticed."""
_GIVE_UP_PRIVILEGES = (
    PreparedCall(kernel.prepared_prctl(kernel.PR_SET_DUMPABLE, 0), 0, kernel.accept),
    PreparedCall(kernel.prepared_prctl(kernel.PR_SET_NO_NEW_PRIVS, 1), 0, kernel.refuse),
    PreparedCall(kernel.prepared_prctl(kernel.PR_GET_NO_NEW_PRIVS), 1, kernel.refuse),
)

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


class _Unsealable(Exception):
    """The kernel refuses a step without which an operator who runs trusted code goes on."""


class Seal:
    """A seal prepared before a fork, to be closed after it.

    What a child looks up and builds, and each function that it runs, writes to pages that it would go on
    sharing with its parent: so all calls are prepared, and made in one loop.

    Args:
        policy: What the worker is left with; `aim` sets what differs from one worker to the next.

    Raises:
        OSError: There is no /dev/null.
    """

    def __init__(self, policy: SealPolicy) -> None:
        self._policy = policy
        self._socket = ctypes.c_long()
        self._identity = identity.OwnIdentity(wanted=policy.own_uid)
        self._ceilings = ceilings.Ceilings(cpu_seconds=policy.cpu_seconds)
        self._rules = landlock.Rules()
        self._test = self_test.SelfTest()
        self._refused: SealExit | None = None
        # The order matters; each step was once a hole or a failure when it stood elsewhere.
        lower = tuple(self._blaming(SealExit.LIMITS, self._ceilings.steps()))
        self._unfiltered = lower
        self._steps = (
            *self._blaming(SealExit.DESCRIPTORS, descriptors.keep_only(self._socket)),
            *self._blaming(SealExit.IDENTITY, self._identity.steps()),
            # A change of user id clears this wish, so it comes after that.
            *self._blaming(SealExit.OUTLIVING, (PreparedCall(_DIE_WITH_PARENT, 0, kernel.refuse),)),
            PreparedCall(_PARENT, policy.parent_pid, self._note_orphaned),
            *self._blaming(SealExit.PRIVILEGES, _GIVE_UP_PRIVILEGES),
            *self._rules.steps(descriptors.SOCKET + 1),
            *lower,
            *self._blaming(SealExit.FILTER, seccomp.steps(kernel.MACHINE)),
            *self._test.steps(),
        )
        self.aim(policy.socket, policy.mapped_bytes)

    def aim(self, socket: int, mapped_bytes: int) -> None:
        """Say what the next worker has.

        Args:
            socket: Descriptor of its socket.
            mapped_bytes: Address space it inherits; 0: it looks itself.
        """
        self._socket.value, self._mapped = socket, mapped_bytes
        if mapped_bytes:
            self._ceilings.bound_address_space(mapped_bytes + (self._policy.memory_mib << 20))

    def close(self) -> None:
        """Seal this process, for good. Call it in the child right after the fork, before anything else.

        The socket is on descriptor 3 afterwards. A child that cannot seal itself ends with a `SealExit`
        status and never returns.
        """
        try:
            self.apply()
        except SealFailed as failed:
            os._exit(failed.status)
        except BaseException:  # noqa: BLE001 - a child that is not surely sealed must end, whatever happened
            os._exit(SealExit.BROKEN)

    def apply(self) -> None:
        """Seal this process as `close` does, but raise SealFailed, so that a probe can tell why."""
        signal.set_wakeup_fd(-1)
        if not self._mapped:  # Landlock closes /proc, and the limits come after it
            self.aim(self._socket.value, ceilings.mapped_bytes())
        if self._socket.value <= descriptors.SOCKET:
            self._move_socket()
        try:
            kernel.make_all(self._steps)
        except _Unsealable:
            kernel.make_all(self._unfiltered)
            accidents.guard()
        if self._test.holes:
            raise SealFailed(SealExit.SELF_TEST, f"it could still use {', '.join(self._test.holes)}")

    def report(self) -> SealReport:
        """What is in force, once it was applied."""
        no_new_privs = self._refused is not SealExit.PRIVILEGES
        return SealReport(
            seccomp=self._refused is None,
            no_new_privs=no_new_privs,
            landlock=self._rules.in_force if no_new_privs else 0,
            uid=self._identity.uid,
            limits=self._ceilings.in_force(),
        )

    def _move_socket(self) -> None:
        try:
            self._socket.value = descriptors.out_of_the_way(self._socket.value)
        except OSError as error:
            raise SealFailed(SealExit.DESCRIPTORS, str(error)) from error

    def _blaming(self, status: SealExit, steps: Iterable[PreparedCall]) -> Iterator[PreparedCall]:
        """Steps whose refusal ends the seal with a status."""
        for make, wanted, otherwise in steps:
            yield PreparedCall(make, wanted, partial(self._blame, status, otherwise))

    def _blame(self, status: SealExit, otherwise: Callable[[int], None], result: int) -> None:
        try:
            otherwise(result)
        except OSError as error:
            if self._policy.waived and status in _WAIVED:
                self._refused = status
                raise _Unsealable from error
            raise SealFailed(status, error.strerror or str(error)) from error

    def _note_orphaned(self, _parent: int) -> None:
        parent = self._policy.parent_pid
        raise SealFailed(SealExit.ORPHANED, f"the parent is not process {parent} any more")
