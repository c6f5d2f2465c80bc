"""Inspect's logs: written by its own library where that is installed, and a clear word where it is not."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from synthesis.bundles.inspect_eval import InspectEvalCodec
from synthesis.bundles.registry import codec
from synthesis.documents.bundle import Bundle
from synthesis.documents.environment import Environment
from synthesis.errors import InvalidInput
from synthesis.llm.scripted import Scripted
from synthesis.rollouts.chat import ChatAgent
from synthesis.rollouts.reference import ReferenceAgent
from synthesis.rollouts.rollout import roll_out
from synthesis.worlds.world import World

INSTALLED = importlib.util.find_spec("inspect_ai") is not None


@pytest.fixture(scope="module")
def bundle(clinic: Environment) -> Bundle:
    agents = (ReferenceAgent(), ReferenceAgent(), ChatAgent(Scripted(["She owes nothing."], model="m/1")))
    with World(clinic) as world:
        episodes = tuple(roll_out(world, "read_total_owed", agent) for agent in agents)
    return Bundle(environment=clinic, trajectories=episodes)


def test_it_is_among_the_formats() -> None:
    assert isinstance(codec("inspect_eval"), InspectEvalCodec)


@pytest.mark.skipif(INSTALLED, reason="inspect_ai is installed")
def test_without_its_library_it_says_what_to_install_and_writes_nothing(
    bundle: Bundle, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput, match="pip install inspect_ai"):
        InspectEvalCodec().write(bundle, tmp_path / "logs")
    assert list(tmp_path.iterdir()) == []


def test_a_bundle_without_trajectories_is_refused(clinic: Environment, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="contains no trajectories"):
        InspectEvalCodec().write(Bundle(environment=clinic), tmp_path / "logs")


@pytest.mark.skipif(not INSTALLED, reason="inspect_ai is not installed")
def test_inspect_reads_the_logs_with_messages_scores_and_epochs(bundle: Bundle, tmp_path: Path) -> None:
    from inspect_ai.log import read_eval_log

    folder = InspectEvalCodec().write(bundle, tmp_path / "logs")
    assert sorted(file.name for file in folder.iterdir()) == ["chat-m-1.eval", "reference.eval"]
    log = read_eval_log(str(folder / "reference.eval"))
    assert [(sample.id, sample.epoch) for sample in log.samples] == [
        ("read_total_owed", 1),
        ("read_total_owed", 2),
    ]
    sample = log.samples[0]
    replies = [message for message in sample.messages if message.role == "assistant"]
    calls = [call.function for reply in replies for call in reply.tool_calls or ()]
    assert calls == [call.name for call in bundle.trajectories[0].trajectory.calls]
    assert sample.scores["worldwright"].value == 1.0
    assert log.results.scores[0].metrics["mean"].value == 1.0
    asked = read_eval_log(str(folder / "chat-m-1.eval")).samples[0]
    assert asked.output.completion == "She owes nothing."
    assert asked.scores["worldwright"].value == 0.0
    assert next(iter(asked.model_usage.values())).input_tokens > 0
