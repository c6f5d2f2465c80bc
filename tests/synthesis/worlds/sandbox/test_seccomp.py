"""The filter, decided by an interpreter of our own for both machines, and by the kernel for this one."""

from __future__ import annotations

import errno
import struct
from typing import Any

import pytest

from synthesis.worlds.sandbox import kernel, seccomp, syscalls

MACHINES = ("x86_64", "aarch64")
HIGHEST = 600
EVERY = {
    **syscalls.ALLOWED,
    **syscalls.NEVER_EXECUTABLE,
    **syscalls.NEVER_ADDRESSED,
    **syscalls.OWN_CLOCKS,
    **syscalls.NOT_FOUND,
    **syscalls.NOT_THERE,
    **syscalls.REFUSED,
}


def decide(
    machine: Any, number: int, *arguments: int, arch: int | None = None, template: bool = False
) -> int:
    """What the filter answers to one system call."""
    words = list(arguments) + [0] * (6 - len(arguments))
    data = struct.pack(
        "=IIQ6Q", number, seccomp.AUDIT_ARCH[machine] if arch is None else arch, 0x7FFF00001234, *words
    )
    program, at, accumulator = seccomp.program(machine, template=template), 0, 0
    while True:
        code, jump_true, jump_false, constant = program[at]
        at += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, constant)
        elif code == 0x06:
            return constant
        else:
            holds = {
                0x15: accumulator == constant,
                0x35: accumulator >= constant,
                0x45: bool(accumulator & constant),
            }[code]
            at += jump_true if holds else jump_false


@pytest.mark.parametrize("machine", MACHINES)
def test_only_the_calls_of_the_table_pass(machine: Any) -> None:
    passing = {number for number in range(HIGHEST) if decide(machine, number) == seccomp.ALLOW}
    tables = (syscalls.ALLOWED, syscalls.NEVER_EXECUTABLE, syscalls.OWN_CLOCKS)
    assert passing == {getattr(n, machine) for table in tables for n in table.values()} - {None}
    assert len(passing) <= 45


@pytest.mark.parametrize("machine", MACHINES)
def test_no_number_stands_in_two_tables(machine: Any) -> None:
    numbers = [getattr(n, machine) for n in EVERY.values() if getattr(n, machine) is not None]
    assert len(numbers) == len(set(numbers)) == len(set(numbers) & set(range(HIGHEST)))


