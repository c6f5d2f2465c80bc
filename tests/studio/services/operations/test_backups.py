"""A backup holds every table and file; restoring it into a new database gives the same fingerprints."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest
from auditlog.models import LogEntry
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection

from studio.models import BundleRecord, EnvironmentRecord, RunEvent, TrajectoryRecord
from studio.services.environments import environments
from studio.services.exports import stored_archives
from studio.services.operations import backups, table_rows
from synthesis.errors import InvalidInput


@pytest.fixture
def archive(shelf, tmp_path: Path) -> Path:
    """A backup of one of everything."""
    path = tmp_path / "backup.tar.gz"
    backups.write_backup(path)
    return path


def emptied() -> None:
    """The database as it is after the first migration."""
    connection.disable_constraint_checking()
    with connection.constraint_checks_disabled():
        for table in table_rows.stored_tables():
            table.rows.all()._raw_delete(connection.alias)


def test_a_backup_is_restored_to_the_same_fingerprints(archive, shelf, settings, tmp_path, environment):
    before = backups.stored_now()
    assert before.rows > 60
    counts = {model: model.objects.count() for model in (User, TrajectoryRecord, RunEvent, LogEntry)}
    settings.BUNDLES_DIR = tmp_path / "elsewhere"
    emptied()
    assert backups.restore_backup(archive).fingerprints == before.fingerprints
    connection.check_constraints()
    assert {model: model.objects.count() for model in counts} == counts
    record = EnvironmentRecord.objects.select_related("current").get()
    assert environments.load_environment(record.current) == environment
    assert stored_archives.fetch(BundleRecord.objects.get().path, tmp_path).read_bytes() == b"PK-content"
    assert User.objects.create_user("newcomer").pk > shelf.review.reviewer_id


def test_a_studio_that_is_not_empty_is_left_alone(archive, viewer):
    before = backups.stored_now()
    with pytest.raises(InvalidInput, match="not empty"):
        backups.restore_backup(archive)
    assert backups.stored_now() == before


def changed(archive: Path, name: str, content: bytes) -> Path:
    """The archive with another content of one file, or with one more."""
    path = archive.with_name("changed.tar.gz")
    with tarfile.open(archive) as source, tarfile.open(path, "w:gz") as target:
        for member in source.getmembers():
            if member.name != name:
                target.addfile(member, source.extractfile(member))
        added = tarfile.TarInfo(name)
        added.size = len(content)
        target.addfile(added, io.BytesIO(content))
    return path


def test_a_damaged_backup_restores_nothing(archive):
    table = "tables/auth.user.jsonl"
    with tarfile.open(archive) as source:
        users = source.extractfile(table).read()
    emptied()
    with pytest.raises(InvalidInput, match=r"damaged: auth\.user"):
        backups.restore_backup(changed(archive, table, users.replace(b"otto", b"evil")))
    assert not User.objects.exists()


def test_what_is_no_backup_of_this_release_is_refused(archive, tmp_path):
    emptied()
    other = tmp_path / "other.tar.gz"
    other.write_bytes(b"nothing")
    with pytest.raises(InvalidInput, match="cannot be read as a backup"):
        backups.restore_backup(other)
    with pytest.raises(InvalidInput, match="no backup of the studio"):
        backups.restore_backup(changed(archive, "manifest.json", b"{}"))
    with tarfile.open(archive) as source:
        manifest = json.loads(source.extractfile("manifest.json").read())
    manifest["migrations"] = manifest["migrations"][:-1]
    with pytest.raises(InvalidInput, match="other migrations"):
        backups.restore_backup(changed(archive, "manifest.json", json.dumps(manifest).encode()))


def test_a_hostile_archive_writes_nothing_outside_the_storage(archive, settings, tmp_path):
    settings.BUNDLES_DIR = tmp_path / "inner" / "bundles"
    emptied()
    with pytest.raises(InvalidInput, match="cannot be read as a backup"):
        backups.restore_backup(changed(archive, "storage/../../escaped", b"evil"))
    assert not list(tmp_path.rglob("escaped"))
    assert not User.objects.exists()


def test_the_commands_report_rows_and_the_fingerprint(shelf, tmp_path, capsys):
    path = tmp_path / "all.tar.gz"
    call_command("backup", path)
    shown = capsys.readouterr()
    assert backups.stored_now().fingerprint in shown.out
    assert "Keys and secrets" in shown.err
    with pytest.raises(InvalidInput, match="exists already"):
        backups.write_backup(path)
    emptied()
    call_command("restore", path)
    assert backups.stored_now().fingerprint in capsys.readouterr().out
