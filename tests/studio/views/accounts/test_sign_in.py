"""Wrong passwords are throttled by name and address together, behind proxies by what the proxy saw."""

from __future__ import annotations

import pytest
from django.conf import settings as configured
from django.test import Client, RequestFactory

from studio.services.accounts.remote_address import remote_address

WRONG = {"username": "vera", "password": "wrong"}
RIGHT = {"username": "vera", "password": "vera-secret"}


@pytest.fixture
def throttled(settings) -> None:
    settings.AXES_ENABLED = True
    settings.AXES_FAILURE_LIMIT = 3


@pytest.mark.parametrize("path", ["/sign-in/", "/session/"])
def test_a_name_waits_after_too_many_wrong_passwords(path, throttled, viewer, lead):
    client = Client()
    answers = [client.post(path, WRONG).status_code for _ in range(3)]
    assert answers == [200, 200, 429]
    refused = client.post(path, RIGHT)
    assert refused.status_code == 429
    assert "too many wrong passwords" in refused.content.decode()
    assert refused["Retry-After"] == "900"
    other_name = client.post(path, {"username": "lena", "password": "lena-secret"})
    assert other_name.status_code in (204, 302)
    assert Client(REMOTE_ADDR="10.0.0.9").post(path, RIGHT).status_code in (204, 302)


def test_the_right_password_forgives_the_wrong_ones(throttled, viewer):
    client = Client()
    for _ in range(3):
        client.post("/sign-in/", WRONG)
        client.post("/sign-in/", WRONG)
        assert client.post("/sign-in/", RIGHT).status_code == 302
        client.post("/sign-out/")


@pytest.mark.parametrize(
    ("proxies", "forwarded", "expected"),
    [
        (0, "6.6.6.6", "127.0.0.1"),
        (1, "6.6.6.6, 203.0.113.7", "203.0.113.7"),
        (2, "6.6.6.6, 203.0.113.7, 10.0.0.1", "203.0.113.7"),
        (2, "203.0.113.7", "127.0.0.1"),
        (1, "2001:db8::1", "2001:db8::1"),
        (1, "<script>", "127.0.0.1"),
    ],
)
def test_only_what_a_proxy_of_ours_saw_is_believed(proxies, forwarded, expected, settings):
    settings.WORLDWRIGHT = configured.WORLDWRIGHT.model_copy(update={"proxies": proxies})
    request = RequestFactory().get("/", headers={"x-forwarded-for": forwarded})
    assert remote_address(request) == expected
