"""The account page: tokens are shown once and limited, expertise is kept, a password changes."""

from __future__ import annotations

import re

from django.test import Client

from studio.models import ApiToken
from studio.services.accounts import accounts, people


def test_a_token_is_shown_in_the_answer_alone(as_, lead):
    client = as_(lead)
    form = {"name": "nightly trainer", "scopes": ["read", "export"], "days": "7"}
    answer = client.post("/account/tokens/", form)
    assert answer.status_code == 201
    assert "no-store" in answer["Cache-Control"]
    (token,) = re.findall(r"data-new-token>(ww_[^<]+)<", answer.content.decode())
    record = ApiToken.objects.get()
    assert accounts.valid_token(token) == record
    assert record.scopes == ["export", "read"]
    assert (record.expires_at - record.created_at).days in (6, 7)
    page = client.get("/account/").content.decode()
    assert token not in page
    assert "nightly trainer" in page
    assert "export, read" in page


def test_a_token_without_scope_or_name_is_refused_beside_its_field(as_, lead):
    answer = as_(lead).post("/account/tokens/", {"name": "", "days": "0"})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert page.count("field-error") == 3
    assert not ApiToken.objects.exists()


def test_only_ones_own_token_is_revoked(as_, lead, reviewer):
    record, token = accounts.issue_token(user=lead, name="trainer")
    assert as_(reviewer).post(f"/account/tokens/{record.pk}/revoke/").status_code == 404
    assert accounts.valid_token(token) is not None
    assert as_(lead).post(f"/account/tokens/{record.pk}/revoke/").status_code == 302
    assert accounts.valid_token(token) is None


def test_fields_of_expertise_are_normalised_and_bounded(as_, reviewer):
    client = as_(reviewer)
    client.post("/account/expertise/", {"fields_known": " Health  Care, lending,,LENDING "})
    assert people.expertise_of(reviewer) == ("health care", "lending")
    assert 'value="health care, lending"' in client.get("/account/").content.decode()
    answer = client.post("/account/expertise/", {"fields_known": ",".join(map(str, range(21)))})
    assert answer.status_code == 422
    assert "at most 20" in answer.content.decode()
    assert people.expertise_of(reviewer) == ("health care", "lending")


def test_a_new_password_ends_other_sessions_and_keeps_this_one(as_, viewer):
    elsewhere = Client()
    elsewhere.force_login(viewer)
    client = as_(viewer)
    wrong = {"old_password": "no", "new_password1": "a-long-odd-phrase", "new_password2": "a-long-odd-phrase"}
    assert client.post("/account/password/", wrong).status_code == 422
    right = wrong | {"old_password": "vera-secret"}
    assert client.post("/account/password/", right)["Location"] == "/account/"
    assert client.get("/account/").status_code == 200
    assert elsewhere.get("/account/").status_code == 302
    viewer.refresh_from_db()
    assert viewer.check_password("a-long-odd-phrase")


def test_a_visit_is_noted_once_in_a_while(as_, viewer, django_assert_num_queries):
    client = as_(viewer)
    client.get("/keys/")
    viewer.refresh_from_db()
    first = viewer.profile.last_seen_at
    assert first is not None
    client.get("/keys/")
    viewer.profile.refresh_from_db()
    assert viewer.profile.last_seen_at == first
