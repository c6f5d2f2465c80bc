"""A tool call that is answered without the SDK's session is answered as the SDK answers it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from synthesis.serving import mcp_endpoint
from synthesis.serving.direct_call import direct_call, has_plain_headers

VERSIONS = ("2025-06-18", "2025-11-25")
PLAIN = "application/json, text/event-stream"
BY_THE_SDK = "*/*"


def called(name: Any, arguments: Any = None, **more: Any) -> dict[str, Any]:
    params = {"name": name} if arguments is None else {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params, **more}


CALLS: list[Any] = [
    called("find_patients", {"name": "Halloran"}),
    called("find_patients", {"name": "\u2603 nobody"}, id="a"),
    called("find_patients", {"name": "a"}),
    called("get_patient", {"patient_id": 12}),
    called("list_rooms"),
    called("find_patients", {"name": 5}),
    called("find_patients", {}),
    called("cancel_appointment", {"appointment_id": 10**40}),
    called("cancel_appointment", {"appointment_id": 999_999}),
    called("no_such_tool"),
    called(""),
]
OTHERS: list[Any] = [
    called("find_patients", {"name": "Halloran"}, id=True),
    called("find_patients", {"name": "Halloran"}, id=None),
    called("find_patients", {"name": "Halloran"}, id=1.5),
    called("find_patients", {"name": "Halloran"}, jsonrpc="1.0"),
    called("find_patients", {"name": "Halloran"}, more=1),
    called("find_patients", ["Halloran"]),
    called(5, {}),
    {**called("x"), "params": {"name": "find_patients", "arguments": None}},
    {**called("x"), "params": {"name": "find_patients", "_meta": {"progressToken": 1}}},
    {**called("x"), "params": {}},
    {**called("x"), "params": None},
    {**called("x"), "method": "tools/list", "params": {}},
    {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "find_patients"}},
    [called("find_patients", {"name": "Halloran"})],
    "tools/call",
]


class Posting:
    """Posts to one instance and counts what the SDK is given."""

    def __init__(self, client: TestClient, given: list[bool]) -> None:
        self.client, self.given = client, given
        self.path = "/" + client.post("/instances", json={}).json()["mcp_url"].split("/", 3)[3]

    def answer(self, body: Any, accept: str, version: str) -> tuple[bool, int, str, Any]:
        """Whether the SDK was asked; status, content type and JSON of what came back."""
        self.given.clear()
        headers = {"accept": accept, "mcp-protocol-version": version}
        came = self.client.post(self.path, json=body, headers=headers)
        return bool(self.given), came.status_code, came.headers.get("content-type", ""), _read(came.text)


def _read(text: str) -> Any:
    return json.loads(text) if text else None


@pytest.fixture
def posting(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> Posting:
    given: list[bool] = []
    real = mcp_endpoint.StreamableHTTPSessionManager.handle_request

    async def counting(*arguments: Any) -> None:
        given.append(True)
        await real(*arguments)

    monkeypatch.setattr(mcp_endpoint.StreamableHTTPSessionManager, "handle_request", counting)
    return Posting(client, given)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("body", CALLS, ids=str)
def test_what_is_answered_is_what_the_sdk_answers(posting: Posting, body: Any, version: str) -> None:
    by_us, *ours = posting.answer(body, PLAIN, version)
    by_sdk, *theirs = posting.answer(body, BY_THE_SDK, version)
    assert (by_us, by_sdk) == (False, True)
    assert ours == theirs


@pytest.mark.parametrize("body", OTHERS, ids=str)
def test_whatever_is_no_plain_call_is_the_sdks(posting: Posting, body: Any) -> None:
    by_sdk, *answer = posting.answer(body, PLAIN, VERSIONS[0])
    assert by_sdk
    assert answer == list(posting.answer(body, BY_THE_SDK, VERSIONS[0]))[1:]


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2026-06-30", "nonsense"])
def test_other_versions_of_the_protocol_are_the_sdks(posting: Posting, version: str) -> None:
    assert posting.answer(CALLS[0], PLAIN, version)[0]


def test_values_keep_their_nulls_and_their_kind(posting: Posting) -> None:
    *_, message = posting.answer(CALLS[0], PLAIN, VERSIONS[0])
    *_, of_sdk = posting.answer(CALLS[0], BY_THE_SDK, VERSIONS[0])
    assert message["result"]["structuredContent"] == of_sdk["result"]["structuredContent"]
    assert message["result"]["_meta"] == {mcp_endpoint.STATUS_KEY: "ok"}


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b'{"id": NaN}', b"[" * 5_000])
def test_what_is_no_json_is_no_call(body: bytes) -> None:
    assert direct_call(body) is None


@pytest.mark.parametrize(
    ("headers", "plain"),
    [
        ([], True),
        ([(b"x-more", b"1"), (b"x-more", b"2")], True),
        ([(b"accept", b"application/json")], False),
        ([(b"content-type", b"application/json")], False),
        ([(b"mcp-protocol-version", b"2025-06-18")], False),
        ([(b"mcp-session-id", b"1")], False),
    ],
)
def test_headers_given_twice_or_of_sessions_are_not_plain(
    headers: list[tuple[bytes, bytes]], plain: bool
) -> None:
    usual = [
        (b"accept", b"application/json, text/event-stream"),
        (b"content-type", b"application/json"),
        (b"mcp-protocol-version", b"2025-06-18"),
    ]
    assert has_plain_headers([*usual, *headers]) is plain
