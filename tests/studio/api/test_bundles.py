"""Bundles for programs."""

from __future__ import annotations

import hashlib
import io
import zipfile

from studio.jobs import execute_run
from studio.models import BundleRecord
from studio.services.exports import stored_archives


def zipped(folder) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder))
    return buffer.getvalue()


def test_an_export_is_started_executed_and_fetched(api, lead, stored):
    client = api(lead)
    refused = client.post("/bundles/exports", {"environment": "lending_desk"})
    assert (refused.status_code, refused.json()["error"]) == (409, "NotReady")
    started = client.post("/bundles/exports", {"environment": "lending_desk", "waiver": "For a test."})
    assert started.status_code == 202
    execute_run(started.json()["id"])
    (bundle,) = client.get("/bundles", environment="lending_desk").json()["items"]
    archive = client.get(f"/bundles/{bundle['id']}/archive")
    content = b"".join(archive.streaming_content)
    assert hashlib.sha256(content).hexdigest() == bundle["fingerprint"]
    assert client.get(f"/bundles/{bundle['id']}").json()["manifest"] == bundle["manifest"]


def test_an_archive_that_is_gone_says_so(api, lead, stored):
    client = api(lead)
    started = client.post("/bundles/exports", {"environment": "lending_desk", "waiver": "For a test."})
    execute_run(started.json()["id"])
    bundle = BundleRecord.objects.get()
    stored_archives.remove(bundle.path)
    answer = client.get(f"/bundles/{bundle.pk}/archive")
    assert answer.status_code == 404
    assert "Export it again" in answer.json()["remedy"]


def test_what_was_exported_here_can_be_taken_in(api, lead, stored, tmp_path):
    client = api(lead)
    started = client.post("/bundles/exports", {"environment": "lending_desk", "waiver": "For a test."})
    execute_run(started.json()["id"])
    with stored_archives.opened(BundleRecord.objects.get().path) as file:
        answer = client.post("/bundles/imports", file=None, data={"file": file})
    assert answer.status_code == 201, answer.content
    assert answer.json()["environment"] == "lending_desk"


def test_a_file_that_is_no_bundle_is_refused_with_a_remedy(api, lead, reviewer, clinic_path):
    client = api(lead)
    answer = client.post("/bundles/imports", file=None, data={"file": io.BytesIO(b"hello")})
    assert answer.status_code == 422
    assert answer.json()["error"] == "InvalidBundle"
    without_manifest = client.post(
        "/bundles/imports", file=None, data={"file": io.BytesIO(zipped(clinic_path))}
    )
    assert "manifest.json" in without_manifest.json()["message"]
    assert api(reviewer).post("/bundles/imports", data={"file": io.BytesIO(b"x")}).status_code == 403
