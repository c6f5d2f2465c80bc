from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest

from synthesis.errors import CapacityExhausted
from synthesis.serving import bodies
from synthesis.serving.faults import RequestRefused
from synthesis.serving.guards import Guards, Rate
from synthesis.serving.metrics import Metrics
from synthesis.serving.settings import ServeSettings


async def echo(scope: Any, receive: Any, send: Any) -> None:
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


def ask(
    guards: Guards,
    *,
    method: str = "POST",
    path: str = "/instances",
    headers: dict[str, str] | None = None,
    repeated: tuple[tuple[bytes, bytes], ...] = (),
    chunks: tuple[bytes, ...] = (b"{}",),
    client: str = "10.0.0.1",
    pause: float = 0,
) -> tuple[int, Any, dict[str, str]]:
    """One request through the guards: status, body (JSON if it is), headers."""
    sent: list[dict[str, Any]] = []
    parts = [
        {"type": "http.request", "body": chunk, "more_body": number < len(chunks)}
        for number, chunk in enumerate(chunks, start=1)
    ]

    async def receive() -> dict[str, Any]:
        if pause:
            await asyncio.sleep(pause)
        return parts.pop(0) if parts else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "client": (client, 4),
        "headers": [
            (name.lower().encode(), value.encode())
            for name, value in {"host": "127.0.0.1:8848", **(headers or {})}.items()
        ]
        + list(repeated),
    }
    asyncio.run(guards(scope, receive, send))
    body = b"".join(message.get("body", b"") for message in sent[1:])
    details = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    try:
        return sent[0]["status"], orjson.loads(body), details
    except orjson.JSONDecodeError:
        return sent[0]["status"], body, details


def guarded(app: Any = echo, **settings: Any) -> Guards:
    return Guards(app, ServeSettings(**settings), Metrics())


def test_a_good_request_reaches_the_application_with_its_body() -> None:
    assert ask(guarded(), chunks=(b"[1,", b"2]"))[:2] == (200, [1, 2])


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8848", "", "127.0.0.1.evil.example"])
def test_a_foreign_host_header_is_refused_on_loopback(host: str) -> None:
    status, body, _ = ask(guarded(), headers={"host": host})
    assert (status, body["error"]["code"]) == (421, "host")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:9", "[::1]:8848", "LOCALHOST"])
def test_loopback_names_are_answered_with_any_port(host: str) -> None:
    assert ask(guarded(), headers={"host": host})[0] == 200


def test_bound_to_all_addresses_any_host_is_answered_unless_some_are_named() -> None:
    assert ask(guarded(host="0.0.0.0"), headers={"host": "worlds.example"})[0] == 200
    narrow = guarded(host="0.0.0.0", allowed_hosts=("worlds.example",))
    assert ask(narrow, headers={"host": "worlds.example:80"})[0] == 200
    assert ask(narrow, headers={"host": "other.example"})[0] == 421


def test_pages_of_other_sites_are_refused() -> None:
    assert ask(guarded(), headers={"origin": "https://evil.example"})[0] == 403
    assert ask(guarded(), headers={"origin": "null"})[0] == 403
    assert ask(guarded(), headers={"origin": "http://localhost:3000"})[0] == 200
    named = guarded(allowed_origins=("https://studio.example",))
    assert ask(named, headers={"origin": "https://studio.example"})[0] == 200


@pytest.mark.parametrize(
    "given", [None, "Bearer wrong-token", "secret-token", "bearer", "Bearer secret-token "]
)
def test_without_the_token_nothing_is_served(given: str | None) -> None:
    guards = guarded(token="secret-token")
    status, body, headers = ask(guards, headers={"authorization": given} if given else None)
    assert (status, body["error"]["code"], headers["www-authenticate"]) == (401, "token", "Bearer")


