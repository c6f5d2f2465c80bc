"""Clients: who a request comes from, as far as a server can tell."""

from __future__ import annotations

from starlette.requests import HTTPConnection

from synthesis.serving.settings import ServeSettings


def client_of(request: HTTPConnection, settings: ServeSettings) -> str:
    """The address of a client, or what a trusted proxy says of it; "" for one that came over a Unix
    socket."""
    if settings.trusted_proxy and (chain := request.headers.get("x-forwarded-for")):
        return chain.rsplit(",", 1)[-1].strip()
    return request.client.host if request.client else ""
