"""Services of a test's own, which it may kill."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import own_services
from benchmarks.own_services import OwnService, ProgramMissing


@contextlib.contextmanager
def running(kind: type[OwnService], folder: Path) -> Iterator[OwnService]:
    """A service for the time of a block, killed afterwards; skips the test where it is not installed."""
    with contextlib.ExitStack() as opened:
        try:
            service = opened.enter_context(own_services.running(kind, folder))
        except ProgramMissing as missing:
            pytest.skip(f"{missing}, so none of a test's own could be killed")
        yield service
