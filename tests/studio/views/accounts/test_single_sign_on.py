"""Signing in with an OpenID Connect provider."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.socialaccount.models import SocialAccount, SocialToken
from auditlog.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client

from studio.identity_provider import link_of
from studio.models import Role
from studio.services.accounts.accounts import issue_token, role_of
from tests.studio.views.accounts.conftest import Provider

NORA = {"preferred_username": "nora", "given_name": "Nora", "family_name": "Nord"}
MAIL = {"email": "nora@example.org", "email_verified": True}


def asked_of(client: Client, following: str = "") -> str:
    """The address at the provider to which the studio sends somebody."""
    answer = client.get("/sign-in/provider/", {"next": following} if following else {})
    assert answer.status_code == 302, answer.content
    return answer["Location"]


def come_back(client: Client, provider: Provider, subject: str, following: str = "") -> Any:
    """The studio's answer to somebody who signed in at the provider."""
    back = urlsplit(provider.approves(asked_of(client, following), subject))
    return client.get(f"{back.path}?{back.query}")


def who(client: Client) -> str:
    return client.get("/session/").headers.get("X-Person", "nobody")


def test_without_a_provider_there_is_nothing_of_it(client, db):
    assert "provider" not in client.get("/sign-in/").content.decode()
    assert client.get("/sign-in/provider/").status_code == 404
    assert client.get("/sign-in/provider/callback/?code=x&state=y").status_code == 404


def test_somebody_new_gets_an_account_and_goes_where_they_wanted(client, provider, offered):
    offered(role="reviewer")
    provider.knows("n-1", **NORA, **MAIL)
    page = client.get("/sign-in/?next=/environments/").content.decode()
    assert 'href="/sign-in/provider/?next=%2Fenvironments%2F"' in page
    assert "Sign in with Example" in page
    answer = come_back(client, provider, "n-1", "/environments/")
    assert (answer.status_code, answer["Location"]) == (302, "/environments/")
    nora = User.objects.get(username="nora")
    assert (nora.get_full_name(), nora.email, role_of(nora)) == (
        "Nora Nord",
        "nora@example.org",
        Role.REVIEWER,
    )
    assert who(client) == str(nora.pk)
    assert not nora.has_usable_password()
    assert LogEntry.objects.filter(actor=nora, additional_data__event="sign_in").count() == 1


def test_the_request_is_bound_to_the_browser_by_state_and_proof_key(client, provider, offered):
    asked = parse_qs(urlsplit(asked_of(client)).query)
    assert asked["code_challenge_method"] == ["S256"]
    assert set(asked["scope"][0].split()) == {"openid", "profile", "email"}
    assert len(asked["state"][0]) >= 16
    assert asked["redirect_uri"] == ["http://testserver/sign-in/provider/callback/"]


def test_no_claims_and_no_tokens_are_kept(client, provider, offered):
    offered(role="viewer")
    provider.knows("n-2", **NORA, **MAIL)
    come_back(client, provider, "n-2")
    assert SocialAccount.objects.get().extra_data == {}
    assert not SocialToken.objects.exists()


def test_without_a_role_nobody_gets_an_account(client, provider, offered):
    provider.knows("n-3", **NORA, **MAIL)
    answer = come_back(client, provider, "n-3")
    assert answer.status_code == 403
    assert "There is no account for you here" in answer.content.decode()
    assert who(client) == "nobody"
    assert not User.objects.filter(username="nora").exists()
    assert LogEntry.objects.filter(additional_data__event="sign_in_refused", object_repr="nora").exists()


@pytest.mark.parametrize(
    ("rule", "claims", "fits"),
    [
        ("nothing", NORA | MAIL, False),
        ("email", NORA | MAIL, True),
        ("email", NORA | MAIL | {"email": "NORA@example.org"}, True),
        ("email", NORA | MAIL | {"email_verified": False}, False),
        ("email", NORA | MAIL | {"email_verified": "true"}, False),
        ("email", NORA | {"email_verified": True}, False),
        ("username", NORA, True),
        ("username", {"preferred_username": "Nora"}, False),
    ],
)
def test_an_account_fits_by_the_rule_alone(rule, claims, fits, client, provider, offered, person):
    offered(match=rule)
    nora = person("nora", Role.LEAD)
    User.objects.filter(pk=nora.pk).update(email="nora@example.org")
    provider.knows("n-4", **claims)
    answer = come_back(client, provider, "n-4")
    assert (answer.status_code, who(client)) == ((302, str(nora.pk)) if fits else (403, "nobody"))


def test_whoever_had_the_account_before_its_owner_came_is_out(client, provider, offered, person):
    offered(match="email")
    eve, hers = person("eve", Role.VIEWER), Client()
    hers.force_login(eve)
    _, token = issue_token(user=eve, name="before", scopes=["read"])
    User.objects.filter(pk=eve.pk).update(email=MAIL["email"])
    provider.knows("n-19", **MAIL)
    assert come_back(client, provider, "n-19").status_code == 302
    assert who(client) == str(eve.pk)
    assert hers.get("/environments/").status_code == 302
    assert not User.objects.get(pk=eve.pk).has_usable_password()
    assert Client(headers={"Authorization": f"Bearer {token}"}).get("/api/environments").status_code == 401


