"""The ASGI application."""

from __future__ import annotations

import asyncio
import os
import warnings

import django
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studio.settings")

# Static files and archives are read by threads and sent whole; they are small enough for that.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")

REQUESTS_AT_ONCE = 8
"""Requests of a process in middleware and views at the same time; others wait for their turn. Each has a
thread and most a database connection: hundreds would share the interpreter without any of them ending."""


class BoundedASGIHandler(ASGIHandler):
    """Django's handler with at most `REQUESTS_AT_ONCE` requests in threads.

    A request waits after its body has arrived, and an answer is sent after its turn: slow clients take none.
    """

    def __init__(self) -> None:
        super().__init__()
        self._turns = asyncio.Semaphore(REQUESTS_AT_ONCE)

    async def run_get_response(self, request: HttpRequest) -> HttpResponseBase:
        """The answer to a request, in its turn."""
        async with self._turns:
            return await super().run_get_response(request)


django.setup(set_prefix=False)
application = BoundedASGIHandler()
