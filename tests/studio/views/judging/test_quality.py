"""The pages, the API and the command of quality."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from studio.models import EnvironmentRecord
from studio.services.judging import quality
from synthesis.documents.quality import Bug, Grade, QualityGrade

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def graded(stored: EnvironmentRecord) -> EnvironmentRecord:
    assert stored.current is not None
    names = ("task_feasibility", "data_alignment", "toolset_completeness")
    grade = QualityGrade(
        environment=stored.current.fingerprint,
        grades={name: Grade(score=2, reason=f"Because {HOSTILE}") for name in names},
        bugs=(Bug(kind="wrong_result", part="tools", where="list_loans", description=f"It lies. {HOSTILE}"),),
        blocked_tasks=("count_the_loans",),
        judge="judge:grader",
        model="grader",
        prompt_fingerprint="0" * 64,
    )
    quality.store_grade(revision=stored.current, grade=grade)
    return stored


def shown(as_: Callable[[User], Client], person: User, address: str) -> str:
    answer = as_(person).get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_page_says_what_to_do_when_nothing_was_graded(as_, viewer, lead) -> None:
    assert "No environment has been graded yet" in shown(as_, viewer, "/quality/")
    assert "/quality/new/" not in shown(as_, viewer, "/quality/")
    assert "/quality/new/" in shown(as_, lead, "/quality/")


def test_the_page_shows_means_bugs_and_the_published_figures(as_, viewer, graded) -> None:
    page = shown(as_, viewer, "/quality/")
    assert "2.00" in page
    assert "AWM 3.68" in page
    assert "A tool answers wrongly" in page
    assert "1 of 2" in page
    assert f"/environments/{graded.name}/quality/" in page


def test_an_environments_grade_shows_reasons_as_text_and_lets_people_flag_bugs(as_, reviewer, graded) -> None:
    page = shown(as_, reviewer, f"/environments/{graded.name}/quality/")
    assert HOSTILE not in page
    assert "&lt;script&gt;" in page
    assert "flags/new/?reason=tool_bug&amp;part=tools&amp;where=list_loans" in page
    assert f"/environments/{graded.name}/tasks/count_the_loans/" in page


def test_an_environment_without_a_grade_says_so(as_, viewer, stored) -> None:
    assert "Not graded yet" in shown(as_, viewer, f"/environments/{stored.name}/quality/")


def test_asking_for_grades_without_a_model_names_the_variable_and_keeps_the_words(as_, lead, stored) -> None:
    answer = as_(lead).post("/quality/new/", {"environment": stored.name, "sample": "3", "seed": "0"})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "OPENAI_API_KEY" in page
    assert f'value="{stored.title}"' in page


def test_programs_read_the_same(as_, viewer, graded) -> None:
    message = as_(viewer).get("/api/quality").json()
    assert message["criteria"]["data_alignment"]["judge"] == 2.0
    one = as_(viewer).get(f"/api/quality/{graded.name}").json()
    assert one["grade"]["bugs"][0]["kind"] == "wrong_result"


def test_the_command_names_what_is_missing(stored) -> None:
    with pytest.raises(CommandError, match="OPENAI_API_KEY"):
        call_command("grade")


def test_the_pages_are_reached_from_the_dashboard_and_from_the_environment(as_, viewer, stored) -> None:
    dashboard = shown(as_, viewer, "/dashboard/")
    assert 'href="/quality/"' in dashboard
    assert 'href="/diversity/"' in dashboard
    checks = shown(as_, viewer, f"/environments/{stored.name}/checks/")
    assert f'href="/environments/{stored.name}/quality/"' in checks