def test_no_rule_opens_a_superuser_or_one_of_two_accounts(client, provider, offered, person):
    offered(match="email")
    for name in ("one", "two"):
        User.objects.filter(pk=person(name, Role.VIEWER).pk).update(email="two@example.org")
    User.objects.create_superuser("root", email="root@example.org")
    for subject, email in (("n-5", "two@example.org"), ("n-6", "root@example.org")):
        provider.knows(subject, email=email, email_verified=True)
        assert come_back(client, provider, subject).status_code == 403
    assert not SocialAccount.objects.exists()


def test_an_address_that_another_person_has_now_opens_no_account_that_is_linked(
    client, provider, offered, person
):
    offered(match="email")
    User.objects.filter(pk=person("nora", Role.LEAD).pk).update(email="nora@example.org")
    provider.knows("first", **MAIL)
    provider.knows("second", **MAIL)
    assert come_back(client, provider, "first").status_code == 302
    assert come_back(Client(), provider, "second").status_code == 403


def test_the_account_stays_theirs_when_name_and_address_change(client, provider, offered):
    offered(role="viewer")
    provider.knows("n-7", **NORA, **MAIL)
    come_back(client, provider, "n-7")
    first = who(client)
    provider.knows("n-7", preferred_username="other", email="other@example.org", email_verified=True)
    again = Client()
    assert come_back(again, provider, "n-7").status_code == 302
    assert who(again) == first


def test_a_name_that_is_taken_gets_a_number(client, provider, offered, person):
    offered(role="viewer")
    person("nora", Role.ADMIN)
    provider.knows("n-8", preferred_username="nora")
    come_back(client, provider, "n-8")
    assert role_of(User.objects.get(username="nora-2")) is Role.VIEWER


@pytest.mark.parametrize("name", ["../x y\x07<script>", "", "é" * 400, 7, None, "\x00"])
def test_odd_names_make_usable_accounts(name, client, provider, offered):
    offered(role="viewer")
    provider.knows("odd", preferred_username=name, given_name=name, family_name=[name])
    assert come_back(client, provider, "odd").status_code == 302
    account = SocialAccount.objects.get().user
    account.full_clean(exclude=["password"])


def test_a_deactivated_account_stays_closed(client, provider, offered):
    offered(role="viewer")
    provider.knows("n-9", **NORA)
    come_back(client, provider, "n-9")
    User.objects.filter(username="nora").update(is_active=False)
    assert who(client) == "nobody"
    answer = come_back(Client(), provider, "n-9")
    assert answer.status_code == 403
    assert "deactivated" in answer.content.decode()


GROUPS = {
    "role_claim": "groups",
    "admins": ("ops",),
    "leads": ("leads",),
    "reviewers": ("staff", "reviewers"),
    "viewers": ("all",),
}


@pytest.mark.parametrize(
    ("groups", "role"),
    [
        (["all", "leads"], Role.LEAD),
        (["staff"], Role.REVIEWER),
        ("ops", Role.ADMIN),
        (["other"], None),
        ([], None),
        ({"ops": True}, None),
        (7, None),
    ],
)
def test_a_claim_gives_the_role(groups, role, client, provider, offered):
    offered(**GROUPS)
    provider.knows("n-10", **NORA, groups=groups)
    answer = come_back(client, provider, "n-10")
    assert answer.status_code == (302 if role else 403)
    assert [role_of(user) for user in User.objects.filter(username="nora")] == ([role] if role else [])


def test_the_role_follows_the_claim_at_every_sign_in(client, provider, offered, administrator):
    offered(**GROUPS | {"role_claim": "realm.roles"})
    roles: list[Mapping[str, Any]] = [{"roles": ["leads"]}, {"roles": ["all"]}, {}]
    expected = [Role.LEAD, Role.VIEWER, None]
    for realm, role in zip(roles, expected, strict=True):
        provider.knows("n-11", **NORA, realm=realm)
        answer = come_back(Client(), provider, "n-11")
        assert answer.status_code == (302 if role else 403)
        assert role_of(User.objects.get(username="nora")) is role


def test_the_last_administrator_stays_one(client, provider, offered):
    offered(**GROUPS)
    provider.knows("n-12", **NORA, groups=["ops"])
    come_back(client, provider, "n-12")
    provider.knows("n-12", **NORA, groups=[])
    assert come_back(Client(), provider, "n-12").status_code == 302
    assert role_of(User.objects.get(username="nora")) is Role.ADMIN


