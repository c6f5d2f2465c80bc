"""Error reports: unexpected errors for Sentry; nothing where no project is configured.

What is sent is what is listed here: the type of an error, where in the code it came up, the pattern of the
log's line, and the ids of request and run. An error's own words, values of variables, lines of the log before
it and anything of the request stay here: they may hold rows of worlds, keys, or texts of people and models.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import structlog

from synthesis.serving.release import VERSION

if TYPE_CHECKING:
    from sentry_sdk.transport import Transport

_AS_IT_IS = ("event_id", "timestamp", "level", "platform", "release", "logger", "sdk")
_OF_A_FRAME = ("filename", "function", "module", "lineno", "in_app")
_OWN_LOGGERS = ("studio", "synthesis", "worldwright", "django.request")
"""Their lines are patterns in the code; others may be texts that were put together."""
_IDS = ("request_id", "run_id")


def begin(dsn: str, *, transport: Transport | None = None) -> None:
    """Report errors that are logged from now on.

    Args:
        dsn: Address of a project with its key; nothing is sent when empty.
        transport: Another way to send them, for tests.
    """
    if not dsn:
        return
    import sentry_sdk
    from sentry_sdk.integrations.logging import LoggingIntegration

    sentry_sdk.init(
        dsn=dsn,
        transport=transport,
        release=f"worldwright@{VERSION}",
        default_integrations=False,
        auto_enabling_integrations=False,
        integrations=[LoggingIntegration(level=None, event_level=logging.ERROR)],
        before_send=reported,  # type: ignore[arg-type]  # an event is a TypedDict
        include_local_variables=False,
        max_breadcrumbs=0,
        auto_session_tracking=False,
        send_client_reports=False,
    )


def reported(event: Mapping[str, Any], _hint: Mapping[str, Any]) -> dict[str, Any]:
    """What is sent of an event."""
    ids = structlog.contextvars.get_contextvars()
    sent = {name: event[name] for name in _AS_IT_IS if name in event}
    sent["tags"] = {name: str(ids[name]) for name in _IDS if name in ids}
    line = event.get("logentry") or {}
    if str(event.get("logger", "")).startswith(_OWN_LOGGERS) and "message" in line:
        sent["logentry"] = {"message": line["message"]}
    errors = (event.get("exception") or {}).get("values", ())
    sent["exception"] = {"values": [_error(error) for error in errors]}
    return sent


def _error(error: Mapping[str, Any]) -> dict[str, Any]:
    frames = (error.get("stacktrace") or {}).get("frames", ())
    return {
        "type": error.get("type"),
        "module": error.get("module"),
        "stacktrace": {
            "frames": [{name: frame[name] for name in _OF_A_FRAME if name in frame} for frame in frames]
        },
    }
