"""Tokens that open one project: nothing of another, and nothing about the whole studio."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from studio.models import ApiToken, Project, ProjectMember, Role, Run
from studio.models.visibility import Visibility, limited
from studio.services.accounts.accounts import issue_token
from tests.studio.api.conftest import ApiClient
from tests.studio.conftest import small_environment, store_proved

SCHEMA = "CREATE TABLE desks (id INTEGER PRIMARY KEY, name TEXT NOT NULL);"


@pytest.fixture
def own(db) -> Project:
    """A project with an environment, beside the one that is there at first."""
    project = Project.objects.create(slug="own", name="Own")
    with limited(lambda: Visibility.only(project.pk)):
        record = store_proved(small_environment())
        record.name = record.title = "own_desk"
        record.save()
    return project


@pytest.mark.parametrize("role", [Role.LEAD, Role.ADMIN])
def test_it_opens_its_project_alone(role, own, stored, person):
    user = person("somebody", role)
    ProjectMember.objects.create(project=own, user=user, role=Role.LEAD)
    _, token = issue_token(user=user, name="t", project=own)
    client = ApiClient(token)
    assert [each["slug"] for each in client.get("/projects").json()["items"]] == ["own"]
    assert [each["name"] for each in client.get("/environments").json()["items"]] == ["own_desk"]
    for path in (f"/environments/{stored.name}", "/projects/default", "/environments?project=default"):
        assert client.get(path).status_code == 404, path
    moved = client.post("/projects/default/environments", {"environment": "own_desk"})
    assert moved.status_code == 404
    _, every = issue_token(user=user, name="t")
    assert len(ApiClient(every).get("/projects").json()["items"]) == 2


def test_what_it_starts_belongs_to_its_project(own, stored, person):
    user = person("somebody", Role.LEAD)
    ProjectMember.objects.create(project=own, user=user, role=Role.LEAD)
    _, token = issue_token(user=user, name="t", project=own)
    asked = {"sentence": "A library lends books to its members."}
    begun = ApiClient(token).post("/runs/synthesis", asked)
    assert begun.status_code in (200, 201, 202)
    assert Run.all_projects.get().project == own


def test_it_opens_nothing_about_people_or_the_studio(own, administrator):
    _, token = issue_token(user=administrator, name="t", project=own)
    client = ApiClient(token)
    for method, path in (("get", "/tokens"), ("post", "/projects"), ("post", "/projects/own/archive")):
        answer = getattr(client, method)(path, {"name": "x"}) if method == "post" else client.get(path)
        assert answer.status_code == 403
        assert "one project" in answer.json()["message"]


def test_it_opens_nothing_once_its_person_left_the_project(own, lead):
    ProjectMember.objects.create(project=own, user=lead, role=Role.LEAD)
    _, token = issue_token(user=lead, name="t", project=own)
    assert ApiClient(token).get("/environments/own_desk").status_code == 200
    own.members.all().delete()
    assert ApiClient(token).get("/environments/own_desk").status_code == 404
    assert ApiClient(token).get("/projects").json()["count"] == 0


def test_the_page_offers_ones_own_projects_and_no_others(own, lead, client):
    client.force_login(lead)
    form = {"name": "t", "scopes": ["read"], "days": 3}
    assert "All of yours" not in client.get("/account/").content.decode()
    assert client.post("/account/tokens/", form | {"only_project": "own"}).status_code == 201
    assert ApiToken.objects.get().project is None  # there was no choice, so nothing was chosen
    ProjectMember.objects.create(project=own, user=lead, role=Role.VIEWER)
    assert "All of yours" in client.get("/account/").content.decode()
    assert client.post("/account/tokens/", form | {"only_project": "own"}).status_code == 201
    assert ApiToken.objects.latest("pk").project == own
    assert client.post("/account/tokens/", form | {"only_project": "elsewhere"}).status_code == 422
    assert "Own only" in client.get("/account/").content.decode()


def test_the_command_limits_tokens_to_projects_of_the_person(own, lead, capsys):
    with pytest.raises(CommandError, match="no project 'own'"):
        call_command("create_token", "lena", project="own")
    ProjectMember.objects.create(project=own, user=lead, role=Role.VIEWER)
    call_command("create_token", "lena", project="own")
    assert ApiToken.objects.get().project == own
