"""Rollouts for programs."""

from __future__ import annotations

import pytest

from studio.models import Run, RunKind
from studio.services import looks
from studio.services.executors import execute_most_urgent

WANTED = {"agents": ["reference", "no-op"], "samples": 2, "isolation": "shared", "at_once": 2}


@pytest.fixture(autouse=True)
def no_worlds_left():
    yield
    looks.close_all()


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
    found = api(viewer).get(f"/rollouts/replays/{trajectory.pk}").json()
    assert found["first_difference"] == 1
    assert found["steps"][0]["differs"] == ["observation", "state"]
    assert found["verdict"]["label"] == "completed"
    assert api(viewer).get("/rollouts/replays/999").status_code == 404


def test_a_replay_brings_only_what_differs_unless_all_is_asked_for(api, viewer, trajectory):
    address = f"/rollouts/replays/{trajectory.pk}"
    (step,) = api(viewer).get(address).json()["steps"]
    assert set(step) == {"step", "tool", "differs", "recorded", "found", "recorded_hash", "found_hash"}
    (whole,) = api(viewer).get(f"{address}?full=1").json()["steps"]
    assert whole.items() > step.items()
    assert whole["recorded_status"] == whole["found_status"] == "ok"


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"agents": ["genius"]}, "no agent named"),
        ({"environments": ["atlantis"]}, "no environment named"),
        ({"tasks": ["fly"]}, "no task named"),
        ({"samples": 0}, "0 samples"),
        ({"history": "dream"}, "no history policy"),
        ({"budget_tokens": 0}, "budget of 0 tokens"),
    ],
)
def test_what_cannot_be_played_is_refused_with_words(api, lead, stored, changed, told):
    answer = api(lead).post("/rollouts", {**WANTED, **changed})
    assert answer.status_code in (404, 422)
    assert told in answer.content.decode()
    assert not Run.objects.filter(kind=RunKind.ROLLOUTS).exists()
