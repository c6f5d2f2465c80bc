"""An OpenID Connect provider, which runs here as a process of its own, and settings that name it."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

import httpx
import pytest
from django.conf import settings as configured
from django.core.cache import cache
from pydantic import SecretStr

from studio.identity_provider import provider_settings


class Provider:
    """A provider and the people it knows."""

    def __init__(self, address: str, client: httpx.Client) -> None:
        self.address, self.client = address, client

    def knows(self, subject: str, **claims: Any) -> None:
        self.client.put(f"{self.address}/users/{subject}", json=claims).raise_for_status()

    def approves(self, asked: str, subject: str) -> str:
        """Where it sends somebody back to who signs in there."""
        answer = self.client.post(asked, data={"sub": subject})
        assert answer.status_code == 302, answer.text
        return answer.headers["location"]


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "oidc_provider_mock", "--port", str(port)], stderr=subprocess.DEVNULL
    )
    address = f"http://127.0.0.1:{port}"
    until = time.monotonic() + 60
    try:
        with httpx.Client() as client:
            while time.monotonic() < until and process.poll() is None:
                with suppress(httpx.HTTPError):
                    client.get(f"{address}/.well-known/openid-configuration").raise_for_status()
                    break
                time.sleep(0.1)
            else:
                pytest.fail(f"The provider does not answer at {address}; its process: {process.poll()}")
            yield Provider(address, client)
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def configure(settings, db):
    """Describes the provider in the settings, as the environment would."""

    def describe(**variables: Any) -> None:
        given = {f"oidc_{name}": value for name, value in variables.items()}
        described = configured.WORLDWRIGHT.model_copy(update=given)
        settings.WORLDWRIGHT = described
        settings.SOCIALACCOUNT_PROVIDERS = provider_settings(described)
        cache.clear()

    return describe


@pytest.fixture
def offered(provider, configure):
    """The same with what every studio has to say of a provider."""

    def describe(**variables: Any) -> None:
        configure(
            **{
                "issuer": provider.address,
                "client_id": "studio",
                "client_secret": SecretStr("s3"),
                "name": "Example",
            }
            | variables
        )

    describe()
    return describe
