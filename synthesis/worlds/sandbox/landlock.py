"""Landlock: no file, no TCP port, no signal to others, where the kernel has it. Insurance, never required."""

from __future__ import annotations

import ctypes
import functools
import struct
from collections.abc import Iterator

from synthesis.worlds.sandbox import kernel
from synthesis.worlds.sandbox.kernel import PreparedCall

_VERSION_FLAG = 1
_UNKNOWN = -1
_FILE_RIGHTS = ((5, 16), (3, 15), (2, 14), (1, 13))
"""(from this version on, so many rights over files): all are taken away."""
_TCP_RIGHTS = 0b11
_SCOPES = 0b11
"""Abstract sockets and signals."""


def version() -> int:
    """The Landlock version this kernel offers to us; 0 when it offers none."""
    return max(0, kernel.call(kernel.SETUP_CALLS["landlock_create_ruleset"], None, 0, _VERSION_FLAG))


class Rules:
    """Takes every right Landlock knows from a process, for good; needs no_new_privs.

    To be made in each worker: a domain inherited from a common parent would let siblings signal each other.
    """

    def __init__(self) -> None:
        self._offered, self._create = prepare()
        self._ruleset = ctypes.c_long(_UNKNOWN)
        self._refused = False

    @property
    def in_force(self) -> int:
        """The version in force once the calls were made, 0 when there is none."""
        return 0 if self._refused else self._offered

    def steps(self, first_free: int) -> Iterator[PreparedCall]:
        """The calls; none where this kernel offers nothing.

        Args:
            first_free: The lowest descriptor that is free when they are made.
        """
        if self._offered:
            self._ruleset.value = first_free
            restrict = kernel.SETUP_CALLS["landlock_restrict_self"]
            yield PreparedCall(self._create, first_free, self._elsewhere)
            yield PreparedCall(kernel.prepared(restrict, self._ruleset, 0), 0, self._note_refusal)
            yield PreparedCall(kernel.prepared(kernel.SETUP_CALLS["close"], self._ruleset), 0, kernel.accept)

    def _elsewhere(self, result: int) -> None:
        self._ruleset.value = max(result, _UNKNOWN)

    def _note_refusal(self, _refused: int) -> None:
        self._refused = True


def restrict() -> int:
    """Take every right Landlock knows from this process, for good; needs no_new_privs.

    Returns:
        The version in force, 0 when there is none.
    """
    rules = Rules()
    kernel.make_all(rules.steps(_UNKNOWN))
    return rules.in_force


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
