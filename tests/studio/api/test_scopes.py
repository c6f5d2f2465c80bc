"""Operation x scope: a token opens exactly the operations that its scopes cover."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from ninja.operation import Operation

from studio.api.authentication import TokenAuth
from studio.api.interface import api as interface
from studio.models import Act, Scope
from studio.models.scopes import SCOPE_OF
from studio.services.accounts.accounts import issue_token
from tests.studio.api.conftest import ApiClient


def operations() -> Iterator[tuple[str, str, Act]]:
    """Method, path with values filled in, and the act that the operation asks for."""
    for bound in interface._get_bound_routers():
        for path, view in bound.path_operations.items():
            for operation in view.operations:
                (method,) = operation.methods
                whole = f"{bound.prefix.rstrip('/')}/{path.strip('/')}".rstrip("/")
                yield method, re.sub(r"\{(?:\w+:)?\w+\}", "77", whole), act_of(operation)


def act_of(operation: Operation) -> Act:
    """What the operation's token authentication asks for."""
    (act,) = {each.act for each in operation.auth_callbacks if isinstance(each, TokenAuth)}
    return act


OPERATIONS = sorted(operations())


def test_every_act_has_a_scope():
    assert set(SCOPE_OF) == set(Act)
    assert set(SCOPE_OF.values()) == set(Scope)


def test_no_operation_that_changes_something_is_open_to_readers():
    assert len(OPERATIONS) > 45
    assert [path for method, path, act in OPERATIONS if method != "GET" and act is Act.VIEW] == []


@pytest.mark.parametrize(("method", "path", "act"), OPERATIONS, ids=str)
def test_a_token_opens_what_its_scopes_cover(administrator, method, path, act):
    for scope in Scope:
        _, token = issue_token(user=administrator, name=scope.value, scopes=[scope.value])
        client = ApiClient(token)
        answer = client.get(path) if method == "GET" else client.post(path, {})
        missing = answer.status_code == 403 and answer.json()["error"] == "ScopeMissing"
        assert missing is (scope is not SCOPE_OF[act]), (scope, answer.status_code)
        if missing:
            assert SCOPE_OF[act].value in answer.json()["message"]
            assert "account page" in answer.json()["remedy"]


def test_a_scope_gives_nothing_that_the_role_does_not(viewer):
    _, token = issue_token(user=viewer, name="all")
    answer = ApiClient(token).post("/runs/synthesis", {})
    assert (answer.status_code, answer.json()["error"]) == (403, "Forbidden")


def test_an_unknown_scope_is_refused(viewer):
    from synthesis.errors import InvalidInput

    for scopes in ([], ["read", "everything"]):
        with pytest.raises(InvalidInput, match="Choose one or more scopes"):
            issue_token(user=viewer, name="trainer", scopes=scopes)
