"""Clients that sign in as a browser or with a token."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from studio.services.accounts.accounts import issue_token


class ApiClient:
    """Speaks JSON with a token, as a program does."""

    def __init__(self, token: str = "") -> None:
        self._client = Client(raise_request_exception=False)
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def get(self, path: str, **query: Any) -> Any:
        return self._client.get(f"/api{path}", query, headers=self._headers)

    def post(self, path: str, body: Any = None, **more: Any) -> Any:
        if body is not None or not more:
            more = {"data": body or {}, "content_type": "application/json"} | more
        return self._client.post(f"/api{path}", headers=self._headers, **more)


@pytest.fixture
def api(db: None) -> Callable[[User | None], ApiClient]:
    """A client for a person, or for a stranger."""

    def make(user: User | None = None) -> ApiClient:
        return ApiClient(issue_token(user=user, name="test")[1] if user else "")

    return make
