"""Large pages: the memory of a process that forks often, gathered so that a fork has few entries to copy.

A fork copies an entry for each small page that was written, and the end of the child drops each again: with
some 7,500 of them, that is most of what a worker's start and end take (measured: 1.7 ms, 0.5 ms of it without
them). Pages of a large one are copied one by one where a worker writes to them, as before.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from synthesis.worlds.sandbox import kernel
from synthesis.worlds.sandbox.kernel import Numbers

_MADVISE = Numbers(28, 233)
_MADV_COLLAPSE = 25
_SETTINGS = Path("/sys/kernel/mm/transparent_hugepage")
_MOST_BYTES = 2**21
"""Of a large page; those of some machines are larger than all that a fork server has."""
_ARENAS = 11
"""Mebibytes that the interpreter takes for the small objects of what a fork server imports."""
_BLOCK_BYTES, _BLOCKS_PER_ARENA = 450, 2_000
_held: list[bytes] = []
"""One block in each arena, so that none is given back before it is used."""


def reserve_arenas() -> None:
    """Have the interpreter take its memory for small objects in one stretch; once, before imports.

    It takes a mebibyte at a time, wherever there is room between the libraries that imports map: no large
    page fits into most of that.
    """
    blocks = [bytes(_BLOCK_BYTES) for _ in range(_ARENAS * _BLOCKS_PER_ARENA)]
    _held[:] = blocks[::_BLOCKS_PER_ARENA]


def gather() -> int:
    """Put what is written into large pages where the kernel can; how many bytes.

    Once a process has all that its children share. A kernel before 6.1 cannot, an administrator may have
    forbidden it, and where /proc or /sys is not mounted nothing is done.
    """
    size = _size()
    if not size:
        return 0
    gathered = 0
    for first, last in _written():
        for start in range(-(-first // size) * size, last - size + 1, size):
            gathered += size * (kernel.call(_MADVISE, start, size, _MADV_COLLAPSE) == 0)
    return gathered


def _size() -> int:
    """Bytes of a large page; 0 where there is to be none."""
    try:
        size = int((_SETTINGS / "hpage_pmd_size").read_text(encoding="ascii"))
        is_forbidden = "[never]" in (_SETTINGS / "enabled").read_text(encoding="ascii")
    except (OSError, ValueError):
        return 0
    return 0 if is_forbidden or size > _MOST_BYTES else size


def _written() -> Iterator[tuple[int, int]]:
    """Where this process has memory of its own: its heap, and what is mapped from no file."""
    try:
        lines = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        place, access, *_, name = f"{line} ".split(" ", 5)
        if access == "rw-p" and name.strip() in ("", "[heap]"):
            first, _, last = place.partition("-")
            yield int(first, 16), int(last, 16)
