"""Tokens for programs: see which there are, end one."""

from datetime import datetime

from django.db.models import QuerySet
from django.http import HttpRequest
from ninja import Field, Router, Schema
from ninja.pagination import paginate

from studio.api.authentication import caller, needs
from studio.models import Act, ApiToken
from studio.services.accounts import accounts

router = Router()


class TokenOut(Schema):
    """A token, never the token itself; `state` is "valid", "expired" or "revoked"."""

    id: int
    user: str = Field(alias="user.username")
    name: str
    hint: str
    scopes: list[str]
    project: str | None = Field(default=None, alias="project.slug")
    state: str
    created_at: datetime
    used_at: datetime | None
    expires_at: datetime | None
    revoked_at: datetime | None


@router.get("", response=list[TokenOut], summary="List your tokens, newest first", auth=needs(Act.ACCOUNT))
@paginate
def list_tokens(request: HttpRequest) -> QuerySet[ApiToken]:
    """An administrator sees everybody's."""
    return accounts.tokens_of(caller(request))


@router.post("/{int:token_id}/revoke", response=TokenOut, summary="Revoke a token", auth=needs(Act.ACCOUNT))
def revoke_token(request: HttpRequest, token_id: int) -> ApiToken:
    """Your own; an administrator ends anybody's."""
    person = caller(request)
    accounts.revoke_token(user=person, token_id=token_id)
    return accounts.tokens_of(person).get(pk=token_id)
