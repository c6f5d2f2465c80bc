"""Raw system calls through ctypes: what Python's standard library does not offer.

Every call answers the kernel's result, or the negated errno when it failed; nothing here raises on a refusal.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Callable, Iterable
from functools import cache, lru_cache, partial
from typing import Literal, NamedTuple, NoReturn

Machine = Literal["x86_64", "aarch64"]
Prepared = Callable[[], int]
"""A call of the kernel that only has to be made."""

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_GET_DUMPABLE = 1, 4, 3
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS = 22, 38, 39
PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 47, 4

CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWNET = 0x04000000, 0x08000000, 0x10000000, 0x40000000

CAP_KILL, CAP_SETGID, CAP_SETUID = 5, 6, 7
_CAPABILITY_VERSION_3 = 0x20080522

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
_holding = ctypes.PyDLL(None, use_errno=True) if sys.platform == "linux" else None
"""The same library, called without letting go of the interpreter's lock."""


class PreparedCall(NamedTuple):
    """One of many calls that are prepared before a fork and made in a row after it."""

    make: Prepared
    wanted: int
    """Its result, or the negated errno with which it must be refused."""
    otherwise: Callable[[int], None]
    """Given any other result: mends it, or raises."""


class Numbers(NamedTuple):
    """A system call's number on each machine; None where the machine does not have it."""

    x86_64: int | None
    aarch64: int | None


SETUP_CALLS = {
    "capget": Numbers(125, 90),
    "capset": Numbers(126, 91),
    "close": Numbers(3, 57),
    "close_range": Numbers(436, 436),
    "dup3": Numbers(292, 24),
    "getppid": Numbers(110, 173),
    "landlock_create_ruleset": Numbers(444, 444),
    "landlock_restrict_self": Numbers(446, 446),
    "pidfd_open": Numbers(434, 434),
    "prlimit64": Numbers(302, 261),
    "seccomp": Numbers(317, 277),
    "setgroups": Numbers(116, 159),
    "setresgid": Numbers(119, 149),
    "setresuid": Numbers(117, 147),
    "unshare": Numbers(272, 97),
}
"""Calls that build the seal; none of them passes it."""


def machine() -> Machine | None:
    """This host's machine if the sandbox knows it (64 bit Linux on x86_64 or aarch64), else None."""
    if sys.platform != "linux" or struct.calcsize("P") != 8:
        return None
    name = platform.machine().lower()
    if name in ("x86_64", "amd64"):
        return "x86_64"
    return "aarch64" if name in ("aarch64", "arm64") else None


MACHINE = machine()
"""This host's, found out once."""


def number(numbers: Numbers, on: Machine | None = MACHINE) -> int | None:
    """The number on a machine (default: this one), None where it does not have the call."""
    return None if on is None else getattr(numbers, on)


Argument = int | bytes | ctypes.Array[ctypes.c_char] | ctypes.c_long | None
"""A word or memory; a `c_long` can be set between two uses of a prepared call."""


def call(numbers: Numbers, *arguments: Argument) -> int:
    """Make one system call: its result, or the negated errno. ``-38`` (ENOSYS) where it does not exist."""
    at = number(numbers)
    if at is None or _libc is None:
        return -38
    return _result(_libc.syscall(_constant(at), *(_word(argument) for argument in arguments)))


def prepared(numbers: Numbers, *arguments: Argument) -> Prepared:
    """A system call with its arguments converted: prepared before a fork, `made` after it."""
    at = number(numbers)
    if at is None or _libc is None:
        return _not_there
    return partial(_libc.syscall, _constant(at), *(_word(argument) for argument in arguments))


def prepared_prctl(option: int, *arguments: int) -> Prepared:
    """``prctl(2)`` with its arguments converted, see `prepared`."""
    if _libc is None:
        return _not_there
    words = (*arguments, *(0,) * (4 - len(arguments)))
    return partial(_libc.prctl, _constant(option), *map(_constant, words))


def invoke(prepared: Prepared) -> int:
    """Make a prepared call: its result, or the negated errno.

    A forked child writes to far fewer pages than `call` does: what it shares with its parent stays shared.
    """
    return _result(prepared())


def make_all(steps: Iterable[PreparedCall]) -> None:
    """Make prepared calls in a row; what their `otherwise` raises comes through.

    In one loop, since each function that a forked child runs writes to pages it would go on sharing.
    """
    for make, wanted, otherwise in steps:
        result = make()
        if result == -1:
            result = -ctypes.get_errno()
        if result != wanted:
            otherwise(result)


def accept(_result: int) -> None:
    """Go on whatever the result is."""


def refuse(result: int) -> NoReturn:
    """Raise what a result says.

    Raises:
        OSError: Always.
    """
    number = -result if result < 0 else errno.EPERM
    raise OSError(number, os.strerror(number))


def prctl(option: int, *arguments: object) -> int:
    """``prctl(2)`` with up to four arguments: its result, or the negated errno."""
    if _libc is None:
        return -38
    words = [_word(argument) for argument in arguments]
    words += [ctypes.c_long(0)] * (4 - len(words))
    return _result(_libc.prctl(ctypes.c_int(option), *words))


def fork() -> int:
    """``fork(3)`` without what Python does after a fork: the child's process id, 0 in the child.

    Only for a process of one thread. Python's own renews locks and seeds that nobody in a worker shares, and
    writes to up to 200 pages that the child would go on sharing with its parent.

    Raises:
        OSError: The kernel refuses.
    """
    count = int(_holding.fork()) if _holding is not None else os.fork()
    if count < 0:
        refused = ctypes.get_errno()
        raise OSError(refused, os.strerror(refused))
    return count


def effective_capabilities() -> int:
    """The effective capabilities of this process as a bit set; 0 when the kernel does not tell."""
    header = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0)
    data = ctypes.create_string_buffer(24)
    if call(SETUP_CALLS["capget"], ctypes.create_string_buffer(header, len(header)), data) < 0:
        return 0
    low, _, _, high, _, _ = struct.unpack("=6I", data.raw)
    return int(low | high << 32)


def keep_capabilities(count: int = 0) -> int:
    """Give up every capability but those of a bit set, ambient ones too: 0, or the negated errno."""
    ambient, others = keeping(count)
    invoke(ambient)
    return invoke(others)


@cache
def keeping(count: int) -> tuple[Prepared, Prepared]:
    """The two calls that give up ambient capabilities, and all others but those of a bit set."""
    header = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0)
    low, high = count & 0xFFFFFFFF, count >> 32
    data = struct.pack("=6I", low, low, 0, high, high, 0)
    others = prepared(
        SETUP_CALLS["capset"],
        ctypes.create_string_buffer(header, len(header)),
        ctypes.create_string_buffer(data, len(data)),
    )
    return prepared_prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL), others


def _not_there() -> int:
    ctypes.set_errno(errno.ENOSYS)
    return -1


def _word(argument: object) -> object:
    return _constant(argument) if isinstance(argument, int) else argument


@lru_cache(maxsize=512)
def _constant(value: int) -> ctypes.c_long:
    """One for all calls, so that those who make them write to fewer pages. Not to be set."""
    return ctypes.c_long(value)


def _result(value: int) -> int:
    return -ctypes.get_errno() if value == -1 else value
