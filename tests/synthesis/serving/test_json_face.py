from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient

from synthesis.documents.environment import Environment
from synthesis.documents.tools import ToolResult
from synthesis.errors import SandboxError
from synthesis.worlds.world import Instance

AppMaker = Callable[..., contextlib.AbstractContextManager[TestClient]]
Until = Callable[[Callable[[], bool]], None]
CANCEL = {"name": "cancel_appointment", "arguments": {"appointment_id": 7, "reason": "patient"}}


def opened(client: TestClient, **asked: Any) -> dict[str, Any]:
    response = client.post("/instances", json=asked)
    assert response.status_code == 201, response.text
    return response.json()


def code(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


def test_an_instance_comes_with_its_addresses_task_and_policy(
    client: TestClient, clinic: Environment
) -> None:
    made = opened(client, task="read_total_owed", seed=3)
    assert made["mcp_url"] == f"http://127.0.0.1/i/{made['id']}/mcp"
    assert made["fingerprint"] == clinic.fingerprint
    assert made["seed"] == 3
    assert made["task"]["instruction"].startswith("How much does Ilse")
    assert made["policy"].startswith("# Front desk policy")


def test_what_a_task_is_measured_by_is_never_told(client: TestClient, clinic: Environment) -> None:
    told = client.get("/tasks").text + str(opened(client, task="read_total_owed"))
    for task in clinic.tasks.tasks:
        assert task.reference_answer not in told
    for secret in ("reference", "answer_facts", "min_calls", "verif"):
        assert secret not in client.get("/tasks").text


def test_a_call_answers_and_says_what_it_changed_when_asked(client: TestClient) -> None:
    url = f"/i/{opened(client)['id']}"
    found = client.post(f"{url}/call", json={"name": "find_patients", "arguments": {"name": "mara"}}).json()
    assert found["status"] == "ok"
    assert found["value"]["items"][0]["last_name"] == "Quillbrook"
    assert "changes" not in found
    changed = client.post(f"{url}/call?changes=1", json=CANCEL).json()
    assert {change["table"] for change in changed["changes"]["changes"]} >= {"appointments", "slots"}


@pytest.mark.parametrize(
    ("call", "status"),
    [
        ({"name": "get_patient", "arguments": {"patient_id": 999}}, "refused"),
        ({"name": "get_patient", "arguments": {"patient_id": "x"}}, "invalid_arguments"),
        ({"name": "get_patient", "arguments": {}}, "invalid_arguments"),
        ({"name": "drop_tables", "arguments": {}}, "unknown_tool"),
        ({"name": "reset"}, "unknown_tool"),
        ({"name": "verify", "arguments": {"answer": "x"}}, "unknown_tool"),
    ],
)
def test_what_does_not_go_through_is_a_result_the_agent_sees(
    client: TestClient, call: dict[str, Any], status: str
) -> None:
    response = client.post(f"/i/{opened(client)['id']}/call", json=call)
    assert response.status_code == 200
    assert response.json()["status"] == status
    assert response.json()["message"]


def test_two_instances_share_nothing(client: TestClient) -> None:
    one, other = opened(client)["id"], opened(client)["id"]
    start = client.get(f"/i/{other}").json()["state_hash"]
    assert client.post(f"/i/{one}/call", json=CANCEL).json()["status"] == "ok"
    assert client.get(f"/i/{one}").json()["state_hash"] != start
    assert client.get(f"/i/{other}").json()["state_hash"] == start
    assert client.get(f"/i/{one}").json()["calls"] == 1


def test_reset_brings_the_start_back(client: TestClient) -> None:
    url = f"/i/{opened(client)['id']}"
    start = client.get(url).json()["state_hash"]
    client.post(f"{url}/call", json=CANCEL)
    assert client.post(f"{url}/reset", json={"seed": 9}).json()["seed"] == 9
    assert client.get(url).json()["state_hash"] == start


def test_the_reference_solution_is_rewarded_and_doing_nothing_is_not(
    client: TestClient, clinic: Environment
) -> None:
    for task in clinic.tasks.tasks:
        url = f"/i/{opened(client, task=task.id)['id']}"
        idle = client.post(f"{url}/verify", json={"answer": ""}).json()
        assert idle["status"] == "scored"
        assert idle["reward"] < 1
        for call in task.reference_solution:
            assert client.post(f"{url}/call", json=call.model_dump()).json()["status"] == "ok"
        done = client.post(f"{url}/verify", json={"answer": task.reference_answer}).json()
        assert (done["label"], done["reward"]) == ("completed", 1.0), (task.id, done)


def test_verifying_changes_nothing_and_needs_a_task(client: TestClient) -> None:
    url = f"/i/{opened(client)['id']}"
    before = client.get(url).json()
    assert code(client.post(f"{url}/verify", json={"answer": "x"})) == (422, "invalid_input")
    assert code(client.post(f"{url}/verify", json={"task": "nope"})) == (404, "unknown_name")
    assert client.post(f"{url}/verify", json={"task": "read_total_owed"}).status_code == 200
    assert client.get(url).json() == before


def test_a_deleted_instance_is_gone_and_its_slot_is_free(app_with: AppMaker) -> None:
    with app_with(max_instances=1) as client:
        id = opened(client)["id"]
        full = client.post("/instances", json={})
        assert code(full) == (503, "capacity")
        assert full.headers["retry-after"] == "5"
        assert client.delete(f"/i/{id}").status_code == 204
        assert code(client.delete(f"/i/{id}")) == (404, "unknown_instance")
        assert code(client.post(f"/i/{id}/call", json=CANCEL)) == (404, "unknown_instance")
        opened(client)


def test_an_instance_nobody_uses_is_closed(app_with: AppMaker, until: Until) -> None:
    with app_with(idle_seconds=0.2) as client:
        opened(client)
        until(lambda: client.get("/health").json()["instances"] == 0)
        assert 'worldwright_instances_closed_total{reason="idle"} 1' in client.get("/metrics").text


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        ("/instances", b"{", (400, "not_json")),
        ("/instances", b"[]", (422, "invalid_input")),
        ("/instances", b'{"colour": "red"}', (422, "invalid_input")),
        ("/instances", b'{"seed": -1}', (422, "invalid_input")),
        ("/instances", b'{"task": "nope"}', (404, "unknown_name")),
        ("/instances", b'{"environment": "nope"}', (404, "unknown_name")),
        ("/i/nope/call", b'{"name": "x"}', (404, "unknown_instance")),
        ("/i/nope/mcp", b"{}", (404, "unknown_instance")),
        ("/nope", b"{}", (404, "unknown_path")),
        ("/health", b"{}", (405, "method")),
    ],
)
def test_a_wrong_request_is_explained(
    client: TestClient, path: str, body: bytes, expected: tuple[int, str]
) -> None:
    response = client.post(path, content=body)
    assert code(response) == expected
    assert len(response.json()["error"]["message"]) > 10


