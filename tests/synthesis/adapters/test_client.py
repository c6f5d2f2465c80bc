from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from synthesis.adapters.client import AsyncClient, Client, RequestRejected, ServerFailed
from synthesis.documents.environment import Environment
from synthesis.documents.trajectory import FinalAnswer
from synthesis.documents.verdict import Unscored
from synthesis.serving import instances
from synthesis.serving.app import create_app
from synthesis.serving.settings import ServeSettings
from synthesis.worlds.world import World

TOKEN = "the-operators-token"
URL = "http://127.0.0.1"


@pytest.fixture(scope="module")
def world(clinic: Environment) -> Iterator[World]:
    with World(clinic) as compiled:
        yield compiled


@pytest.fixture
def server(world: World) -> Iterator[Client]:
    app = create_app({"clinic_front_desk": world}, ServeSettings(token=TOKEN, max_instances=2))
    with TestClient(app, base_url=URL) as test_client:

        def carried(request: httpx.Request) -> httpx.Response:
            answer = test_client.request(
                request.method, str(request.url), content=request.content, headers=dict(request.headers)
            )
            return httpx.Response(answer.status_code, headers=dict(answer.headers), content=answer.content)

        with Client(URL, token=TOKEN, transport=httpx.MockTransport(carried)) as client:
            yield client


def test_the_reference_is_rewarded_through_the_client(server: Client, clinic: Environment) -> None:
    task = clinic.tasks.tasks[0]
    with server.open(task=task.id, seed=3) as instance:
        start = instance.state_hash()
        assert instance.details.task is not None
        assert instance.details.task.instruction == task.instruction
        assert instance.verify("").reward == 0
        for call in task.reference_solution:
            assert instance.call_with(call.name, call.arguments).ok
        assert instance.verify(FinalAnswer(text=task.reference_answer)).label == "completed"
        other = clinic.tasks.tasks[1]
        assert instance.reset(task=other.id, seed=4).seed == 4
        assert instance.state_hash() == start


def test_what_an_agent_may_hear_is_a_result(server: Client) -> None:
    with server.open() as instance:
        refused = instance.call("get_patient", patient_id=999)
        assert (refused.status, refused.message) == ("refused", "Patient 999 does not exist.")
        assert instance.call("drop_tables").status == "unknown_tool"
        cancel: dict[str, Any] = {"appointment_id": 7, "reason": "patient"}
        assert instance.call_with("cancel_appointment", cancel, changes=True).changes.changes
        assert "/i/" in instance.mcp_url


def test_tools_and_tasks_are_typed(server: Client, clinic: Environment) -> None:
    assert [tool.name for tool in server.tools()] == [tool.name for tool in clinic.tools.tools]
    assert [task.id for task in server.tasks()] == [task.id for task in clinic.tasks.tasks]
    assert server.tasks(split="test") == []


def test_a_wrong_request_is_told_apart_from_a_failing_server(
    server: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(RequestRejected, match="nope") as rejected:
        server.open(task="nope")
    assert (rejected.value.status, rejected.value.code) == (404, "unknown_name")
    first, second = server.open(task="read_total_owed"), server.open()
    with pytest.raises(ServerFailed, match="in use") as full:
        server.open()
    assert (full.value.code, full.value.retry_after) == ("capacity", 5)
    second.close()
    monkeypatch.setattr(instances, "verify", lambda *_, **__: Unscored(error="it died"))
    verdict = first.verify("x")
    assert (verdict.label, verdict.reward) == ("unscored", None)
    first.close()
    with pytest.raises(RequestRejected) as gone:
        first.state_hash()
    assert gone.value.status == 404


def test_a_full_server_is_asked_again_as_long_as_patience_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    full = httpx.Response(
        503, json={"error": {"code": "capacity", "message": "full"}}, headers={"retry-after": "5"}
    )
    shown = {
        "id": "a",
        "environment": "e",
        "fingerprint": "f",
        "url": "/i/a",
        "mcp_url": "/i/a/mcp",
        "credentials": {},
        "seed": 0,
        "description": "",
        "clock": "",
        "answer": {},
    }
    answers = [full, full, httpx.Response(201, json=shown)]
    slept: list[float] = []
    monkeypatch.setattr("synthesis.adapters.client.time.sleep", slept.append)
    with Client(URL, transport=httpx.MockTransport(lambda _: answers.pop(0))) as client:
        assert client.open(patience=30).details.id == "a"
    assert slept == [1.0, 1.0]


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(502, text="<html>"),
        httpx.Response(500, json={"error": 3}),
        httpx.ConnectError("refused"),
    ],
)
def test_whatever_is_no_answer_of_ours_is_a_failing_server(answer: Any) -> None:
    def respond(_: httpx.Request) -> httpx.Response:
        if isinstance(answer, Exception):
            raise answer
        return answer

    with Client(URL, transport=httpx.MockTransport(respond)) as client, pytest.raises(ServerFailed):
        client.tools()


def test_asynchronous_code_does_the_same(world: World, clinic: Environment) -> None:
    task = clinic.tasks.tasks[0]
    app: Any = create_app({"clinic_front_desk": world})

    async def play() -> list[Any]:
        transport = httpx.ASGITransport(app=app)
        async with app.app.router.lifespan_context(app.app), AsyncClient(URL, transport=transport) as server:
            chosen = (await server.tasks())[0]
            assert len(await server.tools()) == len(clinic.tools.tools)
            async with await server.open(task=chosen.id) as instance, await server.open() as other:
                for call in task.reference_solution:
                    assert (await instance.call(call.name, **call.arguments)).ok
                verdict = await instance.verify(task.reference_answer)
                unchanged = await other.state_hash()
                await instance.reset(seed=2)
                return [verdict.reward, await instance.state_hash() == unchanged]

    assert asyncio.run(play()) == [1.0, True]
