"""The interface itself: every router in one visible table, documentation without foreign scripts."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from ninja import NinjaAPI, Router, Swagger

from studio.api import (
    batches,
    bundles,
    environments,
    judging,
    quality,
    reviews,
    rollouts,
    runs,
    schemas,
    spend,
    trajectories,
)
from studio.api.authentication import AUTHENTICATION
from studio.api.errors import add_error_handlers

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
}

api = NinjaAPI(
    title="Worldwright Studio",
    version="1",
    description="Environments, runs, trajectories, reviews and bundles: the same services as the pages. "
    "Programs send `Authorization: Bearer <token>`.",
    auth=AUTHENTICATION,
    docs=Swagger(settings={"persistAuthorization": True}),
    docs_decorator=login_required,
    urls_namespace="api",
)
add_error_handlers(api)
for noun, router in ROUTERS.items():
    api.add_router(f"/{noun}", router, tags=[noun])
