from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from benchmarks import interop


def test_glue_is_counted_without_docstring_imports_and_blank_lines(tmp_path: Path) -> None:
    (tmp_path / "example.py").write_text(
        '"""It."""\n\nimport sys\n\n\ndef main():\n    pass\n\n\nif __name__:\n    main()\n'
    )
    assert interop.glue_lines(tmp_path / "example.py") == 3


@pytest.mark.at_length
def test_every_client_is_rewarded_for_the_reference_alone() -> None:
    figures = interop.main(argparse.Namespace(bundle=None, quick=True))
    assert set(figures["clients"]) == {"gym"}
    assert set(figures["wires"]) == {"json", "openenv", "nemo_gym", "trl"}
    for name, rewards in (*figures["clients"].items(), *figures["wires"].items()):
        assert rewards == {"gold": 1.0, "no_op": 0.0, "environments": 1}, name
    awm = figures["awm"]
    assert awm["same_answers"]["share"] == 1.0, awm["same_answers"]["differing"]
    exported = awm["exported"]
    assert (exported["references_complete"], exported["untouched_others"]) == (1.0, 1.0)
    assert len(awm["hosted"]) == 2
    assert max(figures["glue_lines"].values()) <= 20
    assert min(figures["calls_per_s_one_connection"].values()) > 0
    for way in ("step_by_step", "whole_episodes", "groups"):
        assert min(each["p10"] for each in figures["pool"][way]["episodes_per_s"].values()) > 0
