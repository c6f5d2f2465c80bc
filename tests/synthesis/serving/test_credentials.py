"""Who may do what: every endpoint against every credential."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient, WebSocketDenialResponse

from synthesis.documents.environment import Environment
from synthesis.serving import credentials
from synthesis.serving.credentials import Credentials
from synthesis.serving.faults import RequestRefused

AppMaker = Callable[..., contextlib.AbstractContextManager[TestClient]]
TOKEN = "the-operators-token"
CALL = {"name": "get_patient", "arguments": {"patient_id": 1}}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ROW = {"verifier_metadata": {"task_id": "read_total_owed"}}
MCP = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}

# Statuses on a server with a token, by credential: none, this instance's agent's, another instance's agent's
# and trainer's (with this instance's id), this instance's trainer's, the server's token.
FOR_AGENTS = (401, 200, 403, 403, 200, 200)
FOR_TRAINERS = (401, 403, 403, 403, 200, 200)
FOR_THE_OPERATOR = (401, 401, 401, 401, 401, 200)
ENDPOINTS: dict[str, tuple[str, str, Any, tuple[int, ...]]] = {
    "mcp": ("POST", "/i/{id}/mcp", LIST, FOR_AGENTS),
    "call": ("POST", "/i/{id}/call", CALL, FOR_AGENTS),
    "call with changes": ("POST", "/i/{id}/call?changes=1", CALL, FOR_TRAINERS),
    "verify": ("POST", "/i/{id}/verify", {"answer": "x"}, FOR_TRAINERS),
    "reset": ("POST", "/i/{id}/reset", {}, FOR_TRAINERS),
    "show": ("GET", "/i/{id}", None, FOR_TRAINERS),
    "open": ("POST", "/instances", {}, (401, 401, 401, 401, 401, 201)),
    "tasks": ("GET", "/tasks", None, FOR_THE_OPERATOR),
    "tools": ("GET", "/tools", None, FOR_THE_OPERATOR),
    "environments": ("GET", "/environments", None, FOR_THE_OPERATOR),
    "metrics": ("GET", "/metrics", None, FOR_THE_OPERATOR),
    "openenv rpc": ("POST", "/mcp", LIST, FOR_THE_OPERATOR),
    "openenv message": ("POST", "/i/{id}/openenv", {"type": "state"}, (401, 403, 403, 403, 404, 404)),
    "openenv environments": ("GET", "/list_environments", None, FOR_THE_OPERATOR),
    "openenv splits": ("GET", "/clinic_front_desk/splits", None, FOR_THE_OPERATOR),
    "openenv tasks": ("POST", "/clinic_front_desk/tasks", {"split": "train"}, FOR_THE_OPERATOR),
    "openenv metadata": ("GET", "/metadata", None, FOR_THE_OPERATOR),
    "openenv schema": ("GET", "/schema", None, FOR_THE_OPERATOR),
    "nemo_gym seed": ("POST", "/seed_session", ROW, FOR_THE_OPERATOR),
    "health": ("GET", "/health", None, (200,) * 6),
    "delete": ("DELETE", "/i/{id}", None, (401, 403, 403, 403, 204, 404)),
}


def bearer(credential: str) -> dict[str, str]:
    return {"authorization": f"Bearer {credential}"} if credential else {}


def opened(client: TestClient, token: str = "", **asked: Any) -> dict[str, Any]:
    return client.post("/instances", json=asked, headers=bearer(token)).raise_for_status().json()


def test_every_endpoint_answers_each_credential_as_the_table_says(app_with: AppMaker) -> None:
    with app_with(token=TOKEN, nemo_gym=True) as client:
        mine, other = (opened(client, TOKEN, task="read_total_owed") for _ in range(2))
        held = [
            "",
            mine["credentials"]["agent"],
            other["credentials"]["agent"],
            other["credentials"]["trainer"],
            mine["credentials"]["trainer"],
            TOKEN,
        ]
        for name, (method, path, body, expected) in ENDPOINTS.items():
            for who, (credential, status) in enumerate(zip(held, expected, strict=True)):
                answer = client.request(
                    method, path.format(id=mine["instance"]), json=body, headers={**MCP, **bearer(credential)}
                )
                client.cookies.clear()
                assert answer.status_code == status, (name, who, answer.text)
        for credential in held[:-1]:
            with (
                pytest.raises(WebSocketDenialResponse) as denied,
                client.websocket_connect("ws://127.0.0.1/ws", headers=bearer(credential)),
            ):
                pass
            assert denied.value.status_code == 401
        with client.websocket_connect("ws://127.0.0.1/ws", headers=bearer(TOKEN)) as socket:
            socket.send_json({"type": "state"})
            assert socket.receive_json()["type"] == "state"


def test_a_session_of_openenv_is_opened_by_its_own_credential_alone(client: TestClient) -> None:
    create = {"jsonrpc": "2.0", "id": 1, "method": "openenv/session/create", "params": {}}
    session = client.post("/mcp", json=create).json()["result"]["session_id"]
    assert client.post(f"/i/{session}/openenv", json={"type": "state"}).json()["type"] == "state"
    mine = opened(client)["credentials"]
    for given in (mine["agent"], mine["trainer"], session.replace(".trainer.", ".agent."), session + "x"):
        close = {**create, "method": "openenv/session/close", "params": {"session_id": given}}
        assert client.post("/mcp", json=close).json()["error"]["code"] == -32602
    assert client.post(f"/i/{session}/verify", json={"task": "read_total_owed"}).status_code == 404


def test_a_path_built_from_the_id_opens_the_instance_for_whoever_made_it(client: TestClient) -> None:
    values = opened(client, task="read_total_owed")
    assert client.post(f"/i/{values['id']}/call", json=CALL).json()["status"] == "ok"
    assert client.post(f"/i/{values['id']}/verify", json={}).status_code == 200
    assert client.post(f"/i/{values['instance']}/call", json=CALL).status_code == 401
    assert values["id"] not in values["mcp_url"]


def test_an_agents_address_opens_its_tools_and_nothing_else(client: TestClient) -> None:
    values = opened(client, task="read_total_owed")
    assert client.post(values["mcp_url"], json=LIST, headers=MCP).status_code == 200
    base = values["mcp_url"].removesuffix("/mcp")
    assert client.post(f"{base}/call", json=CALL).json()["status"] == "ok"
    for method, path in (("POST", "/verify"), ("POST", "/reset"), ("POST", "/call?changes=1")):
        assert client.request(method, base + path, json={}).status_code == 403, path
    for method in ("GET", "DELETE"):
        assert client.request(method, base).status_code == 403
    for path in ("/instances", "/tasks"):
        refused = client.request(
            "POST" if path == "/instances" else "GET", path, headers=bearer(values["credentials"]["agent"])
        )
        assert refused.status_code == 403, path


@pytest.mark.parametrize(
    "change",
    [
        lambda given, _: given.replace(".agent.", ".trainer."),
        lambda given, other: given.replace(given.split(".")[0], other.split(".")[0]),
        lambda given, _: given.replace(given.split(".")[2], str(int(given.split(".")[2]) + 9)),
        lambda given, _: given[:-2] + ("A" if given[-2] != "A" else "B") + given[-1],
        lambda given, _: given.rpartition(".")[0] + ".",
        lambda given, _: given.split(".")[0],
        lambda _given, _other: "...",
        lambda _given, _other: "é.agent.1.x",
    ],
    ids=["role", "instance", "end", "mac", "no mac", "bare id", "dots", "not ascii"],
)
def test_a_changed_credential_opens_nothing(client: TestClient, change: Callable[[str, str], str]) -> None:
    mine, other = opened(client), opened(client)
    forged = change(mine["credentials"]["agent"], other["credentials"]["agent"])
    for path in ("call", "verify"):
        assert client.post(f"/i/{forged}/{path}", json=CALL).status_code == 401


def test_a_credential_ends_and_is_renewed_by_its_trainer_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1_000.0]
    monkeypatch.setattr(credentials.time, "time", lambda: now[0])
    issuer = Credentials(seconds=60)
    given = issuer.issue("w0-a", "agent")
    now[0] += 59
    assert issuer.read(given).instance == "w0-a"
    now[0] += 1
    with pytest.raises(RequestRefused, match="ended") as refused:
        issuer.read(given)
    assert refused.value.status == 401
    assert issuer.read(issuer.issue("w0-a", "agent")).role == "agent"


def test_credentials_of_one_server_open_nothing_on_another() -> None:
    with pytest.raises(RequestRefused, match="not one of this server's"):
        Credentials(seconds=60).read(Credentials(seconds=60).issue("w0-a", "trainer"))


def test_what_a_task_is_called_in_statistics_is_told_to_trainers_only(
    app_with: AppMaker, clinic: Environment
) -> None:
    task = clinic.tasks.tasks[0]
    with app_with(token=TOKEN) as client:
        values = opened(client, TOKEN, task=task.id)
        assert {"kind", "difficulty", "split"} <= values["task"].keys()
        agent = values["mcp_url"]
        told = ""
        asked = (
            (
                "initialize",
                {
                    "protocolVersion": "2025-11-25",
                    "capabilities": {},
                    "clientInfo": {"name": "a", "version": "1"},
                },
            ),
            ("resources/read", {"uri": "worldwright://briefing"}),
            ("tools/list", {}),
        )
        for method, params in asked:
            body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            told += client.post(agent, json=body, headers=MCP).raise_for_status().text
        assert task.instruction in told
        for word in ("kind", "difficulty", "split"):
            assert f'"{word}"' not in told


def test_reset_changes_task_and_seed(client: TestClient, clinic: Environment) -> None:
    first, second = clinic.tasks.tasks[:2]
    values = opened(client, task=first.id, seed=1)
    start = client.get(values["url"]).json()["state_hash"]
    cancel = {"name": "cancel_appointment", "arguments": {"appointment_id": 7, "reason": "patient"}}
    assert client.post(f"{values['url']}/call", json=cancel).json()["status"] == "ok"
    again = client.post(f"{values['url']}/reset", json={"task": second.id, "seed": 5}).json()
    assert (again["seed"], again["task"]["id"], again["instance"]) == (5, second.id, values["instance"])
    assert client.get(again["url"]).json()["state_hash"] == start
    for call in second.reference_solution:
        client.post(f"{values['url']}/call", json=call.model_dump())
    verdict = client.post(f"{again['url']}/verify", json={"answer": second.reference_answer}).json()
    assert verdict["label"] == "completed"
    kept = client.post(f"{again['url']}/reset", json={}).json()
    assert (kept["seed"], kept["task"]["id"]) == (5, second.id)
    assert client.post(f"{again['url']}/reset", json={"task": "nope"}).status_code == 404


@pytest.mark.filterwarnings("ignore:Setting per-request cookies")
def test_a_tasks_limit_of_calls_reaches_every_endpoint(app_with: AppMaker, clinic: Environment) -> None:
    task = clinic.tasks.tasks[0]
    mcp_call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": CALL}
    with app_with(nemo_gym=True) as client:
        values = opened(client, task=task.id)
        for _ in range(task.step_limit):
            assert client.post(values["url"] + "/call", json=CALL).json()["status"] == "ok"
        over = client.post(values["mcp_url"], json=mcp_call, headers=MCP).json()["result"]
        assert over["isError"]
        assert "tool calls" in over["content"][0]["text"]
        client.post("/seed_session", json={"verifier_metadata": {"task_id": task.id}}).raise_for_status()
        answers = [
            client.post("/get_patient", json=CALL["arguments"]).json() for _ in range(task.step_limit + 1)
        ]
        assert "error" not in answers[-2]
        assert "tool calls" in answers[-1]["error"]
