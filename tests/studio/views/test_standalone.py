"""Files of replays and reviews: all in one document, without script, links or names."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from studio.models import EnvironmentRecord, Role
from studio.services.review import comments, flags, reviews
from studio.services.rollouts.trajectories import store_trajectory
from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.environment import Environment
from synthesis.documents.state_diff import RowChange, StateDiff
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import Step, Trajectory
from tests.studio.conftest import create_person, store_proved

SCRIPT = "<script>alert(1)</script>"
REACHES_OUT = re.compile(r"<script|<link|<img|<a\s|\shref=|\ssrc=|url\(|@import|\son[a-z]+=", re.IGNORECASE)


@pytest.fixture
def hostile(stored: EnvironmentRecord) -> int:
    assert stored.current is not None
    rows = {"id": 7, "item": SCRIPT}, {"id": 7, "item": "drill"}
    change = RowChange(table="loans", key=7, kind="updated", before=rows[0], after=rows[1], columns=("item",))
    steps = [
        Step(
            index=1,
            action=ToolCall(name="list_loans", arguments={"note": SCRIPT}),
            status="ok",
            observation={"items": [{"loan_id": 7, "item": SCRIPT}]},
            changes=StateDiff(changes=(change,)),
        ),
        Step(
            index=2,
            action=ToolCall(name="list_loans"),
            status="ok",
            observation={"text": "x" * 3_000_000},
        ),
    ]
    document = Trajectory(
        environment=stored.current.fingerprint,
        environment_name=stored.name,
        task_id="return_the_drill",
        agent="chat",
        steps=tuple(steps),
        stop_reason="step_limit",
    )
    return store_trajectory(revision=stored.current, judged=JudgedTrajectory(trajectory=document)).pk


def test_a_replay_is_one_file_that_reaches_for_nothing(hostile: int, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    answer = client.get(f"/trajectories/{hostile}/file/")
    page = answer.content.decode()
    assert answer["Content-Disposition"] == f'attachment; filename="replay_{hostile}.html"'
    assert REACHES_OUT.search(page) is None
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 3
    assert "<strong>drill</strong>" in page
    assert "default-src 'none'" in page
    assert "Too long for this file" in page
    assert len(page) < 50_000
    assert (
        f'href="/trajectories/{hostile}/file/"'
        in client.get(f"/trajectories/{hostile}/step/1/").content.decode()
    )


def test_reviews_are_a_file_without_names(
    environment: Environment, reviewer: User, second_reviewer: User, viewer: User, client: Client
) -> None:
    proved = store_proved(environment)
    reviewer.first_name, reviewer.last_name = "Rosa", "Reviewer"
    reviewer.save()
    create_person("otto_k", Role.REVIEWER)
    create_person("otto", Role.REVIEWER)
    comments.add_comment(
        record=proved, author=second_reviewer, body=f"@{reviewer.username} saw it, @otto did not. {SCRIPT}"
    )
    comments.add_comment(
        record=proved,
        author=second_reviewer,
        anchor_kind="row",
        anchor="loans/otto",
        body="As otto said to Otto_K.",
    )
    flags.raise_flag(
        record=proved,
        user=second_reviewer,
        reason="tool_bug",
        severity="minor",
        comment="Off by one.",
        where="desk of otto_k",
    )
    reviews.submit(
        record=proved, revision_number=1, reviewer=reviewer, decision="request_changes", comment="Not yet."
    )
    client.force_login(viewer)
    answer = client.get(f"/environments/{proved.name}/history/1/reviews/")
    page = answer.content.decode()
    assert answer.status_code == 200
    assert REACHES_OUT.search(page) is None
    assert "Reviewer 1: Request changes" in page
    assert "Reviewer 2 on environment" in page
    assert "Reviewer 1 saw it, Reviewer 4 did not. &lt;script&gt;" in page
    assert "(Desk of Reviewer 3)" in page
    assert "Loans Reviewer 4" in page
    for name in (reviewer.username, second_reviewer.username, "Rosa", "otto", "otto_k", "otto k"):
        assert not re.search(rf"\b{name}\b", page, re.IGNORECASE)
