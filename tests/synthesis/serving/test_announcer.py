"""The announcer against a small studio: what it sends, what it does when it is refused."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from synthesis.cli.command_line import main
from synthesis.documents.bundle import Bundle
from synthesis.documents.environment import Environment
from synthesis.errors import InvalidInput
from synthesis.serving.announcer import Announcer

Until = Callable[[Callable[[], bool]], None]
SANDBOX = {"mode": "sealed", "layers": [{"name": "seccomp", "in_force": True, "detail": "not told"}]}
REGISTERED = {"id": 7, "session": "s1", "heartbeat_seconds": 0.1}


class SmallStudio:
    """Answers what it is told to, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any], str]] = []
        self.answers: dict[str, tuple[int, Any, dict[str, str]]] = {}
        studio = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                studio.asked.append((self.path, body, self.headers.get("Authorization", "")))
                status, answer, headers = studio.answers.get(self.path, (204, None, {}))
                content = b"" if answer is None else json.dumps(answer).encode()
                self.send_response(status)
                for name, value in {"Content-Length": str(len(content)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def do_GET(self) -> None:
                studio.asked.append((self.path, {}, self.headers.get("Authorization", "")))
                content = json.dumps({"status": "ok", "instances": 3, "max_instances": 9}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                """Nothing."""

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(
            target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()

    def bodies(self, path: str) -> list[dict[str, Any]]:
        return [body for asked, body, _ in self.asked if asked == path]


@pytest.fixture
def studio() -> Iterator[SmallStudio]:
    small = SmallStudio()
    small.answers["/api/world-servers"] = (201, REGISTERED, {})
    yield small
    small.server.shutdown()
    small.server.server_close()


@pytest.fixture
def announce(studio: SmallStudio, clinic: Environment) -> Iterator[Callable[[str], Announcer]]:
    """Announces a server whose own /health is at an address."""
    running: list[Announcer] = []

    def begin(listening: str) -> Announcer:
        announcer = Announcer(studio.url, "secret-token", name="first", capacity=9, sandbox=SANDBOX)
        announcer.begin(listening, "http://worlds.example", {clinic.name: Bundle(environment=clinic)})
        running.append(announcer)
        return announcer

    yield begin
    for announcer in running:
        announcer.close()


def test_it_registers_tells_the_load_and_leaves(
    studio: SmallStudio, announce: Callable[[str], Announcer], clinic: Environment, until: Until
) -> None:
    announcer = announce(studio.url)
    until(lambda: len(studio.bodies("/api/world-servers/7/heartbeat")) >= 2)
    (described,) = studio.bodies("/api/world-servers")
    assert described["bundles"] == {clinic.name: clinic.fingerprint}
    assert (described["name"], described["address"]) == ("first", "http://worlds.example")
    assert described["sandbox"] == {"mode": "sealed", "layers": {"seccomp": True}}
    sign = {"session": "s1", "healthy": True, "instances": 3, "capacity": 9}
    assert studio.bodies("/api/world-servers/7/heartbeat")[0] == sign
    announcer.close()
    assert studio.asked[-1][:2] == ("/api/world-servers/7/leave", {"session": "s1"})
    tokens = {path: token for path, _, token in studio.asked}
    assert tokens.pop("/health") == ""
    assert set(tokens.values()) == {"Bearer secret-token"}


def test_a_server_that_does_not_answer_is_told_as_unhealthy(
    studio: SmallStudio, announce: Callable[[str], Announcer], until: Until
) -> None:
    announce("http://127.0.0.1:9")
    until(lambda: bool(studio.bodies("/api/world-servers/7/heartbeat")))
    assert studio.bodies("/api/world-servers/7/heartbeat")[0]["healthy"] is False


def test_a_forgotten_server_registers_again(
    studio: SmallStudio, announce: Callable[[str], Announcer], until: Until
) -> None:
    studio.answers["/api/world-servers/7/heartbeat"] = (404, {"message": "Gone.", "remedy": ""}, {})
    announce(studio.url)
    until(lambda: len(studio.bodies("/api/world-servers")) >= 2)


def test_a_server_whose_name_another_process_has_ends_its_announcements(
    studio: SmallStudio,
    announce: Callable[[str], Announcer],
    until: Until,
    caplog: pytest.LogCaptureFixture,
) -> None:
    problem = {"message": "Another process\nhas the name.", "remedy": "Choose\x1b[2J another."}
    studio.answers["/api/world-servers/7/heartbeat"] = (409, problem, {})
    announcer = announce(studio.url)
    until(lambda: "no longer announced" in caplog.text)
    assert "Another process has the name. Choose [2J another." in caplog.text
    announcer.close()
    assert [path for path, *_ in studio.asked if path.startswith("/api")] == [
        "/api/world-servers",
        "/api/world-servers/7/heartbeat",
    ]


def test_the_token_follows_no_redirect(
    studio: SmallStudio,
    announce: Callable[[str], Announcer],
    until: Until,
    caplog: pytest.LogCaptureFixture,
) -> None:
    elsewhere = SmallStudio()
    studio.answers["/api/world-servers"] = (302, None, {"Location": f"{elsewhere.url}/take"})
    announce(studio.url)
    until(lambda: "The studio refuses this server: it answers 302" in caplog.text)
    elsewhere.server.shutdown()
    elsewhere.server.server_close()
    assert elsewhere.asked == []
    assert "secret-token" not in caplog.text


@pytest.mark.parametrize(
    "address",
    ["", "studio.example", "ftp://studio.example", "http://", "http://a:b@studio.example", "http://s/?a"],
)
def test_an_address_that_is_no_studio_is_refused(address: str) -> None:
    with pytest.raises(InvalidInput, match="--register"):
        Announcer(address, "secret-token", capacity=1, sandbox=SANDBOX)


def test_options_that_cannot_be_are_refused_before_anything_is_served(
    clinic_path: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    register = ["serve", str(clinic_path), "--port", "0", "--register", "http://localhost:1"]
    monkeypatch.delenv("WORLDWRIGHT_STUDIO_TOKEN", raising=False)
    assert main(register) != 0
    assert "WORLDWRIGHT_STUDIO_TOKEN" in capsys.readouterr().err
    monkeypatch.setenv("WORLDWRIGHT_STUDIO_TOKEN", "secret-token")
    assert main([*register, "--host", "0.0.0.0"]) != 0
    assert "--public-url" in capsys.readouterr().err
    assert main(["serve", str(clinic_path), "--register-name", "first"]) != 0
    assert "--register-name needs --register" in capsys.readouterr().err
