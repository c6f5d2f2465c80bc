"""Archives in a bucket: a real server of S3 on this machine, processes that share nothing but the bucket."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy

import boto3
import pytest
from django.core.files.storage import storages
from django.test import Client
from moto.server import ThreadedMotoServer

from studio.jobs import execute_run
from studio.models import BundleRecord, Run, RunState
from studio.services.errors import Missing
from studio.services.exports import stored_archives
from studio.services.exports.bundles import start_export
from studio.services.operations import backups, readiness
from studio.services.runs.runs import retry
from synthesis.errors import InvalidInput
from tests.studio.services.operations.test_backups import emptied

KEYS = {"key_id": "a-key", "secret": "a-secret"}


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """A server with the bucket archives."""
    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    address = "http://{}:{}".format(*server.get_host_and_port())
    boto3.client(
        "s3",
        endpoint_url=address,
        region_name="us-east-1",
        aws_access_key_id=KEYS["key_id"],
        aws_secret_access_key=KEYS["secret"],
    ).create_bucket(Bucket="archives")
    yield address
    server.stop()


def bucket(settings, endpoint: str, folder: str, name: str = "archives") -> None:
    """Keep archives in a folder of a bucket from now on."""
    wanted = deepcopy(settings.STORAGES)
    wanted["archives"] = {
        "BACKEND": "studio.archive_bucket.ArchiveBucket",
        "OPTIONS": {
            "bucket_name": name,
            "endpoint_url": endpoint,
            "region_name": "us-east-1",
            "location": folder,
            "access_key": KEYS["key_id"],
            "secret_key": KEYS["secret"],
        },
    }
    settings.STORAGES = wanted


def content_of(name: str) -> bytes:
    """What an archive holds."""
    with stored_archives.opened(name) as file:
        content: bytes = file.read()
    return content


def in_another_process(code: str, endpoint: str, var: str) -> str:
    """What a process prints that has nothing but the settings of the bucket."""
    own = {
        "WORLDWRIGHT_VAR": var,
        "WORLDWRIGHT_BUCKET": "archives",
        "WORLDWRIGHT_BUCKET_ENDPOINT": endpoint,
        "WORLDWRIGHT_BUCKET_REGION": "us-east-1",
        "WORLDWRIGHT_BUCKET_FOLDER": "two",
        "WORLDWRIGHT_BUCKET_KEY_ID": KEYS["key_id"],
        "WORLDWRIGHT_BUCKET_SECRET": KEYS["secret"],
        "DJANGO_SETTINGS_MODULE": "studio.settings",
    }
    start = "import django; django.setup(); from studio.services.exports import stored_archives as s; "
    done = subprocess.run(
        [sys.executable, "-c", start + code],
        env=os.environ | own,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_two_processes_share_nothing_but_the_bucket(endpoint, settings, tmp_path):
    code = "from pathlib import Path; f = Path({!r}); f.write_bytes(b'one world'); s.store(f, 'native/a.zip')"
    in_another_process(code.format(str(tmp_path / "a.zip")), endpoint, str(tmp_path / "one"))
    bucket(settings, endpoint, "two")
    assert list(stored_archives.names()) == ["native/a.zip"]
    assert content_of("native/a.zip") == b"one world"
    assert stored_archives.fetch("native/a.zip", tmp_path).read_bytes() == b"one world"
    assert stored_archives.address("native/a.zip") == "s3://archives/two/native/a.zip"


def test_a_backup_takes_the_bucket_along_and_a_restore_fills_another(shelf, endpoint, settings, tmp_path):
    content = content_of(shelf.bundle.path)
    in_folder = settings.BUNDLES_DIR / shelf.bundle.path
    bucket(settings, endpoint, "first")
    stored_archives.store(in_folder, shelf.bundle.path)
    backups.write_backup(tmp_path / "all.tar.gz")
    emptied()
    bucket(settings, endpoint, "second")
    assert backups.restore_backup(tmp_path / "all.tar.gz").files == 1
    assert list(stored_archives.names()) == [shelf.bundle.path]
    assert content_of(BundleRecord.objects.get().path) == content


def test_pages_say_that_an_object_is_gone_or_that_the_bucket_is_away(
    shelf, viewer, endpoint, settings, caplog
):
    client = Client(raise_request_exception=False)
    client.force_login(viewer)
    page, archive = f"/bundles/{shelf.bundle.pk}/", f"/bundles/{shelf.bundle.pk}/download/"
    bucket(settings, endpoint, "empty")
    assert readiness.CHECKS["storage"]() == ""
    gone = client.get(archive)
    assert gone.status_code == 404
    assert b"is not in the storage any more" in gone.content
    assert client.get(page).status_code == 200
    stored_archives.store(settings.BUNDLES_DIR / shelf.bundle.path, shelf.bundle.path)
    sent = client.get(archive)
    assert b"".join(sent.streaming_content) == shelf_content(settings, shelf)
    assert sent["Content-Disposition"].endswith(f'"{shelf.bundle.file_name}"')
    for away in ("http://127.0.0.1:9", endpoint):
        bucket(settings, away, "", name="no-such-bucket")
        assert "cannot be used" in readiness.CHECKS["storage"]()
    bucket(settings, "http://127.0.0.1:9", "")
    for address in (archive, page):
        answer = client.get(address)
        assert answer.status_code == 503
        assert b"cannot be used now" in answer.content
    assert KEYS["secret"] not in caplog.text


def shelf_content(settings, shelf) -> bytes:
    """What the bundle's archive in the folder holds."""
    content: bytes = (settings.BUNDLES_DIR / shelf.bundle.path).read_bytes()
    return content


