"""Gaps: free places between what a process has, used up before it forks.

What was freed since the start lies here and there among what is still in use, and is handed out first. A
worker that takes such a place writes to a page that it shares with its parent, which the kernel then copies:
one page for nearly each place. Where there are none, what a worker makes lies side by side (measured: a
worker copies a tenth fewer pages).
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable

_POOL_BYTES = 2**14
"""The interpreter takes this much for small objects of one size; objects that it had no gap for fill one."""
_LARGEST_OBJECT, _SIZE_STEP = 512, 16
_EMPTY_BYTES = sys.getsizeof(b"")
_OTHERS_IN_A_POOL = 12
"""Places of a new pool that what runs here may have taken meanwhile."""
_LARGEST_BLOCK, _LARGE_BLOCK = 4096, 1024
_IN_A_ROW = 4
"""Blocks of the C library that lie side by side where it had no gap for them."""
_BLOCK_HEAD = 8
_MOST = 20_000
"""Objects of one size, or blocks, whatever is found: another allocator may never do what is waited for."""

_held: list[object] = []
_libc = ctypes.PyDLL(None) if sys.platform == "linux" else None


def use_up() -> None:
    """Take every gap for good. Before a fork, and before what all children will use is made."""
    _held.extend(_small_objects(size) for size in range(_SIZE_STEP, _LARGEST_OBJECT + 1, _SIZE_STEP))
    if _libc is not None:
        _libc.malloc.restype, _libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
        _libc.free.restype, _libc.free.argtypes = None, [ctypes.c_void_p]
        for size in _block_sizes():
            _take_blocks(_libc, size)


def _small_objects(size: int) -> list[object]:
    """Objects of one size that lie where there were gaps."""
    room = _POOL_BYTES // size - _OTHERS_IN_A_POOL
    taken: list[object] = []
    pool: list[object] = []
    place = 0
    for _ in range(_MOST):
        one = _object(size)
        if id(one) // _POOL_BYTES != place:
            taken += pool
            place, pool = id(one) // _POOL_BYTES, []
        pool.append(one)
        if len(pool) >= room:
            break
    return taken


def _object(size: int) -> object:
    """A new object of so many bytes; those of no type with a list of free objects of its own."""
    if size >= _EMPTY_BYTES + 1:
        return bytes(size - _EMPTY_BYTES)
    return object() if size <= object().__sizeof__() else complex(0, 1)


def _block_sizes() -> Iterable[int]:
    """Large ones first: a small one may be cut from the gap of a large one."""
    yield from range(_LARGEST_BLOCK, _LARGE_BLOCK, -_LARGE_BLOCK // 2)
    yield from range(_LARGE_BLOCK, _SIZE_STEP, -_SIZE_STEP)


def _take_blocks(library: ctypes.PyDLL, size: int) -> None:
    """Take the C library's gaps for blocks of one size; what comes side by side comes from its end."""
    apart = (size + _BLOCK_HEAD + _SIZE_STEP - 1) // _SIZE_STEP * _SIZE_STEP
    last, row = 0, list[int]()
    for _ in range(_MOST):
        place = library.malloc(size)
        row = [*row, place] if place == last + apart else [place]
        last = place
        if len(row) == _IN_A_ROW:
            break
    if size > _LARGE_BLOCK:  # the library keeps smaller ones for the next who asks, in another order
        for place in reversed(row):
            library.free(place)
