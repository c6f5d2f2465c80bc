"""Rollouts for programs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from studio.jobs import execute_most_urgent
from studio.models import Run, RunKind
from studio.services.browse import state_queries
from studio.services.rollouts import drift

WANTED = {"agents": ["reference", "no-op"], "samples": 2, "isolation": "shared", "at_once": 2}


@pytest.fixture(autouse=True)
def no_worlds_left():
    yield
    state_queries.close_all()


def work() -> None:
    while execute_most_urgent() is not None:
        pass


def test_a_batch_is_started_followed_and_told_by_label(api, lead, stored):
    client = api(lead)
    answer = client.post("/rollouts", {**WANTED, "environments": [stored.name]})
    assert answer.status_code == 202
    batch = answer.json()["id"]
    assert client.get(f"/rollouts/{batch}").json()["waiting"] == 8
    work()
    figures = client.get(f"/rollouts/{batch}").json()
    assert (figures["done"], figures["running"], figures["labels"]["completed"]) == (8, 0, 4)
    assert {failure["kind"] for failure in figures["failures"]} == {"claimed_without_acting", "wrong_answer"}
    by_task = client.get(f"/rollouts/{batch}/labels", environment=stored.name).json()
    assert [(group["task"], group["share"]) for group in by_task] == [
        ("count_the_loans", 0.5),
        ("return_the_drill", 0.5),
    ]
    assert client.post(f"/rollouts/{batch}/go-on").status_code == 409


def test_statistics_and_comparisons_are_plain_values(api, lead, stored):
    client = api(lead)
    batch = client.post("/rollouts", WANTED).json()["id"]
    work()
    groups = client.get("/rollouts/statistics", run=batch, by="difficulty").json()
    assert {(g["agent"], g["key"], g["pass_at_1"]["value"]) for g in groups} == {
        ("reference", "easy", 1.0),
        ("no-op", "easy", 0.0),
    }
    compared = client.get(
        "/rollouts/comparison",
        first_run=batch, first_agent="no-op", second_run=batch, second_agent="reference",
    ).json()  # fmt: skip
    assert (compared["tasks"], compared["better"], compared["significant"]) == (2, 2, False)
    assert client.get("/rollouts/statistics", by="weather").status_code == 422


def test_a_trajectory_is_replayed(api, viewer, trajectory):
    """The stored one was written by hand: its state hash is none that a world could have."""
    result = api(viewer).get(f"/rollouts/replays/{trajectory.pk}").json()
    assert result["first_difference"] == 1
    assert result["steps"][0]["differs"] == ["observation", "state"]
    assert result["verdict"]["label"] == "completed"
    assert api(viewer).get("/rollouts/replays/999").status_code == 404


def test_a_replay_brings_only_what_differs_unless_all_is_asked_for(api, viewer, trajectory):
    address = f"/rollouts/replays/{trajectory.pk}"
    (step,) = api(viewer).get(address).json()["steps"]
    assert set(step) == {"step", "tool", "differs", "recorded", "actual", "recorded_hash", "actual_hash"}
    (whole,) = api(viewer).get(f"{address}?full=1").json()["steps"]
    assert whole.items() > step.items()
    assert whole["recorded_status"] == whole["actual_status"] == "ok"


def test_a_replay_comes_in_pages(api, viewer, trajectory, monkeypatch):
    """Ten calls that differ, two to a page by number, and one to a page where each is large."""
    address = f"/rollouts/replays/{trajectory.pk}"
    real = drift.replay_on(trajectory=trajectory)
    many = replace(real, steps=tuple(real.steps[0].model_copy(update={"step": n}) for n in range(1, 11)))
    monkeypatch.setattr(drift, "replay_on", lambda **_: many)

    def pages(**query):
        offset = 0
        while offset is not None:
            answer = api(viewer).get(address, offset=offset, **query)
            assert answer.status_code == 200
            yield answer
            offset = answer.json()["next_offset"]

    results = list(pages(limit=2, full=1))
    assert [[step["step"] for step in page.json()["steps"]] for page in results] == [
        [1, 2], [3, 4], [5, 6], [7, 8], [9, 10]
    ]  # fmt: skip
    assert {page.json()["differing"] for page in results} == {10}
    monkeypatch.setattr(drift, "PAGE_BYTES", 10)
    assert [len(page.json()["steps"]) for page in pages()] == [1] * 10
    assert api(viewer).get(address, limit=0).status_code == 422
    assert api(viewer).get(address, offset=2**63).status_code == 422


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"agents": ["genius"]}, "no agent named"),
        ({"environments": ["atlantis"]}, "no environment named"),
        ({"tasks": ["fly"]}, "no task named"),
        ({"samples": 0}, "0 samples"),
        ({"history": "dream"}, "no history policy"),
        ({"budget_tokens": 0}, "budget of 0 tokens"),
    ],
)
def test_what_cannot_be_played_is_refused_with_words(api, lead, stored, changed, message):
    answer = api(lead).post("/rollouts", {**WANTED, **changed})
    assert answer.status_code in (404, 422)
    assert message in answer.content.decode()
    assert not Run.objects.filter(kind=RunKind.ROLLOUTS).exists()
