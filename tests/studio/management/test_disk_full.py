"""A disk that is really full: an export says so, leaves nothing behind, and succeeds once there is room."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from tests.studio.management.conftest import ROOT

pytestmark = pytest.mark.at_length

SCRIPT = """
set -eu
mkdir -p "$WORLDWRIGHT_VAR/bundles"
mount -t tmpfs -o size=24k none "$WORLDWRIGHT_VAR/bundles"
cd "$1"; shift
set +e; "$@" > "$OUTPUT/first" 2>&1; echo $? > "$OUTPUT/first.status"; set -e
find "$WORLDWRIGHT_VAR/bundles" -mindepth 1 > "$OUTPUT/left"
mount -o remount,size=16m "$WORLDWRIGHT_VAR/bundles"
set +e; "$@" > "$OUTPUT/second" 2>&1; echo $? > "$OUTPUT/second.status"; set -e
find "$WORLDWRIGHT_VAR/bundles" -type f > "$OUTPUT/stored"
"""


def test_an_export_on_a_full_disk_leaves_nothing_and_succeeds_later(manage_clinic, own_studio, tmp_path):
    if (
        shutil.which("unshare") is None
        or subprocess.run(
            ["unshare", "-rm", "mount", "-t", "tmpfs", "none", str(tmp_path)],
            check=False,
            capture_output=True,
        ).returncode
    ):
        pytest.skip("no file system of a given size can be mounted here")
    (tmp_path / "output").mkdir()
    export = [sys.executable, "manage.py", "export_bundle", "clinic_front_desk", "--waiver", "For a test."]
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", SCRIPT, "sh", str(ROOT), *export],
        env=own_studio | {"OUTPUT": str(tmp_path / "output")},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr

    def output(name: str) -> str:
        return (tmp_path / "output" / name).read_text()

    assert output("first.status").strip() == "1", output("first")
    assert "The disk on which archives are written is full" in output("first")
    assert "Traceback" not in output("first")
    # The folder of a format may be there, a file of it may not.
    assert [line for line in output("left").split() if not line.endswith("/native")] == []
    assert output("second.status").strip() == "0", output("second")
    assert output("stored").strip().endswith(".zip")
