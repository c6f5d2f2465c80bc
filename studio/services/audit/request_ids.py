"""The id of the request at hand: in its answer, in every line of the log, in the audit trail."""

from __future__ import annotations

import re
import secrets

import structlog

HEADER = "X-Request-ID"
_USABLE = re.compile(r"[A-Za-z0-9_-]{8,64}")


def begin(sent: str) -> str:
    """Bind an id to what follows.

    Args:
        sent: What the client or a proxy sent; another is made when it cannot be used.

    Returns:
        The id.
    """
    request_id = sent if _USABLE.fullmatch(sent) else secrets.token_hex(8)
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(request_id=request_id)
    return request_id


def current() -> str | None:
    """The id of the request at hand; None in a worker or a command."""
    value = structlog.contextvars.get_contextvars().get("request_id")
    return value if isinstance(value, str) else None
