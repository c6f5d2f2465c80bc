"""What a chat agent said and was shown leaves as it was, in every format of trajectories."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import orjson
import pytest

from synthesis.bundles.atif import document
from synthesis.bundles.chat_jsonl import ChatJsonlCodec
from synthesis.bundles.conversation import read_arguments
from synthesis.bundles.data_card import data_card
from synthesis.bundles.native import NativeCodec
from synthesis.bundles.training_data import PreferencePairsCodec, TrainingSamplesCodec
from synthesis.documents.bundle import Bundle, JudgedTrajectory
from synthesis.documents.environment import Environment
from synthesis.documents.trajectory import Usage
from synthesis.llm.provider import Completion, Reasoning, RequestedCall, SampledTokens
from synthesis.llm.scripted import Scripted
from synthesis.rollouts.agent import Agent
from synthesis.rollouts.chat import ChatAgent
from synthesis.rollouts.history import SlidingWindow
from synthesis.rollouts.interviewer import InterviewerAgent
from synthesis.rollouts.persona import Persona
from synthesis.rollouts.rollout import roll_out
from synthesis.rollouts.toolbox import TwoTools
from synthesis.rollouts.user import ScriptedUser
from synthesis.worlds.world import World

TASK = "read_total_owed"
PATIENT = Persona(age="young", patience="patient", mood="neutral")


def asked(name: str, /, **arguments: Any) -> Completion:
    return Completion(tool_calls=(RequestedCall(id="c", name=name, arguments=json.dumps(arguments)),))


def played(clinic: Environment, *agents: Agent) -> tuple[JudgedTrajectory, ...]:
    with World(clinic) as world:
        return tuple(roll_out(world, TASK, agent) for agent in agents)


def two_tools(clinic: Environment, answer: str, **options: Any) -> tuple[Agent, Scripted]:
    task = clinic.task(TASK)
    assert task is not None
    calls = [asked("call_tool", name=c.name, arguments=c.arguments) for c in task.reference_solution]
    provider = Scripted([asked("list_tools"), *calls, answer or task.reference_answer])
    return ChatAgent(provider, toolbox=TwoTools(), **options), provider


@pytest.fixture(scope="module")
def recorded(clinic: Environment) -> tuple[Bundle, Scripted]:
    agent, provider = two_tools(clinic, "", history=SlidingWindow(1))
    return Bundle(environment=clinic, trajectories=played(clinic, agent)), provider


def lines(path: Path) -> list[dict[str, Any]]:
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.endswith(".jsonl")]
        return [orjson.loads(line) for name in names for line in archive.read(name).splitlines()]


def test_a_chat_line_is_the_conversation_as_it_was(recorded: tuple[Bundle, Scripted], tmp_path: Path) -> None:
    bundle, provider = recorded
    line = orjson.loads(ChatJsonlCodec().write(bundle, tmp_path / "chat.jsonl").read_bytes())
    assert line["messages"][0]["content"] == provider.requests[0].messages[0].text
    assert [tool["function"]["name"] for tool in line["tools"]] == [
        "list_tools",
        "call_tool",
        "submit_answer",
    ]
    (call,) = line["messages"][2]["tool_calls"]
    assert call["function"]["name"] == "list_tools"
    assert (line["messages"][3]["name"], line["messages"][3]["role"]) == ("list_tools", "tool")
    assert line["messages"][-1]["content"] == bundle.trajectories[0].trajectory.answer


def test_sampled_tokens_leave_with_the_turn_that_sampled_them(clinic: Environment, tmp_path: Path) -> None:
    first = SampledTokens(texts=("find",), logprobs=(-0.25,), ids=(7,))
    second = SampledTokens(texts=("<think>", "Whom?", "Nothing."), logprobs=(-1.0, -2.0, -0.5))
    replies = [
        asked("find_patients", name="Ilse").replace(sampled=first),
        Completion(text="Nothing.", reasoning=Reasoning(text="Whom?"), sampled=second),
    ]
    provider = Scripted(replies)
    bundle = Bundle(environment=clinic, trajectories=played(clinic, ChatAgent(provider, logprobs=True)))
    assert all(request.logprobs for request in provider.requests)
    again = NativeCodec().read(NativeCodec().write(bundle, tmp_path / "native.zip"))
    assert again.trajectories == bundle.trajectories
    samples = lines(TrainingSamplesCodec().write(bundle, tmp_path / "samples.zip"))
    assert [sample["sampled"] for sample in samples] == [
        {"texts": ["find"], "logprobs": [-0.25], "ids": [7]},
        {"texts": ["<think>", "Whom?", "Nothing."], "logprobs": [-1.0, -2.0, -0.5]},
    ]
    bare = lines(TrainingSamplesCodec(reasoning=False).write(bundle, tmp_path / "bare.zip"))
    assert ["sampled" in sample for sample in bare] == [True, False]
    shorter = lines(TrainingSamplesCodec(SlidingWindow()).write(bundle, tmp_path / "window.zip"))
    assert not any("sampled" in sample for sample in shorter)
    steps = document(bundle, bundle.trajectories[0])["steps"]
    assert steps[2]["metrics"]["completion_token_ids"] == [7]
    assert steps[3]["metrics"]["logprobs"] == [-1.0, -2.0, -0.5]


def test_reasoning_leaves_with_the_replies_or_not_at_all(clinic: Environment, tmp_path: Path) -> None:
    thought = Reasoning(text="Whom does it concern?", field="reasoning_content")
    replies = [
        asked("find_patients", name="Ilse").replace(reasoning=thought),
        Completion(text="Nothing.", usage=Usage(output_tokens=9, reasoning_tokens=4)),
    ]
    bundle = Bundle(environment=clinic, trajectories=played(clinic, ChatAgent(Scripted(replies))))
    line = orjson.loads(ChatJsonlCodec().write(bundle, tmp_path / "chat.jsonl").read_bytes())
    assert line["messages"][2]["reasoning_content"] == thought.text
    samples = lines(TrainingSamplesCodec().write(bundle, tmp_path / "samples.zip"))
    assert [m["reasoning_content"] for m in samples[1]["messages"] if "reasoning_content" in m] == [
        thought.text
    ]
    steps = document(bundle, bundle.trajectories[0])["steps"]
    assert steps[2]["reasoning_content"] == thought.text
    assert steps[3]["metrics"]["extra"] == {"reasoning_tokens": 4}
    ChatJsonlCodec(reasoning=False).write(bundle, tmp_path / "bare.jsonl")
    assert thought.text not in (tmp_path / "bare.jsonl").read_text()
    bare = lines(TrainingSamplesCodec(reasoning=False).write(bundle, tmp_path / "bare.zip"))
    assert "reasoning_content" not in json.dumps(bare)
    again = NativeCodec().read(NativeCodec().write(bundle, tmp_path / "native.zip"))
    assert again.trajectories == bundle.trajectories


def test_malformed_arguments_stay_parseable_and_the_card_counts_them(
    clinic: Environment, tmp_path: Path
) -> None:
    broken = Completion(tool_calls=(RequestedCall(id="c", name="call_tool", arguments='{"name": "fi'),))
    agent = ChatAgent(Scripted([broken, broken, broken]), toolbox=TwoTools())
    bundle = Bundle(environment=clinic, trajectories=played(clinic, agent))
    line = orjson.loads(ChatJsonlCodec().write(bundle, tmp_path / "chat.jsonl").read_bytes())
    samples = lines(TrainingSamplesCodec().write(bundle, tmp_path / "samples.zip"))
    calls = [
        call
        for row in (line, *samples)
        for message in row["messages"]
        for call in message.get("tool_calls", ())
    ]
    assert calls
    for call in calls:
        assert call["function"]["arguments"] == {"malformed_arguments": '{"name": "fi'}
    card = data_card([bundle])
    assert card.malformed_arguments == 1
    assert '{"malformed_arguments": "..."}' in card.text("Data", {})


@pytest.mark.parametrize(
    ("written", "details"),
    [
        ('{"a": 1}', {"a": 1}),
        ("", {}),
        ("[1]", {"malformed_arguments": "[1]"}),
        ("no", {"malformed_arguments": "no"}),
    ],
)
def test_arguments_are_always_an_object(written: str, details: dict[str, str]) -> None:
    assert read_arguments(written) == details


def test_a_training_sample_shows_what_was_shown(recorded: tuple[Bundle, Scripted], tmp_path: Path) -> None:
    bundle, provider = recorded
    samples = lines(TrainingSamplesCodec().write(bundle, tmp_path / "samples.zip"))
    assert len(samples) == len(provider.requests)
    for sample, request in zip(samples, provider.requests, strict=True):
        *shown, reply = sample["messages"]
        assert [message["content"] for message in shown] == [message.text for message in request.messages]
        assert reply["role"] == "assistant"
        assert sample["loss_mask"] == [0] * len(shown) + [1]
        assert sample["history"] == "window:1"
    assert len(samples[-1]["messages"]) < len(bundle.trajectories[0].trajectory.conversation.messages)  # type: ignore[union-attr]


def test_another_history_can_be_asked_for(recorded: tuple[Bundle, Scripted], tmp_path: Path) -> None:
    bundle, provider = recorded
    codec = TrainingSamplesCodec(history=SlidingWindow(10))
    last = lines(codec.write(bundle, tmp_path / "samples.zip"))[-1]
    assert len(last["messages"]) > len(provider.requests[-1].messages)
    assert last["history"] == "window:10"


def test_pairs_of_one_prompt_keep_it_and_pairs_of_two_are_written_alike(
    clinic: Environment, tmp_path: Path
) -> None:
    right, wrong = two_tools(clinic, "")[0], two_tools(clinic, "She owes nothing.")[0]
    plain = ChatAgent(Scripted(["She owes nothing."]))
    both = played(clinic, right, wrong)
    (same,) = lines(
        PreferencePairsCodec().write(Bundle(environment=clinic, trajectories=both), tmp_path / "a.zip")
    )
    assert "list_tools" in same["prompt"][0]["content"]
    assert [tool["function"]["name"] for tool in same["tools"]] == [
        "list_tools",
        "call_tool",
        "submit_answer",
    ]
    mixed = Bundle(environment=clinic, trajectories=(both[0], *played(clinic, plain)))
    (other,) = lines(PreferencePairsCodec().write(mixed, tmp_path / "b.zip"))
    assert "list_tools" not in str(other)
    assert len(other["tools"]) == len(clinic.tools.tools)


def test_atif_holds_every_message_and_counts_usage_once(recorded: tuple[Bundle, Scripted]) -> None:
    bundle, provider = recorded
    (judged,) = bundle.trajectories
    details = document(bundle, judged)
    agent = [step for step in details["steps"] if step["source"] == "agent"]
    assert len(agent) == len(provider.requests)
    assert agent[0]["tool_calls"][0]["function_name"] == "list_tools"
    assert "find_patients" in agent[0]["observation"]["results"][0]["content"]
    counted = sum(step.get("metrics", {}).get("prompt_tokens", 0) for step in agent)
    assert counted == details["final_metrics"]["total_prompt_tokens"] > 0


def test_what_a_user_said_leaves_with_the_rest(clinic: Environment, tmp_path: Path) -> None:
    task = clinic.task(TASK)
    assert task is not None
    bundle = Bundle(
        environment=clinic,
        trajectories=played(clinic, InterviewerAgent(user=ScriptedUser(persona=PATIENT))),
    )
    line = orjson.loads(ChatJsonlCodec().write(bundle, tmp_path / "chat.jsonl").read_bytes())
    roles = [message["role"] for message in line["messages"]]
    assert roles[0] == "system"
    assert roles.count("user") > 1
    results = [
        (call["function"]["name"], call["function"]["arguments"])
        for message in line["messages"]
        for call in message.get("tool_calls", ())
    ]
    assert results == [(call.name, call.arguments) for call in task.reference_solution]
    assert "patient" in line["user"]


def test_a_native_bundle_keeps_conversations(recorded: tuple[Bundle, Scripted], tmp_path: Path) -> None:
    bundle, _ = recorded
    codec = NativeCodec()
    again = codec.read(codec.write(bundle, tmp_path / "clinic.zip"))
    assert again.trajectories == bundle.trajectories
