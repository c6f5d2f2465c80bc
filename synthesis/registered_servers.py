"""Registered servers: instances on whichever server of worlds a studio chooses.

    with RegisteredServers("https://studio.example", studio_token) as servers:
        with servers.open("clinic_front_desk", task="read_total_owed") as instance:
            give_an_agent(instance.mcp_url)

The studio names the least loaded server that serves exactly that environment; the instance is opened there,
and nothing of it passes through the studio. A server that does not answer, or answers with another
environment than the studio said, is avoided and the studio is asked again.
"""

from __future__ import annotations

import contextlib
import time
from typing import Any, Self

import httpx

from synthesis.adapters.client import Client, RemoteInstance, RequestRejected, ServerFailed
from synthesis.documents.document import Document
from synthesis.errors import WorldwrightError

_RETRY_SECONDS = 0.5


class ChosenServer(Document):
    """Where the studio sends the next instance."""

    server: int
    name: str
    address: str
    environment: str
    environment_fingerprint: str


class RegisteredServers:
    """The servers that a studio knows, for one thread at a time.

    Args:
        studio: The studio's address.
        token: A token of the studio with the scope serve.
        server_token: What the servers of worlds ask for, if they ask for one; all of them the same.
        seconds: How long an answer may take.
        transport: Another way to reach the studio, for tests.
    """

    def __init__(
        self,
        studio: str,
        token: str,
        *,
        server_token: str | None = None,
        seconds: float = 60,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        self._studio = httpx.Client(base_url=studio, headers=headers, timeout=seconds, transport=transport)
        self._server_token, self._seconds = server_token, seconds
        self._clients: dict[str, Client] = {}

    def open(
        self,
        environment: str,
        *,
        fingerprint: str | None = None,
        task: str | None = None,
        seed: int = 0,
        patience: float = 0,
    ) -> RemoteInstance:
        """A fresh instance on the least loaded server.

        Args:
            environment: Its name in the studio.
            fingerprint: Of one of its revisions; None for the current one.
            task: The task it is for.
            seed: Of its random numbers.
            patience: How many seconds to wait where every server is full or away.

        Raises:
            ServerFailed: Every server is full or failed, or the studio did.
            RequestRejected: The studio knows no such environment or no server for it, or the server no task.
        """
        until = time.monotonic() + patience
        avoided: list[int] = []
        while True:
            try:
                chosen = self._choose(environment, fingerprint, avoided)
            except ServerFailed:
                if time.monotonic() >= until:
                    raise
                time.sleep(min(_RETRY_SECONDS, max(0.0, until - time.monotonic())))
                avoided.clear()
                continue
            instance = self._opened(chosen, task, seed)
            if instance is not None:
                return instance
            avoided.append(chosen.server)

    def _opened(self, chosen: ChosenServer, task: str | None, seed: int) -> RemoteInstance | None:
        """An instance on that server; None where it is full, failed or has another environment."""
        try:
            instance = self._client(chosen.address).open(environment=chosen.environment, task=task, seed=seed)
        except ServerFailed:
            return None
        if instance.details.environment_fingerprint == chosen.environment_fingerprint:
            return instance
        with contextlib.suppress(WorldwrightError):
            instance.close()
        return None

    def _client(self, address: str) -> Client:
        if address not in self._clients:
            self._clients[address] = Client(address, token=self._server_token, seconds=self._seconds)
        return self._clients[address]

    def _choose(self, environment: str, fingerprint: str | None, avoided: list[int]) -> ChosenServer:
        body = {"environment": environment, "fingerprint": fingerprint, "avoid": avoided}
        try:
            answer = self._studio.post("/api/world-servers/placements", json=body)
        except httpx.TransportError as error:
            raise ServerFailed(f"The studio cannot be reached: {error}.", code="unreachable") from error
        if answer.is_success:
            details: dict[str, Any] = answer.json()
            return ChosenServer(environment_fingerprint=details.pop("fingerprint"), **details)
        message, code = _problem(answer)
        if answer.status_code >= 500:
            raise ServerFailed(message, code=code)
        raise RequestRejected(message, code=code, status=answer.status_code)

    def close(self) -> None:
        """Close all connections. Instances go on."""
        self._studio.close()
        for client in self._clients.values():
            client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _problem(answer: httpx.Response) -> tuple[str, str]:
    """Message with remedy, and kind, of a studio's refusal."""
    try:
        problem = answer.json()
        return f"{problem['message']} {problem['remedy']}".strip(), str(problem["error"])
    except (ValueError, KeyError, TypeError):
        return f"{answer.status_code} from the studio.", "http"
