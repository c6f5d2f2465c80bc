"""The suite `rollouts` measures what the goal table names. Never how fast: machines differ."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks import model_batch, rollouts
from benchmarks.model_endpoint import ScriptedPlayer
from benchmarks.pace import Pace, side_by_side
from benchmarks.subject import subject

ROOT = Path(__file__).parents[2]

TINY = """
import json, sys
from pathlib import Path
from benchmarks import rollouts
effort = rollouts.RolloutEffort(seconds=0.3, stored=4, times=2, batch=2, delay=(0.0, 0.05))
print(json.dumps(rollouts.run(effort=effort, bundle=Path(sys.argv[1]))))
"""


@pytest.fixture(scope="module")
def figures(clinic_path: Path) -> dict[str, Any]:
    """The suite at its smallest, in a process of its own as it needs one."""
    done = subprocess.run(
        [sys.executable, "-c", TINY, str(clinic_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


@pytest.mark.at_length
def test_every_figure_is_a_number_or_says_why_it_is_none(figures: dict[str, Any]) -> None:
    assert set(rollouts.KEYS) <= figures.keys()
    missing = {key for key in rollouts.KEYS if figures[key] is None}
    assert missing == figures["notes"].keys() == {"batch_1024_s", "batch_peak_mib"}
    assert all(figures[key] > 0 for key in rollouts.KEYS if key not in missing)


@pytest.mark.at_length
def test_the_baseline_is_measured_in_the_same_run(figures: dict[str, Any]) -> None:
    assert figures["baseline"]["episodes_per_s"] > 0
    assert set(figures["ratio"]) == {"episodes_per_s", "shared_episodes_per_s", "mcp_episodes_per_s"}


@pytest.mark.at_length
def test_the_processor_time_of_an_episode_tells_the_client_from_the_rest(figures: dict[str, Any]) -> None:
    spent = figures["cpu_ms"]
    assert set(spent) == {"episodes", "shared_episodes", "mcp_episodes", "mcp_client"}
    assert 0 < spent["mcp_client"] < spent["mcp_episodes"]
    assert figures["mcp_client_floor_per_s"] > 0


@pytest.mark.at_length
def test_a_cancelled_batch_leaves_nothing_running(figures: dict[str, Any]) -> None:
    assert figures["batch"]["left_running"] == 0
    assert sum(figures["batch"]["cancelled"].values()) == 2
    assert figures["batch"]["seconds"] > 0


def test_processes_side_by_side_begin_together_and_are_added_up() -> None:
    def play(ready: Callable[[], object]) -> Pace:
        ready()
        return Pace(episodes=3, seconds=2.0, cpu_seconds=0.5, client_cpu_seconds=0.1)

    assert side_by_side(play, processes=2) == Pace(6, 2.0, 1.0, 0.2)


def test_a_process_that_fails_is_no_measurement(capfd: pytest.CaptureFixture[str]) -> None:
    def play(ready: Callable[[], object]) -> Pace:
        ready()
        raise RuntimeError("the episode came to nothing")

    with pytest.raises(RuntimeError, match="of 2 processes failed"):
        side_by_side(play, processes=2)
    assert "the episode came to nothing" in capfd.readouterr().err


def test_a_batch_in_which_an_episode_fails_is_no_measurement() -> None:
    with pytest.raises(RuntimeError, match="of 1 episodes came"):
        model_batch._require_all_completed([], 1)


def test_the_measured_episode_has_ten_calls(clinic_path: Path, tmp_path: Path) -> None:
    assert len(subject(tmp_path, clinic_path).episode) == 10


def test_the_scripted_model_plays_its_calls_in_order_and_then_answers() -> None:
    script = {"calls": [{"name": "look", "arguments": {"id": 1}}], "answer": "Done."}
    player = ScriptedPlayer(script, (0.0, 0.0))
    first = player({"messages": [{"role": "user"}]})
    assert first.tool_calls == (("look", '{"id": 1}'),)
    last = player({"messages": [{"role": "user"}, {"role": "assistant"}, {"role": "tool"}]})
    assert (last.text, last.tool_calls) == ("Done.", ())
