"""Pages of projects, and the choice in the header."""

from __future__ import annotations

import pytest

from studio.models import Project, ProjectMember, Role, Run
from studio.models.visibility import Visibility, limited
from tests.studio.conftest import small_environment, store_proved

pytestmark = pytest.mark.django_db


@pytest.fixture
def other() -> Project:
    return Project.objects.create(slug="other", name="Other desks")


def test_nobody_meets_projects_until_there_are_two(stored, viewer, as_, other):
    client = as_(viewer)
    assert "data-projects" not in client.get("/environments/").content.decode()
    ProjectMember.objects.create(project=other, user=viewer, role=Role.VIEWER)
    assert "data-projects" in client.get("/environments/").content.decode()


def test_the_chosen_project_is_what_lists_are_about_and_things_are_shown_anyway(stored, viewer, as_, other):
    ProjectMember.objects.create(project=other, user=viewer, role=Role.VIEWER)
    with limited(lambda: Visibility.only(other.pk)):
        theirs = store_proved(small_environment(title="Clinic desk"))
    client = as_(viewer)
    answer = client.post("/projects/choose/", {"chosen": "other", "next": "/environments/"})
    assert answer["Location"] == "/environments/"
    page = client.get("/environments/").content.decode()
    assert "Clinic desk" in page
    assert "Lending desk" not in page
    assert client.get(stored.get_absolute_url()).status_code == 200
    assert client.get(theirs.get_absolute_url()).status_code == 200
    client.post("/projects/choose/", {"chosen": ""})
    assert "Lending desk" in client.get("/environments/").content.decode()
    assert client.post("/projects/choose/", {"chosen": "nowhere"}).status_code == 404
    for foreign in ("//evil.example", "https://evil.example/"):
        answer = client.post("/projects/choose/", {"chosen": "", "next": foreign})
        assert answer["Location"] == "/environments/"


def test_a_run_needs_a_project_where_there_are_several(stored, lead, as_, other):
    ProjectMember.objects.create(project=other, user=lead, role=Role.LEAD)
    client = as_(lead)
    form = {"sentence": "A desk lends tools to members.", "author": "procedural", "tasks": 4, "seed": 0}
    before = set(Run.objects.values_list("pk", flat=True))
    refused = client.post("/environments/new/", form)
    assert refused.status_code == 422
    assert "default, other" in refused.content.decode()
    client.post("/environments/new/?project=other", form)
    made = Run.objects.exclude(pk__in=before).get()
    assert made.project == other


def test_a_project_is_made_changed_archived_and_deleted_on_pages(administrator, viewer, as_):
    client = as_(administrator)
    assert client.post("/projects/new/", {"name": "Clinics"})["Location"] == "/projects/clinics/"
    assert client.post("/projects/new/", {"name": "Clinics"}).status_code == 422
    page = "/projects/clinics/"
    added = client.post(f"{page}members/", {"username": viewer.username, "role": "viewer"}, follow=True)
    assert f"{viewer.get_full_name()} takes part." in added.content.decode()
    assert viewer.get_full_name() != viewer.username
    change = {"name": "Clinics of 2026", "month_cost": "12.50", "month_tokens": ""}
    assert client.post(f"{page}change/", change).status_code == 302
    text = client.get(page).content.decode()
    assert "Clinics of 2026" in text
    assert "12.50" in text
    assert "vera" in text
    client.post(f"{page}archive/", {"archived": "yes"})
    assert "only read" in client.get(page).content.decode()
    assert client.post(f"{page}delete/", {"typed": "clinic"}).status_code == 422
    assert client.post(f"{page}delete/", {"typed": "clinics"}).status_code == 302
    assert client.get(page).status_code == 404


def test_a_lead_of_another_project_changes_no_members(lead, as_, other):
    answer = as_(lead).post("/projects/other/members/", {"username": "lena", "role": "lead"})
    assert answer.status_code == 404
    assert not other.members.exists()
