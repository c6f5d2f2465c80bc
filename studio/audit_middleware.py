"""Around every request: an id, and a line in the audit trail for what changes, refuses or leaves."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from auditlog.middleware import AuditlogMiddleware
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject

from studio.models import Act
from studio.services.accounts.remote_address import remote_address
from studio.services.audit import request_ids
from studio.services.audit.trail import Event, record
from studio.services.operations import metrics
from studio.services.telemetry import tracing

if TYPE_CHECKING:
    AnyMiddleware = object
else:
    AnyMiddleware = AuditlogMiddleware

logger = logging.getLogger(__name__)

SAFE = ("GET", "HEAD", "OPTIONS")
EVERYDAY = frozenset({"theme", "session", "login", "logout", "send_server_heartbeat", "place_instance"})
"""What changes nothing, what Django's signals tell of, and what programs send every few seconds."""
SECRET = frozenset({"code", "token", "uidb64"})
"""Parts of addresses that open something."""
LONGEST_VALUE = 120
UNKNOWN = "(no page)"
"""Static files, and addresses that nothing answers."""


class RequestIds:
    """Gives every request an id, returns it with the answer, counts and logs the answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on."""
        began = time.perf_counter()
        request_id = request_ids.begin(request.headers.get(request_ids.HEADER, ""))
        with tracing.span("request", headers=request.headers, request_id=request_id):
            response = self.get_response(request)
            page = request.resolver_match.route if request.resolver_match else UNKNOWN
            method, status = str(request.method), response.status_code
            tracing.describe(method=method, page=page, status=status)
        response[request_ids.HEADER] = request_id
        seconds = time.perf_counter() - began
        metrics.count_request(method=method, page=page, status=status, seconds=seconds)
        about = {"method": method, "page": page, "status": status, "seconds": round(seconds, 4)}
        logger.info("Answered %s /%s with %s", method, page, status, extra=about)
        return response


class AuditTrail(AnyMiddleware):
    """Tells auditlog who changes records from where, and adds an event for the request itself."""

    if TYPE_CHECKING:

        def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
            self.get_response = get_response

    def get_extra_data(self, request: HttpRequest) -> dict[str, Any]:
        """Actor, read when it is needed, since the interface finds it later; and address."""
        return {
            "actor": SimpleLazyObject(lambda: request.user),
            "remote_addr": remote_address(request) or None,
        }

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on."""
        from auditlog.context import set_extra_data

        with set_extra_data(context_data=self.get_extra_data(request)):
            response = self.get_response(request)
            event = _event(request, response)
            if event is not None:
                _record(event, request, response)
        return response


def _event(request: HttpRequest, response: HttpResponse) -> Event | None:
    """What a request was to the trail; None for reading and for trying things in a private instance."""
    if response.status_code in (403, 429):
        return Event.REFUSED
    if response.status_code >= 400:
        return None
    if str(response.get("Content-Disposition", "")).startswith("attachment"):
        return Event.DOWNLOAD
    match = request.resolver_match
    if request.method in SAFE or match is None or match.url_name in EVERYDAY:
        return None
    return None if getattr(match.func, "act", None) is Act.TRY else Event.REQUEST


def _record(event: Event, request: HttpRequest, response: HttpResponse) -> None:
    match = request.resolver_match
    values = {} if match is None else match.kwargs
    details: dict[str, Any] = {
        "method": str(request.method),
        "page": match.route if match else "",
        "status": response.status_code,
        **{name: str(value)[:LONGEST_VALUE] for name, value in values.items() if name not in SECRET},
    }
    try:
        record(event, user=request.user, **details)
    except DatabaseError:
        # The answer is true already; a trail with a gap is worth an alarm, not a second failure.
        logger.exception("The audit trail could not be written: %s %s", event, details)
