"""Between the server and the views: text that cannot be kept is turned away, refusals become pages."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import BadRequest, RequestDataTooBig
from django.db import DataError, OperationalError
from django.http import FileResponse, HttpRequest, HttpResponse, JsonResponse, QueryDict, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.http.response import StreamingHttpResponse

from studio.api.errors import BEYOND, UNANSWERED, UNANSWERED_REMEDY, Problem
from studio.models import visibility
from studio.services.errors import ServiceError
from studio.services.projects import request_visibility
from studio.services.storable_text import UnstorableText, require_storable, require_storable_json
from studio.views.errors import problem, refusal
from synthesis.errors import CapacityExhausted, InvalidInput, SandboxError, WorldError

logger = logging.getLogger(__name__)


class StorableText:
    """Turns away requests whose address, cookies, form or JSON hold text that the database cannot keep."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on, or answer 400 that names the place."""
        try:
            for place, texts in _texts(request):
                _require_each(place, texts)
        except UnstorableText as error:
            return _turned_away(request, 400, str(error))
        except RequestDataTooBig:
            return _turned_away(request, 413, TOO_LARGE, "Send less data at once.")
        except (MultiPartParserError, UnreadablePostError, BadRequest):
            return _turned_away(request, 400, "The body of the request cannot be read.")
        return self.get_response(request)


def _texts(request: HttpRequest) -> Iterator[tuple[str, Iterable[str]]]:
    """Every text of a request that was sent with it, by its place."""
    yield "The address", [request.path_info]
    yield "A cookie", request.COOKIES.values()
    yield "The query", _each(request.GET)
    if request.method in ("GET", "HEAD"):
        return
    if request.content_type == "application/json":
        require_storable_json(request.body.decode(errors="replace"))
    if request.path_info.startswith(API):
        return  # it takes no forms, and nobody's files are read before it knows whose they are
    yield "The form", _each(request.POST)
    yield "A file's name", (file.name or "" for files in request.FILES.lists() for file in files[1])


def _each(params: QueryDict) -> Iterator[str]:
    for name, values in params.lists():
        yield name
        yield from map(str, values)


def _require_each(place: str, texts: Iterable[str]) -> None:
    for text in texts:
        try:
            require_storable(text)
        except UnstorableText as error:
            raise UnstorableText(f"{place} is invalid. {error}") from None


def _turned_away(request: HttpRequest, status: int, message: str, remedy: str = "") -> HttpResponse:
    if request.path_info.startswith(API):
        result = Problem(error="InvalidRequest", message=message, remedy=remedy)
        return JsonResponse(result.model_dump(), status=status)
    return problem(request, status=status, message=message, remedy=remedy)


API = "/api/"
TOO_LARGE = "The request is too large."


class ProjectVisibility:
    """Limits everything that is read for a request to the projects of whoever asks."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on; who asks is found out when it matters, since the interface finds it later."""
        with visibility.limited(lambda: request_visibility.visibility_of(request)):
            response = self.get_response(request)
        if isinstance(response, StreamingHttpResponse) and not isinstance(response, FileResponse):
            response.streaming_content = _streamed(request, response.streaming_content)
        return response


def _streamed(request: HttpRequest, parts: Iterable[bytes]) -> Iterator[bytes]:
    """The parts of an answer that is written while it is sent, each under the limits of its request."""
    remaining = iter(parts)
    while True:
        with visibility.limited(lambda: request_visibility.visibility_of(request)):
            part = next(remaining, None)
        if part is None:
            return
        yield part


class RefusalPages:
    """Answers with a styled page where a service refused, an input was unusable or the database is busy."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on."""
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The page for an expected exception, or None for one that is a defect."""
        if request.path_info.startswith(API):
            return None
        if isinstance(exception, ServiceError):
            return refusal(request, exception)
        if isinstance(exception, InvalidInput):
            return problem(request, status=422, message=str(exception))
        if isinstance(exception, RequestDataTooBig):
            return problem(request, status=413, message=TOO_LARGE, remedy="Send less data at once.")
        if isinstance(exception, DataError | OverflowError):
            logger.warning("%s %s: %s", request.method, request.path, BEYOND, exc_info=exception)
            return problem(request, status=422, message=BEYOND, remedy="Send a smaller number.")
        return _busy(request, exception)


def _busy(request: HttpRequest, exception: Exception) -> HttpResponse | None:
    if isinstance(exception, OperationalError) and "locked" in str(exception):
        return problem(
            request,
            status=503,
            message="The database is locked by another write.",
            remedy="Nothing was changed. Try again in a few seconds.",
        )
    if isinstance(exception, OperationalError):
        logger.error("%s %s: %s", request.method, request.path, UNANSWERED, exc_info=exception)
        # Who asked is in the database, too: the page is rendered as for nobody.
        request.user = AnonymousUser()
        return problem(
            request,
            status=503,
            message=UNANSWERED,
            remedy=UNANSWERED_REMEDY,
        )
    if isinstance(exception, CapacityExhausted | SandboxError):
        return problem(request, status=503, message=str(exception), remedy="Try again in a moment.")
    if isinstance(exception, WorldError):
        return problem(request, status=422, message=str(exception))
    return None
