"""The page on which trajectories are exported, and what programs and the command line have of it."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from studio.jobs import execute_run
from studio.models import Run, RunKind
from studio.services.rollouts.trajectories import store_trajectory
from tests.studio.conftest import played

NEW = "/trajectories/export/"


@pytest.fixture
def several(stored, trajectory, environment):
    """The stored trajectory and one that failed."""
    return [
        trajectory,
        store_trajectory(
            revision=stored.current, judged=played(environment, agent="no-op", label="agent_error")
        ),
    ]


def hidden(page) -> dict[str, list[str]]:
    """What the form that builds would send."""
    context = page.context
    fields: dict[str, list[str]] = {}
    for name, value in context["other_parameters"]:
        fields.setdefault(name, []).append(value)
    return {**fields, "through": [context["plan"].through], "shown": [context["plan"].included]}


def test_the_list_leads_to_an_export_of_what_it_shows(as_, lead, several):
    page = as_(lead).get("/trajectories/?label=completed&page=1").content.decode()
    assert f"{NEW}?label=completed" in page
    result = as_(lead).get(f"{NEW}?label=completed")
    assert result.context["plan"].matching == 1
    assert "Its environment is not approved." in result.content.decode()


def test_titles_that_the_form_shows_choose_what_they_name(as_, lead, several, stored):
    client = as_(lead)
    page = client.get(f"{NEW}?environment={stored.name}&agent=no-op&run=999")
    shown = {name: page.context["chosen"][name].field.widget.format_value(value) for name, value in (
        ("environment", stored.name), ("agent", "no-op")
    )}  # fmt: skip
    assert shown["environment"] == stored.title != stored.name
    again = client.get(NEW, shown)
    assert again.context["plan"].matching == 1


def test_a_filter_that_cannot_be_read_is_refused_and_not_left_out(as_, lead, several):
    answer = as_(lead).get(NEW, {"run": "999: Nothing that is suggested"})
    assert answer.status_code == 422
    assert answer.context["plan"] is None
    assert "Run: Enter a" in answer.content.decode()


def test_agents_models_and_runs_are_asked_for_once(as_, lead, several, stored):
    client = as_(lead)
    with CaptureQueriesContext(connection) as queries:
        client.get(f"{NEW}?agent=no-op&model=some-model&environment={stored.name}")
    texts = [each["sql"] for each in queries.captured_queries]
    assert sum("SELECT DISTINCT" in sql and '"agent"' in sql and '"model"' in sql for sql in texts) == 1


def test_the_dry_run_asks_the_database_little(as_, lead, several, django_assert_max_num_queries):
    client = as_(lead)
    with django_assert_max_num_queries(15):
        client.get(f"{NEW}?format=chat_jsonl&train=90&validation=5&test=5&seed=0&waiver=Trial")


def test_what_was_tried_dry_is_built_and_downloaded(as_, lead, several):
    client = as_(lead)
    dry = client.get(
        f"{NEW}?label=completed&format=chat_jsonl&train=0&validation=0&test=100&seed=3&waiver=Trial"
    )
    assert dry.context["plan"].included == 1
    assert dict(dry.context["plan"].splits())["test"] == (1, 1)
    answer = client.post(NEW, hidden(dry))
    run = Run.objects.get(kind=RunKind.TRAJECTORIES)
    assert answer["Location"] == run.get_absolute_url()
    assert execute_run(run.pk) is not None
    page = client.get(reverse("trajectory_export", args=[run.pk])).content.decode()
    assert "Trial" in page
    archive = b"".join(client.get(reverse("trajectory_export_download", args=[run.pk])).streaming_content)
    names = zipfile.ZipFile(io.BytesIO(archive)).namelist()
    assert names == [
        f"trajectories-chat_jsonl/{name}"
        for name in ("README.md", "data/test.jsonl", "data_card.json", "splits.jsonl")
    ]
    assert reverse("trajectory_export", args=[run.pk]) in client.get(run.get_absolute_url()).content.decode()


def test_what_changed_since_the_dry_run_is_not_built(as_, lead, several):
    client = as_(lead)
    dry = client.get(f"{NEW}?format=chat_jsonl&train=90&validation=5&test=5&seed=0&waiver=Trial")
    several[0].delete()
    answer = client.post(NEW, hidden(dry))
    assert answer.status_code == 422
    assert "Nothing was done" in answer.content.decode()
    assert not Run.objects.filter(kind=RunKind.TRAJECTORIES).exists()


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("format=chat_jsonl&train=90&validation=90&test=5&seed=0", "add up to 100 percent"),
        ("format=training_samples&history=backwards&train=90&validation=5&test=5&seed=0", "backwards"),
        ("format=csv&train=90&validation=5&test=5&seed=0", "csv is not one of"),
        ("run=1.5&reward_min=nan&label=best&run=99999999999999999999", "Export attempts"),
    ],
)
def test_what_cannot_be_is_said_on_the_page(as_, lead, several, query, text):
    answer = as_(lead).get(f"{NEW}?{query}")
    assert answer.status_code in (200, 422)
    assert text in answer.content.decode()


def test_programs_try_it_dry_start_it_and_fetch_the_archive(as_, lead, several):
    client = as_(lead)
    body = {"settings": {"waiver": "Trial", "format": "atif"}, "selection": {"label": ["completed"]}}
    post = "/api/trajectories/exports"
    dry = client.post(post, {**body, "dry_run": True}, content_type="application/json")
    assert (dry.status_code, dry.json()["included"], dry.json()["labels"]) == (200, 1, {"completed": 1})
    started = client.post(post, body, content_type="application/json")
    assert started.status_code == 202
    execute_run(started.json()["id"])
    answer = client.get(f"{post}/{started.json()['id']}/archive")
    assert zipfile.is_zipfile(io.BytesIO(b"".join(answer.streaming_content)))


def test_a_viewer_may_not_start_one(as_, viewer, several):
    assert (
        as_(viewer).post("/api/trajectories/exports", {}, content_type="application/json").status_code == 403
    )


def test_the_command_tells_the_dry_run_and_the_archive_as_values(several, capsys):
    options = {"waiver": "Trial", "label": ["completed"], "json": True}
    call_command("export_trajectories", dry_run=True, **options)
    assert json.loads(capsys.readouterr().out)["included"] == 1
    call_command("export_trajectories", **options)
    message = json.loads(capsys.readouterr().out)
    assert message["card"]["trajectories"] == 1
    assert message["path"].endswith(".zip")


def test_the_command_says_what_is_in_it_and_what_is_not(several, capsys):
    call_command("export_trajectories", waiver="Trial", label=["completed"])
    message = capsys.readouterr()
    assert len(message.out.split()) == 2
    assert "1 trajectories: train 1." in message.err
    call_command("export_trajectories", agent=["genius"], dry_run=True)
    assert "No trajectory matches" in capsys.readouterr().err


def test_the_command_names_what_is_wrong(several):
    with pytest.raises(CommandError, match="add up to 100 percent"):
        call_command("export_trajectories", train=50.0, dry_run=True)
    with pytest.raises(CommandError, match=r"not approved\. Have the environment approved, or give a reason"):
        call_command("export_trajectories")
