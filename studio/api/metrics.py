"""Figures for Prometheus, scraped with a token of the scope `read`."""

from django.http import HttpRequest, HttpResponse
from ninja import Router
from prometheus_client import CONTENT_TYPE_LATEST

from studio.services.operations.metrics import exposition

router = Router()


@router.get("", summary="Figures in Prometheus's text format")
def read(request: HttpRequest) -> HttpResponse:
    """Requests of this web process; runs, attempts, calls, spend and queue from the database."""
    return HttpResponse(exposition(), content_type=CONTENT_TYPE_LATEST)
