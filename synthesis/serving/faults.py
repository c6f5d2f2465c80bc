"""Faults: how every error of the engine is told to a client, one table."""

from __future__ import annotations

from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from synthesis.errors import (
    BrokenEnvironment,
    CapacityExhausted,
    InstanceClosed,
    InvalidInput,
    SandboxError,
    UnknownName,
    WorldwrightError,
)


class RequestRefused(WorldwrightError):
    """A request the server does not serve.

    Args:
        status: HTTP status.
        code: One word for programs.
        message: What was wrong and what to do, for people.
        retry_after: Seconds after which another try is sensible.
    """

    def __init__(self, status: int, code: str, message: str, *, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.retry_after = status, code, retry_after


_STATUS: tuple[tuple[type[WorldwrightError], int, str], ...] = (
    (UnknownName, 404, "unknown_name"),
    (InvalidInput, 422, "invalid_input"),
    (InstanceClosed, 404, "unknown_instance"),
    (CapacityExhausted, 503, "capacity"),
    (BrokenEnvironment, 500, "broken_environment"),
    (SandboxError, 500, "sandbox"),
    (WorldwrightError, 500, "internal"),
)
"""The first type that fits decides."""


def refusal_of(error: WorldwrightError) -> RequestRefused:
    """The refusal by which a client learns of an error."""
    if isinstance(error, RequestRefused):
        return error
    status, code = next((status, code) for type_, status, code in _STATUS if isinstance(error, type_))
    return RequestRefused(status, code, str(error), retry_after=5 if status == 503 else None)


def fault(refused: RequestRefused) -> Response:
    """The response that says it: ``{"error": {"code", "message"}}``."""
    headers = {} if refused.retry_after is None else {"Retry-After": str(refused.retry_after)}
    if refused.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return answer({"error": {"code": refused.code, "message": str(refused)}}, refused.status, headers)


def answer(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A JSON response."""
    return Response(orjson.dumps(value), status, headers, media_type="application/json")


async def on_error(_: Request, error: Exception) -> Response:
    """Starlette's exception handler for `WorldwrightError`."""
    assert isinstance(error, WorldwrightError)
    return fault(refusal_of(error))


async def on_crash(_: Request, error: Exception) -> Response:
    """The answer to a mistake of ours; Starlette raises the error again, so that the log has it."""
    return fault(RequestRefused(500, "internal", f"The server failed ({type(error).__name__}); see its log."))
