from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import synthesis

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", synthesis.__all__)
def test_every_name_of_the_package_can_be_imported(name: str) -> None:
    assert getattr(synthesis, name) is not None
    assert name in dir(synthesis)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Studio'"):
        synthesis.Studio  # noqa: B018


def test_a_trainer_opens_plays_and_measures_without_a_server_or_a_model_client() -> None:
    code = """
import sys
import synthesis
assert not [name for name in sys.modules if name.startswith("synthesis.")], "the door is lazy"
from synthesis import World, open_bundle
environment = open_bundle("tests/data/clinic_front_desk").environment
from synthesis import Episode
from synthesis.documents.trajectory import FinalAnswer
task = environment.task("read_total_owed")
with World(environment) as world:
    with Episode(world, task.id) as episode:
        episode.reset()
        for call in task.reference_solution:
            episode.step(call)
        _, reward, terminated, _, _ = episode.step(FinalAnswer(text=task.reference_answer))
assert (reward, terminated) == (1.0, True)
unwanted = {"httpx", "openai", "mcp", "starlette", "uvicorn", "django", "celery"}
assert not unwanted & set(sys.modules), sorted(unwanted & set(sys.modules))
higher = ("synthesis.llm", "synthesis.judging", "synthesis.pipeline", "synthesis.serving")
assert not [name for name in sys.modules if name.startswith(higher)]
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
