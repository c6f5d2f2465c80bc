"""Retention deletes what is old, in portions, and nothing that somebody still refers to."""

from __future__ import annotations

import dataclasses
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from studio.models import (
    BundleCollection,
    BundleRecord,
    Claim,
    EnvironmentState,
    Flag,
    Notification,
    Project,
    Review,
    Run,
    RunKind,
    RunState,
)
from studio.models.visibility import Visibility, limited
from studio.services.exports import stored_archives
from studio.services.operations import retention

LONG_AGO = timezone.now() - timedelta(days=40)


@pytest.fixture
def alone(shelf, settings):
    """A shelf whose bundle is old and of no interest to anybody, with thirty days for everything."""
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(
        update={"notification_days": 30, "export_days": 30}
    )
    BundleRecord.objects.update(created_at=LONG_AGO)
    Run.objects.update(state=RunState.FINISHED, finished_at=LONG_AGO, created_at=LONG_AGO)
    for model in (BundleCollection, Claim, Flag, Review):
        model.objects.all().delete()
    type(shelf.environment).objects.update(state=EnvironmentState.PROVED)
    return shelf


def due() -> dict[str, int | None]:
    return {each.title: each.count for each in retention.planned()}


def test_what_nobody_refers_to_is_deleted_with_its_file(alone, capsys):
    call_command("retention", "--dry-run")
    assert "Bundles: 1 older than 30 days would be deleted" in capsys.readouterr().out
    assert BundleRecord.objects.exists()
    assert stored_archives.is_there(alone.bundle.path)
    call_command("retention")
    assert "Bundles: 1 older than 30 days deleted" in capsys.readouterr().out
    assert not BundleRecord.objects.exists()
    assert not stored_archives.is_there(alone.bundle.path)


def collected(shelf):
    collection = BundleCollection.objects.create(title="All", path="c.zip", fingerprint="0", size=1, count=1)
    collection.bundles.add(shelf.bundle)


def approved(shelf):
    type(shelf.environment).objects.update(state=EnvironmentState.EXPORTED)


def review(shelf, **more):
    Review.objects.create(
        environment=shelf.environment, revision=shelf.bundle.revision, reviewer=shelf.review.reviewer, **more
    )


KEEPERS = {
    "a collection": collected,
    "an approved environment": approved,
    "an approval of the revision": lambda shelf: review(shelf, state="submitted", decision="approve"),
    "a draft of a review": review,
    "a claim": lambda shelf: Claim.objects.create(
        environment=shelf.environment,
        reviewer=shelf.review.reviewer,
        expires_at=timezone.now() + timedelta(hours=1),
    ),
    "an open flag": lambda shelf: Flag.objects.create(
        environment=shelf.environment, revision=shelf.bundle.revision, raised_by=shelf.review.reviewer
    ),
    "an unfinished run": lambda shelf: Run.objects.create(
        kind=RunKind.EXPORT, title="Export", environment=shelf.environment
    ),
    "a newer export of the same": lambda _: BundleRecord.objects.update(
        run=Run.objects.create(
            kind=RunKind.EXPORT, title="Again", state=RunState.FINISHED, finished_at=timezone.now()
        )
    ),
    "its age": lambda _: BundleRecord.objects.update(created_at=timezone.now() - timedelta(days=29)),
}


@pytest.mark.parametrize("keeper", KEEPERS)
def test_what_somebody_refers_to_stays(alone, keeper):
    assert due()["Bundles"] == 1
    KEEPERS[keeper](alone)
    assert due()["Bundles"] == 0
    retention.apply()
    assert stored_archives.is_there(alone.bundle.path)
    assert BundleRecord.objects.exists()


def test_archives_of_trajectory_exports_go_once_no_newer_export_names_them(alone, tmp_path):
    (tmp_path / "any").write_bytes(b"any")
    for name in ("old", "both"):
        stored_archives.store(tmp_path / "any", f"trajectories/{name}.zip")
    for name, created in (("old", LONG_AGO), ("both", LONG_AGO), ("both", timezone.now())):
        Run.objects.create(
            kind=RunKind.TRAJECTORIES,
            title=name,
            state=RunState.FINISHED,
            created_at=created,
            finished_at=created,
            result={"path": f"trajectories/{name}.zip"},
        )
    retention.apply()
    assert list(stored_archives.names("trajectories")) == ["trajectories/both.zip"]


def test_what_another_project_refers_to_stays_whichever_is_chosen(alone, tmp_path):
    other = Project.objects.create(slug="other", name="Other")
    (tmp_path / "any").write_bytes(b"any")
    stored_archives.store(tmp_path / "any", "trajectories/both.zip")
    for project, created in ((alone.environment.project, LONG_AGO), (other, timezone.now())):
        Run.objects.create(
            project=project,
            kind=RunKind.TRAJECTORIES,
            title="both",
            state=RunState.FINISHED,
            created_at=created,
            finished_at=created,
            result={"path": "trajectories/both.zip"},
        )
    everywhere = due()
    assert everywhere["Archives of trajectory exports"] == 1  # the shelf's own
    for chosen in (alone.environment.project, other):
        with limited(lambda chosen=chosen: Visibility.only(chosen.pk)):
            assert due() == everywhere
    with limited(lambda: Visibility.only(alone.environment.project_id)):
        retention.apply()
    assert list(stored_archives.names("trajectories")) == ["trajectories/both.zip"]


def test_notifications_go_in_portions_and_zero_days_keep_all(alone, settings, monkeypatch):
    Notification.objects.all().delete()
    ages = (LONG_AGO, LONG_AGO, LONG_AGO, timezone.now())
    for number, created in enumerate(ages):
        Notification.objects.create(
            recipient=alone.review.reviewer,
            environment=alone.environment,
            kind="mention",
            event=f"mention:{number}",
            text="Somebody named you.",
            address="/",
            created_at=created,
        )
    days = settings.WORLDWRIGHT
    settings.WORLDWRIGHT = days.model_copy(update={"notification_days": 0, "export_days": 0})
    assert set(due().values()) == {0}
    retention.apply()
    assert Notification.objects.count() == len(ages)
    settings.WORLDWRIGHT = days
    portions = []
    rule = retention.RULES[0]
    counted = dataclasses.replace(
        rule, delete=lambda ids, before: portions.append(len(ids)) or rule.delete(ids, before)
    )
    monkeypatch.setattr(retention, "RULES", (counted,))
    monkeypatch.setattr(retention, "AT_ONCE", 2)
    assert [each.count for each in retention.apply()] == [3]
    assert portions == [2, 1]
    assert Notification.objects.get().event == "mention:3"
