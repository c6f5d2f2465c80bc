"""World servers over the interface: who may, what is taken, what is told."""

from __future__ import annotations

import socketserver
import threading

import pytest
from auditlog.models import LogEntry

from studio.models import WorldServer

SERVER = {
    "name": "first",
    "address": "http://first:8848",
    "release": "0.1.0",
    "capacity": 4,
    "bundles": {"desk": "ab" * 32},
    "sandbox": {"mode": "sealed", "layers": {"seccomp": True, "landlock": False}},
}


@pytest.fixture
def server(stored):
    """A server of the stored environment as it describes itself."""
    return SERVER | {"bundles": {stored.name: stored.current.fingerprint}}


def test_a_server_registers_gives_signs_of_life_is_chosen_and_leaves(api, administrator, viewer, server):
    at, trainer = api(administrator), api(viewer)
    answer = at.post("/world-servers", server)
    assert answer.status_code == 201
    registered = answer.json()
    own = f"/world-servers/{registered['id']}"
    sign = {"session": registered["session"], "instances": 1, "capacity": 4, "healthy": True}
    assert at.post(f"{own}/heartbeat", sign).status_code == 204
    (name,) = server["bundles"]
    chosen = trainer.post("/world-servers/placements", {"environment": name})
    assert chosen.json() == {
        "server": registered["id"],
        "name": "first",
        "address": "http://first:8848",
        "environment": name,
        "fingerprint": server["bundles"][name],
    }
    (listed,) = trainer.get("/world-servers").json()["items"]
    assert (listed["state"], listed["instances"], listed["capacity"]) == ("ready", 1, 4)
    assert "session" not in listed
    assert at.post(f"{own}/leave", {"session": registered["session"]}).status_code == 204
    assert trainer.post("/world-servers/placements", {"environment": name}).status_code == 409
    assert at.post(f"{own}/heartbeat", sign).status_code == 404


def test_who_may_only_try_registers_no_server(api, lead, viewer, server):
    for person in (lead, viewer):
        answer = api(person).post("/world-servers", server)
        assert (answer.status_code, answer.json()["error"]) == (403, "Forbidden")


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "<script>"},
        {"name": "a b"},
        {"name": "first\u202e"},
        {"address": "http://user:secret@first"},
        {"address": "javascript:alert(1)"},
        {"release": "<b>1</b>"},
        {"capacity": -1},
        {"capacity": 2**40},
        {"bundles": {}},
        {"bundles": {"Desk<": "ab" * 32}},
        {"bundles": {"desk": "ab"}},
        {"sandbox": {"mode": "\u202e"}},
        {"sandbox": {"mode": "sealed", "layers": {"<i>": True}}},
    ],
    ids=str,
)
def test_what_a_hostile_server_says_of_itself_is_refused(api, administrator, server, wrong):
    answer = api(administrator).post("/world-servers", server | wrong)
    assert answer.status_code == 422
    assert "secret" not in answer.content.decode()
    assert not WorldServer.objects.exists()


def test_the_studio_opens_no_address_of_a_server(api, administrator, server):
    visitors = []

    class Note(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            visitors.append(self.client_address)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Note) as canary:
        threading.Thread(target=canary.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        address = f"http://127.0.0.1:{canary.server_address[1]}"
        at = api(administrator)
        registered = at.post("/world-servers", server | {"address": address}).json()
        own = f"/world-servers/{registered['id']}"
        sign = {"session": registered["session"], "instances": 0, "capacity": 4, "healthy": True}
        assert at.post(f"{own}/heartbeat", sign).status_code == 204
        chosen = at.post("/world-servers/placements", {"environment": next(iter(server["bundles"]))})
        assert chosen.json()["address"] == address
        assert at.get("/world-servers").status_code == 200
        assert at.post(f"{own}/leave", {"session": registered["session"]}).status_code == 204
        canary.shutdown()
    assert visitors == []


def test_signs_of_life_and_choices_do_not_fill_the_audit_trail(api, administrator, server):
    at = api(administrator)
    registered = at.post("/world-servers", server).json()
    entries = LogEntry.objects.count()
    sign = {"session": registered["session"], "instances": 0, "capacity": 4, "healthy": True}
    at.post(f"/world-servers/{registered['id']}/heartbeat", sign)
    at.post("/world-servers/placements", {"environment": next(iter(server["bundles"]))})
    assert LogEntry.objects.count() == entries
    at.post(f"/world-servers/{registered['id']}/leave", {"session": registered["session"]})
    assert LogEntry.objects.count() == entries + 1
