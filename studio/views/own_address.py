"""Own addresses: where a form says to go back to, followed only when it is a page of this studio."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def own_address(request: HttpRequest, address: str) -> str:
    """The address when it leads to this host by itself, else nothing.

    A bare word leads nowhere: `redirect` would take it for the name of a view.
    """
    ours = url_has_allowed_host_and_scheme(address, allowed_hosts={request.get_host()})
    return address if ours and address.startswith(("/", "http://", "https://")) else ""