def test_with_the_token_it_is_and_health_needs_none() -> None:
    guards = guarded(token="secret-token")
    assert ask(guards, headers={"authorization": "Bearer secret-token"})[0] == 200
    assert ask(guards, method="GET", path="/health")[0] == 200
    assert ask(guards, method="GET", path="/metrics")[0] == 401


def test_the_token_is_not_shown_with_the_settings() -> None:
    assert "secret-token" not in repr(ServeSettings(token="secret-token"))


def test_a_large_body_is_refused_by_its_length_and_by_its_bytes() -> None:
    guards = guarded(max_body_bytes=1024)
    assert ask(guards, headers={"content-length": "5000"})[0] == 413
    status, body, _ = ask(guards, chunks=(b"x" * 800, b"x" * 800))
    assert (status, body["error"]["code"]) == (413, "too_large")
    assert ask(guards, chunks=(b"1" * 1024,))[0] == 200


def test_bodies_that_are_too_much_together_are_told_when_to_come_again() -> None:
    guards = guarded(max_body_bytes=1024, max_bodies_bytes=1100)
    guards._bodies.bytes = 1000  # of others
    assert ask(guards, chunks=(b"1" * 100,))[0] == 200
    status, body, headers = ask(guards, chunks=(b"1" * 101,))
    assert (status, body["error"]["code"], headers["retry-after"]) == (503, "busy", "1")
    assert guards._bodies.bytes == 1000


def test_only_the_host_must_not_be_repeated() -> None:
    accept = (b"accept", b"text/html")
    assert ask(guarded(), headers={"accept": "*/*"}, repeated=(accept, accept))[0] == 200
    same = (b"host", b"127.0.0.1:8848")
    assert ask(guarded(), headers={"accept": "*/*"}, repeated=(accept, same))[0] == 400


@pytest.mark.parametrize("piece", [b"[],", b'{"a":1},', b'"[[[[["'])
def test_a_body_of_many_lists_is_refused_before_it_is_decoded(piece: bytes) -> None:
    served: list[object] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        served.append(scope)
        await echo(scope, receive, send)

    guards = guarded(app)
    count = bodies.MOST_BRACKETS // (piece.count(b"[") + piece.count(b"{"))
    status, body, _ = ask(guards, chunks=(b"[", piece * count, piece))
    assert (status, body["error"]["code"], served) == (413, "too_large", [])
    assert "lists and objects" in body["error"]["message"]
    assert guards._bodies.bytes == 0
    assert ask(guards, chunks=(piece * count,))[0] == 200


def test_no_client_takes_all_places_for_bodies() -> None:
    places = bodies.Bodies(ServeSettings(max_in_flight=16))
    for _ in range(5):
        places.begin("10.0.0.1")
    with pytest.raises(RequestRefused, match="Too many bodies"):
        places.begin("10.0.0.1")
    places.begin("10.0.0.2")
    places.end("10.0.0.2")
    for _ in range(5):
        places.end("10.0.0.1")
    assert not places.reading


@pytest.mark.parametrize(("max_in_flight", "places"), [(1, 1), (2, 1), (3, 1), (4, 2), (5, 2)])
def test_half_of_the_requests_may_have_their_bodies_read(max_in_flight: int, places: int) -> None:
    reading = bodies.Bodies(ServeSettings(max_in_flight=max_in_flight))
    for number in range(places):
        reading.begin(f"10.0.0.{number}")
    with pytest.raises(RequestRefused, match="Too many bodies"):
        reading.begin("10.0.1.1")


def test_a_server_with_one_place_for_a_body_reads_one() -> None:
    assert ask(guarded(max_in_flight=1))[0] == 200


def test_a_body_that_does_not_come_is_given_up() -> None:
    status, body, _ = ask(guarded(body_seconds=0.05), pause=10)
    assert (status, body["error"]["code"]) == (408, "too_slow")


