"""The training recipe, with TRL itself and a tiny model on the CPU."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from benchmarks.client_library import ROOT, TRL

pytestmark = pytest.mark.at_length


def test_the_reward_of_a_tiny_policy_rises(
    client_of: Callable[..., Any], clinic_path: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    run = client_of(TRL)
    given = ["--tasks", "3", "--out", str(tmp_path)]
    points = run("grpo_client.py", str(clinic_path), *given, path=ROOT, seconds=900)
    rewards = [point["reward"] for point in points]
    assert len(rewards) == 40
    assert mean(rewards[-20:]) > mean(rewards[:10]) + 0.15
    assert all(point["grad_norm"] > 0 for point in points if point["reward_std"] > 0)
    assert [json.loads(line) for line in (tmp_path / "curve.jsonl").read_text().splitlines()] == points
    assert (tmp_path / "curve.svg").read_text().count("<polyline") == 1
