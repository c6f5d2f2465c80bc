"""Who a worker is: a user id of its own where the host lets us, no capability anywhere."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Iterator

from synthesis.worlds.sandbox import kernel
from synthesis.worlds.sandbox.kernel import PreparedCall

_WIDE, _NARROW, _NOBODY = 0x60000000, 61184, 65534
"""Ids that no account has; the first is out of reach where only 65,536 ids are mapped (rootless)."""
_NARROW_IDS = 4096
_UNCHANGED = -1

_NEEDED = 1 << kernel.CAP_SETUID | 1 << kernel.CAP_SETGID | 1 << kernel.CAP_KILL
"""CAP_KILL too: without it the service could not stop a worker that has another user id."""


@functools.cache
def may_change() -> bool:
    """Whether this process may take other user ids and still stop those who did; found out once."""
    return kernel.effective_capabilities() & _NEEDED == _NEEDED


class OwnIdentity:
    """Gives up every capability and, where allowed and asked for, takes a user id that nobody else has.

    Args:
        wanted: Whether to take one.
    """

    def __init__(self, *, wanted: bool = True) -> None:
        self._wanted = wanted and may_change()
        self._word = ctypes.c_long(_UNCHANGED)
        self._taken: int | None = None

    @property
    def uid(self) -> int | None:
        """The new user id once the calls were made; None where it stayed the old one."""
        return self._taken

    def steps(self) -> Iterator[PreparedCall]:
        """The calls; an OSError comes through them where capabilities could not be given up."""
        if self._wanted:
            calls, word = kernel.SETUP_CALLS, self._word
            yield PreparedCall(kernel.prepared(calls["setgroups"], 0, None), 0, self._stay)
            yield PreparedCall(self._choose, 0, kernel.accept)
            yield PreparedCall(kernel.prepared(calls["setresgid"], word, word, word), 0, self._take_another)
            yield PreparedCall(kernel.prepared(calls["setresuid"], word, word, word), 0, self._take_another)
        ambient, others = kernel.keeping(0)
        yield PreparedCall(ambient, 0, kernel.accept)
        yield PreparedCall(others, 0, kernel.refuse)

    def _stay(self, _refused: int) -> None:
        """A user namespace that an ordinary user made has one id and keeps its groups."""
        self._wanted = False

    def _choose(self) -> int:
        if self._wanted:
            self._taken = self._word.value = _WIDE + os.getpid()
        return 0

    def _take_another(self, _refused: int) -> None:
        """Where the first choice is not mapped in this user namespace."""
        self._word.value, self._taken = _UNCHANGED, None
        for uid in (_NARROW + os.getpid() % _NARROW_IDS, _NOBODY):
            try:
                os.setresgid(uid, uid, uid)
                os.setresuid(uid, uid, uid)
            except OSError:
                continue
            self._taken = uid
            return


def keep_what_workers_need() -> None:
    """Give up every capability but those by which a forked worker takes a user id of its own.

    Raises:
        OSError: Capabilities could not be given up.
    """
    refused = kernel.keep_capabilities(kernel.effective_capabilities() & _NEEDED if may_change() else 0)
    if refused < 0:
        kernel.refuse(refused)
