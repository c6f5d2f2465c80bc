"""Client: a server's instances from another process or machine, typed, blocking or asynchronous.

    with Client("http://localhost:8848") as server, server.open(task="read_total_owed") as instance:
        result = instance.call("find_patients", name="Ilse")
        verdict = instance.verify("She owes 170.00.")

What an agent may hear is a result: a refusal too. What failed at the server or on the way is raised as
`ServerFailed` and is no outcome of a task; what the request itself got wrong is raised as `RequestRejected`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, Self

import anyio
import httpx
from pydantic import Field, JsonValue, TypeAdapter

from synthesis.documents.document import Document
from synthesis.documents.evidence import Utterance
from synthesis.documents.tools import Tool, ToolResult
from synthesis.documents.trajectory import FinalAnswer
from synthesis.documents.verdict import Unscored, Verdict
from synthesis.errors import WorldwrightError

_VERDICT: TypeAdapter[Verdict] = TypeAdapter(Verdict)
_RETRY_SECONDS = 1.0
Body = dict[str, Any] | None


class ServerFailed(WorldwrightError):
    """The server failed, is full, or cannot be reached: says nothing about an agent.

    Args:
        message: What happened.
        code: The server's word for it, "unreachable" where it did not answer.
        retry_after: Seconds after which another attempt is sensible.
    """

    def __init__(self, message: str, *, code: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.code, self.retry_after = code, retry_after


class RequestRejected(WorldwrightError):
    """The server does not serve this request.

    Args:
        message: What is wrong with it.
        code: The server's word for it.
        status: HTTP status.
    """

    def __init__(self, message: str, *, code: str, status: int) -> None:
        super().__init__(message)
        self.code, self.status = code, status


class ServedTask(Document):
    """A task as a server tells trainers of it."""

    id: str
    instruction: str
    kind: str
    difficulty: str | None = None
    split: Literal["train", "validation", "test"] | None = None
    max_steps: int


class InstanceDetails(Document):
    """A fresh instance: its addresses and what an agent is told."""

    id: str = Field(repr=False)
    """The trainer's credential, as paths name the instance."""
    instance: str = ""
    environment: str
    environment_fingerprint: str = Field(alias="fingerprint")
    url: str = Field(repr=False)
    """The trainer's address: it contains the trainer's credential."""
    mcp_url: str = Field(repr=False)
    """The agent's address: it contains the agent's credential."""
    credentials: dict[str, str | float] = Field(repr=False)
    seed: int
    task: ServedTask | None = None
    description: str
    clock: str
    actor: dict[str, JsonValue] | None = None
    policy: str | None = None
    answer: dict[str, JsonValue]


