"""Commands that need no worker."""

from __future__ import annotations

import io
import json

import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command
from django.utils import timezone

from studio.models import ApiToken, BundleRecord, EnvironmentRecord, Run
from studio.services.accounts import accounts
from studio.services.exports import stored_archives


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_a_bundle_comes_in_and_goes_out(db, clinic_path):
    assert run("import_bundle", str(clinic_path)) == "clinic_front_desk, revision 1\n"
    path, fingerprint = run("export_bundle", "clinic_front_desk", "--waiver", "For a test.").split()
    bundle = BundleRecord.objects.get()
    assert (stored_archives.address(bundle.path), bundle.fingerprint) == (path, fingerprint)
    assert stored_archives.is_there(bundle.path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("export_bundle", "nowhere"), "no environment named 'nowhere'"),
        (("export_bundle", "lending_desk"), "is not approved"),
        (("export_bundle", "lending_desk", "--codec", "pigeon"), "no codec named 'pigeon'"),
        (("import_bundle", "/nowhere.zip"), "there is no such file"),
        (("synthesize", ""), "The scenario is empty"),
        (("synthesize", "x" * 20_000), "20,000 characters"),
        (("synthesize", "A desk lends tools.", "--author", "shakespeare"), "no author named 'shakespeare'"),
        (("synthesize",), "Give either a sentence or a file"),
        (("synthesize", "--seeds", "/nowhere.jsonl"), "nowhere.jsonl"),
        (("synthesize", "A desk lends tools.", "--count", "0"), "0 environments"),
        (("demo", "--scenario", " "), "The scenario is empty"),
        (("demo", "--author", "shakespeare"), "Known: model, procedural"),
        (("demo", "--seed", "-4"), "seed"),
        (("rollout", "nowhere"), "no environment named 'nowhere'"),
        (("rollout", "lending_desk", "--agent", "genius"), "no agent named 'genius'"),
        (("rollout",), "Name at least one environment"),
        (("rollout", "lending_desk", "--samples", "2", "--task", "fly"), "no task named 'fly'"),
        (("rollout", "lending_desk", "--at-once", "0"), "--at-once: Input should be greater"),
        (("rollout", "lending_desk", "--samples", "0"), "0 samples"),
        (("rollout", "lending_desk", "--budget-tokens", "0"), "0 tokens"),
        (("rollout", "lending_desk", "--samples", "2", "--seed", "1", "--seed", "2"), "consecutive seeds"),
        (("rollout", "lending_desk", "--seed", "-1"), "Seed -1"),
        (("rollout", "lending_desk", "--samples", "2", "--seed", str(2**63 - 1)), "Seed 9223372036854775808"),
        (("rollout", "--state", "aproved"), "invalid choice: 'aproved'"),
        (("rollout", "--state", "exported"), "0 episodes"),
        (("judge", "--environment", "nowhere"), "no environment named 'nowhere'"),
        (("judge", "--strategy", "dice"), "no strategy named 'dice'"),
        (("judge", "--strategy", "rules"), "Run agents"),
        (("create_token", "nobody"), "no active person named 'nobody'"),
        (("revoke_token", "7"), "No valid token has the number 7"),
        (("create_admin", "a b"), "valid username"),
    ],
)
def test_bad_input_is_an_error_that_names_it_and_leaves_nothing(stored, arguments, message):
    with pytest.raises(CommandError, match=message):
        run(*arguments)
    assert not Run.objects.exists()
    assert EnvironmentRecord.objects.count() == 1


def test_demonstration_people_are_printed_with_passwords_that_work(db):
    lines = [line.split() for line in run("create_demo_users").splitlines()]
    assert {role for _, _, role in lines} == {"Viewer", "Reviewer", "Lead", "Administrator"}
    assert all(authenticate(username=name, password=password) for name, password, _ in lines)


def test_a_token_is_printed_once(reviewer):
    token = run("create_token", "rosa", "--name", "trainer").strip()
    assert accounts.user_of_token(token) == reviewer


def test_a_token_expires_is_listed_and_ends(reviewer):
    token = run("create_token", "rosa", "--name", "trainer", "--days", "3").strip()
    record = ApiToken.objects.get()
    assert record.expires_at is not None
    assert 2 < (record.expires_at - timezone.now()).total_seconds() / 86_400 <= 3
    assert run("tokens", "--user", "nobody") == ""
    assert f"{record.pk}  rosa  {token[:8]}  trainer  valid" in run("tokens")
    assert run("revoke_token", str(record.pk)) == f"revoked: {record.pk}\n"
    assert json.loads(run("tokens", "--json"))["state"] == "revoked"
    assert accounts.user_of_token(token) is None


def test_a_token_expires_by_itself(reviewer, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"token_days": 7})
    run("create_token", "rosa")
    expires_at = ApiToken.objects.get().expires_at
    assert expires_at is not None
    assert 6 < (expires_at - timezone.now()).total_seconds() / 86_400 <= 7


def test_the_first_administrator_is_made_by_command(db, client):
    password = run("create_admin", "ada", "--email", "ada@example.org").strip()
    assert client.login(username="ada", password=password)
    assert client.get("/admin/auth/user/").status_code == 200
    with pytest.raises(CommandError, match="already exists"):
        run("create_admin", "ada")


def test_the_password_of_an_administrator_may_be_given(db, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("short\n"))
    with pytest.raises(CommandError, match="too short"):
        run("create_admin", "ada", "--password-stdin")
    monkeypatch.setattr("sys.stdin", io.StringIO("a-long-and-odd-phrase-7\n"))
    assert run("create_admin", "ada", "--password-stdin") == ""
    assert authenticate(username="ada", password="a-long-and-odd-phrase-7") is not None


def test_reaping_says_what_it_found(db):
    assert run("reap_runs") == ""


def test_no_migration_is_missing(db):
    call_command("makemigrations", "--check", "--dry-run", stdout=io.StringIO())
