"""The release of this process as a number, so that runs and workers of different releases can be compared."""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import version

PAUSE = 2.0
"""Seconds for which a message of a later release waits before a worker gets it again, maybe the same one."""


@cache
def own_release() -> int:
    """That of this process; a later one is larger: 1.4.2 is 1,004,002."""
    return release_number(version("worldwright"))


def release_number(release: str) -> int:
    """A release as a number, without what follows its first three parts."""
    major, minor, patch = [*map(int, re.findall(r"\d+", release)[:3]), 0, 0, 0][:3]
    return major * 1_000_000 + minor * 1_000 + patch
