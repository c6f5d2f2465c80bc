"""Addresses that a server may call itself reachable under."""

from __future__ import annotations

import pytest

from studio.services.world_servers.addresses import checked
from synthesis.errors import InvalidInput


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("http://10.0.0.7:8848", "http://10.0.0.7:8848"),
        ("http://127.0.0.1:8848/", "http://127.0.0.1:8848"),
        ("https://worlds.example/first-host/", "https://worlds.example/first-host"),
        ("http://worlds_1:8848", "http://worlds_1:8848"),
        ("http://[fd00::7]:8848", "http://[fd00::7]:8848"),
    ],
)
def test_addresses_of_servers_are_taken(given: str, stored: str) -> None:
    assert checked(given) == stored


@pytest.mark.parametrize(
    "address",
    [
        "",
        "worlds.example",
        "//worlds.example",
        "ftp://worlds.example",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "http://",
        "http://user@worlds.example",
        "http://user:secret@worlds.example",
        "http://@worlds.example",
        "http://worlds.example?next=1",
        "http://worlds.example/?",
        "http://worlds.example/#x",
        "http://worlds.example/a/../b",
        "http://worlds.example//b",
        "http://worlds.example/%2e%2e",
        "http://worlds.example\\@evil.example",
        "http://worlds.example /a",
        "http://worlds.example/\n",
        "http://worlds.example:port",
        "http://worlds.example:99999",
        "http://worlds.example:0",
        "http://w\u00f6rlds.example",
        "http://worlds.example/\u202e",
        "http://<script>",
        "http://0.0.0.0:8848",
        "http://[::]:8848",
        "http://169.254.169.254",
        "http://[fe80::1]:8848",
        "http://[::ffff:169.254.169.254]",
        "http://224.0.0.1",
        "http://2852039166",
        "http://0xa9fea9fe",
        "http://169.254.43518",
        "http://worlds..example",
        "http://-worlds.example",
        "http://" + "a" * 300,
    ],
)
def test_what_no_trainer_can_be_sent_to_is_refused(address: str) -> None:
    with pytest.raises(InvalidInput, match=r"^address: "):
        checked(address)
