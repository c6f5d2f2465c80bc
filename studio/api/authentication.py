"""Who calls, and whether their role allows it: a signed-in browser, or a program with a token.

Both are asked before anything of the request is read, so a request that is not allowed is never told apart
from one that does not fit.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest
from ninja.errors import AuthenticationError
from ninja.security import HttpBearer, SessionAuth

from studio.models import Act
from studio.services.accounts import accounts
from studio.services.projects import membership, request_visibility


class TokenRejected(AuthenticationError):
    """The request came with a token that opens nothing."""


class TokenAuth(HttpBearer):
    """`Authorization: Bearer ww_...`; the account page and `manage.py create_token` issue one.

    Args:
        act: What the person's role and the scopes of the token have to allow.
    """

    def __init__(self, act: Act = Act.VIEW) -> None:
        self.act = act
        super().__init__()

    def authenticate(self, request: HttpRequest, token: str) -> User:
        """The token's person, who becomes the request's user.

        Raises:
            TokenRejected: Nobody's, expired or revoked. Whoever sends a token is not asked for a session.
            Forbidden: The person's role does not allow the act.
            ScopeMissing: The token was not made for such acts.
        """
        record = accounts.valid_token(token.strip())
        if record is None:
            raise TokenRejected
        request.user = record.user
        vars(record.user)[membership.ONLY_PROJECT] = record.project_id
        accounts.require(record.user, self.act)
        accounts.require_scope(record, self.act)
        request_visibility.enter(request, self.act)
        return record.user


class BrowserAuth(SessionAuth):
    """The session of a browser; what changes something needs the CSRF token as well.

    Args:
        act: What the person's role has to allow.
    """

    def __init__(self, act: Act = Act.VIEW) -> None:
        self.act = act
        super().__init__(csrf=True)

    def __call__(self, request: HttpRequest) -> User | None:
        """The signed-in person; None for a stranger, who is told to sign in and not of a missing CSRF token.

        Raises:
            HttpError: The CSRF token is missing (403).
            Forbidden: The person's role does not allow the act.
        """
        if not request.user.is_authenticated or super().__call__(request) is None:
            return None
        accounts.require(request.user, self.act)
        request_visibility.enter(request, self.act)
        return request.user


def needs(act: Act) -> list[Any]:
    """Who may call an operation: people whose role allows the act, in a browser or by a program."""
    return [TokenAuth(act), BrowserAuth(act)]


def caller(request: HttpRequest) -> User:
    """The person behind a request that passed `needs`."""
    assert isinstance(request.user, User)
    return request.user