def test_signing_out_ends_the_session_at_the_provider(client, provider, offered):
    offered(role="viewer")
    provider.knows("n-13", **NORA)
    come_back(client, provider, "n-13")
    answer = client.post("/sign-out/")
    assert who(client) == "nobody"
    page = answer.content.decode()
    assert (
        f'http-equiv="refresh" content="0; url={provider.address}/oauth2/end_session?id_token_hint=' in page
    )
    assert "post_logout_redirect_uri=http%3A%2F%2Ftestserver%2Fsign-in%2F" in page


def test_signing_out_stays_here_when_that_is_wanted_or_a_password_was_used(client, provider, offered, viewer):
    client.post("/sign-in/", {"username": "vera", "password": "vera-secret"})
    assert client.post("/sign-out/")["Location"] == "/sign-in/"
    offered(role="viewer", sign_out=False)
    provider.knows("n-14", **NORA)
    come_back(client, provider, "n-14")
    assert client.post("/sign-out/")["Location"] == "/sign-in/"


@pytest.mark.parametrize("query", ["", "?code=x", "?code=x&state=y", "?error=server_error", "?state=y"])
def test_an_answer_that_nobody_asked_for_signs_nobody_in(query, client, provider, offered):
    offered(role="viewer")
    asked_of(client)
    answer = client.get(f"/sign-in/provider/callback/{query}")
    assert answer.status_code == 403
    assert who(client) == "nobody"


def test_an_answer_works_once_and_in_the_browser_that_asked(client, provider, offered):
    offered(role="viewer")
    provider.knows("n-15", **NORA)
    back = urlsplit(provider.approves(asked_of(client), "n-15"))
    stolen = Client()
    assert stolen.get(f"{back.path}?{back.query}").status_code == 403
    assert client.get(f"{back.path}?{back.query}").status_code == 302
    client.logout()
    assert client.get(f"{back.path}?{back.query}").status_code == 403


def test_whoever_says_no_at_the_provider_is_told_so(client, provider, offered):
    state = parse_qs(urlsplit(asked_of(client)).query)["state"][0]
    answer = client.get("/sign-in/provider/callback/", {"error": "access_denied", "state": state})
    assert answer.status_code == 403
    assert "You did not sign in with Example" in answer.content.decode()


@pytest.mark.parametrize(
    "foreign", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "home"]
)
def test_nobody_is_sent_to_a_foreign_address_afterwards(foreign, client, provider, offered):
    offered(role="viewer")
    provider.knows("n-16", **NORA)
    assert come_back(client, provider, "n-16", foreign)["Location"] == "/"


def test_a_process_of_allauth_that_links_accounts_cannot_be_asked_for(client, provider, offered, viewer):
    offered(role="viewer")
    provider.knows("n-17", **NORA)
    client.force_login(viewer)
    asked = client.get("/sign-in/provider/?process=connect")["Location"]
    back = urlsplit(provider.approves(asked, "n-17"))
    assert client.get(f"{back.path}?{back.query}").status_code == 302
    assert who(client) == str(User.objects.get(username="nora").pk)
    assert SocialAccount.objects.get().user.username == "nora"


def test_a_provider_that_does_not_answer_is_a_page(client, offered):
    offered(issuer="http://127.0.0.1:9")
    answer = client.get("/sign-in/provider/")
    assert answer.status_code == 503
    assert "does not answer" in answer.content.decode()


def test_a_provider_that_calls_itself_otherwise_is_not_believed(client, provider, offered):
    offered(issuer=provider.address.replace("127.0.0.1", "localhost") + "/.well-known/openid-configuration")
    assert client.get("/sign-in/provider/").status_code == 503


def test_wrong_passwords_are_throttled_as_before(client, provider, offered, settings, viewer):
    settings.AXES_ENABLED, settings.AXES_FAILURE_LIMIT = True, 3
    offered(match="username")
    provider.knows("v-1", preferred_username="vera")
    wrong = {"username": "vera", "password": "wrong"}
    assert [client.post("/sign-in/", wrong).status_code for _ in range(3)] == [200, 200, 429]
    assert come_back(client, provider, "v-1").status_code == 302
    assert who(client) == str(viewer.pk)


def test_the_policy_of_the_pages_stays_as_strict(client, offered):
    policy = client.get("/sign-in/").headers["Content-Security-Policy"]
    assert "form-action 'self'" in policy
    assert "127.0.0.1" not in policy


def test_the_link_is_made_for_one_provider(client, provider, offered):
    offered(role="viewer")
    provider.knows("n-18", **NORA)
    come_back(client, provider, "n-18")
    link = SocialAccount.objects.get()
    assert link.provider == link_of(provider.address)
    assert link_of(provider.address) == link_of(f"{provider.address}/") != link_of("https://login.example")


def test_an_equal_subject_of_another_issuer_is_somebody_else(client, provider, offered, person):
    offered(role="viewer")
    nora = person("nora", Role.LEAD)
    SocialAccount.objects.create(user=nora, provider=link_of("https://login.example"), uid="n-20")
    provider.knows("n-20", **NORA)
    assert come_back(client, provider, "n-20").status_code == 302
    assert who(client) not in (str(nora.pk), "nobody")
