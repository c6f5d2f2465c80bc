"""Trajectories as other programs read them: chat_jsonl and atif."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from synthesis.bundles.atif import AtifCodec
from synthesis.bundles.chat_jsonl import ChatJsonlCodec
from synthesis.documents.bundle import Bundle, JudgedTrajectory
from synthesis.documents.environment import Environment
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import FinalAnswer, Malformed, Step, StopReason, Trajectory, Usage
from synthesis.documents.verdict import Scored, Unscored, Verdict
from synthesis.errors import InvalidInput

COMPLETED = Scored(label="completed", reward=1.0, basis="verifier", share=1.0)


def step(index: int, action: Any, **fields: Any) -> Step:
    status = "ok" if isinstance(action, ToolCall) else "answered"
    return Step(index=index, action=action, status=fields.pop("status", status), **fields)


STEPS = (
    step(
        1,
        ToolCall(name="find_patients", arguments={"name": "Ünal"}),
        thought="First find them.",
        observation={"total": 0, "items": []},
        usage=Usage(input_tokens=10, cached_tokens=4, output_tokens=3, cost=0.5),
    ),
    step(
        2,
        ToolCall(name="get_patient", arguments={"patient_id": 999}),
        thought="Then by number.",
        status="refused",
        observation={"error": "Patient 999 does not exist."},
    ),
    step(
        3,
        FinalAnswer(text="There is no such patient."),
        usage=Usage(input_tokens=20, output_tokens=5, cost=0.25),
    ),
)


def bundle_of(
    clinic: Environment,
    *verdicts: Verdict,
    steps: tuple[Step, ...] = STEPS,
    model: str | None = "m-1",
    stop_reason: StopReason = "answered",
) -> Bundle:
    trajectory = Trajectory(
        environment=clinic.fingerprint,
        environment_name=clinic.name,
        task_id="read_total_owed",
        agent="chat",
        model=model,
        seed=7,
        steps=steps,
        stop_reason=stop_reason,
    )
    return Bundle(
        environment=clinic, trajectories=(JudgedTrajectory(trajectory=trajectory, verdicts=verdicts),)
    )


def chat(bundle: Bundle, tmp_path: Path) -> dict[str, Any]:
    (line,) = ChatJsonlCodec().write(bundle, tmp_path / "chat.jsonl").read_bytes().splitlines()
    return orjson.loads(line)


def atif(bundle: Bundle, tmp_path: Path) -> dict[str, Any]:
    (file,) = AtifCodec().write(bundle, tmp_path / "atif").iterdir()
    assert file.name == "00001-read_total_owed.json"
    return orjson.loads(file.read_bytes())


def test_a_conversation_has_every_message_in_order(clinic: Environment, tmp_path: Path) -> None:
    line = chat(bundle_of(clinic, COMPLETED), tmp_path)
    assert [message["role"] for message in line["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "tool",
        "assistant",
    ]
    system, user, first, result, *_, last = line["messages"]
    assert clinic.policy is not None
    assert clinic.policy.text in system["content"]
    assert "Wednesday, 2026-03-11 08:30" in system["content"]
    assert user["content"].startswith("How much does Ilse")
    assert first["content"] == "First find them."
    (call,) = first["tool_calls"]
    assert call["function"]["arguments"] == {"name": "Ünal"}
    assert result["tool_call_id"] == call["id"]
    assert orjson.loads(result["content"]) == {"total": 0, "items": []}
    assert last == {"role": "assistant", "content": "There is no such patient."}


def test_a_conversation_carries_its_tools_reward_and_origin(clinic: Environment, tmp_path: Path) -> None:
    line = chat(bundle_of(clinic, COMPLETED), tmp_path)
    assert line["reward"] == 1.0
    assert (line["label"], line["basis"], line["trainable"]) == ("completed", "verifier", True)
    assert (line["environment_fingerprint"], line["task_id"], line["seed"]) == (
        clinic.fingerprint,
        "read_total_owed",
        7,
    )
    functions = {tool["function"]["name"]: tool["function"] for tool in line["tools"]}
    assert len(functions) == 28
    assert functions["get_patient"]["parameters"]["required"] == ["patient_id"]


def test_nothing_a_task_is_measured_by_is_in_a_conversation(clinic: Environment, tmp_path: Path) -> None:
    task = clinic.task("read_total_owed")
    assert task is not None
    assert task.reference_answer not in str(chat(bundle_of(clinic, COMPLETED), tmp_path))


@pytest.mark.parametrize(
    ("verdicts", "stop_reason", "expected"),
    [
        ((), "answered", (None, "unscored", False)),
        ((Unscored(error="it died"),), "answered", (None, "unscored", False)),
        ((Unscored(error="it died"), COMPLETED), "answered", (1.0, "completed", True)),
        ((COMPLETED,), "infrastructure_error", (1.0, "completed", False)),
        ((COMPLETED.replace(trainable=False),), "answered", (1.0, "completed", False)),
    ],
)
def test_a_failed_measurement_is_no_score_and_not_for_training(
    clinic: Environment,
    tmp_path: Path,
    verdicts: tuple[Verdict, ...],
    stop_reason: StopReason,
    expected: tuple[float | None, str, bool],
) -> None:
    line = chat(bundle_of(clinic, *verdicts, stop_reason=stop_reason), tmp_path)
    assert (line["reward"], line["label"], line["trainable"]) == expected


def test_a_malformed_action_is_what_the_agent_wrote(clinic: Environment, tmp_path: Path) -> None:
    steps = (step(1, Malformed(text="<call", error="not JSON"), status="malformed"),)
    line = chat(bundle_of(clinic, steps=steps, stop_reason="format_violation"), tmp_path)
    assert line["messages"][-1] == {"role": "assistant", "content": "<call"}


def test_an_atif_document_is_numbered_and_its_results_name_their_calls(
    clinic: Environment, tmp_path: Path
) -> None:
    document = atif(bundle_of(clinic, COMPLETED), tmp_path)
    assert document["schema_version"] == "ATIF-v1.8"
    steps = document["steps"]
    assert [(each["step_id"], each["source"]) for each in steps] == [
        (1, "system"),
        (2, "user"),
        (3, "agent"),
        (4, "agent"),
        (5, "agent"),
    ]
    (call,) = steps[2]["tool_calls"]
    assert (call["function_name"], call["arguments"]) == ("find_patients", {"name": "Ünal"})
    assert steps[2]["observation"]["results"][0]["source_call_id"] == call["tool_call_id"]
    assert steps[2]["metrics"] == {
        "prompt_tokens": 10,
        "completion_tokens": 3,
        "cached_tokens": 4,
        "cost_usd": 0.5,
    }
    assert document["final_metrics"] == {
        "total_prompt_tokens": 30,
        "total_completion_tokens": 8,
        "total_cached_tokens": 4,
        "total_cost_usd": 0.75,
        "total_steps": 5,
    }
    assert document["extra"]["reward"] == 1.0
    assert document["agent"]["model_name"] == "m-1"


def test_a_scripted_agents_steps_say_that_no_model_was_asked(clinic: Environment, tmp_path: Path) -> None:
    document = atif(bundle_of(clinic, model=None), tmp_path)
    agent_steps = [each for each in document["steps"] if each["source"] == "agent"]
    assert [each["llm_call_count"] for each in agent_steps] == [0, 0, 0]
    assert not any("metrics" in each for each in agent_steps)
    assert "model_name" not in document["agent"]


def test_harbors_own_models_accept_the_document(clinic: Environment, tmp_path: Path) -> None:
    trajectories = pytest.importorskip("harbor.models.trajectories", reason="Harbor needs Python 3.12")
    for number, bundle in enumerate((bundle_of(clinic, COMPLETED), bundle_of(clinic, model=None))):
        trajectories.Trajectory.model_validate(atif(bundle, tmp_path / str(number)))


@pytest.mark.parametrize("codec", [ChatJsonlCodec(), AtifCodec()])
def test_a_bundle_without_trajectories_is_refused(clinic: Environment, tmp_path: Path, codec: Any) -> None:
    with pytest.raises(InvalidInput, match="contains no trajectories"):
        codec.write(Bundle(environment=clinic), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("codec", [ChatJsonlCodec(), AtifCodec()])
def test_a_trajectory_of_another_environment_is_refused(
    clinic: Environment, tmp_path: Path, codec: Any
) -> None:
    (judged,) = bundle_of(clinic).trajectories
    strange = judged.replace(trajectory=judged.trajectory.replace(task_id="elsewhere"))
    with pytest.raises(InvalidInput, match="'elsewhere'"):
        codec.write(Bundle(environment=clinic, trajectories=(strange,)), tmp_path / "out")
