"""The system calls a sealed worker may make, and how the others are refused.

Numbers are (x86_64, aarch64), from the kernel's ``asm/unistd_64.h`` and ``asm-generic/unistd.h``.
"""

from __future__ import annotations

from synthesis.worlds.sandbox.kernel import Numbers

ALLOWED = {
    # The socket to the service and /dev/null are all that is open. No fcntl and no ioctl: both can make the
    # kernel send signals to other processes (F_SETOWN). No sendmsg and recvmsg: they carry descriptors. No
    # sendto and recvfrom: their flags look at a request without taking it (MSG_PEEK) or send out of band.
    "read": Numbers(0, 63),
    "write": Numbers(1, 64),
    "readv": Numbers(19, 65),
    "writev": Numbers(20, 66),
    "close": Numbers(3, 57),
    "lseek": Numbers(8, 62),
    "poll": Numbers(7, None),
    "ppoll": Numbers(271, 73),
    # Memory; what may be made executable is decided by NEVER_EXECUTABLE.
    "munmap": Numbers(11, 215),
    "mremap": Numbers(25, 216),
    "madvise": Numbers(28, 233),
    "brk": Numbers(12, 214),
    "futex": Numbers(202, 98),
    # Time.
    "gettimeofday": Numbers(96, 169),
    "time": Numbers(201, None),
    "nanosleep": Numbers(35, 101),
    "times": Numbers(100, 153),
    "getrusage": Numbers(98, 165),
    "sched_yield": Numbers(24, 124),
    # Who am I.
    "getrandom": Numbers(318, 278),
    "getpid": Numbers(39, 172),
    "gettid": Numbers(186, 178),
    "getuid": Numbers(102, 174),
    "geteuid": Numbers(107, 175),
    "getgid": Numbers(104, 176),
    "getegid": Numbers(108, 177),
    # Signals that arrive: the soft time limit is one. Sending is not among these.
    "rt_sigaction": Numbers(13, 134),
    "rt_sigprocmask": Numbers(14, 135),
    "rt_sigpending": Numbers(127, 136),
    "rt_sigreturn": Numbers(15, 139),
    "sigaltstack": Numbers(131, 132),
    "restart_syscall": Numbers(219, 128),
    "exit": Numbers(60, 93),
    "exit_group": Numbers(231, 94),
}
"""Allowed whatever the arguments."""

NEVER_EXECUTABLE = {"mmap": Numbers(9, 222), "mprotect": Numbers(10, 226)}
"""Allowed without PROT_EXEC in the third argument."""

OWN_CLOCKS = {
    "clock_gettime": Numbers(228, 113),
    "clock_getres": Numbers(229, 114),
    "clock_nanosleep": Numbers(230, 115),
}
"""Allowed when the first argument is one of the numbered clocks, which belong to the system or to the caller;
ids made from a process number read the CPU clocks of other processes."""

NEVER_ADDRESSED = {"sendto": Numbers(44, 206)}
"""Allowed to a template when the fifth argument, an address, is null: only to the peer of a connected
socket."""

NOT_FOUND = {
    "open": Numbers(2, None),
    "openat": Numbers(257, 56),
    "openat2": Numbers(437, 437),
    "stat": Numbers(4, None),
    "lstat": Numbers(6, None),
    "newfstatat": Numbers(262, 79),
    "statx": Numbers(332, 291),
    "access": Numbers(21, None),
    "faccessat": Numbers(269, 48),
    "faccessat2": Numbers(439, 439),
    "readlink": Numbers(89, None),
    "readlinkat": Numbers(267, 78),
    "getcwd": Numbers(79, 17),
    "statfs": Numbers(137, 43),
}
"""Answered ENOENT: late imports and traceback's source lines then degrade quietly."""

NOT_THERE = {"clone3": Numbers(435, 435)}
"""Answered ENOSYS, so that the C library falls back to clone, which is refused."""

TEMPLATE = {
    # To fork workers and tell the service about them.
    "wait4": Numbers(61, 260),
    "sendmsg": Numbers(46, 211),
    "recvmsg": Numbers(47, 212),
    "getsockopt": Numbers(55, 209),
    "getsockname": Numbers(51, 204),
    "pidfd_open": Numbers(434, 434),
    "pipe2": Numbers(293, 59),
    "fstat": Numbers(5, 80),
    "newfstatat": Numbers(262, 79),
    "getppid": Numbers(110, 173),
    "set_robust_list": Numbers(273, 99),
    "rseq": Numbers(334, 293),
    # What a worker seals itself with.
    "pread64": Numbers(17, 67),
    "fcntl": Numbers(72, 25),
    "dup2": Numbers(33, None),
    "dup3": Numbers(292, 24),
    "close_range": Numbers(436, 436),
    "capget": Numbers(125, 90),
    "capset": Numbers(126, 91),
    "setgroups": Numbers(116, 159),
    "setresuid": Numbers(117, 147),
    "setresgid": Numbers(119, 149),
    "prctl": Numbers(157, 167),
    "prlimit64": Numbers(302, 261),
    "seccomp": Numbers(317, 277),
    "landlock_create_ruleset": Numbers(444, 444),
    "landlock_restrict_self": Numbers(446, 446),
}
"""Allowed to a template besides ALLOWED: it holds a world's data and code, and forks those that run it."""

FORK = {"clone": Numbers(56, 220)}
"""Allowed to a template when the first argument asks for a plain fork: no thread, no namespace."""

REFUSED = {
    "clone": Numbers(56, 220),
    "execve": Numbers(59, 221),
    "kill": Numbers(62, 129),
    "memfd_create": Numbers(319, 279),
    "prctl": Numbers(157, 167),
    "ptrace": Numbers(101, 117),
    "recvfrom": Numbers(45, 207),
    "socket": Numbers(41, 198),
}
"""Answered EPERM like everything that is in no table; these are the ones the self-test tries."""
