"""The wire of an OpenEnv server, without its client; tests/interop tries the real one."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient, WebSocketDenialResponse

from synthesis.documents.environment import Environment
from synthesis.documents.tasks import Task
from synthesis.documents.verdict import Unscored
from synthesis.errors import SandboxError
from synthesis.serving import instances
from synthesis.worlds.world import Instance

AppMaker = Callable[..., contextlib.AbstractContextManager[TestClient]]


class Socket:
    """One session, in the words of OpenEnv's clients."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket

    def send(self, type: str, data: Any = None) -> Any:
        self.socket.send_json({"type": type} if data is None else {"type": type, "data": data})
        return self.socket.receive_json()

    def reset(self, **data: Any) -> Any:
        answer = self.send("reset", data)
        return answer["data"]

    def call(self, tool: str, /, **arguments: Any) -> Any:
        answer = self.send("step", {"type": "call_tool", "tool_name": tool, "arguments": arguments})
        assert answer["type"] == "observation", answer
        return answer["data"]


@contextlib.contextmanager
def session(client: TestClient, url: str = "/ws") -> Any:
    with client.websocket_connect(f"ws://127.0.0.1{url}") as socket:
        yield Socket(socket)


def play(socket: Socket, task: Task) -> None:
    for call in task.reference_solution:
        assert socket.call(call.name, **call.arguments)["observation"]["error"] is None


def test_the_reference_ends_with_its_reward_and_doing_nothing_does_not(
    client: TestClient, clinic: Environment
) -> None:
    with session(client) as socket:
        for task in clinic.tasks.tasks:
            assert socket.reset(task=task.id)["observation"]["instruction"] == task.instruction
            idle = socket.call("done", final_answer="")
            assert (idle["done"], idle["reward"] < 1) == (True, True)
            socket.reset(task=task.id, seed=3)
            play(socket, task)
            answered = socket.call("done", final_answer=task.reference_answer)
            assert (answered["done"], answered["reward"]) == (True, 1.0), (task.id, answered)
            over = socket.call("get_patient", patient_id=1)["observation"]["error"]["message"]
            assert over.startswith("The episode has ended")
    assert client.get("/health").json()["instances"] == 0


def test_a_submitted_answer_ends_the_episode_with_its_reward(client: TestClient, clinic: Environment) -> None:
    task = next(task for task in clinic.tasks.tasks if task.kind == "read")
    with session(client) as socket:
        socket.reset(task=task.id)
        wrong = socket.call("submit_answer", text="x", outcome="perhaps")
        assert (wrong["observation"]["error"]["error_type"], wrong["done"]) == ("invalid_args", False)
        answered = socket.call("submit_answer", text=task.reference_answer, outcome="done")
        assert (answered["done"], answered["reward"]) == (True, 1.0)


def test_a_session_lists_its_tools_before_a_reset_and_never_the_trainers(
    client: TestClient, clinic: Environment
) -> None:
    with session(client) as socket:
        listed = socket.send("step", {"type": "list_tools"})["data"]["observation"]["tools"]
        assert [tool["name"] for tool in listed] == [
            *(tool.name for tool in clinic.tools.tools),
            "submit_answer",
        ]
        assert set(listed[0]) == {"name", "description", "input_schema"}
        refused = socket.send("step", {"type": "call_tool", "tool_name": "get_patient", "arguments": {}})
        assert refused["data"]["code"] == "VALIDATION_ERROR"
        assert "reset first" in refused["data"]["message"]


def test_what_a_tool_answers_is_told_apart_from_what_went_wrong(client: TestClient) -> None:
    with session(client) as socket:
        socket.reset()
        refused = socket.call("get_patient", patient_id=999)
        assert refused["observation"] == {
            "tool_name": "get_patient",
            "result": {"error": "Patient 999 does not exist."},
            "error": None,
            "metadata": {"status": "refused"},
        }
        assert refused["metadata"]["status"] == "refused"
        for arguments, name, kind in (
            ({"patient_id": "x"}, "get_patient", "invalid_args"),
            ({}, "drop_tables", "tool_not_found"),
        ):
            answer = socket.call(name, **arguments)
            assert answer["observation"]["error"]["error_type"] == kind
            assert answer["done"] is False


