"""What is approved leaves reproducibly; what comes in is stored whole."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from studio.jobs import execute_run
from studio.models import (
    BundleRecord,
    EnvironmentRecord,
    EnvironmentState,
    ReviewDecision,
    RunState,
    TrajectoryRecord,
)
from studio.services.environments.environments import load_environment
from studio.services.errors import NotReady
from studio.services.exports import bundles, stored_archives
from studio.services.review import reviews
from studio.services.rollouts.trajectories import load_judged, store_trajectory
from synthesis.bundles.open import open_bundle
from synthesis.bundles.registry import CODECS, usable
from synthesis.errors import InvalidBundle, InvalidInput, UnknownName
from tests.studio.conftest import GRADES, played


@pytest.fixture
def clinic_record(db, clinic_path) -> EnvironmentRecord:
    revision = bundles.import_bundle(path=clinic_path)
    return EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id)


def export(record: EnvironmentRecord, **more) -> BundleRecord:
    ended = execute_run(bundles.start_export(record=record, **more).pk)
    assert ended is not None
    assert ended.state == RunState.FINISHED, ended.error
    return BundleRecord.objects.get(pk=ended.result["bundle"])


def archive(bundle: BundleRecord) -> Path:
    """Where it lies in the folder of archives."""
    return stored_archives.fetch(bundle.path, Path())


def test_an_exported_bundle_opens_with_the_same_environment_and_trajectories(clinic_record, clinic):
    judged = played(clinic)
    store_trajectory(revision=clinic_record.current, judged=judged)
    bundle = export(clinic_record, waiver="For a test.")
    opened = open_bundle(archive(bundle))
    assert opened.environment.fingerprint == clinic.fingerprint
    assert opened.trajectories == (judged,)
    assert bundle.fingerprint == hashlib.sha256(archive(bundle).read_bytes()).hexdigest()
    assert bundle.manifest == opened.manifest.files


def test_two_exports_of_one_revision_are_the_same_bytes_and_one_record(clinic_record, clinic):
    for _ in range(2):
        store_trajectory(revision=clinic_record.current, judged=played(clinic))
    first = export(clinic_record, waiver="For a test.")
    content = archive(first).read_bytes()
    second = export(clinic_record, waiver="For a test.")
    assert (second.pk, archive(second).read_bytes()) == (first.pk, content)


def test_what_is_not_approved_stays_here_unless_somebody_says_why(clinic_record):
    with pytest.raises(NotReady, match="is not approved"):
        bundles.start_export(record=clinic_record)
    with pytest.raises(InvalidInput, match="under 300"):
        bundles.start_export(record=clinic_record, waiver="x" * 301)
    bundle = export(clinic_record, waiver="For a test.")
    assert bundle.waiver == "For a test."
    clinic_record.refresh_from_db()
    assert clinic_record.state == EnvironmentState.DRAFT


def test_exporting_what_is_approved_reaches_the_highest_level(stored, reviewer, monkeypatch):
    reviews.submit(
        record=stored,
        revision_number=1,
        reviewer=reviewer,
        decision=ReviewDecision.APPROVE,
        scores=GRADES,
        comment="Seen.",
    )
    stored.refresh_from_db()
    export(stored)
    stored.refresh_from_db()
    assert stored.state == EnvironmentState.EXPORTED


@pytest.mark.parametrize("codec", usable())
def test_every_format_that_is_listed_can_be_exported(clinic_record, clinic, codec):
    for agent, label in (("reference", "completed"), ("random", "agent_error")):
        judged = played(clinic, agent=agent, label=label)
        task = clinic.tasks.tasks[0].id
        tried = judged.trajectory.model_copy(update={"task_id": task})
        store_trajectory(
            revision=clinic_record.current, judged=judged.model_copy(update={"trajectory": tried})
        )
    bundle = export(clinic_record, codec=codec, waiver="For a test.")
    assert bundle.codec == codec
    assert archive(bundle).suffix == CODECS[codec].suffix
    assert bundle.size == len(archive(bundle).read_bytes()) > 0
    assert zipfile.is_zipfile(archive(bundle)) == (archive(bundle).suffix == ".zip")


def test_an_unknown_codec_is_refused_at_the_door(clinic_record):
    with pytest.raises(UnknownName, match="no codec named 'carrier_pigeon'"):
        bundles.start_export(record=clinic_record, codec="carrier_pigeon", waiver="For a test.")


def test_a_bundle_comes_back_in_with_its_trajectories_once(clinic_record, clinic, db):
    store_trajectory(revision=clinic_record.current, judged=played(clinic))
    bundle = export(clinic_record, waiver="For a test.")
    EnvironmentRecord.objects.update(current=None)
    content = archive(bundle).read_bytes()
    BundleRecord.objects.all().delete()
    TrajectoryRecord.objects.all().delete()
    EnvironmentRecord.objects.all().delete()
    path = archive(bundle).with_name("again.zip")
    path.write_bytes(content)
    for _ in range(2):
        revision = bundles.import_bundle(path=path)
    assert load_environment(revision) == clinic
    (record,) = TrajectoryRecord.objects.all()
    assert load_judged(record) == played(clinic)


def test_a_file_that_is_no_bundle_leaves_nothing_behind(db, tmp_path):
    path = tmp_path / "not_a_bundle.zip"
    path.write_text("hello")
    with pytest.raises(InvalidBundle, match="not a readable zip"):
        bundles.import_bundle(path=path)
    assert not EnvironmentRecord.objects.exists()
