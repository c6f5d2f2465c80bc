"""The interface itself: every router in one visible table, documentation without foreign scripts."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponseBase
from ninja import Router
from ninja.errors import AuthenticationError

from studio.api import (
    batches,
    bundles,
    environments,
    judging,
    metrics,
    projects,
    quality,
    reviews,
    rollouts,
    runs,
    schemas,
    spend,
    tokens,
    trajectories,
    world_servers,
)
from studio.api.authentication import BrowserAuth, TokenAuth, needs
from studio.api.document_page import DocumentPage
from studio.api.documented_errors import DocumentedAPI
from studio.api.errors import add_error_handlers
from studio.api.whole_numbers import within_64_bits
from studio.models import Act

ROUTERS: dict[str, Router] = {
    "environments": environments.router,
    "runs": runs.router,
    "batches": batches.router,
    "schemas": schemas.router,
    "spend": spend.router,
    "rollouts": rollouts.router,
    "trajectories": trajectories.router,
    "reviews": reviews.router,
    "judging": judging.router,
    "quality": quality.router,
    "bundles": bundles.router,
    "projects": projects.router,
    "world-servers": world_servers.router,
    "tokens": tokens.router,
    "metrics": metrics.router,
}


def signed_in(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Show the interface's own document to whoever may call it; send other browsers to the sign-in page."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **more: Any) -> HttpResponseBase:
        try:
            if TokenAuth()(request) or BrowserAuth()(request):
                return view(request, *args, **more)
        except Exception as error:  # noqa: BLE001 - the interface answers every error in its own form
            return api.on_exception(request, error)
        if "text/html" in request.headers.get("Accept", ""):
            return redirect_to_login(request.get_full_path())
        return api.on_exception(request, AuthenticationError())

    return guarded


api = DocumentedAPI(
    title="Worldwright Studio",
    version="1",
    description="Environments, runs, trajectories, reviews and bundles: the same services as the pages. "
    "Programs send `Authorization: Bearer <token>`. With `?project=<slug>`, an operation reads and makes "
    "things of that project only; it is needed to start something where several projects are open to you.",
    auth=needs(Act.VIEW),
    docs=DocumentPage(),
    docs_decorator=signed_in,
    urls_namespace="api",
)
add_error_handlers(api)
api.add_decorator(within_64_bits)
for noun, router in ROUTERS.items():
    api.add_router(f"/{noun}", router, tags=[noun])