def test_a_folder_shows_no_half_written_archive(settings, tmp_path):
    class Breaking:
        """Content that ends in the midst."""

        def __init__(self) -> None:
            self.parts = [b"half"]

        def read(self, _: int = -1) -> bytes:
            if self.parts:
                return self.parts.pop()
            raise ValueError

    (tmp_path / "old").write_bytes(b"old")
    stored_archives.store(tmp_path / "old", "native/a.zip")
    with pytest.raises(ValueError, match=r"^$"):
        storages["archives"]._save("native/a.zip", Breaking())
    assert list(settings.BUNDLES_DIR.rglob("*.zip")) == [settings.BUNDLES_DIR / "native/a.zip"]
    assert len(list((settings.BUNDLES_DIR / "native").iterdir())) == 1
    assert content_of("native/a.zip") == b"old"


def test_an_archive_that_is_gone_from_the_folder_is_told_as_from_the_bucket(tmp_path):
    with pytest.raises(Missing, match=r"native/gone\.zip is not in the storage any more"):
        stored_archives.fetch("native/gone.zip", tmp_path)


def test_a_full_disk_is_a_clear_error_of_the_run_and_leaves_nothing_half_written(
    stored, settings, monkeypatch
):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def exported() -> Run:
        ended = execute_run(start_export(record=stored, waiver="For a test.").pk)
        assert ended is not None
        return ended

    for place in ("studio.archive_folder.shutil.copyfileobj", "synthesis.bundles.native.NativeCodec.write"):
        with monkeypatch.context() as disk:
            disk.setattr(place, full)
            ended = exported()
        assert (ended.state, ended.error_type) == (RunState.FAILED, "StorageDown"), ended.error
        assert ended.error == (
            "The disk on which archives are written is full, so nothing was stored. Free some space under "
            "WORLDWRIGHT_VAR, then try again."
        )
        assert [path for path in settings.BUNDLES_DIR.rglob("*") if path.is_file()] == []
        assert not list(settings.BUNDLES_DIR.glob(".draft-*"))
        assert not BundleRecord.objects.exists()
    again = execute_run(retry(run=ended).pk)
    assert again is not None
    assert again.state == RunState.FINISHED, again.error
    assert stored_archives.is_there(BundleRecord.objects.get().path)


def test_a_backup_on_a_full_disk_says_so_and_leaves_nothing(stored, tmp_path, monkeypatch):
    with monkeypatch.context() as disk:
        disk.setattr(
            backups.tarfile.TarFile,
            "add",
            lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSPC, "No space left on device")),
        )
        with pytest.raises(InvalidInput, match="No space left on device"):
            backups.write_backup(tmp_path / "all.tar.gz")
    assert list(tmp_path.iterdir()) == []
    backups.write_backup(tmp_path / "all.tar.gz")
    assert (tmp_path / "all.tar.gz").is_file()


def test_a_backup_that_cannot_read_something_does_not_blame_where_it_writes(stored, tmp_path, monkeypatch):
    with monkeypatch.context() as disk:
        disk.setattr(
            backups.tarfile.TarFile,
            "add",
            lambda *_: (_ for _ in ()).throw(PermissionError(errno.EACCES, "Permission denied")),
        )
        with pytest.raises(PermissionError):
            backups.write_backup(tmp_path / "all.tar.gz")
    assert list(tmp_path.iterdir()) == []


def test_a_backup_into_a_folder_that_takes_nothing_says_so(stored, tmp_path, monkeypatch):
    def refused(**_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(backups.tempfile, "TemporaryDirectory", refused)
    with pytest.raises(InvalidInput, match=r"cannot be written to .Permission denied.*another folder"):
        backups.write_backup(tmp_path / "all.tar.gz")