def test_a_failure_of_ours_is_an_error_message_and_no_reward(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise SandboxError("the worker could not be replaced")

    with session(client) as socket:
        socket.reset()
        with monkeypatch.context() as patch:
            patch.setattr(instances, "verify", lambda *_, **__: Unscored(error="it died"))
            unscored = socket.send("step", {"type": "call_tool", "tool_name": "done", "arguments": {}})
        assert unscored["type"] == "error"
        assert (unscored["data"]["code"], unscored["data"]["cause"]) == ("EXECUTION_ERROR", "unscored")
        monkeypatch.setattr(Instance, "call", fail)
        step = {"type": "call_tool", "tool_name": "get_patient", "arguments": {"patient_id": 1}}
        broken = socket.send("step", step)
        assert (broken["type"], broken["data"]["cause"]) == ("error", "sandbox")
        rpc = socket.send("mcp", {"method": "tools/call", "id": 4, "params": {"name": "get_patient"}})["data"]
        assert rpc["error"]["data"] == {"infrastructure": True, "code": "sandbox"}


@pytest.mark.parametrize(
    ("sent", "code", "word"),
    [
        ("{", "INVALID_JSON", "JSON"),
        ("[]", "VALIDATION_ERROR", "object"),
        ('{"type": "fly"}', "UNKNOWN_TYPE", "fly"),
        ('{"type": "reset", "data": []}', "VALIDATION_ERROR", "data"),
        ('{"type": "reset", "data": {"colour": 1}}', "VALIDATION_ERROR", "colour"),
        ('{"type": "reset", "data": {"seed": -1}}', "VALIDATION_ERROR", "seed"),
        ('{"type": "reset", "data": {"task": "nope"}}', "VALIDATION_ERROR", "nope"),
        ('{"type": "reset", "data": {"environment": "nope"}}', "VALIDATION_ERROR", "nope"),
        ('{"type": "reset", "data": {"split": "nope"}}', "VALIDATION_ERROR", "nope"),
        ('{"type": "reset", "data": {"index": 99}}', "VALIDATION_ERROR", "99"),
        ('{"type": "step", "data": {"type": "jump"}}', "VALIDATION_ERROR", "call_tool"),
        (
            '{"type": "step", "data": {"type": "call_tool", "tool_name": "x", "arguments": 1}}',
            "VALIDATION_ERROR",
            "arg",
        ),
    ],
)
def test_a_wrong_message_is_explained_and_the_session_goes_on(
    client: TestClient, sent: str, code: str, word: str
) -> None:
    with session(client) as socket:
        socket.socket.send_text(sent)
        answer = socket.socket.receive_json()
        assert (answer["type"], answer["data"]["code"]) == ("error", code)
        assert word in answer["data"]["message"]
        assert socket.reset()["done"] is False


def test_resets_name_tasks_by_split_index_seed_or_instruction(
    client: TestClient, clinic: Environment
) -> None:
    tasks = clinic.tasks.tasks
    with session(client) as socket:
        assert socket.reset(seed=len(tasks) + 1)["observation"]["task_id"] == tasks[1].id
        assert socket.reset()["observation"]["task_id"] == tasks[1].id
        assert socket.reset(task=tasks[2].instruction)["observation"]["task_id"] == tasks[2].id
        split = tasks[3].split or "train"
        of_split = [task.id for task in tasks if (task.split or "train") == split]
        assert socket.reset(split=split, index=1)["observation"]["task_id"] == of_split[1]
        state = socket.send("state")["data"]
        assert (state["task_id"], state["step_count"]) == (of_split[1], 0)
        assert socket.reset(episode_id="mine", index=0)["observation"]["task_id"] == tasks[0].id
        assert socket.send("state")["data"]["episode_id"] == "mine"


def test_awms_clients_find_its_fields_tools_and_rewards(client: TestClient, clinic: Environment) -> None:
    task = clinic.tasks.tasks[0]
    with session(client) as socket:
        begun = socket.reset(scenario="Clinic Front-Desk", task_idx=0, llm_model="x")["observation"]
        assert begun == {
            "reward_type": "reset_ok",
            "scenario": "clinic_front_desk",
            "task": task.instruction,
            "task_idx": 0,
            "has_verifier": {"sql": False, "code": True},
            "num_tools": 29,
            "metadata": {},
        }
        listed = socket.call("__list_scenarios__")["observation"]
        assert (listed["total"], listed["scenarios"][0]["num_tasks"]) == (1, len(clinic.tasks.tasks))
        wrong = socket.call("get_patient", patient_id="x")
        assert (wrong["observation"]["reward_type"], wrong["reward"]) == ("invalid_args", -1.0)
        for call in task.reference_solution:
            answered = socket.call(call.name, **call.arguments)
            assert (answered["observation"]["reward_type"], answered["reward"]) == ("tool_call_ok", 0.0)
        verified = socket.call("verify", verifier_mode="code", final_answer=task.reference_answer)
        assert (verified["reward"], verified["done"]) == (1.0, False)
        assert verified["observation"]["verify_result"]["result"] == "complete"
        done = socket.call("done")
        assert (done["observation"]["reward_type"], done["reward"], done["done"]) == (
            "episode_done",
            0.0,
            True,
        )
        assert socket.call("verify")["observation"]["reward_type"] == "episode_already_done"
        missing = socket.reset(scenario="nope", task_idx=0)["observation"]
        assert (missing["reward_type"], "nope" in missing["error"]) == ("reset_error", True)
        socket.reset(scenario="clinic_front_desk", task_idx=0, reward_config={"tool_call_ok": 0.5})
        assert socket.call("get_patient", patient_id=1)["reward"] == 0.5


def rpc(client: TestClient, method: str, **params: Any) -> Any:
    return client.post("/mcp", json={"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).json()


def test_a_session_made_over_http_is_shared_with_a_socket(client: TestClient, clinic: Environment) -> None:
    id = rpc(client, "openenv/session/create")["result"]["session_id"]
    with session(client, f"/ws?session_id={id}") as socket:
        socket.reset(task="read_total_owed")
        with session(client, f"/ws?session_id={id}") as second:
            assert second.socket.receive_json()["data"]["code"] == "SESSION_ERROR"
        called = rpc(client, "tools/call", session_id=id, name="get_patient", arguments={"patient_id": 999})
        assert called["result"] == {
            "data": {"error": "Patient 999 does not exist."},
            "status": "refused",
            "is_error": True,
        }
        assert socket.send("state")["data"]["step_count"] == 1
    assert client.get("/health").json()["instances"] == 1, "the socket did not make the session"
    assert len(rpc(client, "tools/list", session_id=id)["result"]["tools"]) == 29
    unknown = rpc(client, "tools/call", session_id=id, name="drop", arguments={})
    assert (unknown["error"]["code"], unknown["error"]["data"]) == (-32602, {"status": "unknown_tool"})
    assert rpc(client, "openenv/session/close", session_id=id)["result"]["closed"] is True
    assert client.get("/health").json()["instances"] == 0
    assert rpc(client, "tools/list", session_id=id)["error"]["code"] == -32602
    assert rpc(client, "tools/list", session_id="forged")["error"]["code"] == -32602
    assert rpc(
        client, "initialize", session_id=rpc(client, "openenv/session/create")["result"]["session_id"]
    )["error"]["code"] == (-32601)


def test_tasks_are_listed_by_split(client: TestClient, clinic: Environment) -> None:
    assert client.get("/list_environments").json() == ["clinic_front_desk"]
    splits = [each["name"] for each in client.get("/clinic_front_desk/splits").json()]
    listed = [
        task
        for split in splits
        for task in client.post("/clinic_front_desk/tasks", json={"split": split}).json()["tasks"]
    ]
    assert {task["id"] for task in listed} == {task.id for task in clinic.tasks.tasks}
    first = {"split": splits[0], "index": 0}
    assert client.post("/clinic_front_desk/task", json=first).json()["task"] == listed[0]
    count = client.post("/clinic_front_desk/num_tasks", json={"split": splits[0]}).json()["num_tasks"]
    beyond = client.post("/clinic_front_desk/task", json={"split": splits[0], "index": count})
    assert beyond.status_code == 400
    some = client.post("/clinic_front_desk/task_range", json={"split": splits[0], "start": 1, "stop": 2})
    assert [task["id"] for task in some.json()["tasks"]] == [listed[1]["id"]]
    assert client.post("/clinic_front_desk/tasks", json={"split": "nope"}).status_code == 404
    assert client.post("/nope/tasks", json={"split": "train"}).status_code == 404
    assert client.post("/clinic_front_desk/shred", json={}).status_code == 404


def test_a_socket_passes_the_guards_too(app_with: AppMaker) -> None:
    with app_with(token="a-long-secret") as client:
        for headers in ({}, {"authorization": "Bearer wrong"}):
            with (
                pytest.raises(WebSocketDenialResponse) as denied,
                client.websocket_connect("ws://127.0.0.1/ws", headers=headers),
            ):
                pass
            assert denied.value.status_code == 401
        assert client.post("/mcp", json={}).status_code == 401
        with client.websocket_connect(
            "ws://127.0.0.1/ws", headers={"authorization": "Bearer a-long-secret"}
        ) as socket:
            assert Socket(socket).reset()["done"] is False
        with (
            pytest.raises(WebSocketDenialResponse) as denied,
            client.websocket_connect("ws://127.0.0.1/ws", headers={"origin": "https://evil.example"}),
        ):
            pass
        assert denied.value.status_code == 403


def test_sessions_are_bounded_and_a_full_server_says_so(app_with: AppMaker) -> None:
    with app_with(max_instances=1) as client, session(client) as socket:
        socket.reset()
        with session(client) as second:
            assert second.socket.receive_json()["data"]["code"] == "CAPACITY_REACHED"
        assert rpc(client, "openenv/session/create")["error"]["data"] == {"code": "capacity"}


def test_a_tasks_limit_reaches_a_session(client: TestClient, clinic: Environment) -> None:
    task = clinic.tasks.tasks[0]
    with session(client) as socket:
        socket.reset(task=task.id)
        for _ in range(task.step_limit):
            assert socket.call("get_patient", patient_id=1)["metadata"]["status"] == "ok"
        over = socket.call("get_patient", patient_id=1)["observation"]["result"]
        assert f"All {task.step_limit} tool calls" in over["error"]
