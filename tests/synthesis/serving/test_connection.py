"""Clients that send or read as no honest client does, over raw sockets."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import orjson
import pytest

from synthesis.serving.connection import MOST_PIPELINED, BoundedConnection
from synthesis.serving.guards import Guards
from synthesis.serving.metrics import Metrics
from synthesis.serving.server import Server, configured
from synthesis.serving.settings import ServeSettings

HEAD = b"POST /x HTTP/1.1\r\nhost: localhost\r\n"
Starter = Callable[..., "Running"]


class Application:
    """Says how many bytes came; GET /large answers 16 MiB. Counts what reaches it."""

    def __init__(self) -> None:
        self.served = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        self.served += 1
        size, more = 0, scope["method"] == "POST"
        while more:
            message = await receive()
            size, more = size + len(message.get("body", b"")), message.get("more_body", False)
        body = b"x" * 2**24 if scope["path"] == "/large" else orjson.dumps({"bytes": size})
        length = str(len(body)).encode()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", length)]})
        await send({"type": "http.response.body", "body": body})

    async def _lifespan(self, receive: Any, send: Any) -> None:
        for _ in range(2):
            message = await receive()
            await send({"type": f"{message['type']}.complete"})


class Running:
    """A guarded application that listens."""

    def __init__(self, settings: ServeSettings) -> None:
        self.app = Application()
        self.guards = Guards(self.app, settings, Metrics())
        ready = threading.Event()
        self.server = Server(configured(self.guards, settings), ready.set)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.setblocking(False)
        self._thread = threading.Thread(target=self.server.run, args=([self._listener],))
        self._thread.start()
        assert ready.wait(20)

    def connect(self) -> socket.socket:
        client = socket.create_connection(self._listener.getsockname(), timeout=20)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return client

    def open_connections(self) -> int:
        return len(self.server.server_state.connections)

    def stop(self) -> None:
        self.server.should_exit = True
        self._thread.join(30)
        assert not self._thread.is_alive()


@pytest.fixture
def start() -> Iterator[Starter]:
    running: list[Running] = []

    def begin(**settings: Any) -> Running:
        running.append(Running(ServeSettings.model_validate({"token": "secret-token", **settings})))
        return running[-1]

    yield begin
    for each in running:
        each.stop()


def request(**headers: str) -> bytes:
    given = {"authorization": "Bearer secret-token", "content_length": "0"} | headers
    lines = [f"{name.replace('_', '-')}: {value}\r\n" for name, value in given.items() if value]
    return HEAD + "".join(lines).encode() + b"\r\n"


def reply(client: socket.socket) -> tuple[int, str]:
    """Status and error code of the next answer; (0, "") when the server only closes."""
    data = b""
    with contextlib.suppress(ConnectionError):
        while b"\r\n\r\n" not in data:
            if not (part := client.recv(65_536)):
                return 0, ""
            data += part
        head, _, body = data.partition(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        while len(body) < length:
            body += client.recv(65_536)
        message = orjson.loads(body)
        return int(head.split()[1]), message.get("error", {}).get("code", "")
    return 0, ""


def answers(client: socket.socket, most: int) -> list[dict[str, str]]:
    """Headers of the next answers, with their "status", until so many came or the connection ended."""
    found: list[dict[str, str]] = []
    with client.makefile("rb") as stream, contextlib.suppress(ConnectionError):
        while len(found) < most and (line := stream.readline()):
            head = {"status": line.split()[1].decode()}
            while (line := stream.readline().strip()) and (pair := line.decode().lower().partition(": ")):
                head[pair[0]] = pair[2]
            found.append(head)
            stream.read(int(head["content-length"]))
    return found


def ended(client: socket.socket) -> bool:
    """Whether the server ends the connection, whatever it says before."""
    with contextlib.suppress(ConnectionError):
        while client.recv(65_536):
            pass
    return True


def pour(client: socket.socket, part: bytes, most: int) -> int:
    """Bytes sent until the server ends it, at most so many."""
    sent = 0
    with contextlib.suppress(ConnectionError, TimeoutError):
        while sent < most:
            client.sendall(part)
            sent += len(part)
    return sent


def test_a_whole_request_is_served_and_the_connection_kept(start: Starter) -> None:
    with start().connect() as client:
        for _ in range(3):
            client.sendall(request())
            assert reply(client) == (200, "")


@pytest.mark.parametrize(
    "part", [b"x-a: " + b"b" * 65_000, b"x-a: b\r\n" * 8_000, b""], ids=["one header", "many headers", "path"]
)
def test_a_head_without_end_is_cut_before_the_token_is_asked_for(start: Starter, part: bytes) -> None:
    running = start()
    with running.connect() as client:
        client.sendall(HEAD if part else b"GET /")
        assert pour(client, part or b"a" * 65_000, 2**28) < 2**26
        assert ended(client)
    assert running.app.served == 0


def test_a_head_that_is_too_large_or_has_too_many_headers_is_told_so(start: Starter) -> None:
    running = start(max_head_bytes=4_096, max_headers=20)
    for headers in ({"x_a": "b" * 5_000}, {f"x_{number}": "b" for number in range(30)}):
        with running.connect() as client:
            client.sendall(request(**headers))
            assert reply(client) == (431, "head_too_large")
            assert ended(client)
    assert running.app.served == 0


def test_a_head_that_comes_byte_by_byte_is_given_up(start: Starter) -> None:
    running = start(head_seconds=0.5)
    with running.connect() as slow, running.connect() as silent, running.connect() as other:
        with contextlib.suppress(ConnectionError):
            for number in range(40):
                slow.sendall(request()[number : number + 1])
                time.sleep(0.05)
        assert reply(slow) in ((408, "too_slow"), (0, ""))
        assert ended(slow)
        assert reply(silent) == (408, "too_slow")
    with running.connect() as other:
        other.sendall(request())
        assert reply(other) == (200, "")


def test_what_is_no_request_is_told_in_the_shape_of_other_refusals(start: Starter) -> None:
    with start().connect() as client:
        client.sendall(b"\x00\x01\x02\r\n\r\n")
        assert reply(client) == (400, "not_http")


def test_rubbish_does_not_fill_the_log(start: Starter, capsys: pytest.CaptureFixture[str]) -> None:
    running = start()
    for _ in range(20):
        with running.connect() as client:
            client.sendall(b"\x16\x03\x01 rubbish\r\n\r\n")
            reply(client)
    assert capsys.readouterr().err.count("Invalid HTTP request received.") == 1


@pytest.mark.parametrize("origin", ["http://[::1", "http://[x]", "//", "http://a b", "http://u@localhost"])
def test_an_origin_that_is_none_is_a_bad_request(start: Starter, origin: str) -> None:
    with start().connect() as client:
        client.sendall(request(origin=origin))
        assert reply(client) == (400, "origin")


@pytest.mark.parametrize("host", ["[::1", "[::::]", "a b", "u@localhost", "localhost:80:80", "localhost\x80"])
def test_a_host_that_is_none_is_a_bad_request(start: Starter, host: str) -> None:
    lines = f"GET / HTTP/1.1\r\nhost: {host}\r\n\r\n"
    with start(host="0.0.0.0").connect() as client:
        client.sendall(lines.encode("latin-1"))
        assert reply(client) == (400, "host")


def test_two_hosts_are_a_bad_request(start: Starter) -> None:
    with start().connect() as client:
        client.sendall(request(host="localhost"))
        assert reply(client) == (400, "host")


def test_a_chunked_body_without_end_is_refused_and_not_read_on(start: Starter) -> None:
    running = start(max_body_bytes=4_096)
    with running.connect() as client:
        client.sendall(request(content_length="", transfer_encoding="chunked"))
        client.sendall(b"2000\r\n" + b"x" * 0x2000 + b"\r\n")
        assert reply(client) == (413, "too_large")
        began = time.monotonic()
        client.settimeout(0.2)
        while running.open_connections():
            with contextlib.suppress(OSError):
                client.sendall(b"1\r\nx\r\n")
            assert time.monotonic() - began < 20, "it is read for ever"


@pytest.mark.parametrize("part", [b"x-a: " + b"b" * 65_000, b"0" * 65_000], ids=["trailer", "size"])
def test_what_frames_a_body_is_bounded_too(start: Starter, part: bytes) -> None:
    running = start()
    with running.connect() as client:
        client.sendall(request(content_length="", transfer_encoding="chunked"))
        if part.startswith(b"x"):
            client.sendall(b"0\r\n")
        assert pour(client, part, 2**28) < 2**26
        assert ended(client)


@pytest.mark.parametrize(
    ("framing", "body"),
    [
        ("chunked", b"zz\r\nx\r\n"),
        ("chunked", b"1\r\nxyz\r\n0\r\n\r\n"),
        ("chunked", b"-1\r\nx\r\n"),
        ("nonsense", b"x"),
    ],
)
def test_a_body_that_is_framed_wrongly_is_told_so(start: Starter, framing: str, body: bytes) -> None:
    running = start()
    for pause in (0.0, 0.1):  # with the head, and while the server waits for the body
        with running.connect() as client:
            client.sendall(request(content_length="", transfer_encoding=framing))
            time.sleep(pause)
            client.sendall(body)
            assert reply(client) == (400, "not_http")
            assert ended(client)


def test_trailers_count_as_headers(start: Starter) -> None:
    with start().connect() as client:
        client.sendall(request(content_length="", transfer_encoding="chunked"))
        client.sendall(b"0\r\n" + b"a: b\r\n" * 2_000 + b"\r\n")
        assert reply(client) == (431, "head_too_large")


def test_an_answer_before_the_whole_request_says_that_it_is_the_last(start: Starter) -> None:
    with start().connect() as client:
        client.sendall(request(authorization="", content_length="2"))
        head = answers(client, 1)[0]
        assert (head["status"], head["connection"]) == ("401", "close")
        client.sendall(b"{}")
        assert ended(client)


def test_a_refusal_keeps_the_connection_where_the_request_came_whole(start: Starter) -> None:
    with start().connect() as client:
        for _ in range(3):
            client.sendall(request(authorization="", content_length="2") + b"{}")
            head = answers(client, 1)[0]
            assert (head["status"], head.get("connection", "")) == ("401", "")


def test_a_body_of_tiny_chunks_is_refused_before_all_of_it_is_parsed(
    start: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed = []
    on_body = BoundedConnection.on_body
    monkeypatch.setattr(
        BoundedConnection, "on_body", lambda self, body: (parsed.append(body), on_body(self, body))[1]
    )
    with start().connect() as client:
        client.sendall(request(content_length="", transfer_encoding="chunked"))
        with contextlib.suppress(OSError):
            client.sendall(b"1\r\nx\r\n" * 40_000)
        assert ended(client)
    assert len(parsed) < 1_200


@pytest.mark.parametrize(("size", "count"), [(1, 1_000), (64, 5_000)])
def test_chunks_as_honest_clients_send_them_are_read(start: Starter, size: int, count: int) -> None:
    with start().connect() as client:
        client.sendall(request(content_length="", transfer_encoding="chunked"))
        client.sendall((b"%x\r\n%s\r\n" % (size, b"x" * size)) * count + b"0\r\n\r\n")
        assert reply(client) == (200, "")


def test_a_body_that_is_being_read_counts_as_in_flight(start: Starter, until: Any) -> None:
    running = start()
    with running.connect() as client:
        client.sendall(request(content_length="10") + b"12345")
        until(lambda: running.guards.in_flight == 1)
        client.sendall(b"67890")
        assert reply(client) == (200, "")
        until(lambda: running.guards.in_flight == 0)


def test_half_of_the_places_are_kept_from_bodies_that_are_being_sent(start: Starter, until: Any) -> None:
    running = start(max_in_flight=4)
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(running.connect()) for _ in range(3)]
        for number, client in enumerate(clients[:2], start=1):
            client.sendall(request(content_length="10"))
            until(lambda number=number: running.guards.in_flight == number)
        clients[2].sendall(request(content_length="10"))
        assert reply(clients[2]) == (503, "busy")
        with running.connect() as other:
            other.sendall(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n")
            assert reply(other) == (200, "")


def test_bodies_of_all_requests_together_are_bounded_and_given_back(start: Starter, until: Any) -> None:
    running = start(max_body_bytes=8_192, max_bodies_bytes=12_000)
    with running.connect() as one, running.connect() as two:
        one.sendall(request(content_length="8000") + b"x" * 7_000)
        until(lambda: running.guards._bodies.bytes == 7_000)
        two.sendall(request(content_length="8000") + b"x" * 8_000)
        assert reply(two) == (503, "busy")
        one.sendall(b"x" * 1_000)
        assert reply(one) == (200, "")
        until(lambda: running.guards._bodies.bytes == 0)
    with running.connect() as two:
        two.sendall(request(content_length="8000") + b"x" * 8_000)
        assert reply(two) == (200, "")


def test_a_body_slower_than_the_least_rate_is_given_up(
    start: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("synthesis.serving.bodies.GRACE_SECONDS", 0.3)
    running = start(min_bytes_per_second=1_000)
    with running.connect() as client:
        client.sendall(request(content_length="100000"))
        with contextlib.suppress(ConnectionError):
            for _ in range(20):
                client.sendall(b"x")
                time.sleep(0.05)
        assert reply(client) == (408, "too_slow")


def test_a_client_that_reads_nothing_is_cut_and_others_are_served(start: Starter, until: Any) -> None:
    running = start(write_seconds=0.5)
    with running.connect() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        client.sendall(
            b"GET /large HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer secret-token\r\n\r\n"
        )
        with running.connect() as other:
            other.sendall(request())
            assert reply(other) == (200, "")
        until(lambda: running.open_connections() == 0)


def test_a_client_that_reads_at_its_own_pace_gets_everything(start: Starter) -> None:
    running = start(write_seconds=0.2, min_bytes_per_second=1_000)
    with running.connect() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        client.sendall(
            b"GET /large HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer secret-token\r\n"
            b"connection: close\r\n\r\n"
        )
        size = 0
        while part := client.recv(65_536):
            size += len(part)
            time.sleep(0.005)
    assert size > 2**24


def test_a_client_that_asks_on_and_on_is_measured_anew_with_each_answer(start: Starter) -> None:
    running = start(write_seconds=0.5)
    with running.connect() as client:
        client.sendall(request())
        assert reply(client) == (200, "")
        connection = next(iter(running.server.server_state.connections))
        connection._unsent = (0.0, 10)
        client.sendall(request())
        assert reply(client) == (200, "")
        assert connection._unsent is None


def test_answers_that_nobody_takes_are_bounded_together(start: Starter, until: Any) -> None:
    running = start(max_unsent_bytes=2**25)
    wanted = b"GET /large HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer secret-token\r\n\r\n"
    with contextlib.ExitStack() as stack:
        for _ in range(8):
            client = stack.enter_context(running.connect())
            client.sendall(wanted)
        until(lambda: running.app.served == 8)
        until(lambda: 1 <= running.open_connections() <= 4)


def test_requests_piled_up_on_one_connection_are_cut(start: Starter) -> None:
    running = start()
    with running.connect() as client:
        pour(client, request() * 1_000, 2**22)
        assert ended(client)
    assert running.app.served < 1_000


def test_requests_beyond_what_may_wait_are_refused_after_the_answers_to_the_others(start: Starter) -> None:
    with start().connect() as client:
        client.sendall(request() * 100)
        statuses = [head["status"] for head in answers(client, 100)]
        assert set(statuses[:-1]) == {"200"}
        assert statuses[-1] == "429"
        assert len(statuses) >= MOST_PIPELINED
        assert ended(client)


def test_rubbish_behind_a_request_is_refused_after_its_answer(start: Starter) -> None:
    with start().connect() as client:
        client.sendall(request() * 3 + b"rubbish\r\n\r\n")
        assert [head["status"] for head in answers(client, 9)] == ["200"] * 3 + ["400"]
        assert ended(client)


def test_idle_connections_make_room_for_a_request(start: Starter, until: Any) -> None:
    running = start(max_connections=40)
    with contextlib.ExitStack() as stack:
        for _ in range(120):
            stack.enter_context(running.connect())
        client = stack.enter_context(running.connect())
        client.sendall(request())
        assert reply(client) == (200, "")
        until(lambda: running.open_connections() <= 40)
