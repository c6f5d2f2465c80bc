"""Forms that another site sends with somebody's session: refused at every address and by every operation."""

from __future__ import annotations

import json

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from studio.models.visibility import Visibility, limited
from studio.services.operations import table_rows
from tests.studio.api.test_scopes import OPERATIONS
from tests.studio.security.test_denied import OPEN_WITH_A_CODE
from tests.studio.views.test_access import OPEN, SHELVED, address

OUT_OF_DATE = "Nothing was sent: you signed in or out after opening the form."
CHANGING = ("post", "put", "patch", "delete")
TOKEN = "c" * 32
TRAIL = {"auditlog.logentry", "sessions.session"}
"""A refusal is noted there."""


@pytest.fixture
def shelf(shared_shelf):
    return shared_shelf


@pytest.fixture
def victim(administrator: User) -> Client:
    """A browser with an administrator's session that checks forms as a real request is checked."""
    browser = Client(enforce_csrf_checks=True, raise_request_exception=False)
    browser.force_login(administrator)
    return browser


def stored() -> dict[str, int]:
    """How many rows every table has."""
    with limited(Visibility.everything):
        return {
            table.name: table.rows.all().count()
            for table in table_rows.stored_tables()
            if table.name not in TRAIL
        }


def targets(shelf) -> dict[str, str]:
    """Name of every address of the pages to the address."""
    opened = {name: reverse(name, args=OPEN_WITH_A_CODE.get(name, ())) for name in OPEN}
    return opened | {name: address(name, shelf) for name in SHELVED}


@pytest.mark.parametrize("foreign", [False, True], ids=["without the token", "from another origin"])
@pytest.mark.slow
def test_no_address_takes_a_form_of_another_site(foreign, shelf, victim):
    before, headers = stored(), {}
    if foreign:  # a browser sends the cookie, and a site that had learnt the token would send that
        victim.cookies["csrftoken"] = TOKEN
        headers = {"X-CSRFToken": TOKEN, "Origin": "https://evil.example"}
    taken = {}
    for name, target in targets(shelf).items():
        for method in CHANGING:
            answer = getattr(victim, method)(target, headers=headers)
            if answer.status_code != 403 or OUT_OF_DATE not in answer.content.decode():
                taken[name, method] = answer.status_code
    assert taken == {}
    assert stored() == before


def test_no_operation_takes_a_request_of_another_site(shelf, victim):
    before = stored()
    changing = [(method, path) for method, path, _ in OPERATIONS if method != "GET"]
    assert len(changing) > 30
    taken = {}
    for method, path in changing:
        # What a form can send without asking first has this type.
        answer = victim.generic(method, f"/api{path}", json.dumps({}), content_type="text/plain")
        if answer.status_code != 403:
            taken[method, path] = answer.status_code
    assert taken == {}
    assert stored() == before
