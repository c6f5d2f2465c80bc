"""What others wrote and we serve is unmodified, and nothing is served that is not written down."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
VENDOR = ROOT / "static" / "vendor"
LINES = [line for line in (VENDOR / "CHECKSUMS").read_text().splitlines() if not line.startswith("#")]


@pytest.mark.parametrize("line", LINES, ids=[line.split("  ")[1] for line in LINES])
def test_a_vendored_file_has_the_bytes_that_were_published(line: str) -> None:
    digest, path, package, version = line.split("  ")
    assert hashlib.sha256((VENDOR / path).read_bytes()).hexdigest() == digest
    assert path.startswith(f"{package.lstrip('@').replace('/', '-')}-{version}/")


def test_every_vendored_file_is_written_down() -> None:
    there = {path.relative_to(VENDOR).as_posix() for path in VENDOR.rglob("*") if path.is_file()}
    assert there - {"CHECKSUMS"} == {line.split("  ")[1] for line in LINES}


def test_pages_load_nothing_from_elsewhere() -> None:
    ours = [
        *(ROOT / "templates").rglob("*.html"),
        *(ROOT / "static").glob("css/*.css"),
        ROOT / "static/studio.js",
    ]
    foreign = re.compile(r"""(?:src|href)=["'](?:https?:)?//|url\(["']?(?:https?:)?//|@import|import\(""")
    assert [path.name for path in ours if foreign.search(path.read_text())] == []


def test_no_template_has_inline_script_or_style() -> None:
    inline = re.compile(
        r"<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)|hx-on|javascript:", re.IGNORECASE
    )
    templates = (ROOT / "templates").rglob("*.html")
    assert [path.name for path in templates if inline.search(path.read_text())] == []
