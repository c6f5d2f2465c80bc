"""Errors of the programs' interface: JSON with what was wrong and what to do."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from typing import Any

from django.db import DataError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI, Schema
from ninja.errors import AuthenticationError, HttpError, ValidationError

from studio.api.authentication import TokenRejected
from studio.services.errors import ServiceError, Stale
from synthesis.errors import UnknownName, WorldwrightError

logger = logging.getLogger(__name__)

BEYOND = "A value is too large for the database."
UNANSWERED = "The database does not answer, or all connections to it are in use."
UNANSWERED_REMEDY = "Try again in a few seconds; if it goes on, tell an administrator."


class Problem(Schema):
    """Why a request was not done."""

    error: str
    """Kind of the error, for programs."""
    message: str
    remedy: str = ""
    details: Any = None


def add_error_handlers(api: NinjaAPI) -> None:
    """Every way to fail answers with a `Problem`."""

    def answer(
        request: HttpRequest, status: int, error: str, message: str, remedy: str = "", details: Any = None
    ) -> HttpResponse:
        problem = Problem(error=error, message=message, remedy=remedy, details=details)
        return api.create_response(request, problem.model_dump(), status=status)

    _add_database_handlers(api, answer)

    @api.exception_handler(ServiceError)
    def refused(request: HttpRequest, error: ServiceError) -> HttpResponse:
        details = {"current_revision": error.current} if isinstance(error, Stale) else None
        return answer(request, error.status, type(error).__name__, error.message, error.remedy, details)

    @api.exception_handler(WorldwrightError)
    def engine(request: HttpRequest, error: WorldwrightError) -> HttpResponse:
        details = {"known": list(error.known)} if isinstance(error, UnknownName) else None
        return answer(request, 422, type(error).__name__, str(error), details=details)

    @api.exception_handler(ValidationError)
    def invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
        text = "; ".join(
            f"{'.'.join(str(place) for place in problem['loc'][1:])}: {problem['msg']}"
            for problem in error.errors
        )
        remedy = "See the schema of this request under /api/docs."
        return answer(request, 422, "InvalidRequest", text, remedy)

    @api.exception_handler(AuthenticationError)
    def unknown(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
        message, remedy = (
            (
                "The token is unknown, expired or revoked.",
                "Send a valid one: your account page and manage.py create_token issue them.",
            )
            if isinstance(error, TokenRejected)
            else ("The request has no credentials.", "Send 'Authorization: Bearer <token>', or sign in.")
        )
        response = answer(request, 401, "NotSignedIn", message, remedy)
        response["WWW-Authenticate"] = "Bearer"
        return response

    @api.exception_handler(Http404)
    def missing(request: HttpRequest, _: Http404) -> HttpResponse:
        return answer(request, 404, "Missing", "Not found.")

    @api.exception_handler(HttpError)
    def plain(request: HttpRequest, error: HttpError) -> HttpResponse:
        return answer(request, error.status_code, "Refused", error.message)

    @api.exception_handler(Exception)
    def failed(request: HttpRequest, error: Exception) -> HttpResponse:
        reference = secrets.token_hex(4)
        logger.error("Request %s failed (%s)", request.path, reference, exc_info=error)
        remedy = f"Give the operator this reference: {reference}."
        return answer(request, 500, "InternalError", "The studio failed to process this request.", remedy)


def _add_database_handlers(api: NinjaAPI, answer: Callable[..., HttpResponse]) -> None:
    @api.exception_handler(DataError)
    @api.exception_handler(OverflowError)
    def beyond(request: HttpRequest, error: Exception) -> HttpResponse:
        logger.warning("%s %s: %s", request.method, request.path, BEYOND, exc_info=error)
        return answer(request, 422, "InvalidRequest", BEYOND, "Send a smaller number.")

    @api.exception_handler(OperationalError)
    def unanswered(request: HttpRequest, error: OperationalError) -> HttpResponse:
        logger.error("%s %s: %s", request.method, request.path, UNANSWERED, exc_info=error)
        return answer(request, 503, "Unavailable", UNANSWERED, UNANSWERED_REMEDY)
