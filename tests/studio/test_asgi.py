"""A web process serves a bounded number of requests at once and makes the others wait."""

from __future__ import annotations

import asyncio

import pytest
from django.http import HttpRequest, HttpResponse

from studio.asgi import REQUESTS_AT_ONCE, BoundedASGIHandler


def test_requests_beyond_the_bound_wait_for_their_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    running: list[int] = []
    seen: list[int] = []

    async def slow(_: BoundedASGIHandler, request: HttpRequest) -> HttpResponse:
        running.append(id(request))
        seen.append(len(running))
        await asyncio.sleep(0.01)
        running.pop()
        return HttpResponse()

    monkeypatch.setattr(BoundedASGIHandler, "get_response_async", slow)
    handler = BoundedASGIHandler()

    async def crowd() -> list[HttpResponse]:
        requests = (handler.run_get_response(HttpRequest()) for _ in range(3 * REQUESTS_AT_ONCE))
        return await asyncio.gather(*requests)

    assert len(asyncio.run(crowd())) == 3 * REQUESTS_AT_ONCE
    assert max(seen) == REQUESTS_AT_ONCE


def test_a_view_that_fails_gives_its_turn_back(monkeypatch: pytest.MonkeyPatch) -> None:
    async def failing(_: BoundedASGIHandler, __: HttpRequest) -> HttpResponse:
        raise RuntimeError("broken")

    monkeypatch.setattr(BoundedASGIHandler, "get_response_async", failing)
    handler = BoundedASGIHandler()

    async def crowd() -> None:
        for _ in range(2 * REQUESTS_AT_ONCE):
            with pytest.raises(RuntimeError):
                await asyncio.wait_for(handler.run_get_response(HttpRequest()), timeout=5)

    asyncio.run(crowd())
