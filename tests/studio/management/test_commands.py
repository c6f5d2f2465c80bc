"""Commands that need no worker."""

from __future__ import annotations

import io

import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command

from studio.models import BundleRecord, EnvironmentRecord, Run
from studio.services import accounts


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_a_bundle_comes_in_and_goes_out(db, clinic_path):
    assert run("import_bundle", str(clinic_path)) == "clinic_front_desk, revision 1\n"
    path, fingerprint = run("export_bundle", "clinic_front_desk", "--waiver", "For a test.").split()
    bundle = BundleRecord.objects.get()
    assert (str(bundle.file), bundle.fingerprint) == (path, fingerprint)
    assert bundle.file.is_file()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("export_bundle", "nowhere"), "no environment named 'nowhere'"),
        (("export_bundle", "lending_desk"), "is not approved"),
        (("export_bundle", "lending_desk", "--codec", "pigeon"), "no codec named 'pigeon'"),
        (("import_bundle", "/nowhere.zip"), "there is no such file"),
        (("synthesize", ""), "The scenario is empty"),
        (("synthesize", "x" * 20_000), "20,000 characters"),
        (("synthesize", "A desk.", "--author", "shakespeare"), "no author named 'shakespeare'"),
        (("synthesize",), "Give a sentence, or a file"),
        (("synthesize", "--seeds", "/nowhere.jsonl"), "nowhere.jsonl"),
        (("synthesize", "A desk.", "--count", "0"), "0 environments"),
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
        (("rollout", "lending_desk", "--samples", "2", "--seed", "1", "--seed", "2"), "following seeds"),
        (("rollout", "lending_desk", "--seed", "-1"), "Seed -1"),
        (("rollout", "lending_desk", "--samples", "2", "--seed", str(2**63 - 1)), "Seed 9223372036854775808"),
        (("rollout", "--state", "aproved"), "invalid choice: 'aproved'"),
        (("rollout", "--state", "exported"), "0 episodes"),
        (("judge", "--environment", "nowhere"), "no environment named 'nowhere'"),
        (("judge", "--strategy", "dice"), "no strategy named 'dice'"),
        (("judge", "--strategy", "rules"), "Let agents play"),
        (("create_token", "nobody"), "no active person named 'nobody'"),
    ],
)
def test_bad_input_is_an_error_that_names_it_and_leaves_nothing(stored, arguments, told):
    with pytest.raises(CommandError, match=told):
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


def test_reaping_says_what_it_found(db):
    assert run("reap_runs") == ""


def test_no_migration_is_missing(db):
    call_command("makemigrations", "--check", "--dry-run", stdout=io.StringIO())
