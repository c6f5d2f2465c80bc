"""Migrations to projects and back, with what was stored before and since."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

BEFORE, SINCE = [("studio", "0013_comments_of_reviews")], [("studio", "0016_projects_required")]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def migrate(target: list[tuple[str, str]]):
    executor = MigrationExecutor(connection)
    executor.migrate(target)
    return executor.loader.project_state(target).apps


@pytest.fixture
def before() -> Iterator[object]:
    newest = MigrationExecutor(connection).loader.graph.leaf_nodes("studio")
    yield migrate(BEFORE)
    apps = migrate(SINCE)
    for name in ("LlmCall", "Run", "EnvironmentRecord", "Project"):
        apps.get_model("studio", name).objects.all().delete()
    migrate(newest)


def fill(apps, **owner) -> None:
    record = apps.get_model("studio", "EnvironmentRecord").objects.create(
        name="desk", title="Desk", category="c", description="", author_kind="hand", **owner
    )
    run = apps.get_model("studio", "Run").objects.create(
        kind="checks", title="Proof", environment=record, **owner
    )
    apps.get_model("studio", "LlmCall").objects.create(
        run=run, provider="p", model="m", outcome="ok", **owner
    )


def test_what_existed_is_in_the_open_default_project_and_comes_back_whole(before):
    fill(before)
    since = migrate(SINCE)
    project = since.get_model("studio", "Project").objects.get()
    assert (project.slug, project.is_open) == ("default", True)
    for name in ("EnvironmentRecord", "Run", "LlmCall"):
        assert since.get_model("studio", name).objects.get().project_id == project.pk
    back = migrate(BEFORE)
    assert back.get_model("studio", "Run").objects.get().environment.name == "desk"
    assert back.get_model("studio", "LlmCall").objects.get().outcome == "ok"


def test_going_back_never_opens_a_closed_project_unnoticed(before):
    since = migrate(SINCE)
    projects = since.get_model("studio", "Project").objects
    closed = projects.create(slug="closed", name="Closed")
    fill(since, project=closed)
    with pytest.raises(RuntimeError, match="closed"):
        migrate(BEFORE)
    migrate(SINCE)
    projects.update(is_open=True)
    assert migrate(BEFORE).get_model("studio", "EnvironmentRecord").objects.get().name == "desk"


def test_an_empty_studio_migrates_both_ways(before):
    assert migrate(SINCE).get_model("studio", "Project").objects.count() == 1
    migrate(BEFORE)