class Client:
    """A server, for one thread at a time.

    Args:
        url: Where it listens.
        token: Its bearer token, if it asks for one.
        seconds: How long an answer may take.
        transport: Another way to reach it, for tests.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        seconds: float = 60,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._http = httpx.Client(base_url=url, headers=_headers(token), timeout=seconds, transport=transport)

    def tools(self, environment: str | None = None) -> list[Tool]:
        """The tools of an environment; None names the only one."""
        return [Tool.model_validate(each) for each in self.ask("GET", "/tools", None, environment)]

    def tasks(self, environment: str | None = None, *, split: str | None = None) -> list[ServedTask]:
        """The tasks of an environment, or those of a split."""
        return _tasks(self.ask("GET", "/tasks", None, environment), split)

    def open(
        self,
        *,
        environment: str | None = None,
        task: str | None = None,
        seed: int = 0,
        patience: float = 0,
    ) -> RemoteInstance:
        """A fresh instance.

        Args:
            environment: Of which one; None names the only one.
            task: The task it is for.
            seed: Of its random numbers.
            patience: How many seconds to wait for a place where the server is full.

        Raises:
            ServerFailed: It is full or failed.
            RequestRejected: There is no such environment or task.
        """
        body = {"environment": environment, "task": task, "seed": seed}
        until = time.monotonic() + patience
        while True:
            try:
                return RemoteInstance(
                    self, InstanceDetails.model_validate(self.ask("POST", "/instances", body))
                )
            except ServerFailed as error:
                if (wait := _wait(error, until)) is None:
                    raise
                time.sleep(wait)

    def ask(self, method: str, path: str, body: Body = None, environment: str | None = None) -> Any:
        """One request and its answer as JSON; None where it has no body.

        Raises:
            ServerFailed: The server failed or cannot be reached.
            RequestRejected: It does not serve this.
        """
        try:
            return _read(self._http.request(method, path, json=body, params=_params(environment)))
        except httpx.TransportError as error:
            raise _unreachable(error) from error

    def close(self) -> None:
        """Close its connections. Instances go on."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class RemoteInstance:
    """One instance on a server. Leaving it as a context manager ends it."""

    def __init__(self, server: Client, details: InstanceDetails) -> None:
        self._server, self.details = server, details

    @property
    def mcp_url(self) -> str:
        """What an agent is given: it opens this instance's tools and nothing else."""
        return self.details.mcp_url

    def call(self, tool: str, /, **arguments: JsonValue) -> ToolResult:
        """Call a tool; what does not go through is a result."""
        return self.call_with(tool, arguments)

    def call_with(
        self, tool: str, arguments: Mapping[str, JsonValue], *, changes: bool = False
    ) -> ToolResult:
        """The same with the arguments as a mapping, and the rows it changed where they are asked for."""
        return ToolResult.model_validate(self._ask("POST", _call_path(changes), _call(tool, arguments)))

    def reset(self, *, task: str | None = None, seed: int | None = None) -> InstanceDetails:
        """Back to the start, with another task or seed if they are named; renews the addresses."""
        self.details = InstanceDetails.model_validate(
            self._ask("POST", "/reset", {"task": task, "seed": seed})
        )
        return self.details

    def verify(
        self, answer: str | FinalAnswer | None = None, *, conversation: Sequence[Utterance] = ()
    ) -> Verdict:
        """What the episode is worth; the instance goes on.

        Args:
            answer: The final answer; None for the one that was submitted.
            conversation: What was said, for verifiers that ask for it.
        """
        return _verdict(self._ask("POST", "/verify", _verification(answer, conversation)))

    def state_hash(self) -> str:
        """Hash of the whole state."""
        return str(self._ask("GET", "")["state_hash"])

    def close(self) -> None:
        """End it on the server."""
        self._ask("DELETE", "")

    def _ask(self, method: str, path: str, body: Body = None) -> Any:
        return self._server.ask(method, self.details.url + path, body)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncClient:
    """The same server for asynchronous code; the arguments are those of `Client`."""

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        seconds: float = 60,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._http = httpx.AsyncClient(
            base_url=url, headers=_headers(token), timeout=seconds, transport=transport
        )

    async def tools(self, environment: str | None = None) -> list[Tool]:
        """The tools of an environment; None names the only one."""
        return [Tool.model_validate(each) for each in await self.ask("GET", "/tools", None, environment)]

    async def tasks(self, environment: str | None = None, *, split: str | None = None) -> list[ServedTask]:
        """The tasks of an environment, or those of a split."""
        return _tasks(await self.ask("GET", "/tasks", None, environment), split)

    async def open(
        self,
        *,
        environment: str | None = None,
        task: str | None = None,
        seed: int = 0,
        patience: float = 0,
    ) -> AsyncRemoteInstance:
        """A fresh instance; see `Client.open`."""
        body = {"environment": environment, "task": task, "seed": seed}
        until = time.monotonic() + patience
        while True:
            try:
                details = InstanceDetails.model_validate(await self.ask("POST", "/instances", body))
                return AsyncRemoteInstance(self, details)
            except ServerFailed as error:
                if (wait := _wait(error, until)) is None:
                    raise
                await anyio.sleep(wait)

    async def ask(self, method: str, path: str, body: Body = None, environment: str | None = None) -> Any:
        """One request and its answer as JSON; see `Client.ask`."""
        try:
            return _read(await self._http.request(method, path, json=body, params=_params(environment)))
        except httpx.TransportError as error:
            raise _unreachable(error) from error

    async def close(self) -> None:
        """Close its connections. Instances go on."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class AsyncRemoteInstance:
    """One instance on a server, for asynchronous code; see `RemoteInstance`."""

    def __init__(self, server: AsyncClient, details: InstanceDetails) -> None:
        self._server, self.details = server, details

    @property
    def mcp_url(self) -> str:
        """What an agent is given: it opens this instance's tools and nothing else."""
        return self.details.mcp_url

    async def call(self, tool: str, /, **arguments: JsonValue) -> ToolResult:
        """Call a tool; what does not go through is a result."""
        return await self.call_with(tool, arguments)

    async def call_with(
        self, tool: str, arguments: Mapping[str, JsonValue], *, changes: bool = False
    ) -> ToolResult:
        """The same with the arguments as a mapping, and the rows it changed where they are asked for."""
        return ToolResult.model_validate(await self._ask("POST", _call_path(changes), _call(tool, arguments)))

    async def reset(self, *, task: str | None = None, seed: int | None = None) -> InstanceDetails:
        """Back to the start, with another task or seed if they are named; renews the addresses."""
        answer = await self._ask("POST", "/reset", {"task": task, "seed": seed})
        self.details = InstanceDetails.model_validate(answer)
        return self.details

    async def verify(
        self, answer: str | FinalAnswer | None = None, *, conversation: Sequence[Utterance] = ()
    ) -> Verdict:
        """What the episode is worth; the instance goes on."""
        return _verdict(await self._ask("POST", "/verify", _verification(answer, conversation)))

    async def state_hash(self) -> str:
        """Hash of the whole state."""
        return str((await self._ask("GET", ""))["state_hash"])

    async def close(self) -> None:
        """End it on the server."""
        await self._ask("DELETE", "")

    async def _ask(self, method: str, path: str, body: Body = None) -> Any:
        return await self._server.ask(method, self.details.url + path, body)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def _headers(token: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}


