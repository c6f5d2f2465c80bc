"""What a fork server shares with its workers is in large pages, so that a fork copies few entries."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from synthesis.worlds.sandbox import large_pages
from synthesis.worlds.sandbox.fork_client import ForkClient

MEBIBYTE = 2**20
needs_large_pages = pytest.mark.skipif(
    not large_pages.gather(), reason="this kernel gathers no memory in large pages, or is not to"
)


def output_of(program: str) -> int:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return int(done.stdout)


def in_large_pages(pid: int) -> int:
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    match = re.search(r"^AnonHugePages: +(\d+) kB$", rollup, re.MULTILINE)
    assert match
    return int(match[1]) * 1024


@needs_large_pages
def test_a_fork_server_has_most_of_its_memory_in_large_pages() -> None:
    server = ForkClient()
    try:
        assert in_large_pages(server.pid) >= 8 * MEBIBYTE
    finally:
        server.close()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_interpreters_memory_is_one_stretch_whatever_is_imported_between() -> None:
    longest = """
{reserve}
import pydantic, apsw, orjson, decimal, sqlite3, xml.etree.ElementTree
from synthesis.worlds.sandbox.large_pages import _written
places = [(first, last) for first, last in _written() if first >> 40 == id(pydantic) >> 40]
print(max(last - first for first, last in places))
"""
    reserve = "from synthesis.worlds.sandbox.large_pages import reserve_arenas; reserve_arenas()"
    assert output_of(longest.format(reserve=reserve)) >= 10 * MEBIBYTE
    assert output_of(longest.format(reserve="pass")) < 10 * MEBIBYTE


@needs_large_pages
def test_what_is_gathered_is_as_it_was() -> None:
    before = [bytes([number % 251]) * 4_000 for number in range(2_000)]
    assert large_pages.gather() > 0
    assert all(block == bytes([number % 251]) * 4_000 for number, block in enumerate(before))


@pytest.mark.parametrize("enabled", ["always madvise [never]", None])
def test_nothing_is_gathered_where_that_is_forbidden_or_not_known(
    enabled: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if enabled is not None:
        (tmp_path / "hpage_pmd_size").write_text("2097152", encoding="ascii")
        (tmp_path / "enabled").write_text(enabled, encoding="ascii")
    monkeypatch.setattr(large_pages, "_SETTINGS", tmp_path)
    assert large_pages.gather() == 0


def test_large_pages_larger_than_all_that_there_is_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hpage_pmd_size").write_text(str(2**29), encoding="ascii")
    (tmp_path / "enabled").write_text("always [madvise] never", encoding="ascii")
    monkeypatch.setattr(large_pages, "_SETTINGS", tmp_path)
    assert large_pages.gather() == 0
