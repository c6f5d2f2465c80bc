"""The audit trail: who, what, when, from where; only ever added to; read and exported by administrators."""

from __future__ import annotations

import json

import pytest
from auditlog.models import LogEntry
from django.db import DatabaseError, connection, transaction
from django.test import Client

from studio.models.append_only import protect
from studio.services.accounts import accounts
from studio.services.audit import trail
from studio.services.audit.trail import AuditEntry, AuditFilter, Event

ADDRESS = "203.0.113.7"


def newest(event: Event) -> AuditEntry:
    """The last line of this kind."""
    stored = trail.entries(AuditFilter(event=event.value)).first()
    assert stored is not None, event
    return trail.entry_of(stored)


def test_signing_in_and_out_and_wrong_passwords_are_noted(viewer):
    client = Client(REMOTE_ADDR=ADDRESS)
    client.post("/sign-in/", {"username": "vera", "password": "wrong-secret"})
    failed = newest(Event.SIGN_IN_FAILED)
    assert (failed.person, failed.address) == ("vera", ADDRESS)
    client.post("/sign-in/", {"username": "vera", "password": "vera-secret"})
    assert (newest(Event.SIGN_IN).person, newest(Event.SIGN_IN).address) == ("vera", ADDRESS)
    client.post("/sign-out/")
    assert newest(Event.SIGN_OUT).person == "vera"
    assert "secret" not in json.dumps([entry.as_json() for entry in trail.lines(AuditFilter())])


def test_a_lock_out_is_noted(viewer, settings):
    settings.AXES_ENABLED, settings.AXES_FAILURE_LIMIT = True, 1
    Client(REMOTE_ADDR=ADDRESS).post("/sign-in/", {"username": "vera", "password": "wrong"})
    assert (newest(Event.SIGN_IN_LOCKED).person, newest(Event.SIGN_IN_LOCKED).address) == ("vera", ADDRESS)


def test_looking_at_a_page_leaves_no_line(as_, viewer):
    client = as_(viewer)
    before = LogEntry.objects.count()
    assert client.get("/account/").status_code == 200
    viewer.refresh_from_db()
    assert viewer.profile.last_seen_at is not None
    assert LogEntry.objects.count() == before


def test_a_change_has_its_record_its_request_and_its_person(as_, administrator, viewer):
    client = as_(administrator)
    answer = client.post(
        f"/people/{viewer.pk}/role/", {"role": "lead"}, headers={"x-request-id": "abc-12345"}
    )
    assert answer["X-Request-ID"] == "abc-12345"
    sent = newest(Event.REQUEST)
    assert (sent.person, sent.request, sent.address) == ("ada", "abc-12345", "127.0.0.1")
    assert sent.details == {
        "method": "POST", "page": "people/<int:user_id>/role/", "status": 302, "user_id": str(viewer.pk),
    }  # fmt: skip
    changes = [entry for entry in trail.lines(AuditFilter()) if entry.request == "abc-12345"]
    roles = [entry for entry in changes if "groups" in entry.details]
    assert [(entry.event, entry.person, entry.subject) for entry in roles] == [
        (Event.CHANGED, "ada", "user vera")
    ] * 2
    activity = f"/people/{viewer.pk}/active/"
    client.post(activity)
    (shown,) = newest(Event.CHANGED).described
    assert shown == ("is_active", "True \u2192 False")


def test_a_program_is_known_by_its_person(lead, stored):
    _, token = accounts.issue_token(user=lead, name="trainer")
    client = Client(headers={"Authorization": f"Bearer {token}"}, REMOTE_ADDR=ADDRESS)
    flag = {"reason": "other", "comment": "Off by one."}
    path = f"/api/reviews/environments/{stored.name}/flags"
    assert client.post(path, flag, content_type="application/json").status_code == 201
    assert (newest(Event.REQUEST).person, newest(Event.REQUEST).address) == ("lena", ADDRESS)
    created = newest(Event.CREATED)
    assert (created.person, created.subject.split()[0]) == ("lena", "flag")


def test_refusals_and_downloads_are_noted_and_reading_is_not(as_, viewer, shelf):
    client = as_(viewer)
    before = LogEntry.objects.count()
    client.get("/keys/")
    client.post("/theme/", {"theme": "dark"})
    assert LogEntry.objects.exclude(content_type__model="personprofile").count() == before
    client.post(f"/runs/{shelf.run.pk}/cancel/")
    assert (newest(Event.REFUSED).person, newest(Event.REFUSED).details["status"]) == ("vera", 403)
    answer = client.get(f"/bundles/{shelf.bundle.pk}/download/")
    for close in answer._resource_closers:  # closing the answer would close the test's connection, too
        close()
    assert newest(Event.DOWNLOAD).details["bundle_id"] == str(shelf.bundle.pk)


def test_secret_parts_of_addresses_stay_out(as_, administrator):
    from studio.services.accounts import invitations

    _, code = invitations.invite(user=administrator, note="Nora", role="viewer")
    phrase = "a-long-and-odd-phrase-7"
    Client().post(f"/join/{code}/", {"username": "nora", "password1": phrase, "password2": phrase})
    assert newest(Event.REQUEST).person == "nora"
    everything = json.dumps([entry.as_json() for entry in trail.lines(AuditFilter())])
    assert code not in everything
    assert phrase not in everything
    assert "pbkdf2" not in everything
    assert "md5$" not in everything


def test_a_request_id_that_could_forge_a_line_is_replaced(client, db):
    for sent in ("a\nb", "x" * 500, "<script>", "short"):
        given = client.get("/", headers={"x-request-id": sent})["X-Request-ID"]
        assert given != sent
        assert len(given) == 16


def test_the_database_refuses_to_change_or_delete_a_line(viewer):
    protect(connection, LogEntry._meta.db_table)
    trail.record(Event.SIGN_IN, user=viewer)
    for change in (
        lambda: LogEntry.objects.update(object_repr="nobody"),
        lambda: LogEntry.objects.all().delete(),
        lambda: connection.cursor().execute("DELETE FROM auditlog_logentry"),
    ):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            change()
    assert newest(Event.SIGN_IN).person == "vera"


def test_administrators_filter_and_export_it(as_, administrator, viewer):
    Client().post("/sign-in/", {"username": "<script>alert(1)</script>", "password": "wrong"})
    client = as_(administrator)
    page = client.get("/audit/?event=sign_in_failed").content.decode()
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    assert "Nothing matches" in client.get("/audit/?person=nobody").content.decode()
    assert client.get("/audit/?event=nonsense&since=nonsense&page=zzz").status_code == 200
    exported = client.get("/audit/?format=jsonl&person=ada")
    lines = [json.loads(line) for line in b"".join(exported.streaming_content).splitlines()]
    assert {line["person"] for line in lines} == {"ada"}
    assert lines[0]["event"] == "sign_in"
    assert newest(Event.DOWNLOAD).details["page"] == "audit/"


def test_the_answer_stays_when_the_trail_cannot_be_written(as_, administrator, viewer, monkeypatch, caplog):
    def fail(*_, **__):
        raise DatabaseError("the disk is full")

    client = as_(administrator)
    monkeypatch.setattr("studio.audit_middleware.record", fail)
    assert client.post(f"/people/{viewer.pk}/role/", {"role": "lead"}).status_code == 302
    assert "could not be written" in caplog.text
