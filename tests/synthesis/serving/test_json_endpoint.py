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
from synthesis.worlds.sandbox.kills import KILLS, KillReason
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
    values = opened(client, task="read_total_owed", seed=3)
    assert values["mcp_url"] == f"http://127.0.0.1/i/{values['credentials']['agent']}/mcp"
    assert values["fingerprint"] == clinic.fingerprint
    assert values["seed"] == 3
    assert values["task"]["instruction"].startswith("How much does Ilse")
    assert values["policy"].startswith("# Front desk policy")


def test_what_a_task_is_measured_by_is_never_told(client: TestClient, clinic: Environment) -> None:
    message = client.get("/tasks").text + str(opened(client, task="read_total_owed"))
    for task in clinic.tasks.tasks:
        assert task.reference_answer not in message
    for secret in ("reference", "answer_facts", "min_calls", "verif"):
        assert secret not in client.get("/tasks").text


def test_an_instance_comes_with_all_an_agent_is_told(client: TestClient, clinic: Environment) -> None:
    values = opened(client, task="read_total_owed")
    assert values["description"] == clinic.scenario.description
    assert values["clock"] == "Wednesday, 2026-03-11 08:30"
    assert values["actor"]["key"] == 1
    assert values["answer"]["form"] == "both"
    assert values["answer"]["tool"]["name"] == "submit_answer"
    assert values["task"]["max_steps"] == 20


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"text": 5}, "text"),
        ({"outcome": "perhaps"}, "outcome"),
        ({"values": ["a"]}, "values"),
        ({"values": {"total": {"amount": 1}}}, "values.total"),
        ({"answer": "x"}, "answer"),
        (7, "answer"),
    ],
)
def test_an_answer_of_another_form_is_refused_in_words(client: TestClient, answer: Any, words: str) -> None:
    url = opened(client, task="read_total_owed")["url"] + "/verify"
    response = client.post(url, json={"answer": answer})
    assert code(response) == (422, "invalid_input")
    assert words in response.json()["error"]["message"]


def test_values_nobody_asked_for_are_measured_and_never_an_exception(
    client: TestClient, clinic: Environment
) -> None:
    for task in clinic.tasks.tasks:
        url = opened(client, task=task.id)["url"] + "/verify"
        fields = {"text": "Here.", "outcome": "done", "values": {"colour": "blue", "n": 3, "list": [1, None]}}
        verdict = client.post(url, json={"answer": fields}).json()
        assert verdict["status"] == "scored"
        assert verdict["label"] != "completed"


def test_a_tasks_calls_are_limited_until_the_instance_is_reset(client: TestClient) -> None:
    url = opened(client, task="read_total_owed")["url"]
    call = {"name": "get_patient", "arguments": {"patient_id": 1}}
    statuses = [client.post(f"{url}/call", json=call).json() for _ in range(21)]
    assert {each["status"] for each in statuses[:20]} == {"ok"}
    assert statuses[20]["status"] == "refused"
    assert "All 20 tool calls" in statuses[20]["message"]
    client.post(f"{url}/reset", json={})
    assert client.post(f"{url}/call", json=call).json()["status"] == "ok"


def test_rows_put_back_are_reported_by_a_served_verdict(app_with: AppMaker, clinic: Environment) -> None:
    phone = next(row["phone"] for row in clinic.seed_data.rows["patients"] if row["id"] == 1)
    task = clinic.task("read_total_owed")
    assert task is not None
    for damage in (False, True):
        with app_with(put_back_is_damage=damage) as client:
            url = opened(client, task=task.id)["url"]
            for number in ("555 0100 99", phone):
                call = {"name": "update_patient_contact", "arguments": {"patient_id": 1, "phone": number}}
                assert client.post(f"{url}/call", json=call).json()["status"] == "ok"
            verdict = client.post(f"{url}/verify", json={"answer": task.reference_answer}).json()
        assert (verdict["label"] == "completed") is not damage
        assert any(outcome["name"] == "rows written and put back" for outcome in verdict["outcomes"])


def test_text_alone_can_be_asked_for(app_with: AppMaker) -> None:
    with app_with(answer_form="text") as client:
        values = opened(client, task="read_total_owed")
        assert values["answer"]["tool"] is None
        call = {"name": "submit_answer", "arguments": {"text": "x", "outcome": "done"}}
        assert client.post(f"{values['url']}/call", json=call).json()["status"] == "unknown_tool"


def test_a_call_answers_and_says_what_it_changed_when_asked(client: TestClient) -> None:
    url = opened(client)["url"]
    result = client.post(f"{url}/call", json={"name": "find_patients", "arguments": {"name": "mara"}}).json()
    assert result["status"] == "ok"
    assert result["value"]["items"][0]["last_name"] == "Quillbrook"
    assert "changes" not in result
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
    response = client.post(f"{opened(client)['url']}/call", json=call)
    assert response.status_code == 200
    assert response.json()["status"] == status
    assert response.json()["message"]