def test_calls_on_one_instance_wait_their_turn_but_not_without_end(
    app_with: AppMaker, monkeypatch: pytest.MonkeyPatch, until: Until
) -> None:
    entered, go_on = threading.Event(), threading.Event()
    at_once: list[int] = [0, 0]

    def slow(self: Instance, name: str, arguments: object = None) -> ToolResult:
        at_once[0] += 1
        at_once[1] = max(at_once)
        entered.set()
        assert go_on.wait(20)
        at_once[0] -= 1
        return ToolResult(status="ok", value={})

    monkeypatch.setattr(Instance, "call", slow)
    with app_with(max_waiting=2) as client, ThreadPoolExecutor(4) as threads:
        url = f"/i/{opened(client)['id']}/call"
        first = threads.submit(client.post, url, json=CANCEL)
        assert entered.wait(20)
        second = threads.submit(client.post, url, json=CANCEL)
        until(lambda: "worldwright_in_flight 3" in client.get("/metrics").text)
        assert code(client.post(url, json=CANCEL)) == (503, "busy")
        go_on.set()
        assert [first.result().status_code, second.result().status_code] == [200, 200]
    assert at_once[1] == 1


def test_a_broken_sandbox_is_the_servers_error_and_never_a_result(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise SandboxError("the worker could not be replaced")

    id = opened(client)["id"]
    monkeypatch.setattr(Instance, "call", fail)
    assert code(client.post(f"/i/{id}/call", json=CANCEL)) == (500, "sandbox")


def test_a_mistake_of_ours_is_still_json(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    id = opened(client)["id"]
    monkeypatch.setattr(Instance, "call", fail)
    assert code(client.post(f"/i/{id}/call", json=CANCEL)) == (500, "internal")


def test_health_environments_and_tools_say_what_is_served(client: TestClient, clinic: Environment) -> None:
    health = client.get("/health").json()
    assert (health["status"], health["environments"]) == ("ok", ["clinic_front_desk"])
    assert client.get("/environments").json()[0]["counts"]["tools"] == 28
    assert [tool["name"] for tool in client.get("/tools").json()] == [
        tool.name for tool in clinic.tools.tools
    ]
