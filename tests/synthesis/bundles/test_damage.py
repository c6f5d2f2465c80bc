"""Bundles damaged at random: whatever is wrong, it is an InvalidBundle and never another exception."""

from __future__ import annotations

import contextlib
import random
import re
from pathlib import Path

import pytest

from synthesis.bundles.archive import read_files, write_zip
from synthesis.bundles.native import MANIFEST, bundle_files, bundle_of
from synthesis.documents.bundle import Bundle
from synthesis.documents.environment import Environment
from synthesis.errors import InvalidBundle

VALUE = re.compile(rb'"[^"]*"|\d+|null|true|\{|\[')
WRONG = [
    b"null",
    b"[]",
    b"{}",
    b'""',
    b"1e999",
    b"-1",
    b'"x"',
    b"true",
    b"[[[[",
    b"\xff",
    b"9" * 400,
    b'"\\ud800"',
]
DAMAGED = [
    "environment.json",
    "tasks.jsonl",
    "tools.json",
    "seed/staff.jsonl",
    "reviews.json",
    "checks.json",
    MANIFEST,
]


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("seed", range(5))
def test_a_zip_with_changed_bytes(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    files = {"environment.json": b'{"a": 1}', "seed/a.jsonl": b"{}\n" * 50}
    whole = write_zip(files, tmp_path / "whole.zip", folder="b").read_bytes()
    refused = 0
    for _ in range(200):
        content = bytearray(whole)
        for _ in range(chance.randint(1, 5)):
            place = chance.randrange(max(0, len(content) - chance.choice([200, len(content)])), len(content))
            kind = chance.random()
            if kind < 0.7:
                content[place] = chance.randrange(256)
            elif kind < 0.85:
                content[place:place] = chance.randbytes(chance.randint(1, 20))
            else:
                del content[max(1, place) :]
        (tmp_path / "damaged.zip").write_bytes(content)
        try:
            read_files(tmp_path / "damaged.zip")
        except InvalidBundle:
            refused += 1
    assert refused > 100


@pytest.mark.parametrize("name", DAMAGED)
def test_a_file_with_wrong_values(clinic: Environment, name: str) -> None:
    chance = random.Random(name)
    files = bundle_files(Bundle(environment=clinic))
    refused = 0
    for _ in range(15):
        content = bytearray(files.get(name, b'[{"decision": "approve", "covers": {}}]'))
        for _ in range(chance.randint(1, 3)):
            start, end = chance.choice([match.span() for match in VALUE.finditer(bytes(content))] or [(0, 1)])
            content[start:end] = chance.choice(WRONG)
        damaged = {**files, name: bytes(content)}
        if name != MANIFEST:
            del damaged[MANIFEST]
        with contextlib.suppress(InvalidBundle):
            bundle_of(damaged)
            continue
        refused += 1
    assert refused >= 5