def test_two_instances_share_nothing(client: TestClient) -> None:
    one, other = opened(client)["credentials"]["trainer"], opened(client)["credentials"]["trainer"]
    start = client.get(f"/i/{other}").json()["state_hash"]
    assert client.post(f"/i/{one}/call", json=CANCEL).json()["status"] == "ok"
    assert client.get(f"/i/{one}").json()["state_hash"] != start
    assert client.get(f"/i/{other}").json()["state_hash"] == start
    assert client.get(f"/i/{one}").json()["calls"] == 1


def test_reset_brings_the_start_back(client: TestClient) -> None:
    url = opened(client)["url"]
    start = client.get(url).json()["state_hash"]
    client.post(f"{url}/call", json=CANCEL)
    assert client.post(f"{url}/reset", json={"seed": 9}).json()["seed"] == 9
    assert client.get(url).json()["state_hash"] == start


def test_the_reference_solution_is_rewarded_and_doing_nothing_is_not(
    client: TestClient, clinic: Environment
) -> None:
    for task in clinic.tasks.tasks:
        url = opened(client, task=task.id)["url"]
        idle = client.post(f"{url}/verify", json={"answer": ""}).json()
        assert idle["status"] == "scored"
        assert idle["reward"] < 1
        for call in task.reference_solution:
            assert client.post(f"{url}/call", json=call.model_dump()).json()["status"] == "ok"
        done = client.post(f"{url}/verify", json={"answer": task.reference_answer}).json()
        assert (done["label"], done["reward"]) == ("completed", 1.0), (task.id, done)


def test_verifying_changes_nothing_and_needs_a_task(client: TestClient) -> None:
    url = opened(client)["url"]
    before = client.get(url).json()["state_hash"]
    assert code(client.post(f"{url}/verify", json={"answer": "x"})) == (422, "invalid_input")
    assert code(client.post(f"{url}/verify", json={"task": "nope"})) == (404, "unknown_name")
    assert client.post(f"{url}/verify", json={"task": "read_total_owed"}).status_code == 200
    assert client.get(url).json()["state_hash"] == before


def test_a_deleted_instance_is_gone_and_its_slot_is_free(app_with: AppMaker) -> None:
    with app_with(max_instances=1) as client:
        id = opened(client)["credentials"]["trainer"]
        full = client.post("/instances", json={})
        assert code(full) == (503, "capacity")
        assert full.headers["retry-after"] == "5"
        assert client.delete(f"/i/{id}").status_code == 204
        assert code(client.delete(f"/i/{id}")) == (404, "unknown_instance")
        assert code(client.post(f"/i/{id}/call", json=CANCEL)) == (404, "unknown_instance")
        opened(client)


def test_ends_of_sealed_processes_are_shown_by_reason(app_with: AppMaker) -> None:
    with app_with() as client:
        before = client.get("/metrics").text
        KILLS.add(KillReason.TIME)
        after = client.get("/metrics").text
        assert after.count("# TYPE worldwright_sandbox_kills_total counter") == 1
        count = KILLS.by_reason()[KillReason.TIME]
        assert f'worldwright_sandbox_kills_total{{reason="time"}} {count}' in after
        assert f'worldwright_sandbox_kills_total{{reason="time"}} {count - 1}' in before
        assert 'worldwright_sandbox_kills_total{reason="memory"}' in after


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
        ("/i/nope/call", b'{"name": "x"}', (401, "credential")),
        ("/i/nope/mcp", b"{}", (401, "credential")),
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
        url = f"{opened(client)['url']}/call"
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

    id = opened(client)["credentials"]["trainer"]
    monkeypatch.setattr(Instance, "call", fail)
    assert code(client.post(f"/i/{id}/call", json=CANCEL)) == (500, "sandbox")


def test_a_mistake_of_ours_is_still_json(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    id = opened(client)["credentials"]["trainer"]
    monkeypatch.setattr(Instance, "call", fail)
    assert code(client.post(f"/i/{id}/call", json=CANCEL)) == (500, "internal")


def test_health_environments_and_tools_say_what_is_served(client: TestClient, clinic: Environment) -> None:
    health = client.get("/health").json()
    assert (health["status"], health["environments"]) == ("ok", ["clinic_front_desk"])
    assert client.get("/environments").json()[0]["counts"]["tools"] == 28
    assert [tool["name"] for tool in client.get("/tools").json()] == [
        tool.name for tool in clinic.tools.tools
    ]


def test_tools_are_shown_with_plain_types_or_in_strict_form_and_take_null(client: TestClient) -> None:
    by_name = {tool["name"]: tool["inputSchema"] for tool in client.get("/tools").json()}
    assert by_name["find_patients"]["properties"]["birth_date"]["type"] == "string"
    strict = {tool["name"]: tool["inputSchema"] for tool in client.get("/tools?strict=1").json()}
    required = strict["find_patients"]["required"]
    assert required == list(by_name["find_patients"]["properties"])
    arguments = {**dict.fromkeys(required), "name": "mara"}
    found = client.post(
        f"{opened(client)['url']}/call", json={"name": "find_patients", "arguments": arguments}
    ).json()
    assert found["status"] == "ok", found
    assert found["value"]["items"][0]["last_name"] == "Quillbrook"
