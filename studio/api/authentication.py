"""Who calls: a signed-in browser (with its CSRF token) or a program with a token."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest
from ninja.security import APIKeyHeader, SessionAuth

from studio.models import Act
from studio.services import accounts

SCHEME = "Bearer "


class TokenAuth(APIKeyHeader):
    """`Authorization: Bearer ww_...`; a token is issued on the account page."""

    param_name = "Authorization"

    def authenticate(self, request: HttpRequest, key: str | None) -> User | None:
        """The token's person, who becomes the request's user."""
        if not key or not key.startswith(SCHEME):
            return None
        user = accounts.user_of_token(key.removeprefix(SCHEME).strip())
        if user is not None:
            request.user = user
        return user


AUTHENTICATION: list[Any] = [TokenAuth(), SessionAuth(csrf=True)]


def caller(request: HttpRequest, act: Act = Act.VIEW) -> User:
    """The person behind a request, when their role allows it.

    Raises:
        Forbidden: It does not.
    """
    accounts.require(request.user, act)
    assert isinstance(request.user, User)
    return request.user
