"""Weak agents: on the list of tasks each agent that failed, and how many by difficulty."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from studio.models import EnvironmentRecord
from studio.services.environments.check_reports import store_report
from synthesis.documents.check_report import CheckReport, CheckResult, Trial

TASKS = "/environments/lending_desk/tasks/"
RETURN, COUNT = "return_the_drill", "count_the_loans"


@pytest.fixture(autouse=True)
def signed_in(viewer: User, client: Client) -> None:
    client.force_login(viewer)


def run(task: str, weakness: str, words: str, outcome: str = "refused") -> Trial:
    return Trial(
        subject=task,
        kind=weakness,
        description=f"an agent that {words}",
        expected="refused",
        outcome=outcome,  # type: ignore[arg-type]
    )


def words(client: Client) -> str:
    page = client.get(TASKS).content.decode()
    named = re.sub(r'<svg[^>]*aria-label="([^"]*)"[^>]*>', r" \1 ", page)
    return " ".join(re.sub(r"<[^>]+>", " ", named).split())


def test_every_agent_stands_with_its_tasks_and_with_how_many_of_its_runs_failed(
    client: Client, stored: EnvironmentRecord
) -> None:
    assert stored.current is not None
    trials = (
        run(RETURN, "first_row", "takes the first row listed"),
        run(COUNT, "first_row", "takes the first row listed", "accepted"),
        run(RETURN, "trusts_user", "believes what the user says"),
    )
    result = CheckResult(claim="weak_agents_fail", passed=False, trials=trials)
    store_report(
        revision=stored.current,
        report=CheckReport(environment=stored.current.fingerprint, results=(result,)),
    )
    text = words(client)
    assert "Failed takes the first row listed" in text
    assert "Completed it takes the first row listed" in text
    summary = text[text.index("Each must fail.") :]
    assert re.search(r"believes what the user says .*As it must 1 of 1", summary)
    assert re.search(r"takes the first row listed .*Too few 1 of 2", summary)


def test_without_such_runs_there_is_no_summary(client: Client, stored: EnvironmentRecord) -> None:
    assert "Weak agents" not in words(client)
