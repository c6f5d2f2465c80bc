"""Direct call: the plain form of MCP's `tools/call`, read and answered without a session of the SDK.

The SDK makes a transport, two tasks and four streams for every request of a stateless server, which take
longer than the call. So the one request that comes again and again is read here, as far as it has nothing but
a tool's name and arguments in it; whatever else a request holds, or does not hold, is the SDK's to judge.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import mcp_types as types
import pydantic_core
from starlette.responses import Response
from starlette.types import Message, Receive

_VERSIONS = frozenset({b"2025-06-18", b"2025-11-25"})
"""Of the protocol, those whose results are written as here."""
_JSON = b"application/json"
_ACCEPT, _CONTENT_TYPE, _VERSION = b"accept", b"content-type", b"mcp-protocol-version"
_READ = frozenset({_ACCEPT, _CONTENT_TYPE, _VERSION})
_OTHERS = frozenset({b"mcp-session-id", b"last-event-id", b"content-encoding"})
_REQUEST = frozenset({"jsonrpc", "id", "method", "params"})
_PARAMS = frozenset({"name", "arguments"})


class DirectCall(NamedTuple):
    """One tool call with the id that its answer repeats."""

    id: int | str
    name: str
    arguments: dict[str, Any]

    def response(self, result: types.CallToolResult) -> Response:
        """The answer that holds a result."""
        fields = result.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"result_type"})
        return self._response("result", fields)

    def error(self, message: str) -> Response:
        """The answer that the call could not be made."""
        return self._response("error", {"code": types.INTERNAL_ERROR, "message": message})

    def _response(self, kind: str, value: Any) -> Response:
        body = pydantic_core.to_json({"jsonrpc": "2.0", "id": self.id, kind: value})
        return Response(body, media_type="application/json")


def has_plain_headers(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether the headers of a POST are those of a client that takes JSON and speaks a known version."""
    read: dict[bytes, bytes] = {}
    for name, value in headers:
        if name in _OTHERS or name in read:
            return False
        if name in _READ:
            read[name] = value
    accepted = (part.strip() for part in read.get(_ACCEPT, b"").split(b","))
    return read.get(_VERSION) in _VERSIONS and read.get(_CONTENT_TYPE) == _JSON and _JSON in accepted


def direct_call(body: bytes) -> DirectCall | None:
    """The call that a body holds; None where it holds anything else."""
    try:
        request = pydantic_core.from_json(body)
    except ValueError:
        return None
    if type(request) is not dict or request.keys() != _REQUEST:
        return None
    params, id = request["params"], request["id"]
    if request["jsonrpc"] != "2.0" or request["method"] != "tools/call" or type(id) not in (int, str):
        return None
    if type(params) is not dict or not params.keys() <= _PARAMS:
        return None
    name, arguments = params.get("name"), params.get("arguments", {})
    return DirectCall(id, name, arguments) if type(name) is str and type(arguments) is dict else None


async def whole_body(receive: Receive) -> tuple[bytes, Receive]:
    """The body of a request, and what gives the same body again."""
    messages: list[Message] = []
    while True:
        messages.append(await receive())
        if messages[-1]["type"] != "http.request" or not messages[-1].get("more_body"):
            break
    body = b"".join(message.get("body", b"") for message in messages)

    async def again() -> Message:
        return messages.pop(0) if messages else await receive()

    return body, again
