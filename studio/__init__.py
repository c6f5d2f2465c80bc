"""The web application around the engine: records, services, pages, programs' interface, workers."""

from studio.celery import app as celery_app

__all__ = ["celery_app"]
