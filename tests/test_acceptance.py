"""The table of acceptance points names a test in a browser for each, and every named test is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "docs" / "acceptance.md"
POINTS = 47


def rows() -> dict[int, list[tuple[str, str]]]:
    """Point to the files and names of its tests."""
    results = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if number := re.match(r"\| (\d+) \|", line):
            results[int(number[1])] = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", line)
    return results


def test_every_point_has_a_row_with_tests() -> None:
    assert list(rows()) == list(range(1, POINTS + 1))
    assert [number for number, tests in rows().items() if not tests] == []


@pytest.mark.parametrize("table", [TABLE, ROOT / "docs" / "proof.md"])
def test_every_named_test_is_there(table: Path) -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", table.read_text(encoding="utf-8"))
    assert named
    missing = [
        f"{path}::{name}"
        for path, name in named
        if not (ROOT / path).is_file()
        or not re.search(rf"^def {name}\(", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert missing == []
