"""A backup moves a studio from SQLite to PostgreSQL and back with equal fingerprints, by its commands."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from tests.studio.management.conftest import _manage, _own_database


def fingerprint(printed: str) -> str:
    """What a command says last."""
    (text,) = re.findall(r"^fingerprint (\w{64})$", printed, flags=re.MULTILINE)
    return text


@pytest.mark.at_length
@pytest.mark.service
def test_a_studio_moves_to_postgresql_and_back(clinic_folder: Path, tmp_path: Path):
    address = os.environ.get("DATABASE_URL", "")
    if not address.startswith("postgres"):
        pytest.skip("DATABASE_URL names no PostgreSQL")
    plain = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
    shutil.copytree(clinic_folder, tmp_path / "first")
    with _own_database(address) as own:
        studios = [
            plain | {"WORLDWRIGHT_VAR": str(tmp_path / "first")},
            plain | {"WORLDWRIGHT_VAR": str(tmp_path / "second"), "DATABASE_URL": own},
            plain | {"WORLDWRIGHT_VAR": str(tmp_path / "third")},
        ]
        printed = []
        for number, studio in enumerate(studios):
            if number:
                assert _manage(["migrate", "-v0"], studio).returncode == 0
                restored = _manage(["restore", str(tmp_path / f"{number - 1}.tar.gz")], studio)
                assert restored.returncode == 0, restored.stderr
                printed.append(restored.stdout)
            saved = _manage(["backup", str(tmp_path / f"{number}.tar.gz")], studio)
            assert saved.returncode == 0, saved.stderr
            printed.append(saved.stdout)
        made = _manage(["create_admin", "nora"], studios[1])
        assert made.returncode == 0, made.stderr
    assert len({fingerprint(each) for each in printed}) == 1
