"""Trajectories for programs."""

from __future__ import annotations

from synthesis.documents.bundle import JudgedTrajectory
from tests.studio.conftest import played


def test_they_are_listed_and_filtered(api, viewer, trajectory):
    client = api(viewer)
    (item,) = client.get("/trajectories", environment="lending_desk", label="completed").json()["items"]
    assert (item["agent"], item["reward"], item["environment"]) == ("reference", 1.0, "lending_desk")
    assert client.get("/trajectories", agent="random").json()["count"] == 0


def test_one_is_the_document_that_travels(api, viewer, trajectory, environment):
    answer = api(viewer).get(f"/trajectories/{trajectory.pk}")
    assert JudgedTrajectory.model_validate_json(answer.content) == played(environment)


def test_an_unknown_one_is_missing(api, viewer):
    assert api(viewer).get("/trajectories/999").status_code == 404


def test_one_is_the_file_that_its_page_gives(api, viewer, trajectory, client):
    client.force_login(viewer)
    page = client.get(f"/trajectories/{trajectory.pk}/file/").content
    assert api(viewer).get(f"/trajectories/{trajectory.pk}/file").content == page
    assert api(viewer).get("/trajectories/99999/file").status_code == 404
