"""From where a request came, as far as it can be believed."""

from __future__ import annotations

from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest


def remote_address(request: HttpRequest) -> str:
    """The address of the client; behind WORLDWRIGHT_PROXIES proxies, what the outermost of them saw.

    Whatever is further left in X-Forwarded-For was sent by the client and is not believed.
    """
    direct = str(request.META.get("REMOTE_ADDR", ""))
    proxies: int = settings.WORLDWRIGHT.proxies
    hops = [hop.strip() for hop in request.headers.get("X-Forwarded-For", "").split(",")]
    if not proxies or len(hops) < proxies:
        return direct
    try:
        return str(ip_address(hops[-proxies]))
    except ValueError:
        return direct
