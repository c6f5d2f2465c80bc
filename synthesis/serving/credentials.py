"""Credentials: who may do what with one instance.

A trainer who makes an instance receives two credentials for it. The agent's opens the instance's tools, the
trainer's opens everything about this instance; neither opens another one. Both are signed and end after a
time, so nothing is stored per credential:

    w0-9mB2…  .  agent  .  1795000000  .  mac
    instance     role      ends at        HMAC-SHA256 of the three, 128 bits

A credential is given in the path in place of the instance's id (any MCP client can be given an address) or in
`Authorization: Bearer` beside the id. The server's own token, where there is one, is a trainer's for every
instance.
"""

from __future__ import annotations

import base64
import hmac
import secrets
import time
from dataclasses import dataclass
from typing import Literal, cast

from cachetools import LRUCache
from starlette.types import Scope

from synthesis.serving.faults import RequestRefused

Role = Literal["agent", "trainer"]

OF_INSTANCES = "/i/"
"""What paths of instances begin with; the id or a credential follows."""

_MAC_BYTES = 16
_REMEMBERED = 4096
"""Genuine credentials that are not signed again to be recognised: OpenSSL takes 50 us to begin a MAC, and
every request of an episode brings the same credential."""
_AGENT_MARK = b".agent."


@dataclass(frozen=True, slots=True)
class Grant:
    """What a credential that is genuine and has not ended stands for."""

    instance: str
    role: Role


class Credentials:
    """Issues and reads the credentials of one server.

    Args:
        seconds: How long a credential lives.
        token: The server's own bearer token, which opens every instance.
        key: Signs them; the processes behind one address share it. None: a fresh one.
    """

    def __init__(self, *, seconds: float, token: str | None = None, key: bytes | None = None) -> None:
        self.seconds = seconds
        self._key = key or new_key()
        self._token = token.encode() if token else None
        self._genuine: LRUCache[str, tuple[Grant, int]] = LRUCache(_REMEMBERED)

    def issue(self, instance: str, role: Role) -> str:
        """A credential for an instance, from now on."""
        named = f"{instance}.{role}.{int(time.time() + self.seconds)}"
        return f"{named}.{self._mac(named)}"

    def read(self, credential: str) -> Grant:
        """What a credential stands for.

        Raises:
            RequestRefused: It is not one of this server's, or it has ended (401).
        """
        known = self._genuine.get(credential)
        if known is None:
            known = self._genuine[credential] = self._checked(credential)
        grant, ends = known
        if time.time() >= ends:
            raise RequestRefused(
                401,
                "credential_ended",
                "This credential has ended: make another instance; GET /i/{id} renews credentials in time.",
            )
        return grant

    def _checked(self, credential: str) -> tuple[Grant, int]:
        """What a credential stands for, and when it ends: its MAC is right."""
        named, _, mac = credential.rpartition(".")
        if not hmac.compare_digest(mac.encode(), self._mac(named).encode()):
            raise RequestRefused(
                401, "credential", "This credential is not one of this server's: POST /instances gives them."
            )
        instance, role, ends = named.rsplit(".", 2)
        return Grant(instance, cast("Role", role)), int(ends)

    def grant(self, scope: Scope) -> Grant:
        """What a request may do with the instance in its path.

        Raises:
            RequestRefused: It has no credential (401), or that of another instance (403).
        """
        segment: str = scope["path"][len(OF_INSTANCES) :].partition("/")[0]
        if "." in segment:
            return self.read(segment)
        given = bearer_of(scope)
        if self._token is not None and hmac.compare_digest(given, self._token):
            return Grant(segment, "trainer")
        if not given:
            raise RequestRefused(
                401,
                "credential",
                "The request has no credential for this instance: use `url` or `mcp_url` of POST /instances, "
                "or send one of its `credentials` as Authorization: Bearer.",
            )
        grant = self.read(given.decode("latin-1"))
        if grant.instance != segment:
            raise RequestRefused(403, "credential", "This credential is for another instance.")
        return grant

    def _mac(self, named: str) -> str:
        digest = hmac.digest(self._key, named.encode(), "sha256")[:_MAC_BYTES]
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def new_key() -> bytes:
    """A key for the credentials of one server, drawn anew."""
    return secrets.token_bytes(32)


def for_trainers(grant: Grant) -> Grant:
    """The same grant.

    Raises:
        RequestRefused: It is an agent's (403).
    """
    if grant.role != "trainer":
        raise RequestRefused(
            403, "role", "An agent's credential opens this instance's tools only; this needs the trainer's."
        )
    return grant


def bearer_of(scope: Scope) -> bytes:
    """What a request sends as `Authorization: Bearer`; empty without one."""
    for name, value in scope["headers"]:
        if name == b"authorization":
            scheme, _, given = bytes(value).partition(b" ")
            return given.strip() if scheme.lower() == b"bearer" else b""
    return b""


def is_an_agents(authorization: bytes) -> bool:
    """Whether a header names itself an agent's credential; genuine or not, it opens nothing beyond an
    instance."""
    return _AGENT_MARK in authorization
