"""Archived environments: out of the way, kept whole, and back as they were."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from studio.filters.environments import matching
from studio.models import EnvironmentRecord, EnvironmentState, Notification, Review, ReviewDecision
from studio.services.environments import archive, change_lists, edits
from studio.services.errors import Conflict, Forbidden
from studio.services.exports import bundles, collections
from studio.services.review import flags, queue, reviews
from studio.services.rollouts import rollout_batches
from synthesis.errors import InvalidInput
from tests.studio.conftest import GRADES

CATALOGUE = "/environments/"


def archived(record: EnvironmentRecord, lead: User) -> EnvironmentRecord:
    return archive.archive(record=record, lead=lead, reason="  Replaced by\n another. ")


def approve(record: EnvironmentRecord, reviewer: User) -> Review:
    return reviews.submit(
        record=record,
        revision_number=1,
        reviewer=reviewer,
        decision=ReviewDecision.APPROVE,
        scores=GRADES,
        comment="Seen.",
    )


def test_an_archived_environment_leaves_queue_rollouts_and_exports_and_comes_back_as_it_was(
    stored, reviewer, second_reviewer, lead, rf
):
    queue.claim(record=stored, reviewer=reviewer)
    approve(stored, reviewer)
    record = archived(stored, lead)
    assert (record.archived_by, record.archived_reason) == (lead, "Replaced by another.")
    assert record.state == EnvironmentState.APPROVED
    assert not record.claims.filter(released_at__isnull=True).exists()
    assert list(queue.queue_for(second_reviewer)) == []
    assert rollout_batches.environments_for() == []
    everything = EnvironmentRecord.objects.filter(pk=stored.pk).select_related("current")
    assert collections.plan(everything).excluded[0][1] == "It is archived."
    assert "Replaced by another." in bundles.export_blocker(stored.current)
    assert list(matching(rf.get(CATALOGUE).GET)) == []
    assert list(matching(rf.get(CATALOGUE, {"archived": "true"}).GET)) == [stored]

    archive.restore(record=stored, lead=lead)
    assert bundles.export_blocker(stored.current) == ""
    assert list(matching(rf.get(CATALOGUE).GET)) == [stored]
    assert rollout_batches.environments_for() == [stored]
    assert Review.objects.submitted().count() == 1


def test_nothing_new_is_said_about_an_archived_environment(stored, reviewer, lead):
    archived(stored, lead)
    for act in (
        lambda: queue.claim(record=stored, reviewer=reviewer),
        lambda: approve(stored, reviewer),
        lambda: edits.edit(
            record=stored, revision_number=1, editor=reviewer, change=edits.edit_policy("New."), reason="x"
        ),
    ):
        with pytest.raises(Conflict, match="is archived") as refused:
            act()
        assert "bring it back" in refused.value.remedy
    assert not Review.objects.exists()


def test_who_has_it_in_hands_is_named_before_and_notified(stored, reviewer, second_reviewer, lead, client):
    queue.claim(record=stored, reviewer=reviewer)
    flag = flags.raise_flag(record=stored, user=reviewer, reason="data_wrong", comment="Odd.")
    until = timezone.localdate() + timedelta(days=2)
    change_lists.accept(
        record=stored, revision_number=1, lead=lead, assignee=second_reviewer, until=until, flags=[flag]
    )
    client.force_login(lead)
    day = f"{until.day} {until:%B %Y}"
    one = client.get(f"{stored.get_absolute_url()}archive/").content.decode()
    assert "<strong>Rosa</strong> holds it for review until" in one
    assert f"<strong>Ravi</strong> works off its change list until {day}" in one
    many = client.get("/catalogue/act/?action=archive").content.decode()
    assert "2 are in somebody&#x27;s hands" in many or "2 are in somebody's hands" in many
    assert "Lending desk: <strong>Rosa</strong> holds it for review until" in many
    Notification.objects.all().delete()
    archived(stored, lead)
    for person in (reviewer, second_reviewer):
        (told,) = Notification.objects.filter(recipient=person)
        assert told.text == "Lena archived Lending desk, which was yours to work on"
        assert told.quote == "Replaced by another."
    archive.restore(record=stored, lead=lead)
    archived(stored, lead)
    assert Notification.objects.filter(recipient=second_reviewer).count() == 2
    assert Notification.objects.filter(recipient=reviewer).count() == 1


def test_only_leads_archive_and_only_with_a_reason(stored, reviewer, lead):
    with pytest.raises(Forbidden, match="role Lead"):
        archived(stored, reviewer)
    for reason in ("", " \n", "x" * 301):
        with pytest.raises(InvalidInput, match="1 to 300"):
            archive.archive(record=stored, lead=lead, reason=reason)
    with pytest.raises(Conflict, match="not archived"):
        archive.restore(record=stored, lead=lead)
    archived(stored, lead)
    with pytest.raises(Conflict, match="archived already"):
        archived(stored, lead)
    with pytest.raises(Forbidden):
        archive.restore(record=stored, lead=reviewer)


def test_pages_say_who_archived_it_and_why(stored, lead, viewer, client):
    address = stored.get_absolute_url()
    client.force_login(lead)
    assert f"{address}archive/" in client.get(address).content.decode()
    refused = client.post(f"{address}archive/", {"reason": " "})
    assert refused.status_code == 422
    assert "Say in 1 to 300 characters" in refused.content.decode()
    client.post(f"{address}archive/", {"reason": "Too <b>old</b>."})
    page = client.get(address).content.decode()
    assert "Too &lt;b&gt;old&lt;/b&gt;." in page
    assert f"{address}restore/" in page
    catalogue = client.get(CATALOGUE).content.decode()
    assert stored.title not in catalogue
    assert "1 archived" in catalogue
    assert stored.title in client.get(f"{CATALOGUE}?archived=true").content.decode()
    client.force_login(viewer)
    assert f"{address}restore/" not in client.get(address).content.decode()
    assert client.post(f"{address}restore/").status_code == 403
    client.force_login(lead)
    client.post(f"{address}restore/")
    assert stored.title in client.get(CATALOGUE).content.decode()


def test_all_that_match_are_archived_at_once_and_brought_back(stored, lead, client):
    client.force_login(lead)
    for action, address, after in (("archive", "", 1), ("restore", "archived=true", 0)):
        plan = client.get(f"/catalogue/act/?action={action}&shown=1&{address}").context
        fields = {"action": action, "seen": plan["plan"].seen, "shown": 1, "reason": "Old."}
        client.post("/catalogue/act/", fields | dict(plan["other_parameters"]))
        assert EnvironmentRecord.objects.filter(archived_at__isnull=False).count() == after
