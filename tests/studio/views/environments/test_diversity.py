"""The report on diversity: measured when stored, shown as a page, as JSON and on the terminal."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import call_command

from studio.models import AuthorKind, DiversityProfileRecord
from studio.services.environments import diversity
from studio.services.environments.environments import store_environment
from tests.studio.conftest import small_environment


@pytest.fixture
def two(stored):
    other = small_environment(name="tool_shed", title="Tool shed", policy="Be quick.")
    return stored, store_environment(environment=other, author_kind=AuthorKind.MODEL, reason="Made.")


def test_environments_are_measured_when_they_are_stored_and_when_they_change(two) -> None:
    diversity_report = diversity.report()
    assert (diversity_report.measured, diversity_report.environments) == (2, 2)
    assert diversity_report.diversity.tool_jaccard == 1.0
    assert diversity_report.diversity.duplicate_schemas == 2


def test_only_the_current_revision_counts(stored, environment) -> None:
    from studio.services.environments.environments import add_revision

    smaller = environment.replace(
        tasks=environment.tasks.replace(tasks=environment.tasks.tasks[:1]),
        verifiers=environment.verifiers.replace(verifiers=environment.verifiers.verifiers[:1]),
    )
    add_revision(record=stored, environment=smaller, author_kind=AuthorKind.HAND, reason="Less.")
    assert DiversityProfileRecord.objects.count() == 2
    assert diversity.report().diversity.sizes["tasks"].mean == 1.0


def test_what_was_never_measured_is_said_and_can_be_measured(two) -> None:
    DiversityProfileRecord.objects.all().delete()
    assert (diversity.report().measured, diversity.report().environments) == (0, 2)
    assert diversity.measure_missing() == 2
    assert diversity.report().measured == 2


def test_the_page_shows_figures_beside_awms_and_links_to_both_of_a_pair(as_, viewer, two) -> None:
    page = as_(viewer).get("/diversity/").content.decode()
    assert "AWM 18.5" in page
    assert "2 of 2 environments measured" in page
    assert f"/environments/{two[0].name}/" in page
    assert "/environments/tool_shed/" in page


def test_a_category_narrows_the_report(as_, viewer, two) -> None:
    page = as_(viewer).get("/diversity/?category=lending").content.decode()
    assert "2 of 2" in page
    assert "Nothing has been measured yet" in as_(viewer).get("/diversity/?category=none").content.decode()


def test_the_same_as_json(as_, viewer, two) -> None:
    message = as_(viewer).get("/diversity/?format=json").json()
    assert (message["measured"], message["environments"]) == (2, 2)
    assert message["awm"]["calls"]["mean"] == 8.5


def test_one_environment_shares_nothing_with_another(as_, viewer, stored, capsys) -> None:
    page = as_(viewer).get("/diversity/").content.decode()
    assert page.count("needs two environments") == 2
    assert "0.0000" not in page
    call_command("diversity")
    message = capsys.readouterr().out
    assert "1 environment:" in message
    assert "Jaccard" not in message


def test_the_command_prints_the_report(two) -> None:
    out = StringIO()
    call_command("diversity", "--json", stdout=out)
    assert json.loads(out.getvalue())["environments"] == 2
    call_command("diversity", stdout=out)
