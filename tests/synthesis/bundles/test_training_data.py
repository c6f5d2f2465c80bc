"""Training samples, preference pairs and their data card, as files."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import orjson
import pytest

from synthesis.bundles.conversation import replies
from synthesis.bundles.data_card import data_card, mixed_environments, require_clean_splits
from synthesis.bundles.training_data import PreferencePairsCodec, TrainingSamplesCodec
from synthesis.documents.bundle import Bundle, JudgedTrajectory
from synthesis.documents.environment import Environment
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import FinalAnswer, Step, Trajectory, Usage
from synthesis.documents.verdict import Scored, Unscored, Verdict
from synthesis.errors import InvalidInput
from synthesis.rollouts.history import SlidingWindow

COMPLETED = Scored(label="completed", reward=1.0, basis="verifier", share=1.0)
FAILED = Scored(label="agent_error", reward=0.0, basis="verifier", share=0.0)
LOOK = ToolCall(name="find_patients", arguments={"name": "Ünal"})


def tried(
    clinic: Environment, verdict: Verdict, *, calls: int = 2, task: int = 0, agent: str = "chat"
) -> JudgedTrajectory:
    steps = [Step(index=n, action=LOOK, status="ok", observation={"n": n}) for n in range(1, calls + 1)]
    last = Step(index=calls + 1, action=FinalAnswer(text=f"After {calls}."), status="answered")
    trajectory = Trajectory(
        environment=clinic.fingerprint,
        environment_name=clinic.name,
        task_id=clinic.tasks.tasks[task].id,
        agent=agent,
        steps=(*steps, last),
        stop_reason="answered",
    )
    return JudgedTrajectory(trajectory=trajectory, verdicts=(verdict,))


@pytest.fixture
def bundle(clinic: Environment) -> Bundle:
    return Bundle(
        environment=clinic,
        trajectories=(
            tried(clinic, COMPLETED, calls=6),
            tried(clinic, FAILED, calls=1, agent="random"),
            tried(clinic, Unscored(error="it died"), calls=3),
        ),
    )


def lines(folder: Path) -> list[dict[str, Any]]:
    files = sorted((folder / "data").glob("*.jsonl"))
    return [orjson.loads(line) for file in files for line in file.read_bytes().splitlines()]


def with_split(environment: Environment, *splits: str | None) -> Environment:
    """The environment with its first tasks in these splits and the others in the last."""
    tasks = [
        task.model_copy(update={"split": splits[min(n, len(splits) - 1)]})
        for n, task in enumerate(environment.tasks.tasks)
    ]
    return environment.model_copy(
        update={"tasks": environment.tasks.model_copy(update={"tasks": tuple(tasks)})}
    )


def test_every_turn_of_what_is_trainable_is_a_line(bundle: Bundle, tmp_path: Path) -> None:
    results = lines(TrainingSamplesCodec().write(bundle, tmp_path / "out"))
    assert [(line["agent"], line["turn"]) for line in results] == [
        *(("chat", turn) for turn in range(1, 8)),
        *(("random", turn) for turn in range(1, 3)),
    ]
    assert len({line["id"] for line in results}) == len(results)


def test_a_line_holds_its_window_its_mask_its_tools_and_its_reward(bundle: Bundle, tmp_path: Path) -> None:
    last = lines(TrainingSamplesCodec().write(bundle, tmp_path / "out"))[6]
    roles = [message["role"] for message in last["messages"]]
    assert roles == ["system", "user", *("assistant", "tool") * 4, "assistant"]
    assert [message["tool_call_id"] for message in last["messages"] if message["role"] == "tool"] == [
        "call_1",
        "call_4",
        "call_5",
        "call_6",
    ]
    assert last["loss_mask"] == [0] * 10 + [1]
    assert (last["history"], last["reward"], last["label"]) == ("window:3", 1.0, "completed")
    assert {tool["function"]["name"] for tool in last["tools"]} == {
        tool.name for tool in bundle.environment.tools.tools
    }


def test_the_window_can_be_another(bundle: Bundle, tmp_path: Path) -> None:
    last = lines(TrainingSamplesCodec(SlidingWindow(1)).write(bundle, tmp_path / "out"))[6]
    assert len(last["messages"]) == 7
    assert last["history"] == "window:1"


def test_calls_a_model_asked_for_in_one_reply_are_one_turn(clinic: Environment, tmp_path: Path) -> None:
    used = Usage(input_tokens=1)
    steps = (
        Step(index=1, action=LOOK, status="ok", observation=1, thought="Both at once.", usage=used),
        Step(index=2, action=LOOK, status="ok", observation=2),
        Step(index=3, action=LOOK, status="ok", observation=3, usage=used),
        Step(index=4, action=FinalAnswer(text="Done."), status="answered", usage=used),
    )
    one = tried(clinic, COMPLETED)
    trajectory = one.trajectory.model_copy(update={"steps": steps, "model": "m-1"})
    by_model = JudgedTrajectory(trajectory=trajectory, verdicts=one.verdicts)
    messages = replies(by_model)
    assert [message["role"] for message in messages] == [
        *("assistant", "tool", "tool"),
        *("assistant", "tool"),
        "assistant",
    ]
    assert [call["id"] for call in messages[0]["tool_calls"]] == ["call_1", "call_2"]
    written = TrainingSamplesCodec().write(
        Bundle(environment=clinic, trajectories=(by_model,)), tmp_path / "out"
    )
    assert [line["turns"] for line in lines(written)] == [3, 3, 3]
    scripted = trajectory.model_copy(update={"model": None})
    assert sum(m["role"] == "assistant" for m in replies(JudgedTrajectory(trajectory=scripted))) == 4


def test_a_pair_holds_one_prompt_and_both_conversations(bundle: Bundle, tmp_path: Path) -> None:
    (line,) = lines(PreferencePairsCodec().write(bundle, tmp_path / "out"))
    assert [message["role"] for message in line["prompt"]] == ["system", "user"]
    assert line["chosen"][-1] == {"role": "assistant", "content": "After 6."}
    assert line["rejected"][-1] == {"role": "assistant", "content": "After 1."}
    assert (line["chosen_reward"], line["rejected_reward"], line["margin"]) == (1.0, 0.0, 1.0)
    assert (line["chosen_agent"], line["rejected_agent"]) == ("chat", "random")


def test_without_pairs_the_card_says_so(clinic: Environment, tmp_path: Path) -> None:
    bundle = Bundle(environment=clinic, trajectories=(tried(clinic, COMPLETED),))
    written = PreferencePairsCodec().write(bundle, tmp_path / "out")
    assert lines(written) == []
    assert orjson.loads((written / "data_card.json").read_bytes())["lines"] == {}


def test_a_zip_holds_the_same_files(bundle: Bundle, tmp_path: Path) -> None:
    folder = TrainingSamplesCodec().write(bundle, tmp_path / "out")
    with zipfile.ZipFile(TrainingSamplesCodec().write(bundle, tmp_path / "out.zip")) as archive:
        results = {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
    assert results == {
        str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_each_split_is_a_file(clinic: Environment, tmp_path: Path) -> None:
    split = with_split(clinic, "train", "test")
    bundle = Bundle(
        environment=split,
        trajectories=(tried(split, COMPLETED, task=0), tried(split, COMPLETED, task=1, calls=1)),
    )
    written = TrainingSamplesCodec().write(bundle, tmp_path / "out")
    assert sorted(path.name for path in (written / "data").iterdir()) == ["test.jsonl", "train.jsonl"]
    card = orjson.loads((written / "data_card.json").read_bytes())
    assert card["lines"] == {"test": 2, "train": 3}
    assert card["mixed_environments"] == {clinic.name: ["test", "train"]}
    assert "are in several splits" in (written / "README.md").read_text()


def test_a_bundle_without_trajectories_is_refused(clinic: Environment, tmp_path: Path) -> None:
    for codec in (TrainingSamplesCodec(), PreferencePairsCodec()):
        with pytest.raises(InvalidInput, match="run agents first"):
            codec.write(Bundle(environment=clinic), tmp_path / "out")


def test_the_card_counts_what_the_data_was_made_of(bundle: Bundle) -> None:
    card = data_card([bundle])
    task = bundle.environment.tasks.tasks[0]
    assert (card.trajectories, card.trainable) == (3, 2)
    assert card.labels == {"agent_error": 1, "completed": 1, "unscored": 1}
    assert card.environments == {bundle.environment.name: 3}
    assert (card.kinds, card.difficulties) == ({task.kind: 3}, {task.difficulty: 3})
    assert card.agents == {"chat": 2, "random": 1}
    assert card.mixed_environments == {}


def test_an_environment_in_two_splits_is_found_across_bundles(clinic: Environment) -> None:
    train, test = with_split(clinic, "train"), with_split(clinic, "test")
    bundles = [Bundle(environment=each, trajectories=(tried(each, COMPLETED),)) for each in (train, test)]
    require_clean_splits(bundles[:1])
    assert mixed_environments(bundles) == {clinic.name: ("test", "train")}
    with pytest.raises(InvalidInput, match=rf"{clinic.name} \(test, train\)"):
        require_clean_splits(bundles)
