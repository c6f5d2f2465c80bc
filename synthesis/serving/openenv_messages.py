"""OpenEnv messages: what a session is sent and what it answers, the same over a WebSocket and over HTTP.

    {"type": "reset" | "step" | "state" | "mcp", "data"}
        ->  {"type": "observation" | "state" | "mcp" | "error", "data"}

An error says in `code` whether the message was wrong (VALIDATION_ERROR, UNKNOWN_TYPE, INVALID_JSON) or
something failed here (EXECUTION_ERROR, CAPACITY_REACHED, SESSION_ERROR); it never carries a reward.
"""

from __future__ import annotations

from typing import Any

import orjson
from pydantic import ValidationError

from synthesis.errors import WorldwrightError
from synthesis.serving.bodies import MOST_BRACKETS
from synthesis.serving.faults import RequestRefused, refusal_of
from synthesis.serving.json_endpoint import invalid_field
from synthesis.serving.openenv_session import OpenEnvSession
from synthesis.serving.openenv_tasks import ResetData
from synthesis.worlds.sandbox.protocol import UNCOUNTED_BYTES, brackets_in

Message = dict[str, Any]

RELAY = "worldwright.relay"
"""Where a scope has what answers the messages of a session that another process has."""

INVALID_PARAMS, METHOD_NOT_FOUND, INVALID_REQUEST, SERVER_ERROR = -32602, -32601, -32600, -32000
_CODES = {"capacity": "CAPACITY_REACHED", "stopping": "CAPACITY_REACHED", "unknown_instance": "SESSION_ERROR"}


class MalformedMessage(ValueError):
    """A text that is no message; the argument is OpenEnv's code for it, then why."""


def read_message(text: str) -> Message:
    """A message from its text.

    Raises:
        MalformedMessage: It is no JSON object, or nests too much.
    """
    content = text.encode()
    if len(content) > UNCOUNTED_BYTES and brackets_in(content) > MOST_BRACKETS:
        raise MalformedMessage("VALIDATION_ERROR", f"A message may open {MOST_BRACKETS:,} lists and objects.")
    try:
        message = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise MalformedMessage("INVALID_JSON", f"The message is not JSON: {error}.") from error
    if not isinstance(message, dict):
        raise MalformedMessage("VALIDATION_ERROR", 'A message is an object: {"type": "...", "data": {...}}.')
    return message


async def answer_message(session: OpenEnvSession, message: Message) -> Message:
    """What a session answers; errors are answers."""
    async with session.turn:
        try:
            return await _answer(session, message)
        except WorldwrightError as error:
            refused = refusal_of(error)
            wrong = "VALIDATION_ERROR" if refused.status < 500 else "EXECUTION_ERROR"
            return failed(_CODES.get(refused.code, wrong), str(error), cause=refused.code)


async def _answer(session: OpenEnvSession, message: Message) -> Message:
    data = message.get("data", {})
    if not isinstance(data, dict):
        raise RequestRefused(422, "invalid_input", "data: Input should be an object.")
    match message.get("type"):
        case "reset":
            return {"type": "observation", "data": await session.reset(_reset_data(data))}
        case "step":
            return {"type": "observation", "data": await session.step(data)}
        case "state":
            return {"type": "state", "data": session.state()}
        case "mcp":
            return {"type": "mcp", "data": await answer_rpc(session, data)}
        case other:
            text = f"There is no message type {str(other)[:80]!r}. Types: reset, step, state, mcp, close."
            return failed("UNKNOWN_TYPE", text)


def _reset_data(data: Message) -> ResetData:
    try:
        return ResetData.model_validate(data)
    except ValidationError as error:
        raise RequestRefused(422, "invalid_input", invalid_field(error, ResetData.model_fields)) from error


async def answer_rpc(session: OpenEnvSession, request: Message) -> Message:
    """What a JSON-RPC request for tools is answered."""
    id, params = request.get("id"), request.get("params") or {}
    if not isinstance(params, dict):
        return rpc_error(id, INVALID_PARAMS, "params: Input should be an object.")
    match request.get("method"):
        case "tools/list":
            return {"jsonrpc": "2.0", "id": id, "result": {"tools": session.tools()}}
        case "tools/call":
            return await _rpc_call(session, id, params)
        case other:
            return rpc_error(id, METHOD_NOT_FOUND, f"Method not found: {str(other)[:80]}")


async def _rpc_call(session: OpenEnvSession, id: Any, params: Message) -> Message:
    name, arguments = params.get("name"), params.get("arguments") or {}
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return rpc_error(id, INVALID_PARAMS, "tools/call takes name and arguments: a text and an object.")
    try:
        result = await session.result(name, arguments)
    except WorldwrightError as error:
        refused = refusal_of(error)
        return rpc_error(
            id, SERVER_ERROR, str(error), infrastructure=refused.status >= 500, code=refused.code
        )
    if result.status in ("invalid_arguments", "unknown_tool"):
        return rpc_error(id, INVALID_PARAMS, result.message, status=result.status)
    return {
        "jsonrpc": "2.0",
        "id": id,
        "result": {"data": result.observation(), "status": result.status, "is_error": not result.ok},
    }


def failed(code: str, text: str, *, cause: str = "") -> Message:
    """An error as OpenEnv's clients read it."""
    return {"type": "error", "data": {"message": text, "code": code, **({"cause": cause} if cause else {})}}


def rpc_error(id: Any, number: int, text: str, **data: Any) -> Message:
    """An error in JSON-RPC's shape."""
    return {"jsonrpc": "2.0", "id": id, "error": {"code": number, "message": text, "data": data or None}}
