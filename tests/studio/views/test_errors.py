"""What goes wrong is told in the studio's own words, whole or as a fragment."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import RequestDataTooBig
from django.db import DataError, OperationalError, connection
from django.test import Client

from studio.services.errors import Conflict, Stale
from studio.views.browse import dashboard
from synthesis.errors import CapacityExhausted, InvalidInput, WorkerTimeout


def broken(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(dashboard, "_agents", fail)


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (
            Conflict("Somebody was first.", remedy="Look again."),
            409,
            "Somebody was first. Look again.",
        ),
        (Stale("An older revision.", current=3), 409, "Look at revision 3, then decide again."),
        (InvalidInput("The seed is negative."), 422, "The seed is negative."),
        (RequestDataTooBig(), 413, "too large"),
        (OperationalError("database is locked"), 503, "Nothing was changed. Try again"),
        (DataError("bigint out of range"), 422, "too large for the database"),
        (CapacityExhausted("No room for another instance."), 503, "No room for another instance."),
        (WorkerTimeout("A call took more than 5 s."), 503, "A call took more than 5 s."),
    ],
)
def test_an_expected_error_has_its_status_and_words(
    error: Exception, status: int, words: str, viewer: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken(monkeypatch, error)
    client.force_login(viewer)
    fragment = client.get("/dashboard/", headers={"hx-request": "true"})
    assert fragment.status_code == status
    assert words in fragment.content.decode()
    assert b"<html" not in fragment.content
    whole = client.get("/dashboard/")
    assert whole.status_code == status
    assert b"<html" in whole.content


def test_a_defect_carries_a_reference_that_stands_in_the_log(
    viewer: User, client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    broken(monkeypatch, RuntimeError("secret detail"))
    client.force_login(viewer)
    client.raise_request_exception = False
    answer = client.get("/dashboard/")
    assert answer.status_code == 500
    reference = re.search(r"<code>([0-9a-f]{8})</code>", answer.content.decode())
    assert reference is not None
    assert f"Reference {reference[1]}: GET /dashboard/" in caplog.text
    assert "secret detail" not in answer.content.decode()


def test_an_unknown_address_shows_the_way_back(client: Client) -> None:
    answer = client.get("/no/such/page/")
    assert answer.status_code == 404
    assert b"There is no page at this address." in answer.content


def test_an_unknown_environment_is_named(viewer: User, client: Client) -> None:
    client.force_login(viewer)
    answer = client.get("/environments/nowhere/")
    assert answer.status_code == 404
    assert "There is no environment named &#x27;nowhere&#x27;." in answer.content.decode()


def test_a_form_without_its_token_is_told_what_to_do(viewer: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(viewer)
    page = "/environments/lending_desk/scratch/?tool=list_loans"
    answer = client.post("/theme/", {"theme": "dark"}, headers={"referer": f"http://testserver{page}"})
    assert answer.status_code == 403
    shown = answer.content.decode()
    assert "Nothing was sent: you signed in or out after opening the form." in shown
    assert f'href="{page}">Back to the form' in shown
    assert "Error 403" not in shown


def test_who_lost_their_cookies_is_asked_to_sign_in_and_comes_back(db: None) -> None:
    page = "/environments/lending_desk/scratch/?tool=list_loans"
    client = Client(enforce_csrf_checks=True)
    sent = {
        "path": "/environments/lending_desk/scratch/undo/",
        "headers": {"referer": f"http://testserver{page}"},
    }
    answer = client.post(**sent)
    assert answer.status_code == 403
    shown = answer.content.decode()
    assert "You are signed out" in shown
    assert "your browser has lost its cookies" in shown
    back = "/environments/lending_desk/scratch/%3Ftool%3Dlist_loans"
    assert f'href="/sign-in/?next={back}">Sign in' in shown
    assert "Error 403" not in shown
    part = client.post(sent["path"], headers={**sent["headers"], "hx-request": "true"})
    assert part.status_code == 401
    assert "Your session has ended." in part.content.decode()
    signing_in = {"referer": "http://testserver/sign-in/?next=/environments/"}
    again = client.post("/sign-in/", headers=signing_in).content.decode()
    assert 'href="/sign-in/?next=/environments/">Sign in' in again


@pytest.mark.parametrize("path", ["/dashboard/", "/environments/", "/review/", "/api/environments"])
def test_a_database_that_does_not_answer_is_told_as_such(path: str, viewer: User, client: Client) -> None:
    client.force_login(viewer)

    def unreachable(*_: object) -> None:
        raise OperationalError("couldn't get a connection after 30.00 sec")

    with connection.execute_wrapper(unreachable):
        answer = client.get(path)
    assert answer.status_code == 503
    assert "The database does not answer" in answer.content.decode()
