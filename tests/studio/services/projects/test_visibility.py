"""What is read, and to which project new records belong, by what is visible at the moment."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client

from studio.jobs import execute_run
from studio.models import (
    Act,
    ApiToken,
    EnvironmentRecord,
    Flag,
    LlmCall,
    Notification,
    Project,
    ProjectMember,
    Role,
    Run,
    RunKind,
)
from studio.models.visibility import Visibility, current, limited
from studio.services.exports import trajectory_exports
from studio.services.exports.trajectory_export_plan import ExportSettings
from studio.services.llm.providers import budget_of
from studio.services.notifications import mail
from studio.services.projects import membership
from studio.services.review import bulk, comments
from studio.services.rollouts.trajectories import store_trajectory
from studio.services.rollouts.trajectory_selection import TrajectorySelection
from studio.services.runs import runs
from synthesis.errors import BudgetExhausted, InvalidInput
from tests.studio.conftest import played, small_environment, store_proved

pytestmark = pytest.mark.django_db


@pytest.fixture
def other() -> Project:
    return Project.objects.create(slug="other", name="Other")


def inside(*projects: Project):
    return limited(lambda: Visibility.only(*(each.pk for each in projects)))


def test_what_exists_and_what_names_no_project_is_in_the_default_one(stored):
    assert (stored.project.slug, stored.project.is_open) == ("default", True)
    assert Run.objects.create(kind=RunKind.CHECKS, title="x").project == stored.project
    assert Run.objects.bulk_create([Run(kind=RunKind.CHECKS, title="y")])[0].project == stored.project


def test_nothing_of_another_project_is_read_by_any_manager(stored, other, reviewer):
    Flag.objects.create(environment=stored, revision=stored.current, raised_by=reviewer, reason="other")
    with inside(other):
        assert not EnvironmentRecord.objects.exists()
        assert not Flag.objects.exists()
        assert not stored.flags.exists()
        assert not stored.current.parts.exists()
        assert EnvironmentRecord.all_projects.exists()
    with inside(stored.project):
        assert stored.flags.exists()
    assert current() is None


def test_a_change_of_many_reaches_no_other_project(stored, other):
    with inside(other):
        assert EnvironmentRecord.objects.update(title="Mine") == 0
        assert Flag.objects.update(comment="Mine") == 0


def test_new_records_belong_to_the_only_visible_project(stored, other):
    with inside(other):
        assert Run.objects.create(kind=RunKind.CHECKS, title="x").project == other
    with inside(other, stored.project), pytest.raises(InvalidInput, match="default, other"):
        Run.objects.create(kind=RunKind.CHECKS, title="x")
    with inside(), pytest.raises(InvalidInput, match="No project is open to you"):
        Run.objects.create(kind=RunKind.CHECKS, title="x")


def test_a_run_belongs_to_the_project_of_its_environment_and_its_batch(stored, other):
    stored.project = other
    stored.save()
    run = runs.queue_run(kind=RunKind.CHECKS, title="x", request={}, environment=stored)
    child = runs.queue_run(kind=RunKind.CHECKS, title="x", request={}, parent=run)
    assert {run.project, child.project} == {other}


def test_equal_content_and_a_taken_name_in_another_project_are_not_told(stored, other):
    with inside(other):
        twin = store_proved(small_environment())
    assert twin.pk != stored.pk
    assert (twin.name, twin.project) == ("lending_desk_2", other)


def test_a_worker_reads_the_project_of_its_run_only(stored, environment, other):
    with inside(other):
        twin = store_proved(small_environment())
    for record in (stored, twin):
        store_trajectory(revision=record.current, judged=played(environment))
    run = trajectory_exports.start_export(
        selection=TrajectorySelection(), wanted=ExportSettings(waiver="For a test.")
    )
    ended = execute_run(run.pk)
    assert (ended.state, ended.project) == ("finished", stored.project)
    assert (ended.done, ended.total) == (1, 1)


def test_the_month_limit_of_the_studio_counts_every_project(stored, other, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"month_budget": 1.0})
    LlmCall.objects.create(project=other, provider="p", model="m", outcome="ok", cost=2)
    run = Run.objects.create(kind=RunKind.CHECKS, title="x")
    with inside(stored.project), pytest.raises(BudgetExhausted):
        budget_of(run).require()


@pytest.mark.parametrize(
    ("account", "member", "act", "may"),
    [
        (Role.LEAD, Role.VIEWER, Act.VIEW, True),
        (Role.LEAD, Role.VIEWER, Act.REVIEW, False),
        (Role.VIEWER, Role.LEAD, Act.REVIEW, False),
        (Role.LEAD, Role.REVIEWER, Act.REVIEW, True),
        (Role.LEAD, None, Act.VIEW, False),
        (None, Role.LEAD, Act.VIEW, False),
        (Role.ADMIN, None, Act.EXPORT, True),
    ],
)
def test_both_roles_have_to_allow_it(person, other, account, member, act, may):
    user = person("somebody", account)
    if member:
        ProjectMember.objects.create(project=other, user=user, role=member)
    assert membership.reads(user, other.pk, act) is may
    numbers = membership.readable_numbers(user, act)
    assert (numbers is None or other.pk in numbers) is may


def test_an_archived_project_is_only_read(person, other):
    user = person("somebody", Role.LEAD)
    ProjectMember.objects.create(project=other, user=user, role=Role.LEAD)
    Project.objects.filter(pk=other.pk).update(archived_at="2026-01-01T00:00Z")
    assert membership.reads(user, other.pk)
    assert membership.reads(user, other.pk, Act.EXPORT)
    assert not membership.reads(user, other.pk, Act.SYNTHESISE)


def test_strangers_read_nothing(stored):
    assert membership.readable_numbers(AnonymousUser()) == frozenset()
    assert not membership.projects_of(AnonymousUser()).exists()


def test_who_is_outside_is_not_notified_and_gets_no_mail(person, other, settings, mailoutbox):
    settings.EMAIL_HOST = "mail"
    with inside(other):
        record = store_proved(small_environment())
    author, member, stranger = (person(name, Role.REVIEWER) for name in ("anna", "mia", "sam"))
    for user in (member, stranger):
        user.email = f"{user.username}@example.org"
        user.save()
    ProjectMember.objects.create(project=other, user=author, role=Role.REVIEWER)
    seat = ProjectMember.objects.create(project=other, user=member, role=Role.VIEWER)
    comments.add_comment(record=record, author=author, body="@mia @sam look")
    assert [each.recipient for each in Notification.objects.all()] == [member]
    seat.delete()
    assert mail.send_due() == 0
    assert mailoutbox == []


def test_nobody_is_assigned_what_they_may_not_review(person, other):
    with inside(other):
        store_proved(small_environment())
    reviewer = person("rosa", Role.REVIEWER)
    action = bulk.ACTIONS["assign"]
    plan = bulk.plan(action=action, matching=EnvironmentRecord.objects.listed(), assignee=reviewer)
    assert plan.included == ()
    assert "project" in plan.excluded[0][1]
    ProjectMember.objects.create(project=other, user=reviewer, role=Role.REVIEWER)
    plan = bulk.plan(action=action, matching=EnvironmentRecord.objects.listed(), assignee=reviewer)
    assert len(plan.included) == 1


def test_a_project_is_chosen_by_the_address_and_an_unknown_one_is_refused(stored, other, viewer, client):
    client.force_login(viewer)
    ProjectMember.objects.create(project=other, user=viewer, role=Role.VIEWER)
    assert "Lending desk" in client.get("/environments/").content.decode()
    assert "Lending desk" in client.get("/environments/?project=default").content.decode()
    assert "Lending desk" not in client.get("/environments/?project=other").content.decode()
    answer = client.get("/environments/?project=nowhere")
    assert answer.status_code == 404
    assert "nowhere" in answer.content.decode()
    program = Client(headers={"Authorization": f"Bearer {token_of(viewer)}"})
    assert program.get("/api/environments?project=other").json()["count"] == 0
    assert program.get("/api/environments?project=default").json()["count"] == 1
    assert program.get("/api/environments?project=nowhere").status_code == 404


def token_of(user) -> str:
    from studio.services.accounts.accounts import issue_token

    record, token = issue_token(user=user, name="test")
    assert isinstance(record, ApiToken)
    return token


def test_the_query_of_an_address_about_one_thing_names_no_project(stored, reviewer, client):
    client.force_login(reviewer)
    page = f"/environments/{stored.name}/"
    assert client.get(page, {"project": "none-such"}).status_code == 200
    assert client.get("/environments/", {"project": "none-such"}).status_code == 404
