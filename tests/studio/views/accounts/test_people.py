"""Administrators invite, change roles, deactivate and hand out links; one administrator always stays."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from studio.models import Invitation, Role
from studio.services.accounts import accounts, invitations

PASSWORD = "a-long-and-odd-phrase-7"
ACCOUNT = {"username": "nora", "first_name": "Nora", "password1": PASSWORD, "password2": PASSWORD}


def link_of(answer) -> str:
    """The address that is shown once."""
    assert answer.status_code == 201
    assert "no-store" in answer["Cache-Control"]
    (link,) = re.findall(r"data-new-link>http://testserver([^<]+)<", answer.content.decode())
    return link


@pytest.fixture
def invited(as_, administrator) -> str:
    """The path of an invitation for a reviewer."""
    return link_of(as_(administrator).post("/people/invite/", {"note": "Nora", "role": "reviewer"}))


def test_an_invitation_becomes_an_account_once(invited, client):
    newcomer = Client()
    page = newcomer.get(invited)
    assert "as Reviewer" in page.content.decode()
    assert newcomer.post(invited, ACCOUNT)["Location"] == "/"
    nora = User.objects.get(username="nora")
    assert (accounts.role_of(nora), nora.is_staff, nora.check_password(PASSWORD)) == (
        Role.REVIEWER,
        False,
        True,
    )
    assert newcomer.get("/account/").status_code == 200
    assert Client().post(invited, ACCOUNT | {"username": "otto"}).status_code == 404
    assert Invitation.objects.get().state == "accepted"
    shown = client.get("/people/").content.decode()
    assert invited not in shown
    assert "Accepted" in shown


def test_a_weak_password_leaves_the_invitation_open(invited):
    weak = ACCOUNT | {"password1": "password", "password2": "password"}
    assert Client().post(invited, weak).status_code == 422
    assert Invitation.objects.get().state == "pending"
    assert not User.objects.filter(username="nora").exists()


def test_a_form_gives_no_more_than_the_invitation(invited):
    Client().post(invited, ACCOUNT | {"is_superuser": "on", "is_staff": "on", "role": "admin", "groups": "1"})
    nora = User.objects.get(username="nora")
    assert (accounts.role_of(nora), nora.is_superuser, nora.is_staff) == (Role.REVIEWER, False, False)


def test_an_old_or_revoked_invitation_opens_nothing(invited, client):
    record = Invitation.objects.get()
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert Client().get(invited).status_code == 404
    Invitation.objects.update(expires_at=timezone.now() + timedelta(days=1))
    assert client.post(f"/people/invitations/{record.pk}/revoke/").status_code == 302
    assert Client().get(invited).status_code == 404
    assert client.post(f"/people/invitations/{record.pk}/revoke/").status_code == 404
    assert Client().get("/join/nobody/").status_code == 404


def test_the_second_of_two_who_open_a_link_makes_no_account(administrator, monkeypatch):
    _, code = invitations.invite(user=administrator, note="Nora", role="viewer")
    record = invitations.find_open(code)
    monkeypatch.setattr(invitations, "find_open", lambda _: record)
    invitations.accept(code=code, person=User(username="first"))
    with pytest.raises(invitations.Missing):
        invitations.accept(code=code, person=User(username="second"))
    assert not User.objects.filter(username="second").exists()


def test_a_deactivated_person_is_out_at_once_and_can_come_back(as_, administrator, lead):
    theirs = Client()
    theirs.force_login(lead)
    _, token = accounts.issue_token(user=lead, name="trainer")
    client = as_(administrator)
    assert client.post(f"/people/{lead.pk}/active/").status_code == 302
    assert theirs.get("/account/").status_code == 302
    assert accounts.valid_token(token) is None
    assert client.post(f"/people/{lead.pk}/reset/").status_code == 409
    client.post(f"/people/{lead.pk}/active/", {"active": "yes"})
    assert accounts.valid_token(token) is not None


def test_the_last_administrator_stays(as_, administrator, person):
    client = as_(administrator)
    own = f"/people/{administrator.pk}"
    assert client.post(f"{own}/active/").status_code == 409
    assert client.post(f"{own}/role/", {"role": "lead"}).status_code == 409
    person("alma", Role.ADMIN)
    assert client.post(f"{own}/role/", {"role": "lead"}).status_code == 302
    assert client.get("/people/").status_code == 403


def test_a_role_is_changed_and_an_unknown_one_refused(as_, administrator, viewer):
    client = as_(administrator)
    client.post(f"/people/{viewer.pk}/role/", {"role": "lead"})
    assert accounts.role_of(User.objects.get(pk=viewer.pk)) is Role.LEAD
    assert client.post(f"/people/{viewer.pk}/role/", {"role": "root"}).status_code == 422


def test_a_superuser_is_changed_by_superusers_only(as_, administrator):
    root = User.objects.create_superuser("root", password=PASSWORD)
    client = as_(administrator)
    for action in ("active", "role", "reset"):
        assert client.post(f"/people/{root.pk}/{action}/").status_code == 403, action


def test_a_link_for_a_new_password_works_once(as_, administrator, viewer):
    link = link_of(as_(administrator).post(f"/people/{viewer.pk}/reset/"))
    theirs = Client()
    form = theirs.get(link)["Location"]
    assert link.rsplit("/", 2)[1] not in form
    done = theirs.post(form, {"new_password1": PASSWORD, "new_password2": PASSWORD})
    assert done["Location"] == "/sign-in/"
    viewer.refresh_from_db()
    assert viewer.check_password(PASSWORD)
    again = Client().get(link)
    assert "This link was used" in again.content.decode()
