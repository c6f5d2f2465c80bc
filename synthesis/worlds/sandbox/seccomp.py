"""The filter: a BPF program, made here, that lets through only what `syscalls` allows."""

from __future__ import annotations

import ctypes
import errno
import functools
import struct
from collections.abc import Iterator
from functools import partial

from synthesis.worlds.sandbox import kernel, syscalls
from synthesis.worlds.sandbox.kernel import Machine, Numbers, PreparedCall

KILL_PROCESS, ALLOW, ERRNO = 0x80000000, 0x7FFF0000, 0x00050000
"""SECCOMP_RET_...; ERRNO is or-ed with the number of the error."""

AUDIT_ARCH: dict[Machine, int] = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32_BIT = 0x40000000
PROT_EXEC = 0x4
_FORK_FLAGS = 0x01000000 | 0x00200000 | 0xFF
"""CLONE_CHILD_SETTID, CLONE_CHILD_CLEARTID and the signal at the end: what the C library's fork asks for."""

_CLOCKS = 16
"""The kernel numbers its clocks below this (MAX_CLOCKS)."""

_LOAD, _JUMP_EQ, _JUMP_GE, _JUMP_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NR, _ARCH, _ARGUMENTS = 0, 4, 16
"""Offsets into ``struct seccomp_data``; an argument is two words, the low one first."""

_NOWHERE = Numbers(None, None)
_SET_MODE_FILTER, _FLAG_TSYNC, _MODE_FILTER = 1, 1, 2

Instruction = tuple[int, int, int, int]
"""code, jump if true, jump if false, constant."""


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def program(machine: Machine, *, template: bool = False) -> tuple[Instruction, ...]:
    """The filter for a machine, instruction by instruction: a worker's, or the wider one of a template."""
    start: list[Instruction] = [
        (_LOAD, 0, 0, _ARCH),
        (_JUMP_EQ, 1, 0, AUDIT_ARCH[machine]),
        (_RETURN, 0, 0, KILL_PROCESS),
        (_LOAD, 0, 0, _NR),
    ]
    if machine == "x86_64":
        start += [(_JUMP_GE, 0, 1, X32_BIT), (_RETURN, 0, 0, KILL_PROCESS)]
    rules = [
        *(_for_templates(machine) if template else ()),
        *_each(syscalls.ALLOWED, machine, [(_RETURN, 0, 0, ALLOW)]),
        *_each(syscalls.NEVER_EXECUTABLE, machine, _unless_executable()),
        *_each(syscalls.OWN_CLOCKS, machine, _if_own_clock()),
        *_each(syscalls.NOT_FOUND, machine, [(_RETURN, 0, 0, ERRNO | errno.ENOENT)]),
        *_each(syscalls.NOT_THERE, machine, [(_RETURN, 0, 0, ERRNO | errno.ENOSYS)]),
    ]
    return (*start, *rules, (_RETURN, 0, 0, ERRNO | errno.EPERM))


def install(machine: Machine, *, template: bool = False) -> int:
    """Put the filter in force for this process, for good; needs no_new_privs. 0, or the negated errno."""
    try:
        kernel.make_all(steps(machine, template=template))
    except OSError as refused:
        return -(refused.errno or errno.EPERM)
    return 0


def steps(machine: Machine | None, *, template: bool = False) -> list[PreparedCall]:
    """The call that puts the filter in force; an OSError comes through it where the kernel refuses, or where
    the sandbox does not know the machine."""
    if machine is None:
        return [PreparedCall(kernel.prepared(_NOWHERE), 0, kernel.refuse)]
    call, older_call = prepare(machine, template)
    return [PreparedCall(call, 0, partial(_try_older, older_call))]


def _try_older(older_call: kernel.Prepared, refused: int) -> None:
    """An old profile around us may know only the older call."""
    if refused == -errno.ENOSYS:
        refused = kernel.invoke(older_call)
    if refused:
        kernel.refuse(refused)


@functools.cache
def prepare(machine: Machine, template: bool) -> tuple[kernel.Prepared, kernel.Prepared]:
    """The two calls that put the filter in force, with the program as the kernel wants it; made once, before
    any fork."""
    instructions = program(machine, template=template)
    raw = b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions)
    buffer = ctypes.create_string_buffer(raw, len(raw))
    compiled = _Program(len(instructions), ctypes.addressof(buffer))
    _held.append((compiled, buffer))
    address = ctypes.addressof(compiled)
    return (
        kernel.prepared(kernel.SETUP_CALLS["seccomp"], _SET_MODE_FILTER, _FLAG_TSYNC, address),
        kernel.prepared_prctl(kernel.PR_SET_SECCOMP, _MODE_FILTER, address),
    )


_held: list[object] = []
"""The memory that prepared calls point to."""


def _each(calls: dict[str, Numbers], machine: Machine, verdict: list[Instruction]) -> Iterator[Instruction]:
    """For each call: if the number in the accumulator is its own, run `verdict`, which ends in a return."""
    for numbers in calls.values():
        at = kernel.number(numbers, machine)
        if at is not None:
            yield (_JUMP_EQ, 0, len(verdict), at)
            yield from verdict


def _for_templates(machine: Machine) -> Iterator[Instruction]:
    """These stand first, so that a call which workers are refused is found here."""
    yield from _each(syscalls.TEMPLATE, machine, [(_RETURN, 0, 0, ALLOW)])
    yield from _each(syscalls.NEVER_ADDRESSED, machine, _unless_addressed())
    yield from _each(syscalls.FORK, machine, _if_plain_fork())


def _if_plain_fork() -> list[Instruction]:
    return [
        (_LOAD, 0, 0, _ARGUMENTS),
        (_JUMP_SET, 2, 0, ~_FORK_FLAGS & 0xFFFFFFFF),
        (_LOAD, 0, 0, _ARGUMENTS + 4),
        (_JUMP_EQ, 1, 0, 0),
        (_RETURN, 0, 0, ERRNO | errno.EPERM),
        (_RETURN, 0, 0, ALLOW),
    ]


def _unless_executable() -> list[Instruction]:
    return [
        (_LOAD, 0, 0, _ARGUMENTS + 2 * 8),
        (_JUMP_SET, 0, 1, PROT_EXEC),
        (_RETURN, 0, 0, ERRNO | errno.EPERM),
        (_RETURN, 0, 0, ALLOW),
    ]


def _if_own_clock() -> list[Instruction]:
    return [
        (_LOAD, 0, 0, _ARGUMENTS),
        (_JUMP_GE, 0, 1, _CLOCKS),
        (_RETURN, 0, 0, ERRNO | errno.EPERM),
        (_RETURN, 0, 0, ALLOW),
    ]


def _unless_addressed() -> list[Instruction]:
    return [
        (_LOAD, 0, 0, _ARGUMENTS + 4 * 8),
        (_JUMP_EQ, 0, 3, 0),
        (_LOAD, 0, 0, _ARGUMENTS + 4 * 8 + 4),
        (_JUMP_EQ, 0, 1, 0),
        (_RETURN, 0, 0, ALLOW),
        (_RETURN, 0, 0, ERRNO | errno.EPERM),
    ]
