"""Pages of rollouts: asking for a batch, following it, statistics, replays, scratch from a step."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from studio.jobs import execute_most_urgent
from studio.models import AuthorKind, EnvironmentRecord, Run, RunKind, StepRecord, TrajectoryRecord
from studio.services.browse import scratch as scratch_services
from studio.services.browse import state_queries
from studio.services.environments.environments import add_revision, store_environment
from studio.services.rollouts import rollout_batches, rollout_statistics
from studio.services.rollouts.rollout_batches import start_rollout_batch
from studio.services.rollouts.rollouts import PlaySettings
from studio.services.rollouts.trajectories import store_trajectory
from synthesis.rollouts.registry import make_agent
from synthesis.rollouts.rollout import roll_out
from tests.studio.conftest import TOOLS, played, small_environment

SHARED = PlaySettings(isolation="shared", at_once=2)
FORM = {
    "agents": ["reference", "no-op"],
    "samples": "2",
    "first_seed": "5",
    "at_once": "2",
    "isolation": "shared",
    "call_seconds": "60",
}


@pytest.fixture(autouse=True)
def no_worlds_left():
    yield
    scratch_services.close_expired(older_than=-1)
    state_queries.close_all()


@pytest.fixture
def as_lead(client, lead):
    client.force_login(lead)
    return client


def work() -> None:
    while execute_most_urgent() is not None:
        pass


@pytest.fixture
def batch(stored) -> Run:
    run = start_rollout_batch(
        environments=[stored], agents=["reference", "faulty:claims_without_acting"], samples=2, play=SHARED
    )
    work()
    run.refresh_from_db()
    return run


def test_a_lead_starts_a_batch_and_lands_on_its_page(as_lead, stored):
    answer = as_lead.post(reverse("rollouts_new"), {**FORM, "environment": stored.name})
    run = Run.objects.get(kind=RunKind.ROLLOUTS)
    assert answer["Location"] == reverse("rollouts", args=[run.pk])
    assert run.request["seeds"] == [5, 6]
    assert run.request["episodes"] == 8
    assert run.request["play"]["isolation"] == "shared"


def test_tasks_of_the_chosen_environment_are_suggested_and_read_by_their_titles(as_lead, stored):
    page = as_lead.get(reverse("rollouts_new"), {"environment": stored.name, "tasks": "return_the_drill"})
    field = page.context["form"]["tasks"]
    (title,) = [each.title for each in field.field.widget.options if each.value == "return_the_drill"]
    assert title != "return_the_drill"
    assert f'value="{title}"' in str(field)
    assert len(field.field.widget.options) == stored.current.tasks
    for environment in (stored.title, stored.name):
        as_lead.post(reverse("rollouts_new"), {**FORM, "environment": environment, "tasks": title})
        run = Run.objects.filter(kind=RunKind.ROLLOUTS).latest("pk")
        assert run.request["episodes"] == 4  # of one task: two agents, two seeds
    bare = as_lead.get(reverse("rollouts_new"))
    assert bare.context["form"].fields["tasks"].widget.options == []


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"environment": "atlantis"}, "no environment named"),
        ({"agents": ["genius"]}, "genius"),
        ({"tasks": "fly"}, "no task named"),
        ({"history": "dream"}, "no history policy named"),
        ({"samples": "0"}, "greater than or equal to 1"),
        ({"category": "zeppelins"}, "0 episodes"),
    ],
)
def test_what_cannot_be_played_is_said_beside_the_form(as_lead, stored, changed, message):
    answer = as_lead.post(reverse("rollouts_new"), {**FORM, **changed})
    assert answer.status_code == 422
    assert message in answer.content.decode()
    assert not Run.objects.exists()


def test_the_page_follows_a_batch_and_stops_asking_at_its_end(as_lead, stored):
    run = start_rollout_batch(environments=[stored], agents=["no-op"], play=SHARED)
    page = as_lead.get(reverse("rollouts", args=[run.pk])).content.decode()
    assert 'hx-trigger="every 2s"' in page
    work()
    done = as_lead.get(reverse("rollouts_progress", args=[run.pk])).content.decode()
    assert "hx-trigger" not in done
    assert "Claimed success, changed nothing" in done
    assert f"?run={run.pk}&amp;failure=claimed_without_acting" in done


def test_labels_lead_to_exactly_their_trajectories(as_lead, batch, stored):
    page = as_lead.get(reverse("rollouts", args=[batch.pk])).content.decode()
    link = f"?run={batch.pk}&amp;environment={stored.name}&amp;task_id=return_the_drill&amp;label=completed"
    assert link in page
    listed = as_lead.get(reverse("trajectories") + link.replace("&amp;", "&"))
    assert listed.context["count"] == 2


def test_a_stopped_batch_goes_on_with_a_click(as_lead, stored, monkeypatch):
    run = start_rollout_batch(environments=[stored], agents=["no-op", "reference"], play=SHARED)
    execute_most_urgent()
    execute_most_urgent()
    as_lead.post(reverse("run_cancel", args=[run.pk]))
    stopped = as_lead.get(reverse("rollouts", args=[run.pk])).content.decode()
    assert "Not run" in stopped
    assert "Waiting" not in stopped
    page = as_lead.get(reverse("rollouts", args=[run.pk])).content.decode()
    assert "Run the remaining attempts" in page
    as_lead.post(reverse("rollouts_go_on", args=[run.pk]))
    work()
    assert TrajectoryRecord.objects.count() == 4


def test_other_runs_lead_to_their_own_page(as_lead, stored):
    run = Run.objects.create(kind=RunKind.CHECKS, title="Checks")
    assert as_lead.get(reverse("rollouts", args=[run.pk]))["Location"] == run.get_absolute_url()
    assert as_lead.post(reverse("rollouts_go_on", args=[run.pk])).status_code == 409


@pytest.mark.parametrize("by", ["agent", "model", "environment", "category", "difficulty", "task"])
def test_statistics_tell_tries_apart(as_lead, batch, by):
    answer = as_lead.get(reverse("statistics"), {"run": batch.pk, "by": by})
    rows = answer.context["rows"]
    agents = {row["group"].agent: row for row in rows}
    assert agents["reference"]["one"]["value"] == 100
    assert agents["faulty:claims_without_acting"]["one"]["value"] == 0
    assert agents["reference"]["k"] == 2


@pytest.mark.parametrize("form", ["html", "json"])
def test_statistics_by_something_unknown_are_refused(as_lead, batch, form):
    answer = as_lead.get(reverse("statistics"), {"by": "shoe_size", "format": form})
    assert answer.status_code == 422
    assert "shoe_size" in answer.content.decode()
    assert "category" in answer.content.decode()


def test_statistics_are_also_plain_values(as_lead, batch):
    result = as_lead.get(reverse("statistics"), {"run": batch.pk, "format": "json"}).json()
    by_agent = {group["agent"]: group for group in result["groups"]}
    reference = by_agent["reference"]
    assert (reference["measured"], reference["tasks"], reference["k"]) == (4, 2, 2)
    assert reference["pass_hat"]["2"]["value"] == 1.0
    assert by_agent["faulty:claims_without_acting"]["bands"] == {"never": 2}


def test_statistics_name_failures_and_tools_nobody_called(as_lead, batch, stored):
    params = {"environment": stored.name, "agent": "faulty:claims_without_acting"}
    page = as_lead.get(reverse("statistics"), params)
    assert [kind for _, kind, _ in page.context["taxonomy"].kinds] == [
        "claimed_without_acting",
        "wrong_answer",
    ]
    assert page.context["taxonomy"].unused == ("return_item",)


def test_statistics_are_kept_until_another_try_is_stored(as_lead, stored, environment):
    address = reverse("statistics")
    store_trajectory(revision=stored.current, judged=played(environment))
    assert [row["group"].rollouts for row in as_lead.get(address).context["rows"]] == [1]
    with CaptureQueriesContext(connection) as asked:
        as_lead.get(address)
    assert not [query for query in asked.captured_queries if "GROUP BY" in query["sql"]]
    store_trajectory(revision=stored.current, judged=played(environment, label="agent_error"))
    (row,) = as_lead.get(address).context["rows"]
    assert (row["group"].rollouts, row["one"]["value"]) == (2, 50)


@pytest.mark.parametrize("by", ["agent", "model", "environment", "category", "difficulty", "task"])
def test_every_grouping_counts_the_same_tries(stored, environment, by):
    for label in ("completed", "agent_error", "unscored"):
        store_trajectory(revision=stored.current, judged=played(environment, label=label))
    other = played(environment)
    counted = other.replace(trajectory=other.trajectory.replace(task_id="count_the_loans"))
    store_trajectory(revision=stored.current, judged=counted)
    episode_countses = rollout_statistics.episode_counts(rollout_statistics.Selection(), by)
    assert sum(group.rollouts for group in episode_countses) == 4
    assert sum(group.measured for group in episode_countses) == 3
    assert sum(group.completed for group in episode_countses) == 2
    assert sum(group.reward for group in episode_countses) == 2.0
    results = sorted((each.episodes, each.completed) for group in episode_countses for each in group.tasks)
    assert results == [(1, 1), (2, 1)]


def test_statistics_without_tries_say_what_to_do(as_lead, stored):
    page = as_lead.get(reverse("statistics")).content.decode()
    assert "No matching attempts" in page
    assert reverse("rollouts_new") in page


def test_two_sets_of_tries_are_compared_task_by_task(as_lead, batch):
    sides = {
        "first_run": batch.pk,
        "first_agent": "faulty:claims_without_acting",
        "second_run": batch.pk,
        "second_agent": "reference",
    }
    page = as_lead.get(reverse("statistics_compare"), sides).content.decode()
    assert "On 2 of 2 tasks it is better" in page
    assert "No significant difference" in page  # two tasks are too few
    result = as_lead.get(reverse("statistics_compare"), {**sides, "format": "json"}).json()
    assert (result["better"], result["worse"], result["difference"]["value"]) == (2, 0, 1.0)
    assert result["significant"] is False


def test_a_run_that_does_not_exist_is_said(as_lead, stored):
    assert as_lead.get(reverse("statistics"), {"run": 999}).status_code == 404


# Replays


@pytest.fixture
def tried(stored, environment) -> TrajectoryRecord:
    judged = roll_out(
        state_queries.world_of(stored.current), "return_the_drill", make_agent("reference"), seed=3
    )
    return store_trajectory(revision=stored.current, judged=judged)


def edited(record: EnvironmentRecord, **changes) -> EnvironmentRecord:
    add_revision(
        record=record,
        environment=small_environment(**changes),
        author_kind=AuthorKind.PERSON,
        reason="Edited.",
    )
    return EnvironmentRecord.objects.select_related("current").get(pk=record.pk)


def test_a_replay_on_its_own_revision_differs_in_nothing(as_lead, tried):
    page = as_lead.get(reverse("trajectory_drift", args=[tried.pk]))
    assert page.context["replayed"].differing == ()
    assert "Nothing differs" in page.content.decode()


def test_a_changed_tool_is_told_with_step_row_and_column(as_lead, tried, stored):
    edited(stored, tools=TOOLS.replace("returned = 1", "returned = 2"))
    answer = as_lead.get(reverse("trajectory_drift", args=[tried.pk]))
    page = answer.content.decode()
    first = answer.context["replayed"].first
    assert (first.step, first.differs) == (1, ("observation", "rows", "state"))
    assert "The replay differs from step 1 on" in page
    assert "no longer valid on this revision" in page
    (row,) = answer.context["steps"][0]["rows"]
    assert (row["table"], row["key"], row["cells"]) == ("loans", "7", [("returned", 1, 2)])
    old = as_lead.get(reverse("trajectory_drift", args=[tried.pk]), {"revision": 1})
    assert old.context["replayed"].differing == ()


def test_a_replay_is_also_plain_values(as_lead, tried, stored):
    edited(
        stored, tools=TOOLS.replace("does not exist", "is unknown").replace("returned = 1", "returned = 0")
    )
    result = as_lead.get(reverse("trajectory_drift", args=[tried.pk]), {"format": "json"}).json()
    assert result["same"] is False
    assert result["first_difference"] == 1
    assert result["steps"][0]["rows"][0]["key"] == 7
    assert (result["was"]["label"], result["verdict"]["label"]) == ("completed", "agent_error")


def test_a_long_replay_is_shown_fifty_steps_a_page_the_first_difference_first(as_lead, tried, stored):
    """Every observation is large and differs in every step; the page stays small all the same."""
    first = tried.steps.get(index=1).load()
    tried.steps.all().delete()
    StepRecord.objects.bulk_create(
        StepRecord(
            trajectory=tried,
            index=index,
            status="ok",
            document=first.replace(index=index, observation={"text": '"' * 9_000}).model_dump_json(),
        )
        for index in range(1, 131)
    )
    TrajectoryRecord.objects.filter(pk=tried.pk).update(step_count=130)
    address = reverse("trajectory_drift", args=[tried.pk])
    page = as_lead.get(address)
    assert len(page.content) < 500_000
    assert [each["drift"].step for each in page.context["steps"]] == list(range(1, 51))
    assert page.context["steps"][0]["cut"]
    assert reverse("trajectory_step_whole", args=[tried.pk, 1]) in page.content.decode()
    last = as_lead.get(address, {"page": 3})
    assert [each["drift"].step for each in last.context["steps"]] == list(range(101, 131))
    assert len(last.content) < 500_000


def test_a_revision_that_does_not_exist_is_said(as_lead, tried):
    assert as_lead.get(reverse("trajectory_drift", args=[tried.pk]), {"revision": 9}).status_code == 404


def test_the_console_starts_from_any_step_with_the_seed_of_the_trajectory(as_lead, tried, stored):
    answer = as_lead.post(reverse("trajectory_scratch", args=[tried.pk, 1]))
    page = as_lead.get(answer["Location"])
    text = page.content.decode()
    assert "Your private instance is after step 1" in text
    assert [each["played"].call.name for each in page.context["played"]] == ["return_item"]
    (scratch,) = scratch_services._open.values()
    assert scratch.seed == 3
    assert scratch.instance.query("SELECT returned FROM loans WHERE id = 7") == [{"returned": 1}]
    again = as_lead.post(reverse("trajectory_scratch", args=[tried.pk, 0]))
    assert as_lead.get(again["Location"]).context["played"] == []


def test_the_console_says_when_the_steps_were_played_on_another_revision(as_lead, tried, stored):
    edited(stored, policy="Be strict.")
    answer = as_lead.post(reverse("trajectory_scratch", args=[tried.pk, 1]))
    assert "replayed on revision 2" in as_lead.get(answer["Location"]).content.decode()


def test_pages_of_a_large_batch_need_few_queries(as_lead, stored, batch, django_assert_max_num_queries):
    other = store_environment(
        environment=small_environment(name="other_desk"), author_kind=AuthorKind.HAND, reason="Imported."
    )
    assert other.environment.name == "other_desk"
    rollout_batches.start_rollout_batch(environments=[stored], agents=["no-op"], samples=20, play=SHARED)
    as_lead.get(reverse("account"))  # a person's first visit is noted once
    for address in (
        reverse("rollouts", args=[batch.pk]),
        reverse("statistics") + f"?run={batch.pk}&by=difficulty",
        reverse("statistics_compare") + f"?first_run={batch.pk}&second_run={batch.pk}",
        reverse("rollouts_new"),
    ):
        with django_assert_max_num_queries(15):
            assert as_lead.get(address).status_code == 200
