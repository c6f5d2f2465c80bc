"""A session that ended: the page asks before it sends, and signs in without being left."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.test import Client


def test_somebody_signed_in_is_told_so_and_nothing_more(viewer: User, client: Client) -> None:
    client.force_login(viewer)
    answer = client.get("/session/")
    assert (answer.status_code, answer["X-Person"], answer.content) == (204, str(viewer.pk), b"")
    assert "no-store" in answer["Cache-Control"]


def test_a_stranger_gets_the_form_for_the_dialog_and_no_page(db: None, client: Client) -> None:
    answer = client.get("/session/")
    assert answer.status_code == 200
    assert b"Your session has ended" in answer.content
    assert b"<html" not in answer.content


def test_signing_in_there_begins_the_session(viewer: User, client: Client) -> None:
    wrong = client.post("/session/", {"username": "vera", "password": "no"})
    assert "name or the password is wrong" in wrong.content.decode()
    assert 'value="vera"' in wrong.content.decode()
    right = client.post("/session/", {"username": "vera", "password": "vera-secret"})
    assert (right.status_code, right["X-Person"]) == (204, str(viewer.pk))
    assert client.get("/keys/").status_code == 200


def test_signing_in_needs_the_forms_token(viewer: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    answer = strict.post("/session/", {"username": "vera", "password": "vera-secret"})
    assert answer.status_code == 403


def test_after_a_form_was_sent_too_late_sign_in_leads_back_to_its_page(stored, client: Client) -> None:
    page = "/environments/lending_desk/review/"
    sent = client.post(f"{page}submit/", {}, headers={"referer": f"http://testserver{page}?a=1"})
    assert sent["Location"] == f"/sign-in/?next={page}%3Fa%3D1"
    elsewhere = client.post(f"{page}submit/", {}, headers={"referer": "https://example.org/review/"})
    assert elsewhere["Location"] == f"/sign-in/?next={page}submit/"
