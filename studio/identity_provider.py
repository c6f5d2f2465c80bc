"""Identity provider: what the settings say of the OpenID Connect provider, for django-allauth."""

from __future__ import annotations

import hashlib
from typing import Any
from urllib.parse import urlsplit

from studio.environment_variables import EnvironmentVariables
from studio.variable import shown

PROVIDER = "openid_connect"
"""The kind of provider, as django-allauth calls it."""
PROVIDER_ID = "oidc"
"""The one that the settings describe."""
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def link_of(issuer: str) -> str:
    """By what accounts are linked to people there: a subject is unique at its issuer alone."""
    return f"{PROVIDER_ID}:{hashlib.sha256(issuer.rstrip('/').encode()).hexdigest()[:16]}"


def provider_settings(variables: EnvironmentVariables) -> dict[str, Any]:
    """Settings of django-allauth: no provider, or the one that is described."""
    if variables.oidc_issuer is None:
        return {}
    application = {
        "provider_id": PROVIDER_ID,
        "name": variables.oidc_name,
        "client_id": variables.oidc_client_id,
        "secret": shown(variables.oidc_client_secret),
        "settings": {"server_url": variables.oidc_issuer.rstrip("/")},
    }
    return {
        PROVIDER: {"APPS": [application], "SCOPE": list(variables.oidc_scopes), "OAUTH_PKCE_ENABLED": True}
    }


def unusable_provider(variables: EnvironmentVariables) -> list[str]:
    """Why nobody could sign in with the provider, or not safely; a line each, nothing when it can be used."""
    if variables.oidc_issuer is None:
        return []
    messages = [
        f"{name} is required because WORLDWRIGHT_OIDC_ISSUER is set: register the studio at the provider."
        for name, value in (
            ("WORLDWRIGHT_OIDC_CLIENT_ID", variables.oidc_client_id),
            ("WORLDWRIGHT_OIDC_CLIENT_SECRET", shown(variables.oidc_client_secret)),
        )
        if not value
    ]
    parts = urlsplit(variables.oidc_issuer)
    if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        messages.append(
            "WORLDWRIGHT_OIDC_ISSUER must begin with https://, or the secret travels in the clear; http:// "
            "is for providers on this machine."
        )
    if "openid" not in variables.oidc_scopes:
        messages.append("WORLDWRIGHT_OIDC_SCOPES must contain openid, or the provider names nobody.")
    given = (
        variables.oidc_admins or variables.oidc_leads or variables.oidc_reviewers or variables.oidc_viewers
    )
    if bool(given) != bool(variables.oidc_role_claim):
        messages.append(
            "WORLDWRIGHT_OIDC_ROLE_CLAIM and the values that give roles (WORLDWRIGHT_OIDC_ADMINS, _LEADS, "
            "_REVIEWERS, _VIEWERS) belong together: set both or neither."
        )
    return messages
