"""What others wrote and we serve is unmodified, and nothing is served that is not written down."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = (ROOT / "static" / "vendor", ROOT / "tests" / "browser" / "vendor")
"""What is served, and what the browser tests look with."""
LINES = [
    (folder, line)
    for folder in FOLDERS
    for line in (folder / "CHECKSUMS").read_text().splitlines()
    if not line.startswith("#")
]


@pytest.mark.parametrize(("folder", "line"), LINES, ids=[line.split("  ")[1] for _, line in LINES])
def test_a_vendored_file_has_the_bytes_that_were_published(folder: Path, line: str) -> None:
    digest, path, package, version = line.split("  ")
    assert hashlib.sha256((folder / path).read_bytes()).hexdigest() == digest
    assert path.startswith(f"{package.lstrip('@').replace('/', '-')}-{version}/")


def test_every_vendored_file_is_written_down() -> None:
    there = {path for folder in FOLDERS for path in folder.rglob("*") if path.is_file()}
    written = {folder / line.split("  ")[1] for folder, line in LINES}
    assert there == written | {folder / "CHECKSUMS" for folder in FOLDERS}


def test_pages_load_nothing_from_elsewhere() -> None:
    ours = [
        *(ROOT / "templates").rglob("*.html"),
        *(ROOT / "static").glob("css/*.css"),
        *(ROOT / "static").glob("*.js"),
    ]
    foreign = re.compile(r"""(?:src|href)=["'](?:https?:)?//|url\(["']?(?:https?:)?//|@import|import\(""")
    assert [path.name for path in ours if foreign.search(path.read_text())] == []


def test_no_template_has_inline_script_or_style() -> None:
    inline = re.compile(
        r"<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)|hx-on|javascript:", re.IGNORECASE
    )
    templates = (ROOT / "templates").rglob("*.html")
    assert [path.name for path in templates if inline.search(path.read_text())] == []
