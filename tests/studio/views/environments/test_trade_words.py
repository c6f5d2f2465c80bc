"""Words and figures of an environment's pages that experts of its trade read."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from studio.models import EnvironmentRecord, Revision, TrajectoryRecord


def _page(client: Client, address: str) -> str:
    return " ".join(client.get(address).content.decode().split())


def test_states_and_verdicts_are_everybody_s_words_and_the_field_s_in_the_expert_view(
    client: Client, reviewer: User, trajectory: TrajectoryRecord
) -> None:
    TrajectoryRecord.objects.update(label="agent_error", agent="faulty:wrong_row")
    client.force_login(reviewer)
    address = f"/environments/{trajectory.environment.name}/"
    listed, overview = _page(client, f"{address}trajectories/"), _page(client, address)
    assert "Agent error" not in listed
    assert "Agent Error" not in listed
    assert "Not completed" in listed
    assert "faulty:wrong_row" not in listed
    assert "an agent that takes the wrong record" in listed
    assert "Executable" not in overview
    assert "It runs" in overview
    client.cookies["view"] = "expert"
    listed, overview = _page(client, f"{address}trajectories/"), _page(client, address)
    assert "Agent error" in listed
    assert "faulty:wrong_row" in listed
    assert "Executable" in overview


def test_tasks_and_replays_say_what_is_asked_for_and_done_without_code(
    client: Client, reviewer: User, trajectory: TrajectoryRecord
) -> None:
    client.force_login(reviewer)
    replay = f"/trajectories/{trajectory.pk}/step/1/"
    task = f"/environments/{trajectory.environment.name}/tasks/{trajectory.task_id}/"
    assert '<span class="tag">write</span>' not in _page(client, replay)
    assert '<span class="tag">a change</span>' in _page(client, replay)
    assert "call-line" not in _page(client, task)
    client.cookies["view"] = "expert"
    assert '<span class="tag">write</span>' in _page(client, replay)
    assert "call-line" in _page(client, task)


def test_the_heading_counts_the_checks_that_pass(
    client: Client, reviewer: User, stored: EnvironmentRecord
) -> None:
    client.force_login(reviewer)
    revision = stored.current
    assert revision is not None
    assert revision.checks_passed > 1
    page = _page(client, f"/environments/{stored.name}/checks/")
    assert f"{revision.checks_passed} of {revision.checks} <" in page


@pytest.mark.parametrize(("who", "sign"), [("lead", "Prove it"), ("reviewer", "Ask a lead to prove it")])
def test_what_was_never_proved_leads_to_its_proof(
    who: str, sign: str, request: Any, client: Client, stored: EnvironmentRecord
) -> None:
    Revision.objects.update(checks_passed=0, checks_failed=0)
    Revision.objects.get().reports.all().delete()
    stored.state = "draft"
    stored.save()
    client.force_login(request.getfixturevalue(who))
    for address in (f"/environments/{stored.name}/", f"/environments/{stored.name}/checks/"):
        assert sign in _page(client, address)
    if who == "lead":
        plan = _page(client, f"/catalogue/act/?action=checks&shown=1&name={stored.name}")
        assert "Prove again: 1 environment" in plan


def test_what_is_to_be_proved_is_that_environment_alone(
    lead: Any, client: Client, stored: EnvironmentRecord
) -> None:
    EnvironmentRecord.objects.create(
        name=f"{stored.name}_2", title="Another", author_kind="procedural", project=stored.project
    )
    client.force_login(lead)
    answer = client.get("/environments/", {"name": stored.name})
    assert [row.record.name for row in answer.context["table"].rows] == [stored.name]
