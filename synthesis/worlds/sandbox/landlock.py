"""Landlock: no file, no TCP port, no signal to others, where the kernel has it. Insurance, never required."""

from __future__ import annotations

import functools
import os
import struct

from synthesis.worlds.sandbox import kernel

_VERSION_FLAG = 1
_FILE_RIGHTS = ((5, 16), (3, 15), (2, 14), (1, 13))
"""(from this version on, so many rights over files): all are taken away."""
_TCP_RIGHTS = 0b11
_SCOPES = 0b11
"""Abstract sockets and signals."""


def version() -> int:
    """The Landlock version this kernel offers to us; 0 when it offers none."""
    return max(0, kernel.call(kernel.SETUP_CALLS["landlock_create_ruleset"], None, 0, _VERSION_FLAG))


def restrict() -> int:
    """Take every right Landlock knows from this process, for good; needs no_new_privs.

    Call it in each worker: a domain inherited from a common parent would let siblings signal each other.

    Returns:
        The version in force, 0 when there is none.
    """
    offered, ruleset_of = prepare()
    ruleset = kernel.invoke(ruleset_of) if offered else -1
    if ruleset < 0:
        return 0
    try:
        return offered if kernel.call(kernel.SETUP_CALLS["landlock_restrict_self"], ruleset, 0) == 0 else 0
    finally:
        os.close(ruleset)


@functools.cache
def prepare() -> tuple[int, kernel.Prepared]:
    """The version this kernel offers, and the call that makes a rule set of it; found out once."""
    offered = version()
    attributes = _attributes(offered) if offered else b""
    create = kernel.SETUP_CALLS["landlock_create_ruleset"]
    return offered, kernel.prepared(create, attributes, len(attributes), 0)


def _attributes(offered: int) -> bytes:
    """``struct landlock_ruleset_attr`` as long as that version knows it."""
    rights = next(count for since, count in _FILE_RIGHTS if offered >= since)
    words = [(1 << rights) - 1]
    if offered >= 4:
        words.append(_TCP_RIGHTS)
    if offered >= 6:
        words.append(_SCOPES)
    return struct.pack(f"={len(words)}Q", *words)