def _params(environment: str | None) -> dict[str, str] | None:
    return {"environment": environment} if environment else None


def _call(tool: str, arguments: Mapping[str, JsonValue]) -> dict[str, Any]:
    return {"name": tool, "arguments": dict(arguments)}


def _call_path(changes: bool) -> str:
    return "/call?changes=1" if changes else "/call"


def _verification(answer: str | FinalAnswer | None, conversation: Sequence[Utterance]) -> dict[str, Any]:
    given = answer.model_dump(mode="json") if isinstance(answer, FinalAnswer) else answer
    return {"answer": given, "conversation": [each.model_dump(mode="json") for each in conversation]}


def _verdict(answer: dict[str, Any]) -> Verdict:
    if answer.get("status") == "unscored":
        answer = {name: answer[name] for name in Unscored.model_fields if name in answer}
    return _VERDICT.validate_python(answer)


def _tasks(answer: list[dict[str, Any]], split: str | None) -> list[ServedTask]:
    tasks = [ServedTask.model_validate(each) for each in answer]
    return [task for task in tasks if split is None or task.split == split]


def _read(response: httpx.Response) -> Any:
    if response.is_success:
        return response.json() if response.content else None
    try:
        error = response.json()["error"]
        code, message = str(error["code"]), str(error["message"])
    except (ValueError, KeyError, TypeError):
        code, message = "http", f"{response.status_code} {response.reason_phrase} from {response.url.host}"
    if response.status_code >= 500 or response.status_code == 429:
        after = response.headers.get("retry-after", "")
        raise ServerFailed(message, code=code, retry_after=float(after) if after.isdigit() else None)
    raise RequestRejected(message, code=code, status=response.status_code)


def _unreachable(error: httpx.TransportError) -> ServerFailed:
    return ServerFailed(
        f"The server cannot be reached: {str(error) or type(error).__name__}.", code="unreachable"
    )


def _wait(error: ServerFailed, until: float) -> float | None:
    """How long to wait before another attempt; None where there is none."""
    left = until - time.monotonic()
    if error.retry_after is None or left <= 0:
        return None
    return min(_RETRY_SECONDS, error.retry_after, left)
