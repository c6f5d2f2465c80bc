"""Taking in an exported environment on a page: clear refusals, a line in the audit trail."""

from __future__ import annotations

import html
import io
import re
import zipfile
from pathlib import Path

import pytest
from auditlog.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from studio.forms import bundles as forms
from studio.models import EnvironmentRecord, TrajectoryRecord
from studio.services.audit.trail import Event
from studio.services.review import reviews
from synthesis.bundles.native import NativeCodec
from synthesis.documents.bundle import Bundle
from tests.studio.conftest import played, small_environment

NEW = "/bundles/import/"


@pytest.fixture
def archive(tmp_path: Path) -> bytes:
    """An environment that is not here yet, with one try at a task."""
    environment = small_environment(name="tool_library", title="Tool library")
    bundle = Bundle(environment=environment, trajectories=(played(environment),))
    return NativeCodec().write(bundle, tmp_path / "tool_library.zip").read_bytes()


def send(client: Client, content: bytes, name: str = "tool_library.zip", **more: str):
    return client.post(NEW, {"bundle": SimpleUploadedFile(name, content), **more})


def take(client: Client, content: bytes, name: str = "tool_library.zip", **more: str):
    """Send a bundle that is in order; what the page says against it is told where it is refused."""
    answer = send(client, content, name, **more)
    said = re.findall(r'class="field-error"[^>]*>(.*?)</', answer.content.decode(), re.DOTALL)
    assert (answer.status_code, said) == (302, [])
    return answer


def refusal(answer) -> str:
    """What the page says about the file."""
    assert answer.status_code == 422
    (text,) = re.findall(r'class="field-error"[^>]*>(.*?)</', answer.content.decode(), re.DOTALL)
    assert not EnvironmentRecord.objects.exists()
    return " ".join(html.unescape(text).split())


def zipped(**files: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


def test_who_brings_a_bundle_in_does_not_approve_it(as_, lead, reviewer, archive) -> None:
    take(as_(lead), archive)
    record = EnvironmentRecord.objects.get()
    assert "You edited this revision" in reviews.may_review(user=lead, record=record)
    assert reviews.may_review(user=reviewer, record=record) == ""


def test_a_bundle_is_taken_in_and_leads_to_its_environment(as_, lead, archive) -> None:
    answer = take(as_(lead), archive, name="From the other house.zip", with_trajectories="on")
    record = EnvironmentRecord.objects.select_related("current", "created_by").get()
    assert answer.headers["Location"] == record.get_absolute_url()
    assert (record.title, record.created_by) == ("Tool library", lead)
    assert record.current.reason == "Imported from From the other house.zip."
    assert TrajectoryRecord.objects.count() == 1
    page = as_(lead).get(record.get_absolute_url()).content.decode()
    assert "Tool library is here now." in page


def test_what_agents_did_can_stay_away_and_the_same_is_not_taken_in_twice(as_, lead, archive) -> None:
    for _ in range(2):
        take(as_(lead), archive)
    assert EnvironmentRecord.objects.count() == 1
    assert not TrajectoryRecord.objects.exists()


def test_it_leaves_a_line_in_the_audit_trail(as_, lead, archive) -> None:
    take(as_(lead), archive)
    events = [each.additional_data for each in LogEntry.objects.filter(actor=lead) if each.additional_data]
    assert [each["page"] for each in events if each.get("event") == Event.REQUEST] == ["bundles/import/"]
    created = LogEntry.objects.filter(actor=lead, content_type__model="environmentrecord", action=0)
    assert created.exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "tool_library.zip: is not a readable zip archive"),
        (b"hello", "tool_library.zip: is not a readable zip archive"),
        (zipped(readme=b"Nothing else."), "contains no environment.json"),
        (zipped(**{"environment.json": b"{}", "../../evil": b"x"}), "evil"),
        (zipped(**{"environment.json": b" " * 2**24}), "environment.json"),
        (zipped(**{"environment.json": b"{}"}), "manifest.json"),
    ],
    ids=["empty", "no zip", "no bundle", "climbs out", "bomb", "no manifest"],
)
def test_what_is_no_bundle_is_refused_by_its_name(content: bytes, words: str, as_, lead) -> None:
    text = refusal(send(as_(lead), content))
    assert words in text
    assert "/tmp" not in text


def test_a_damaged_bundle_is_refused(as_, lead, archive) -> None:
    refusal(send(as_(lead), archive[: len(archive) // 2]))
    changed = archive.replace(b"Tool library", b"Fool library")
    assert changed != archive
    refusal(send(as_(lead), changed))


def test_a_file_that_is_too_large_or_missing_says_what_to_do(as_, lead, archive, monkeypatch) -> None:
    monkeypatch.setattr(forms, "MOST_UPLOADED", 100)
    assert "import_bundle" in refusal(send(as_(lead), archive))
    assert refusal(as_(lead).post(NEW)) == "Choose the file."


def test_only_who_may_import_sees_and_opens_it(as_, lead, reviewer, archive) -> None:
    assert f'href="{NEW}"' in as_(lead).get("/bundles/").content.decode()
    assert f'href="{NEW}"' not in as_(reviewer).get("/bundles/").content.decode()
    refused = send(as_(reviewer), archive)
    assert refused.status_code == 403
    assert "lead" in refused.content.decode().lower()
    assert not EnvironmentRecord.objects.exists()
