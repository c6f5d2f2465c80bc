"""Threads of a worker share their heaps."""

from __future__ import annotations

import platform
import re
import subprocess
import sys

import pytest

from studio.services.runs.heap import ARENAS

BUSY = """
import ctypes, sys, threading
from studio.services.runs import heap

if sys.argv[1] == "shared":
    assert heap.share()
libc, together = ctypes.CDLL(None), threading.Barrier(12)
libc.malloc.restype = ctypes.c_void_p

def work():
    together.wait()
    libc.malloc(100_000)
    together.wait()

threads = [threading.Thread(target=work) for _ in range(12)]
for thread in threads: thread.start()
for thread in threads: thread.join()
libc.fdopen.restype = ctypes.c_void_p
out = ctypes.c_void_p(libc.fdopen(1, b"w"))
libc.malloc_info(0, out)
libc.fflush(out)
"""


def heaps(how: str) -> int:
    """How many heaps a process with twelve threads has."""
    completed = subprocess.run([sys.executable, "-c", BUSY, how], capture_output=True, text=True, check=True)
    return len(re.findall(r"<heap nr=", completed.stdout))


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc makes heaps for threads")
def test_threads_share_heaps_where_they_would_have_their_own():
    assert heaps("by itself") > ARENAS
    assert heaps("shared") <= ARENAS
