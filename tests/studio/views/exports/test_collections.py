"""Bundles of many environments: a dry run with reasons, exactly that is built, nothing unapproved gets in."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from studio.jobs import execute_run
from studio.models import (
    AuthorKind,
    BundleCollection,
    EnvironmentRecord,
    EnvironmentState,
    FlagSeverity,
    Project,
    Run,
    RunState,
)
from studio.services.environments.environments import store_environment
from studio.services.exports import collections, stored_archives
from studio.services.operations import project_deletion
from studio.services.projects import projects
from studio.services.review import flags, reviews
from synthesis.bundles.open import open_bundle
from synthesis.cli.command_line import main as command_line
from synthesis.documents.environment import Environment
from tests.studio.conftest import GRADES, report_on

NEW = "/bundles/collections/new/"


@pytest.fixture
def desk(db: None, environment: Environment, reviewer: User) -> Callable[..., EnvironmentRecord]:
    """Makes an environment, approved by Rosa unless told otherwise."""

    def make(name: str, *, approved: bool = True) -> EnvironmentRecord:
        changed = environment.replace(scenario=environment.scenario.replace(name=name, title=name.title()))
        revision = store_environment(
            environment=changed,
            author_kind=AuthorKind.PROCEDURAL,
            reason="Made.",
            report=report_on(changed),
        )
        record = EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id)
        if approved:
            reviews.submit(
                record=record,
                revision_number=1,
                reviewer=reviewer,
                decision="approve",
                scores=GRADES,
                comment="Seen.",
            )
            record.refresh_from_db()
            assert record.state == EnvironmentState.APPROVED
        return record

    return make


def build(client: Client, query: str = "", title: str = "First shipment", **given: object) -> Run:
    plan = client.get(f"{NEW}?{query}").context["plan"]
    fields = {"seen": plan.seen, "shown": plan.matching, "title": title, "with_trajectories": "on", **given}
    answer = client.post(f"{NEW}", fields)
    assert answer.status_code == 302, answer.content.decode()
    return Run.objects.latest("pk")


def test_the_dry_run_shows_what_is_included_and_why_the_others_are_not(
    desk, lead: User, client: Client, reviewer: User
) -> None:
    desk("one")
    desk("two", approved=False)
    flagged = desk("three")
    flags.raise_flag(
        record=flagged, user=reviewer, reason="tool_bug", severity=FlagSeverity.BLOCKING, comment="Wrong."
    )
    client.force_login(lead)
    answer = client.get(NEW)
    plan = answer.context["plan"]
    assert [record.name for record in plan.included] == ["one"]
    assert {record.name: why for record, why in plan.excluded} == {
        "two": "Its current revision has not been reviewed.",
        "three": "An open flag blocks it.",
    }
    page = answer.content.decode()
    assert "Its current revision has not been reviewed." in page
    assert "Build with 1 environment" in page


def test_a_collection_holds_the_bundles_with_digests_decisions_and_waivers(
    desk, lead: User, reviewer: User, client: Client, tmp_path: Path
) -> None:
    one, two = desk("one"), desk("two")
    flags.raise_flag(record=two, user=reviewer, reason="unrealistic", severity="minor", comment="A bit.")
    client.force_login(lead)
    ended = execute_run(build(client).pk)
    assert ended is not None
    assert ended.state == RunState.FINISHED, ended.error
    collection = BundleCollection.objects.get()
    stored = stored_archives.fetch(collection.path, tmp_path)
    with zipfile.ZipFile(stored) as archive:
        names = archive.namelist()
        top = names[0].split("/")[0]
        manifest = json.loads(archive.read(f"{top}/collection.json"))
        archive.extractall(tmp_path / "open")
    first, second = manifest["environments"]
    assert (first["name"], second["name"]) == ("one", "two")
    assert [each["decision"] for each in first["decisions"]] == ["approve"]
    assert (first["waivers"], [each["reason"] for each in second["waivers"]]) == ([], ["unrealistic"])
    for entry, record in ((first, one), (second, two)):
        opened = open_bundle(tmp_path / "open" / top / entry["archive"])
        assert opened.environment.fingerprint == record.current.fingerprint == entry["fingerprint"]
    page = client.get(collection.get_absolute_url()).content.decode()
    assert first["sha256"][:20] in page
    assert "1 with waivers" in page
    sent = client.get(f"{collection.get_absolute_url()}download/")
    assert b"".join(sent.streaming_content) == stored.read_bytes()  # type: ignore[attr-defined]
    for close in sent._resource_closers:  # type: ignore[attr-defined]
        close()  # and not the answer, which would close the test's connection, too
    assert f'href="{collection.get_absolute_url()}"' in client.get(ended.get_absolute_url()).content.decode()


def test_the_same_environments_give_the_same_bytes(desk, lead: User, client: Client, tmp_path: Path) -> None:
    desk("one")
    client.force_login(lead)
    execute_run(build(client).pk)
    content = stored_archives.fetch(BundleCollection.objects.get().path, tmp_path).read_bytes()
    execute_run(build(client).pk)
    assert stored_archives.fetch(BundleCollection.objects.get().path, tmp_path).read_bytes() == content


def test_tasks_are_loaded_once_per_bundle(desk, lead: User, client: Client, monkeypatch) -> None:
    loaded: list[str] = []
    tasks_of = collections._tasks
    monkeypatch.setattr(
        collections,
        "_tasks",
        lambda revision: loaded.append(revision.environment.name) or tasks_of(revision),
    )
    desk("one")
    desk("two")
    client.force_login(lead)
    ended = execute_run(build(client).pk)
    assert ended is not None
    assert ended.state == RunState.FINISHED, ended.error
    assert sorted(loaded) == ["one", "two"]


def test_an_equal_collection_of_another_project_takes_nothing_away(
    desk, administrator: User, client: Client, tmp_path: Path
) -> None:
    record = desk("one")
    other = Project.objects.create(slug="other", name="Other")
    client.force_login(administrator)
    for project in ("default", "other"):
        client.post("/projects/choose/", {"chosen": project})
        ended = execute_run(build(client).pk)
        assert ended is not None
        assert ended.state == RunState.FINISHED, ended.error
        if project == "default":
            projects.move(user=administrator, record=record, slug=other.slug)
    first, second = BundleCollection.all_projects.order_by("pk")
    assert [first.project.slug, second.project.slug] == ["default", "other"]
    assert first.fingerprint == second.fingerprint
    project_deletion.delete(user=administrator, project=other, typed="other")
    assert stored_archives.fetch(first.path, tmp_path).is_file()


def test_what_lost_its_approval_after_it_was_chosen_stops_the_build(
    desk, lead: User, reviewer: User, client: Client
) -> None:
    desk("one")
    record = desk("two")
    client.force_login(lead)
    run = build(client)
    flags.raise_flag(record=record, user=reviewer, reason="tool_bug", severity="blocking", comment="No.")
    ended = execute_run(run.pk)
    assert ended is not None
    assert ended.state == RunState.FAILED
    assert "Nothing was bundled: Two: 1 open flag" in ended.error
    assert not BundleCollection.objects.exists()


def test_a_build_is_refused_when_another_environment_matches_meanwhile(
    desk, lead: User, client: Client
) -> None:
    desk("one")
    client.force_login(lead)
    plan = client.get(NEW).context["plan"]
    desk("two")
    answer = client.post(NEW, {"seen": plan.seen, "shown": plan.matching, "title": "Late"})
    assert answer.status_code == 409
    assert "1 matched when you looked, 2 match now" in answer.content.decode()
    assert not Run.objects.exists()


def test_environments_are_dealt_into_splits_and_the_archive_is_sound(
    desk, lead: User, client: Client, tmp_path: Path
) -> None:
    desk("one")
    desk("two")
    client.force_login(lead)
    ended = execute_run(build(client, train=0, validation=0, test=100, seed=3).pk)
    assert ended is not None
    assert ended.state == RunState.FINISHED, ended.error
    collection = BundleCollection.objects.get()
    entries = collection.manifest["environments"]
    assert [each["split"] for each in entries] == ["test", "test"]
    assert {each["licence"] for each in entries} == {"CC0-1.0"}
    assert entries[0]["provenance"]["schema"]["author"] == "procedural"
    stored = stored_archives.fetch(collection.path, tmp_path)
    assert command_line(["verify", str(stored), "--json"]) == 0
    with zipfile.ZipFile(stored) as archive:
        (card,) = [name for name in archive.namelist() if name.endswith("README.md")]
        assert "| test | 2 | ████" in archive.read(card).decode()
    assert '<td data-label="Split">test</td>' in client.get(collection.get_absolute_url()).content.decode()


def test_shares_that_are_not_the_whole_are_refused(desk, lead: User, client: Client) -> None:
    desk("one")
    client.force_login(lead)
    plan = client.get(NEW).context["plan"]
    fields = {"seen": plan.seen, "shown": plan.matching, "title": "Shares", "train": 50, "test": 10}
    answer = client.post(NEW, fields)
    assert answer.status_code == 422
    assert "must add up to 100 percent, not 50 + 5 + 10" in answer.content.decode()
    assert not Run.objects.filter(kind="collection").exists()


def test_a_collection_needs_a_name(desk, lead: User, client: Client) -> None:
    desk("one")
    client.force_login(lead)
    plan = client.get(NEW).context["plan"]
    answer = client.post(NEW, {"seen": plan.seen, "shown": plan.matching, "title": " "})
    assert answer.status_code == 422
    assert "This field is required" in answer.content.decode()


def test_without_collections_the_list_says_what_to_do_next(viewer: User, client: Client) -> None:
    client.force_login(viewer)
    assert "No collection yet" in client.get("/bundles/collections/").content.decode()
