"""Projects for programs: renamed, given a budget, archived and taken into use again."""

from __future__ import annotations

import pytest

from studio.models import Project, Run, RunKind


@pytest.fixture
def project(db) -> Project:
    return Project.objects.create(slug="desk", name="Desk", description="Old.", month_cost=5, is_open=True)


def test_what_is_left_out_stays_and_null_takes_a_limit_away(api, project, administrator):
    client = api(administrator)
    changed = client.post("/projects/desk", {"name": "Desks", "month_tokens": 1_000}).json()
    assert (changed["slug"], changed["name"], changed["description"]) == ("desk", "Desks", "Old.")
    assert (changed["is_open"], changed["month_cost"], changed["month_tokens"]) == (True, 5.0, 1_000)
    changed = client.post("/projects/desk", {"month_cost": None, "is_open": False}).json()
    assert (changed["name"], changed["month_cost"], changed["month_tokens"]) == ("Desks", None, 1_000)
    assert changed["is_open"] is False


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"name": None},
        {"name": "Default"},
        {"month_cost": -1},
        {"month_cost": 0.001},
        {"month_cost": 10**13},
        {"month_tokens": -1},
        {"month_tokens": 2**63},
        {"is_open": None},
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(wrong, api, project, administrator, stored):
    before = Project.objects.filter(pk=project.pk).values().get()
    assert api(administrator).post("/projects/desk", wrong).status_code == 422
    assert Project.objects.filter(pk=project.pk).values().get() == before


def test_a_project_is_archived_and_restored_unless_something_runs(api, project, administrator):
    client = api(administrator)
    run = Run.objects.create(kind=RunKind.CHECKS, title="x", project=project)
    assert client.post("/projects/desk/archive").status_code == 409
    Run.objects.filter(pk=run.pk).update(finished_at="2026-01-01T00Z")
    assert client.post("/projects/desk/archive").json()["archived_at"]
    assert client.post("/projects/desk/restore").json()["archived_at"] is None


def test_only_administrators_may(api, project, lead):
    client = api(lead)
    for path, body in (("", {"name": "Mine"}), ("/archive", {}), ("/restore", {})):
        assert client.post(f"/projects/desk{path}", body).status_code == 403
    assert Project.objects.get(pk=project.pk).name == "Desk"
