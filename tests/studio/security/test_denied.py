"""Address x method x role: whoever lacks the role is denied by every method, without a defect."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from studio.models import MATRIX, Role
from studio.services.accounts.accounts import issue_token
from tests.studio.api.conftest import ApiClient
from tests.studio.api.test_scopes import OPERATIONS
from tests.studio.views.test_access import ACTS_BY_ROLE, OPEN, SHELVED, address

OPEN_WITH_A_CODE = {"join": ("nobody",), "password_reset": ("MQ", "nothing")}
"""Their links are secret; what they open is tested with them."""
METHODS = ("get", "post", "put", "patch", "delete", "head", "options")
BELOW_ADMIN = [None, *ACTS_BY_ROLE[:-1]]


@pytest.fixture
def shelf(shared_shelf):
    return shared_shelf


def ask(client: Client, method: str, target: str) -> int:
    """The status of an answer; a form names the action that the page of many environments asks for."""
    return getattr(client, method)(target, {"action": "checks"} if method == "post" else None).status_code


def _denied_to(role: Role | None) -> list[str]:
    """Names of the addresses that need a higher role."""
    rank = -1 if role is None else ACTS_BY_ROLE.index(role)
    return [name for name, (_, least) in SHELVED.items() if ACTS_BY_ROLE.index(least) > rank]


@pytest.mark.parametrize("role", BELOW_ADMIN, ids=str)
@pytest.mark.slow
def test_a_role_that_is_too_low_is_denied_by_every_method(role, shelf, person, client):
    client.force_login(person("stranger", role))
    answers = {
        (name, method): ask(client, method, address(name, shelf))
        for name in _denied_to(role)
        for method in METHODS
    }
    assert answers or role is Role.LEAD
    # A method that a view does not know may be refused before the person is looked at.
    assert {each: status for each, status in answers.items() if status not in (403, 405)} == {}


def test_a_stranger_is_sent_to_sign_in_by_every_method(shelf, client):
    answers = {
        (name, method): ask(client, method, address(name, shelf)) for name in SHELVED for method in METHODS
    }
    assert {each: status for each, status in answers.items() if status not in (302, 405)} == {}


def test_pages_for_everybody_know_only_their_methods(db):
    client = Client(raise_request_exception=False)
    assert not OPEN_WITH_A_CODE.keys() - OPEN
    for name in OPEN:
        for method in ("put", "patch", "delete"):
            target = reverse(name, args=OPEN_WITH_A_CODE.get(name, ()))
            assert getattr(client, method)(target).status_code in (200, 302, 405), (name, method)


@pytest.mark.parametrize("role", list(Role))
def test_an_operation_opens_to_the_roles_whose_acts_include_it(role, person):
    _, token = issue_token(user=person("somebody", role), name="test")
    program = ApiClient(token)
    wrong = []
    for method, path, act in OPERATIONS:
        answer = program.get(path) if method == "GET" else program.post(path, {})
        denied = answer.status_code == 403 and answer.json()["message"].startswith("This needs the role")
        if denied is not (act not in MATRIX[role]) or answer.status_code >= 500:
            wrong.append((method, path, answer.status_code))
    assert wrong == []
