"""The contract of a NeMo Gym resources server, driven the way its simple agent drives it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from starlette.testclient import TestClient

from synthesis.bundles.nemo_gym import NemoGymCodec
from synthesis.documents.bundle import Bundle
from synthesis.documents.environment import Environment
from synthesis.documents.verdict import Unscored
from synthesis.serving import instances

AppMaker = Callable[..., contextlib.AbstractContextManager[TestClient]]


@pytest.fixture
def gym(app_with: AppMaker) -> Iterator[TestClient]:
    with app_with(nemo_gym=True) as client:
        yield client


@pytest.fixture
def rows(clinic: Environment, tmp_path: Path) -> list[dict[str, Any]]:
    written = NemoGymCodec().write(Bundle(environment=clinic), tmp_path / "rows.jsonl")
    return [orjson.loads(line) for line in written.read_bytes().splitlines()]


def response(text: str) -> dict[str, Any]:
    message = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
    return {"output": [{"type": "function_call", "name": "x", "arguments": "{}"}, message]}


def rollout(client: TestClient, row: dict[str, Any], calls: Any, text: str) -> dict[str, Any]:
    """What NeMo Gym's simple agent does: it keeps only the cookies of the latest answer."""
    client.cookies.clear()
    cookies = dict(client.post("/seed_session", json=row).raise_for_status().cookies)
    for call in calls:
        client.cookies.clear()
        answered = client.post(f"/{call.name}", json=call.arguments, cookies=cookies)
        assert answered.status_code == 200
        cookies = dict(answered.cookies)
    client.cookies.clear()
    verified = client.post("/verify", json={**row, "response": response(text)}, cookies=cookies)
    return verified.raise_for_status().json()


@pytest.mark.filterwarnings("ignore:Setting per-request cookies")
def test_the_reference_script_is_rewarded_and_the_idle_one_is_not(
    gym: TestClient, rows: list[dict[str, Any]], clinic: Environment
) -> None:
    assert len(rows) == 10
    for row in rows:
        task = clinic.task(row["verifier_metadata"]["task_id"])
        assert task is not None
        done = rollout(gym, row, task.reference_solution, task.reference_answer)
        assert (done["reward"], done["label"]) == (1.0, "completed")
        assert done["responses_create_params"] == row["responses_create_params"]
        assert rollout(gym, row, (), "")["reward"] < 1.0
    assert gym.get("/health").json()["instances"] == 0, "a verified instance is ended"


def test_a_row_holds_the_prompt_and_the_tools_and_no_solution(
    rows: list[dict[str, Any]], clinic: Environment
) -> None:
    asked = rows[0]["responses_create_params"]
    assert asked["input"][1]["content"] == clinic.tasks.tasks[0].instruction
    assert {tool["type"] for tool in asked["tools"]} == {"function"}
    assert len(asked["tools"]) == 29
    assert asked["tools"][-1]["name"] == "submit_answer"
    assert "Its clock shows" in asked["input"][0]["content"]
    assert rows[0]["verifier_metadata"]["max_steps"] == clinic.tasks.tasks[0].step_limit
    assert clinic.tasks.tasks[0].reference_answer not in str(rows[0])


def test_refusals_and_unknown_tools_are_shown_to_the_model(
    gym: TestClient, rows: list[dict[str, Any]]
) -> None:
    gym.post("/seed_session", json=rows[0])
    refused = gym.post("/get_patient", json={"patient_id": 999})
    assert (refused.status_code, refused.json()) == (200, {"error": "Patient 999 does not exist."})
    assert "There is no tool named" in gym.post("/drop_tables", json={}).json()["error"]
    assert gym.post("/get_patient", json=[1]).status_code == 422


def test_without_a_session_nothing_is_called(gym: TestClient, rows: list[dict[str, Any]]) -> None:
    assert gym.post("/get_patient", json={}).json()["error"]["code"] == "no_session"
    assert gym.post("/verify", json={**rows[0], "response": {}}).json()["error"]["code"] == "no_session"
    assert gym.post("/seed_session", json={}).status_code == 422
    gym.cookies.set("worldwright_instance", "forged")
    assert gym.post("/get_patient", json={}).status_code == 401


def test_a_failed_measurement_is_an_error_and_no_reward(
    gym: TestClient, rows: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instances, "verify", lambda *_, **__: Unscored(error="it died"))
    gym.post("/seed_session", json=rows[0])
    answered = gym.post("/verify", json={**rows[0], "response": response("x")})
    assert (answered.status_code, answered.json()["error"]["code"]) == (500, "unscored")


@pytest.mark.filterwarnings("ignore:Setting per-request cookies")
def test_a_session_begins_with_all_an_agent_is_told(gym: TestClient, rows: list[dict[str, Any]]) -> None:
    told = gym.post("/seed_session", json=rows[0]).json()
    for name in ("description", "policy", "clock", "actor", "answer", "instruction", "max_steps"):
        assert told[name], name


@pytest.mark.filterwarnings("ignore:Setting per-request cookies")
@pytest.mark.parametrize("by", ["tool", "response"])
def test_an_answer_in_fields_comes_by_the_tool_or_in_the_response(
    gym: TestClient, rows: list[dict[str, Any]], clinic: Environment, by: str
) -> None:
    row = next(row for row in rows if row["verifier_metadata"]["kind"] == "read")
    task = clinic.task(row["verifier_metadata"]["task_id"])
    assert task is not None
    fields = {"text": task.reference_answer, "outcome": "done"}
    gym.post("/seed_session", json=row)
    output: list[dict[str, Any]] = []
    if by == "tool":
        assert gym.post("/submit_answer", json={"values": 5}).json()["error"].startswith("values")
        assert gym.post("/submit_answer", json=fields).json() == {"status": "submitted"}
        assert "over" in gym.post("/get_patient", json={"patient_id": 1}).json()["error"]
    else:
        output = [
            {"type": "function_call", "name": "submit_answer", "arguments": orjson.dumps(fields).decode()}
        ]
    done = gym.post("/verify", json={**row, "response": {"output": output}}).json()
    assert done["label"] == "completed"


def test_metrics_are_aggregated(gym: TestClient) -> None:
    message = gym.post(
        "/aggregate_metrics", json={"verify_responses": [{"reward": 1.0}, {"reward": 0.0}]}
    ).json()
    assert message["agent_metrics"] == {"mean/reward": 0.5, "min/reward": 0.0, "max/reward": 1.0}
    assert gym.post("/aggregate_metrics", json={"verify_responses": []}).json()["key_metrics"] == {}


def test_the_root_answers_so_only_when_asked_to(client: TestClient, rows: list[dict[str, Any]]) -> None:
    assert client.post("/seed_session", json=rows[0]).status_code == 404
