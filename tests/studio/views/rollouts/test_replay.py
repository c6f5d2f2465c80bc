"""The replay: ranges, search, long results cut and whole on demand, what changed inside a JSON cell."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.template.loader import render_to_string
from django.test import Client

from studio.models import EnvironmentRecord, StepRecord, TrajectoryRecord
from studio.presentation.replay_timeline import HEIGHT, timeline
from studio.presentation.row_changes import shown_changes
from studio.services.rollouts.trajectories import store_trajectory
from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.state_diff import RowChange, StateDiff
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import Step, Trajectory

MIB = 2**20


def changed(before: str | None, after: str | None) -> StateDiff:
    row = {"id": 1, "settings": before}, {"id": 1, "settings": after}
    change = RowChange(
        table="members", key=1, kind="updated", before=row[0], after=row[1], columns=("settings",)
    )
    return StateDiff(changes=(change,))


@pytest.fixture
def long_replay(stored: EnvironmentRecord) -> Callable[..., TrajectoryRecord]:
    """Makes a trajectory of so many steps; `observation` is what the agent saw at step 2."""

    def make(steps: int, observation: object = None) -> TrajectoryRecord:
        assert stored.current is not None
        document = Trajectory(
            environment=stored.current.fingerprint,
            environment_name=stored.name,
            task_id="return_the_drill",
            agent="chat",
            steps=tuple(
                Step(
                    index=n,
                    action=ToolCall(name="list_loans", arguments={"note": f'call "{n}"'}),
                    status="ok",
                    observation=observation if n == 2 else {"n": n},  # type: ignore[arg-type]
                    changes=changed(f'{{"n": {n - 1}}}', f'{{"n": {n}}}') if n % 2 else StateDiff(),
                )
                for n in range(1, steps + 1)
            ),
            stop_reason="step_limit",
        )
        return store_trajectory(revision=stored.current, judged=JudgedTrajectory(trajectory=document))

    return make


def page_of(client: Client, record: TrajectoryRecord, rest: str) -> str:
    answer = client.get(f"/trajectories/{record.pk}/step/{rest}")
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_changed_json_cell_shows_what_changed_inside() -> None:
    before = json.dumps({"plan": {"seats": 3, "tags": ["a", "b"]}, "old": True, "same": [1]})
    after = json.dumps({"plan": {"seats": 4, "tags": ["a"]}, "same": [1], "new": None})
    (change,) = shown_changes(changed(before, after))
    inner = [(each.path, each.word, each.before, each.after) for each in change.differing[0].inner]
    assert inner == [
        ("plan.seats", "changed", "3", "4"),
        ("plan.tags[1]", "removed", '"b"', None),
        ("old", "removed", "true", None),
        ("new", "added", None, "null"),
    ]


@pytest.mark.parametrize(
    ("before", "after"), [("plain", "text"), ('{"a": 1', '{"a": 2}'), (None, '{"a": 1}'), ("[" * 9000, "[]")]
)
def test_text_that_is_no_json_shows_no_inside(before: str | None, after: str) -> None:
    (change,) = shown_changes(changed(before, after))
    assert change.differing[0].inner == ()


def test_the_inner_change_is_on_the_page_with_sign_and_word(
    long_replay, viewer: User, client: Client
) -> None:
    client.force_login(viewer)
    assert "Settings, n" in page_of(client, long_replay(3), "3/")
    client.cookies["view"] = "expert"
    page = page_of(client, long_replay(3), "3/")
    assert '<b aria-hidden="true">~</b>changed</span> <code>n</code>' in page
    assert "<del>2</del>" in page
    assert "<ins>3</ins>" in page
    assert "This step changed nothing in the database." in page_of(client, long_replay(3), "2/")


def test_a_range_of_steps_shows_its_net_changes_from_any_step(
    long_replay, viewer: User, client: Client
) -> None:
    client.force_login(viewer)
    client.cookies["view"] = "expert"
    record = long_replay(9)
    page = page_of(client, record, "2/?since=3&through=7")
    assert "Changed by steps 4 to 7" in page
    assert "<del>4</del>" in page
    assert "<ins>7</ins>" in page
    assert "Changed by the first 7 steps" in page_of(client, record, "2/?since=0&through=7")
    for nonsense in ("since=7&through=3", "since=-1", "since=²", "since=1&through=x", "since=99999999999"):
        assert "rows in all" not in page_of(client, record, f"2/?{nonsense}")


def test_a_search_finds_quoted_arguments_results_and_changed_tables(
    long_replay, viewer: User, client: Client
) -> None:
    client.force_login(viewer)
    record = long_replay(12, observation="a needle")
    assert "1 of 12 steps match" in page_of(client, record, '1/?q=call "7"')
    assert "1 of 12 steps match" in page_of(client, record, "1/?q=needle")
    assert "6 of 12 steps match" in page_of(client, record, "1/?q=members")
    assert "0 of 12 steps match" in page_of(client, record, "1/?q=zeppelin")


def test_a_result_of_twenty_megabytes_is_cut_and_whole_on_demand(
    long_replay, viewer: User, client: Client
) -> None:
    client.force_login(viewer)
    record = long_replay(400, observation={"text": "x" * 20 * MIB})
    for step in (1, 2, 399):
        assert len(page_of(client, record, f"{step}/")) < 500_000
    page = page_of(client, record, "2/")
    assert "The first 4,000 of 20,971,531 characters." in page
    whole = client.get(f"/trajectories/{record.pk}/step/2/whole/")
    assert whole["Content-Type"].startswith("application/json")
    assert len(whole.json()["observation"]["text"]) == 20 * MIB
    assert client.get(f"/trajectories/{record.pk}/step/401/whole/").status_code == 404


def test_what_was_said_at_length_is_cut_with_a_way_to_the_whole(long_replay) -> None:
    record = long_replay(1)
    shown = render_to_string(
        "trajectories/_said.html", {"said": "<b>" * 10_000, "trajectory": record, "index": 1}
    )
    assert len(shown) < 100_000
    assert "<b>" not in shown
    assert f'href="/trajectories/{record.pk}/step/1/whole/">all 30,000 characters</a>' in shown


def test_two_long_attempts_are_compared_page_by_page(long_replay, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    one, other = long_replay(250), long_replay(250)
    first = client.get(f"/trajectories/{one.pk}/beside/{other.pk}/").content.decode()
    last = client.get(f"/trajectories/{one.pk}/beside/{other.pk}/?page=3").content.decode()
    assert "Steps 1–100 of 250" in first
    assert "Steps 201–250 of 250" in last
    assert first.count("<tr") > last.count("<tr")


def test_the_timeline_counts_steps_that_changed_rows_and_opens_a_step_without_script(
    long_replay: Callable[..., TrajectoryRecord], viewer: User, client: Client
) -> None:
    client.force_login(viewer)
    record = long_replay(5)
    text = page_of(client, record, "2/")
    assert "3 steps changed rows" in text
    assert text.count('<rect class="bar-') == 5
    assert text.count("bar-current") == 1
    for wanted, index in (("4", 4), ("", 1), ("x", 1), ("9" * 30, 1)):
        answer = client.get(f"/trajectories/{record.pk}/", {"step": wanted})
        assert answer["Location"] == f"/trajectories/{record.pk}/step/{index}/"


def test_bars_rise_with_the_rows_changed_and_failures_are_told_apart() -> None:
    steps = [
        StepRecord(index=1, status="ok", changed_rows=0),
        StepRecord(index=2, status="ok", changed_rows=1),
        StepRecord(index=3, status="refused", changed_rows=0),
        StepRecord(index=4, status="answered", changed_rows=500),
    ]
    shown = timeline(steps)
    bars = shown["timeline"]
    assert [bar.kind for bar in bars] == ["quiet", "changed", "failed", "changed"]
    assert bars[0].height < bars[1].height < bars[3].height == HEIGHT
    assert all(bar.y + bar.height == pytest.approx(HEIGHT) for bar in bars)
    assert (shown["changing"], shown["failing"]) == (2, 1)
