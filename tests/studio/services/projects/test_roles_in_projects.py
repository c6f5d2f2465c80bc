"""Services ask for the role in the project themselves, whoever calls them and whatever is visible."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError
from django.utils import timezone

from studio.models import (
    ChangeList,
    ChangeListState,
    Claim,
    Comment,
    EnvironmentRecord,
    Flag,
    FlagReason,
    FlagState,
    Project,
    ProjectMember,
    Role,
)
from studio.models.visibility import Visibility, limited
from studio.services.accounts import people
from studio.services.accounts.accounts import set_role
from studio.services.environments import archive, change_lists, dictionaries, edits
from studio.services.errors import Forbidden, Missing
from studio.services.judging import judging
from studio.services.projects import projects
from studio.services.review import answers, comments, conflicts, flags, queue, reviews
from studio.services.rollouts.trajectories import store_trajectory
from studio.services.synthesis import corrections
from synthesis.errors import InvalidInput
from tests.studio.conftest import GRADES, played, small_environment, store_proved

pytestmark = pytest.mark.django_db
SOON = timezone.localdate() + timedelta(days=3)
Call = Callable[[EnvironmentRecord, User], object]


@pytest.fixture
def closed() -> Project:
    return Project.objects.create(slug="closed", name="Closed")


@pytest.fixture
def record(closed) -> EnvironmentRecord:
    with limited(lambda: Visibility.only(closed.pk)):
        return store_proved(small_environment())


def edit(record: EnvironmentRecord, user: User) -> object:
    change = edits.edit_policy(text="# Rules\n\nNobody lends.")
    return edits.edit(record=record, revision_number=1, editor=user, change=change, reason="r")


def submit(record: EnvironmentRecord, user: User, decision: str = "request_changes") -> object:
    return reviews.submit(
        record=record, revision_number=1, reviewer=user, decision=decision, scores=GRADES, comment="c"
    )


def adjudicate(record: EnvironmentRecord, user: User) -> object:
    return reviews.adjudicate(record=record, revision_number=1, lead=user, decision="reject", comment="c")


def comment(record: EnvironmentRecord, user: User) -> Comment:
    return comments.add_comment(record=record, author=user, body="b", anchor_kind="environment", anchor="")


def assign_to(record: EnvironmentRecord, user: User) -> object:
    admin = User.objects.get(username="ada")
    return queue.assign(record=record, reviewer=user, lead=admin, until=SOON)


def assign_by(record: EnvironmentRecord, user: User) -> object:
    return queue.assign(record=record, reviewer=User.objects.get(username="ada"), lead=user, until=SOON)


def save_dictionary(record: EnvironmentRecord, user: User) -> object:
    return dictionaries.save(record=record, editor=user, dictionary=dictionaries.edited(record), seen=0)


def send_back(record: EnvironmentRecord, user: User) -> object:
    return corrections.send_back(record=record, revision_number=1, sender=user, author="procedural")


def settle_own_flag(record: EnvironmentRecord, user: User) -> object:
    flag = Flag.objects.create(
        environment=record, revision=record.current, raised_by=user, reason="other", comment="c"
    )
    return flags.settle_flag(flag=flag, user=user, resolution="done")


def resolve(record: EnvironmentRecord, user: User) -> object:
    return comments.resolve(comment=comment(record, User.objects.get(username="ada")), user=user)


def answer(record: EnvironmentRecord, user: User) -> object:
    nowhere = answers.NotedPlace("", "", FlagReason.OTHER, "tasks", "return_the_drill", {})
    return answers.give(
        record=record, reviewer=user, task="return_the_drill", answer="right", note="", place=nowhere
    )


def label(record: EnvironmentRecord, user: User) -> object:
    stored = store_trajectory(revision=record.current, judged=played(small_environment()))
    return judging.label_by_person(trajectory_id=stored.pk, author=user, label="completed")


CALLS: dict[str, Call] = {
    "claim": lambda record, user: queue.claim(record=record, reviewer=user),
    "assign to": assign_to,
    "assign by": assign_by,
    "draft": lambda record, user: reviews.save_draft(record=record, reviewer=user),
    "may review": lambda record, user: reviews.require_reviewer(user=user, record=record),
    "submit": submit,
    "adjudicate": adjudicate,
    "comment": comment,
    "resolve": resolve,
    "flag": lambda record, user: flags.raise_flag(record=record, user=user, reason="other", comment="c"),
    "settle own flag": settle_own_flag,
    "answer": answer,
    "edit": edit,
    "dictionary": save_dictionary,
    "archive": lambda record, user: archive.archive(record=record, lead=user, reason="r"),
    "restore": lambda record, user: archive.restore(record=record, lead=user),
    "send back": send_back,
    "label": label,
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("role", [None, Role.VIEWER], ids=str)
def test_a_lead_of_elsewhere_may_nothing_here(role, call, record, closed, lead, administrator):
    if role is not None:
        ProjectMember.objects.create(project=closed, user=lead, role=role)
    with pytest.raises(Forbidden):
        call(record, lead)


@pytest.mark.parametrize("name", ["adjudicate", "archive", "restore", "assign by"])
def test_a_lead_who_is_a_reviewer_here_decides_nothing_for_others(name, record, closed, lead, administrator):
    ProjectMember.objects.create(project=closed, user=lead, role=Role.REVIEWER)
    with pytest.raises(Forbidden, match="Lead"):
        CALLS[name](record, lead)


def test_a_reviewer_of_the_project_may_what_the_role_allows(record, closed, lead, administrator):
    ProjectMember.objects.create(project=closed, user=lead, role=Role.REVIEWER)
    for name in ("claim", "comment", "flag", "answer", "edit"):
        CALLS[name](record, lead)


def test_nothing_is_offered_from_a_queue_that_is_not_theirs(record, reviewer):
    with pytest.raises(Missing):
        queue.claim_next(reviewer=reviewer)
    assert answers.see(record=record, reviewer=reviewer, units=["task:return_the_drill"]) is False


def test_a_lead_of_elsewhere_reviews_blindly_here(
    record, closed, lead, reviewer, second_reviewer, administrator, settings
):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"reviewers": 2, "review_coverage": 0.0})
    for person in (lead, reviewer, second_reviewer):
        ProjectMember.objects.create(project=closed, user=person, role=Role.REVIEWER)
    submit(record, reviewer)
    submit(record, second_reviewer, "reject")
    record.refresh_from_db()
    assert not reviews.visible_reviews(record=record, user=lead).exists()
    assert conflicts.conflicts_for(lead) == []
    ProjectMember.objects.filter(user=lead).update(role=Role.LEAD)
    assert reviews.visible_reviews(record=record, user=lead).count() == 2
    assert conflicts.conflicts_for(lead) == [record]


@pytest.fixture
def held(record, closed, reviewer, administrator) -> ChangeList:
    """A change list and an item that one reviewer of the project holds."""
    ProjectMember.objects.create(project=closed, user=reviewer, role=Role.REVIEWER)
    flag = flags.raise_flag(record=record, user=reviewer, reason="policy_wrong", comment="c")
    queue.claim(record=record, reviewer=reviewer)
    return change_lists.accept(
        record=record, revision_number=1, lead=administrator, assignee=reviewer, until=SOON, flags=[flag]
    )


def taken_out(record, closed, reviewer, administrator):
    projects.set_member(user=administrator, project=closed, username=reviewer.username, role="")


def lowered(record, closed, reviewer, administrator):
    projects.set_member(user=administrator, project=closed, username=reviewer.username, role="viewer")


def deactivated(record, closed, reviewer, administrator):
    people.set_active(manager=administrator, user_id=reviewer.pk, active=False)


def without_a_role(record, closed, reviewer, administrator):
    people.change_role(manager=administrator, user_id=reviewer.pk, role="viewer")


def moved_away(record, closed, reviewer, administrator):
    Project.objects.create(slug="third", name="Third")
    projects.move(user=administrator, record=record, slug="third")


@pytest.mark.parametrize("event", [taken_out, lowered, deactivated, without_a_role, moved_away])
def test_what_somebody_held_is_free_when_they_leave(event, held, record, closed, reviewer, administrator):
    event(record, closed, reviewer, administrator)
    held.refresh_from_db()
    assert (held.state, held.flags.get().state) == (ChangeListState.WITHDRAWN, FlagState.OPEN)
    assert not Claim.objects.filter(released_at__isnull=True).exists()


def test_closing_a_project_frees_what_outsiders_hold(held, closed, reviewer, administrator):
    Project.objects.filter(pk=closed.pk).update(is_open=True)
    ProjectMember.objects.all().delete()
    closed.refresh_from_db()
    projects.change(user=administrator, project=closed, name="Closed", is_open=True)
    held.refresh_from_db()
    assert held.state == ChangeListState.OPEN
    projects.change(user=administrator, project=closed, name="Closed", is_open=False)
    held.refresh_from_db()
    assert held.state == ChangeListState.WITHDRAWN


def test_who_may_still_review_keeps_what_they_hold(held, record, closed, reviewer, administrator):
    set_role(user=reviewer, role=Role.LEAD)
    projects.set_member(user=administrator, project=closed, username=reviewer.username, role="lead")
    people.change_role(manager=administrator, user_id=reviewer.pk, role="reviewer")
    held.refresh_from_db()
    assert held.state == ChangeListState.OPEN
    assert Claim.objects.filter(released_at__isnull=True).count() == 1


def test_a_deactivated_member_can_be_taken_out_but_not_added(closed, reviewer, administrator):
    ProjectMember.objects.create(project=closed, user=reviewer, role=Role.REVIEWER)
    User.objects.filter(pk=reviewer.pk).update(is_active=False)
    with pytest.raises(Missing, match="no active account"):
        projects.set_member(user=administrator, project=closed, username="rosa", role="lead")
    projects.set_member(user=administrator, project=closed, username="rosa", role="")
    assert not closed.members.exists()


def test_whoever_is_slower_with_the_same_name_is_told(closed, administrator, monkeypatch):
    def faster(*_: object, **__: object) -> None:
        raise IntegrityError("UNIQUE constraint failed")

    monkeypatch.setattr(Project, "save", faster)
    for call in (
        lambda: projects.create(user=administrator, name="Same"),
        lambda: projects.change(user=administrator, project=closed, name="Same"),
    ):
        with pytest.raises(InvalidInput, match="a moment ago"):
            call()
