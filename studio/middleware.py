"""Between the server and the views: refusals become pages."""

from __future__ import annotations

from collections.abc import Callable

from django.core.exceptions import RequestDataTooBig
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse

from studio.services.refusals import Refused
from studio.views.errors import problem, refusal
from synthesis.errors import CapacityExhausted, InvalidInput, SandboxError, WorldError


class RefusalPages:
    """Answers with a styled page where a service refused, an input was unusable or the database is busy."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on."""
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The page for an expected exception, or None for one that is a defect."""
        if request.path.startswith("/api/"):
            return None
        if isinstance(exception, Refused):
            return refusal(request, exception)
        if isinstance(exception, InvalidInput):
            return problem(request, status=422, message=str(exception))
        if isinstance(exception, RequestDataTooBig):
            return problem(
                request,
                status=413,
                message="What was sent is larger than the studio takes.",
                remedy="Send less at once.",
            )
        return _busy(request, exception)


def _busy(request: HttpRequest, exception: Exception) -> HttpResponse | None:
    if isinstance(exception, OperationalError) and "locked" in str(exception):
        return problem(
            request,
            status=503,
            message="The database is locked by another write.",
            remedy="Nothing was changed. Try again in a few seconds.",
        )
    if isinstance(exception, CapacityExhausted | SandboxError):
        return problem(request, status=503, message=str(exception), remedy="Try again in a moment.")
    if isinstance(exception, WorldError):
        return problem(request, status=422, message=str(exception))
    return None
