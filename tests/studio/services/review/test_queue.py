"""The queue shows what needs a person most; who takes an item holds it for a while."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from studio.models import AuthorKind, Claim, EnvironmentRecord
from studio.services.accounts import people
from studio.services.environments.environments import add_revision, store_environment
from studio.services.errors import Conflict, Forbidden, Missing
from studio.services.review import flags, queue
from synthesis.errors import InvalidInput
from tests.studio.conftest import report_on, small_environment


def store(name: str, **changes):
    environment = small_environment(name=name, **changes)
    revision = store_environment(
        environment=environment,
        author_kind=AuthorKind.PROCEDURAL,
        reason="Synthesised.",
        report=report_on(environment),
    )
    return revision.environment


def test_the_riskiest_comes_first(stored, reviewer, lead):
    risky = store("risky_desk")
    flags.raise_flag(record=risky, user=lead, reason="other", severity="minor", comment="Look closely.")
    assert [record.name for record in queue.queue_for(reviewer)] == ["risky_desk", "lending_desk"]


def test_what_somebody_wrote_is_not_in_their_queue(stored, reviewer, second_reviewer):
    changed = small_environment(policy="Be strict.")
    add_revision(
        record=stored,
        environment=changed,
        author_kind=AuthorKind.PERSON,
        author=reviewer,
        reason="Stricter.",
        report=report_on(changed),
    )
    assert not queue.queue_for(reviewer).exists()
    assert queue.queue_for(second_reviewer).exists()


def test_what_is_not_proved_is_not_in_the_queue(db, reviewer):
    store_environment(environment=small_environment(), author_kind=AuthorKind.MODEL, reason="Half.")
    assert not queue.queue_for(reviewer).exists()


def test_one_seat_has_one_holder(stored, reviewer, second_reviewer):
    queue.claim(record=stored, reviewer=reviewer)
    with pytest.raises(Conflict, match="Lending desk is held by Rosa until"):
        queue.claim(record=stored, reviewer=second_reviewer)
    assert [claim.reviewer for claim in queue.active_claims(stored)] == [reviewer]


def test_claiming_again_holds_for_longer(stored, reviewer):
    first = queue.claim(record=stored, reviewer=reviewer)
    Claim.objects.update(expires_at=timezone.now() + timedelta(seconds=30))
    again = queue.claim(record=stored, reviewer=reviewer)
    assert again.pk == first.pk
    assert again.expires_at > timezone.now() + timedelta(minutes=30)


def test_an_expired_claim_makes_room(stored, reviewer, second_reviewer):
    queue.claim(record=stored, reviewer=reviewer)
    Claim.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert queue.claim(record=stored, reviewer=second_reviewer).reviewer == second_reviewer


def test_there_are_as_many_seats_as_reviewers_asked(stored, reviewer, second_reviewer, lead, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"reviewers": 2})
    assert queue.claim(record=stored, reviewer=reviewer).seat == 1
    assert queue.claim(record=stored, reviewer=second_reviewer).seat == 2
    with pytest.raises(Conflict):
        queue.claim(record=stored, reviewer=lead)


def test_the_next_item_skips_what_others_hold(stored, reviewer, second_reviewer):
    other = store("quiet_desk")
    queue.claim(record=stored, reviewer=reviewer)
    assert queue.claim_next(reviewer=second_reviewer) == other


def test_the_next_item_lies_behind_everything_that_others_hold(reviewer, second_reviewer):
    for number in range(51):
        queue.claim(record=store(f"desk_{number}"), reviewer=reviewer)
    EnvironmentRecord.objects.update(risk=0.9)
    free = store("quiet_desk")
    EnvironmentRecord.objects.filter(pk=free.pk).update(risk=0.1)
    assert queue.claim_next(reviewer=second_reviewer) == free
    assert queue.claim_next(reviewer=second_reviewer) == free


def test_who_loses_every_item_to_others_at_once_looks_behind_them(reviewer, second_reviewer, monkeypatch):
    first = [store(f"desk_{number}") for number in range(50)]
    behind = store("quiet_desk")
    EnvironmentRecord.objects.filter(pk=behind.pk).update(risk=-1.0)
    take = queue.claim

    def claim_after_others(*, record, reviewer):
        for each in first:
            if not each.claims.exists():
                take(record=each, reviewer=second_reviewer)
        return take(record=record, reviewer=reviewer)

    monkeypatch.setattr(queue, "claim", claim_after_others)
    assert queue.claim_next(reviewer=reviewer) == behind


def test_an_empty_queue_says_what_to_do(stored, reviewer, second_reviewer):
    queue.claim(record=stored, reviewer=reviewer)
    with pytest.raises(Missing, match="nothing to review") as refusal:
        queue.claim_next(reviewer=second_reviewer)
    assert refusal.value.remedy


def test_letting_go_makes_room(stored, reviewer, second_reviewer):
    queue.claim(record=stored, reviewer=reviewer)
    queue.release(record=stored, reviewer=reviewer)
    queue.claim(record=stored, reviewer=second_reviewer)


def test_a_viewer_holds_nothing(stored, viewer):
    with pytest.raises(Forbidden):
        queue.claim(record=stored, reviewer=viewer)


def test_expired_seats_are_freed_in_passing(stored, reviewer):
    queue.claim(record=stored, reviewer=reviewer)
    assert queue.release_expired() == 0
    Claim.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert queue.release_expired() == 1


def test_a_longer_queue_costs_no_more_queries(stored, reviewer, second_reviewer, django_assert_num_queries):
    with django_assert_num_queries(2):
        assert [queue.active_claims(record) for record in queue.queue_for(reviewer)] == [[]]
    store("tool_library")
    queue.claim(record=stored, reviewer=second_reviewer)
    with django_assert_num_queries(2):
        holders = {
            record.name: [claim.reviewer.username for claim in queue.active_claims(record)]
            for record in queue.queue_for(reviewer)
        }
    assert holders == {stored.name: [second_reviewer.username], "tool_library": []}


def test_a_field_is_counted_and_taken_alone(stored, reviewer):
    other = store("bicycle_desk")
    EnvironmentRecord.objects.filter(pk=other.pk).update(category="Cycling")
    people.set_expertise(user=reviewer, fields=["cycling"])
    fields = [
        (field.name, field.count, field.known)
        for field in queue.fields_of(queue.queue_for(reviewer), reviewer)
    ]
    assert fields == [("cycling", 1, True), ("lending", 1, False)]
    assert [each.name for each in queue.in_field(queue.queue_for(reviewer), "lending")] == [stored.name]
    assert queue.claim_next(reviewer=reviewer, field="lending") == stored


def test_an_assignment_lasts_until_its_day_and_comes_first(stored, reviewer, second_reviewer, lead):
    quiet = store("quiet_desk")
    day = timezone.localdate() + timedelta(days=9)
    held = queue.assign(record=quiet, reviewer=reviewer, lead=lead, until=day)
    assert timezone.localtime(held.expires_at).date() == day
    assert held.assigned_by == lead
    assert queue.claim_next(reviewer=reviewer) == quiet
    held.refresh_from_db()
    assert timezone.localtime(held.expires_at).date() == day
    with pytest.raises(Conflict, match=f"held by Rosa until {day.day} {day:%B}"):
        queue.claim(record=quiet, reviewer=second_reviewer)


@pytest.mark.parametrize("days", [-1, 91])
def test_an_assignment_ends_on_a_day_to_come(days, stored, reviewer, lead):
    with pytest.raises(InvalidInput, match="at most 90 days ahead"):
        queue.assign(
            record=stored, reviewer=reviewer, lead=lead, until=timezone.localdate() + timedelta(days=days)
        )


def test_a_reviewer_assigns_nobody(stored, reviewer, second_reviewer):
    with pytest.raises(Forbidden):
        queue.assign(record=stored, reviewer=second_reviewer, lead=reviewer, until=timezone.localdate())
