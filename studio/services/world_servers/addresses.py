"""Addresses of world servers: what a server may call itself reachable under.

The studio hands them to trainers and opens none of them. Private ranges are therefore welcome, since that is
where servers live; what no server of worlds can have is refused.
"""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import SplitResult, urlsplit

from synthesis.errors import InvalidInput

LONGEST = 200
_HOST_NAME = re.compile(
    r"(?=.{1,253}\Z)[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?)*\.?"
)
_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)*")


def checked(address: str) -> str:
    """An address without a slash at its end.

    Raises:
        InvalidInput: It is not one that trainers can be sent to.
    """
    if len(address) > LONGEST:
        raise InvalidInput(f"address: use at most {LONGEST} characters.")
    if not address.isascii() or not address.isprintable() or set(address) & set(" \\"):
        raise InvalidInput("address: use printable ASCII characters without spaces and backslashes.")
    try:
        parts = urlsplit(address.rstrip("/"))
        port = parts.port
    except ValueError as error:
        raise InvalidInput(f"address: it is not a URL: {error}.") from error
    if parts.scheme not in ("http", "https"):
        raise InvalidInput("address: begin with http:// or https://.")
    if "@" in parts.netloc:
        raise InvalidInput("address: leave out user name and password; servers have tokens.")
    if parts.query or parts.fragment or "?" in address or "#" in address:
        raise InvalidInput("address: leave out what follows ? or #.")
    if not _PATH.fullmatch(parts.path) or {".", ".."} & set(parts.path.split("/")):
        raise InvalidInput("address: the path has characters or parts that cannot be used.")
    _check_host(parts)
    if port == 0:
        raise InvalidInput("address: port 0 is no port that can be reached.")
    return parts.geturl()


def _check_host(parts: SplitResult) -> None:
    host = parts.hostname or ""
    try:
        number = ipaddress.ip_address(host)
    except ValueError:
        # What ends in a number, programs read as an IPv4 address in some other notation.
        last = host.rstrip(".").rpartition(".")[2]
        if not _HOST_NAME.fullmatch(host) or re.fullmatch(r"\d+|0x[0-9a-f]*", last):
            raise InvalidInput("address: it has no valid host name or IP address.") from None
        return
    if number.version == 6 and number.ipv4_mapped is not None:
        number = number.ipv4_mapped
    if number.is_unspecified or number.is_multicast or number.is_link_local:
        raise InvalidInput(
            f"address: {host} is unspecified, multicast or link-local, where no trainer reaches a server. "
            "Start the server with --public-url."
        )
