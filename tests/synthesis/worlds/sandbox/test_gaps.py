"""After the gaps are used up, what is made lies side by side, on few pages."""

from __future__ import annotations

import subprocess
import sys

import pytest

PAGE_BYTES = 4096
MADE = 200

SMALL_OBJECTS = f"""
from synthesis.worlds.sandbox.gaps import use_up
kept = [bytes(60) for _ in range(20_000)]
del kept[::10]
{{use_up}}
print(len({{{{id(each) // {PAGE_BYTES} for each in [bytes(60) for _ in range({MADE})]}}}}))
"""
BLOCKS = f"""
import ctypes
from synthesis.worlds.sandbox.gaps import use_up
library = ctypes.CDLL(None)
library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
library.free.restype, library.free.argtypes = None, [ctypes.c_void_p]
places = [library.malloc(700) for _ in range(3_000)]
for place in places[::10]:
    library.free(place)
{{use_up}}
print(len({{{{library.malloc(700) // {PAGE_BYTES} for _ in range({MADE})}}}}))
"""


def pages_of(program: str, use_up: str) -> int:
    """Pages on which what a program makes lies."""
    done = subprocess.run(
        [sys.executable, "-c", program.format(use_up=use_up)], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def test_small_objects_lie_side_by_side() -> None:
    most = MADE * 96 // PAGE_BYTES + 4
    assert pages_of(SMALL_OBJECTS, "use_up()") <= most
    assert pages_of(SMALL_OBJECTS, "") > 2 * most


@pytest.mark.skipif(sys.platform != "linux", reason="the C library is looked into on Linux")
def test_blocks_of_the_c_library_lie_side_by_side() -> None:
    most = MADE * 720 // PAGE_BYTES + 6
    assert pages_of(BLOCKS, "use_up()") <= most
    assert pages_of(BLOCKS, "") > 2 * most