def test_a_client_that_leaves_with_half_a_body_is_not_served() -> None:
    served: list[object] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        served.append(scope)

    sent: list[object] = []
    parts: list[dict[str, Any]] = [
        {"type": "http.request", "body": b"{", "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> dict[str, Any]:
        return parts.pop(0)

    async def send(message: object) -> None:
        sent.append(message)

    guards = guarded(app)
    scope = {"type": "http", "method": "POST", "path": "/instances", "headers": [(b"host", b"localhost")]}
    asyncio.run(guards(scope, receive, send))
    assert (served, sent, guards.in_flight) == ([], [], 0)


def test_a_client_over_its_rate_is_told_to_wait_and_others_are_not() -> None:
    guards = guarded(rate=0.1)
    assert ask(guards)[0] == 200
    status, body, headers = ask(guards)
    assert (status, body["error"]["code"], headers["retry-after"]) == (429, "rate", "1")
    assert ask(guards, client="10.0.0.2")[0] == 200


def test_behind_a_trusted_proxy_the_rate_is_per_forwarded_client() -> None:
    guards = guarded(rate=0.1, trusted_proxy=True)
    assert ask(guards, headers={"x-forwarded-for": "6.6.6.6, 1.1.1.1"})[0] == 200
    assert ask(guards, headers={"x-forwarded-for": "7.7.7.7, 1.1.1.1"})[0] == 429
    assert ask(guards, headers={"x-forwarded-for": "2.2.2.2"})[0] == 200


def test_the_table_of_rates_does_not_grow_without_end() -> None:
    rate = Rate(1)
    for number in range(10_050):
        rate.allows(str(number))
    assert len(rate._buckets) == 10_000


def test_too_many_requests_at_once_are_refused_at_once() -> None:
    guards = guarded(max_in_flight=1)
    guards.in_flight = 1
    status, body, headers = ask(guards)
    assert (status, body["error"]["code"], headers["retry-after"]) == (503, "busy", "1")


@pytest.mark.parametrize(("in_flight", "status"), [(999, 200), (1_000, 503), (1_001, 503)])
def test_so_many_requests_and_no_more_are_served_at_once(in_flight: int, status: int) -> None:
    guards = guarded(max_in_flight=1_000)
    guards.in_flight = in_flight
    assert ask(guards)[0] == status


@pytest.mark.parametrize(
    ("size", "status"), [(4, 200), (bodies.UNCOUNTED_BYTES, 200), (bodies.UNCOUNTED_BYTES + 1, 413)]
)
def test_brackets_are_counted_in_large_bodies_alone(
    monkeypatch: pytest.MonkeyPatch, size: int, status: int
) -> None:
    monkeypatch.setattr(bodies, "MOST_BRACKETS", 3)
    assert ask(guarded(), chunks=(b"[[[[".ljust(size),))[0] == status


def test_errors_of_the_engine_become_answers_and_free_their_place() -> None:
    async def full(scope: Any, receive: Any, send: Any) -> None:
        raise CapacityExhausted("full")

    guards = guarded(full)
    status, body, headers = ask(guards)
    assert (status, body["error"], headers["retry-after"]) == (
        503,
        {"code": "capacity", "message": "full"},
        "5",
    )
    assert guards.in_flight == 0


@pytest.mark.parametrize(("per_second", "burst", "pause"), [(2.0, 20, 0.5), (0.05, 1, 20.0), (0.1, 1, 10.0)])
def test_a_client_may_ask_ten_seconds_worth_at_once_and_then_so_many_per_second(
    monkeypatch: pytest.MonkeyPatch, per_second: float, burst: int, pause: float
) -> None:
    now = 1_000.0
    monkeypatch.setattr("synthesis.serving.guards.time.monotonic", lambda: now)
    rate = Rate(per_second)

    def allowed() -> int:
        return sum(rate.allows("10.0.0.1") for _ in range(burst + 5))

    assert allowed() == burst
    now += pause + 0.01
    assert allowed() == 1
    now += pause * 0.9
    assert allowed() == 0
    now += 10_000
    assert allowed() == burst