@pytest.mark.parametrize("machine", MACHINES)
def test_memory_is_never_executable(machine: Any) -> None:
    for name in ("mmap", "mprotect"):
        number = getattr(syscalls.NEVER_EXECUTABLE[name], machine)
        for protection in range(8):
            answer = decide(machine, number, 0, 4096, protection)
            assert answer == (seccomp.ERRNO | errno.EPERM if protection & 4 else seccomp.ALLOW)
        assert decide(machine, number, 0, 4096, 0xDEAD00000007) != seccomp.ALLOW


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("address", [0, 1, 0x7FFD00000000, 1 << 63])
def test_nothing_is_sent_to_an_address(machine: Any, address: int) -> None:
    number = getattr(syscalls.NEVER_ADDRESSED["sendto"], machine)
    refused = seccomp.ERRNO | errno.EPERM
    assert decide(machine, number, 3, 1, 1, 0, address) == refused  # a worker sends nothing but writes
    expected = refused if address else seccomp.ALLOW
    assert decide(machine, number, 3, 1, 1, 0, address, template=True) == expected


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", sorted(syscalls.OWN_CLOCKS))
@pytest.mark.parametrize("template", [False, True])
def test_only_numbered_clocks_are_read(machine: Any, name: str, template: bool) -> None:
    number = getattr(syscalls.OWN_CLOCKS[name], machine)
    for clock in range(12):
        assert decide(machine, number, clock, template=template) == seccomp.ALLOW
    for pid in (1, 77, 2**22):
        for kind in range(8):
            clock = (~pid << 3 | kind) & 0xFFFFFFFF
            assert decide(machine, number, clock, template=template) == seccomp.ERRNO | errno.EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_look_ups_find_nothing_and_clone3_is_not_there(machine: Any) -> None:
    for numbers in syscalls.NOT_FOUND.values():
        if getattr(numbers, machine) is not None:
            assert decide(machine, getattr(numbers, machine)) == seccomp.ERRNO | errno.ENOENT
    assert decide(machine, 435) == seccomp.ERRNO | errno.ENOSYS


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", sorted(syscalls.REFUSED))
def test_the_rest_is_not_permitted(machine: Any, name: str) -> None:
    assert decide(machine, getattr(syscalls.REFUSED[name], machine)) == seccomp.ERRNO | errno.EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_a_template_may_fork_and_seal_and_nothing_else_besides(machine: Any) -> None:
    every = range(HIGHEST)
    wider = {number for number in every if decide(machine, number, template=True) == seccomp.ALLOW}
    narrow = {number for number in every if decide(machine, number) == seccomp.ALLOW}
    tables = {**syscalls.TEMPLATE, **syscalls.FORK, **syscalls.NEVER_ADDRESSED}
    assert wider - narrow == {getattr(numbers, machine) for numbers in tables.values()} - {None}
    for name in ("execve", "socket", "kill", "memfd_create", "ptrace"):
        assert decide(machine, getattr(syscalls.REFUSED[name], machine), template=True) != seccomp.ALLOW


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("flags", "allowed"),
    [
        (17, True),
        (17 | 0x01200000, True),
        (0x100, False),
        (0x10000 | 17, False),
        (0x10000000 | 17, False),
        (0x40000000 | 17, False),
        (0x80000000 | 17, False),
        (1 << 32 | 17, False),
    ],
)
def test_a_template_makes_no_thread_and_no_namespace(machine: Any, flags: int, allowed: bool) -> None:
    number = getattr(syscalls.FORK["clone"], machine)
    assert (decide(machine, number, flags, template=True) == seccomp.ALLOW) is allowed


@pytest.mark.parametrize("machine", MACHINES)
def test_another_architecture_is_death(machine: Any) -> None:
    foreign = [0x40000003, 0x40000028, 0, *(a for m, a in seccomp.AUDIT_ARCH.items() if m != machine)]
    for arch in foreign:
        assert {decide(machine, number, arch=arch) for number in range(HIGHEST)} == {seccomp.KILL_PROCESS}


def test_x32_is_death() -> None:
    assert {decide("x86_64", 0x40000000 | n) for n in range(HIGHEST)} == {seccomp.KILL_PROCESS}


def test_the_numbers_are_those_of_the_kernels_headers() -> None:
    """A few that everybody knows, from both columns, so that a slip of a column shows."""
    assert EVERY["execve"] == (59, 221)
    assert EVERY["openat"] == (257, 56)
    assert EVERY["exit_group"] == (231, 94)
    assert EVERY["ptrace"] == (101, 117)
    assert EVERY["futex"] == (202, 98)


def test_the_kernel_kills_an_x32_call(sealed: Any) -> None:
    if kernel.machine() != "x86_64":
        pytest.skip("only x86_64 has x32")
    done = sealed("import ctypes; tell('before'); ctypes.CDLL(None).syscall(0x40000000 | 39); tell('after')")
    assert done == {"told": ["before"], "status": -31, "killed": False}


def test_the_kernel_kills_a_call_of_32_bit_code(sealed: Any) -> None:
    if kernel.machine() != "x86_64":
        pytest.skip("only x86_64 has int 0x80")
    # The code page is made before the seal, as only a hole in the seal would allow afterwards.
    text = (
        "import mmap, ctypes\n"
        "page = mmap.mmap(-1, 4096, prot=7)\n"
        "page.write(bytes.fromhex('b814000000cd80c3'))\n"
        "seal.page = page\n"
    )
    done = sealed(
        "import ctypes, sys\n"
        "page = sys.modules['synthesis.worlds.sandbox.seal'].page\n"
        "at = ctypes.addressof(ctypes.c_char.from_buffer(page))\n"
        "tell('before'); ctypes.CFUNCTYPE(ctypes.c_long)(at)(); tell('after')",
        broken=text,
    )
    assert done == {"told": ["before"], "status": -31, "killed": False}
