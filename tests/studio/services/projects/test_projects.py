"""Projects are created, changed, moved between and deleted by those who may, and by nobody else."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from studio.models import (
    Claim,
    EnvironmentRecord,
    LlmCall,
    Project,
    ProjectMember,
    Role,
    Run,
    RunKind,
    RunState,
)
from studio.models.visibility import Visibility, limited
from studio.services.accounts.accounts import issue_token
from studio.services.errors import Conflict, Forbidden, Missing
from studio.services.exports import stored_archives
from studio.services.llm.providers import budget_of
from studio.services.operations import project_deletion
from studio.services.projects import projects
from synthesis.errors import BudgetExhausted, InvalidInput
from tests.studio.api.conftest import ApiClient
from tests.studio.conftest import small_environment, store_proved
from tests.studio.views.conftest import shared_shelf, shelf, stocked, worlds_end_with_the_test

__all__ = ["shared_shelf", "shelf", "stocked", "worlds_end_with_the_test"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def other() -> Project:
    return Project.objects.create(slug="other", name="Other")


def test_an_administrator_creates_a_closed_project_with_a_name_of_its_own(administrator, lead):
    project = projects.create(user=administrator, name="  Clinic   desks ")
    assert (project.slug, project.name, project.is_open) == ("clinic-desks", "Clinic desks", False)
    for name in ("clinic DESKS", "Clinic-desks", "New", "?!", "", "x" * 81):
        with pytest.raises(InvalidInput):
            projects.create(user=administrator, name=name)
    with pytest.raises(Forbidden):
        projects.create(user=lead, name="Mine")


def test_leads_of_a_project_choose_its_members_and_others_do_not(lead, viewer, other, administrator):
    with pytest.raises(Missing):
        projects.set_member(user=lead, project=other, username=lead.username, role="lead")
    projects.set_member(user=administrator, project=other, username=lead.username, role="lead")
    projects.set_member(user=lead, project=other, username=viewer.username, role="viewer")
    projects.set_member(user=lead, project=other, username=viewer.username, role="reviewer")
    assert dict(other.members.values_list("user__username", "role")) == {"lena": "lead", "vera": "reviewer"}
    for username, role, error in (("nobody", "viewer", Missing), ("vera", "admin", InvalidInput)):
        with pytest.raises(error):
            projects.set_member(user=lead, project=other, username=username, role=role)


def test_who_is_taken_out_gives_back_what_they_hold(administrator, reviewer, other):
    with limited(lambda: Visibility.only(other.pk)):
        record = store_proved(small_environment())
    ProjectMember.objects.create(project=other, user=reviewer, role=Role.REVIEWER)
    claim = Claim.objects.create(environment=record, reviewer=reviewer, expires_at="2099-01-01T00:00Z")
    projects.set_member(user=administrator, project=other, username=reviewer.username, role="")
    claim.refresh_from_db()
    assert claim.released_at is not None
    assert not other.members.exists()


def test_an_environment_moves_with_the_runs_about_it_alone(stored, other, administrator, lead):
    alone = Run.objects.create(
        kind=RunKind.CHECKS, title="p", environment=stored, finished_at="2026-01-01T00Z"
    )
    batch = Run.objects.create(kind=RunKind.BATCH, title="b", finished_at="2026-01-01T00Z")
    child = Run.objects.create(
        kind=RunKind.SYNTHESIS, title="c", environment=stored, parent=batch, finished_at="2026-01-01T00Z"
    )
    with pytest.raises(Missing):
        projects.move(user=lead, record=stored, slug="other")
    default = stored.project
    projects.move(user=administrator, record=stored, slug="other")
    for each in (stored, alone, child):
        each.refresh_from_db()
    assert (stored.project, alone.project, child.project, child.environment) == (other, other, default, None)
    with pytest.raises(Conflict, match="already"):
        projects.move(user=administrator, record=stored, slug="other")


def test_an_environment_with_an_unfinished_run_stays(stored, other, administrator):
    Run.objects.create(kind=RunKind.CHECKS, title="p", environment=stored)
    with pytest.raises(Conflict, match="queued or running"):
        projects.move(user=administrator, record=stored, slug="other")


@pytest.mark.parametrize("limit", [{"month_cost": 1}, {"month_tokens": 10}])
def test_the_budget_of_a_project_counts_its_own_runs(stored, other, limit):
    Project.objects.update(**limit)
    LlmCall.objects.create(project=other, provider="p", model="m", outcome="ok", cost=2, input_tokens=20)
    ours = Run.objects.create(kind=RunKind.CHECKS, title="x")
    theirs = Run.objects.create(kind=RunKind.CHECKS, title="x", project=other)
    budget_of(Run.objects.get(pk=ours.pk)).require()
    with pytest.raises(BudgetExhausted, match="budget of this project"):
        budget_of(Run.objects.get(pk=theirs.pk)).require()


def test_deletion_takes_everything_of_one_project_and_nothing_of_another(shelf, administrator, lead, other):
    project = shelf.environment.project
    Project.objects.filter(pk=project.pk).update(slug="clinic")
    project.refresh_from_db()
    with limited(lambda: Visibility.only(other.pk)):
        stays = store_proved(small_environment())
    call = LlmCall.objects.create(
        project=project, run=shelf.run, provider="p", model="m", outcome="ok", cost=2
    )
    with pytest.raises(Forbidden):
        project_deletion.delete(user=lead, project=project, typed="clinic")
    with pytest.raises(InvalidInput, match="Type clinic"):
        project_deletion.delete(user=administrator, project=project, typed="Clinic")
    with pytest.raises(Conflict, match="queued or running"):
        project_deletion.delete(user=administrator, project=project, typed="clinic")
    Run.objects.update(state=RunState.FINISHED, finished_at="2026-01-01T00:00Z")
    assert len(list(stored_archives.names())) >= 3
    deleted = project_deletion.delete(user=administrator, project=project, typed="clinic")
    assert dict(deleted.counts)["environments"] == 1
    assert list(EnvironmentRecord.objects.all()) == [stays]
    assert not Run.objects.exists()
    assert not Project.objects.filter(slug="clinic").exists()
    assert list(stored_archives.names()) == []
    call.refresh_from_db()
    assert (call.project, call.cost) == (None, 2)


def test_the_default_project_stays(stored, administrator):
    with pytest.raises(Conflict, match="stays"):
        project_deletion.delete(user=administrator, project=stored.project, typed="default")


def test_commands_work_in_the_project_that_is_typed_or_the_default_one(stored, other, tmp_path):
    call_command("synthesize", "A desk lends tools.", "--no-wait", "--project", "other")
    assert Run.objects.latest("pk").project == other
    call_command("synthesize", "A desk lends tools.", "--no-wait")
    assert Run.objects.latest("pk").project == stored.project
    with pytest.raises(CommandError, match="no project 'nowhere'"):
        call_command("synthesize", "A desk lends tools.", "--no-wait", "--project", "nowhere")
    with pytest.raises(CommandError, match="lending_desk"):
        call_command("judge", "--environment", "lending_desk", "--project", "other")
    Project.objects.filter(pk=other.pk).update(archived_at="2026-01-01T00:00Z")
    with pytest.raises(CommandError, match="archived"):
        call_command("synthesize", "A desk lends tools.", "--no-wait", "--project", "other")


def test_programs_do_the_same(stored, administrator, viewer):
    program = ApiClient(issue_token(user=administrator, name="test")[1])
    made = program.post("/projects", {"name": "Clinics"})
    assert (made.status_code, made.json()["slug"]) == (201, "clinics")
    program.post("/projects/clinics/members", {"username": viewer.username, "role": "viewer"})
    moved = program.post("/projects/clinics/environments", {"environment": stored.name})
    assert moved.status_code == 200
    stored.refresh_from_db()
    assert stored.project.slug == "clinics"
    theirs = ApiClient(issue_token(user=viewer, name="test")[1])
    assert [each["slug"] for each in theirs.get("/projects").json()["items"]] == ["clinics", "default"]
    assert theirs.get("/projects/clinics").status_code == 200
    assert theirs.post("/projects/clinics/delete", {"typed": "clinics"}).status_code == 403
    assert program.post("/projects/clinics/delete", {"typed": "no"}).status_code == 422
    gone = program.post("/projects/clinics/delete", {"typed": "clinics"}).json()
    assert gone["counts"]["environments"] == 1
    assert theirs.get("/projects/clinics").status_code == 404


def test_verdicts_of_what_moved_outlive_the_project_that_judged_it(shelf, administrator, other):
    source = shelf.environment.project
    Project.objects.filter(pk=source.pk).update(slug="clinic")
    source.refresh_from_db()
    Run.objects.update(state=RunState.FINISHED, finished_at="2026-01-01T00:00Z")
    verdict = shelf.judging.verdicts.filter(trajectory=shelf.trajectory).first()
    projects.move(user=administrator, record=shelf.environment, slug="other")
    assert Run.objects.get(pk=shelf.judging.pk).project == source
    project_deletion.delete(user=administrator, project=source, typed="clinic")
    verdict.refresh_from_db()
    assert (verdict.run, verdict.trajectory) == (None, shelf.trajectory)


def test_a_change_that_began_before_the_project_was_archived_leaves_it_archived(other, administrator):
    earlier = Project.objects.get(pk=other.pk)
    projects.set_archived(user=administrator, project=other, archived=True)
    projects.change(user=administrator, project=earlier, name="Another")
    other.refresh_from_db()
    assert (other.name, other.archived_at is None) == ("Another", False)
