"""The suite `worlds` measures what the goal table names, in every mode. Never how fast: machines differ."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from benchmarks import memory, soak, worlds
from benchmarks.__main__ import SUITES, main, show
from benchmarks.sample import Sample, rounded

TINY = worlds.Effort(times=2, seconds=0.3, many=6, copies=1)


@pytest.fixture(scope="module")
def figures(clinic_path: Path) -> dict[str, object]:
    return worlds.run(effort=TINY, bundle=clinic_path)


@pytest.mark.at_length
def test_every_mode_has_every_figure(figures: dict[str, dict[str, float]]) -> None:
    for mode in ("process", "shared", "baseline"):
        assert set(worlds.KEYS) <= figures[mode].keys()
        measured = {
            key: figures[mode][key] for key in worlds.KEYS if not (mode == "baseline" and key == "compile_ms")
        }
        assert all(value > 0 for value in measured.values()), measured
    assert figures["baseline"]["compile_ms"] is None


@pytest.mark.at_length
def test_the_ratio_comes_from_the_same_run(figures: dict[str, dict[str, dict[str, float]]]) -> None:
    ours, base = figures["process"], figures["baseline"]
    assert ours["ratio"]["first_call_ms"] == rounded(base["first_call_ms"] / ours["first_call_ms"])  # type: ignore[operator]
    assert ours["ratio"]["episodes_per_s"] == rounded(ours["episodes_per_s"] / base["episodes_per_s"])  # type: ignore[operator]


@pytest.mark.at_length
def test_figures_are_one_line_of_json_and_one_table(
    figures: dict[str, object], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worlds, "run", lambda **_: figures)
    assert main(["worlds", "--quick", "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["machine"] == figures["machine"]
    show(figures)
    assert "instances_1024_s" in capsys.readouterr().out


def test_large_figures_leave_the_names_of_figures_whole(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    mode = {"first_call_ms": 1234567.25, "instances_1024_s": 987654.125}
    ratio = dict.fromkeys(mode, 123456.5)
    modes = {name: {**mode, "ratio": ratio} for name in ("process", "shared", "baseline")}
    show({"suite": "worlds", "machine": {"cores": 2}, **modes})
    assert "instances_1024_s" in capsys.readouterr().out


def test_a_soak_reads_the_memory_at_every_step(clinic_path: Path) -> None:
    results = soak.run(calls=1_000, every=500, bundle=clinic_path)
    assert [reading["calls"] for reading in results["readings"]] == [500, 1_000]
    assert all(reading["service_kib"] > 0 for reading in results["readings"])


def test_a_suite_that_is_not_there_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.__main__.find_spec", lambda name: None)
    assert main([SUITES[-1]]) == 1
    assert SUITES[-1] in capsys.readouterr().err


def test_percentiles_come_from_the_values() -> None:
    sample = Sample(tuple(float(n) for n in range(1, 101)))
    assert (sample.median, sample.percentile(10), sample.percentile(99)) == (50.5, 11.0, 100.0)


def test_a_process_is_among_its_own_descendants() -> None:
    assert os.getpid() in memory.descendants(os.getpid())
    assert (memory.pss_kib({os.getpid()}) or 0) > 1_000
