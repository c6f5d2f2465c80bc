"""`manage.py synthesize` for batches: what it shows, how it ends, and how to go on."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys

import pytest
from django.core.management import CommandError, call_command
from rich.console import Console

from studio.management import batch_progress
from studio.management.batch_progress import follow_batch, is_held, show_summary
from studio.management.interruption import explained
from studio.management.run_progress import follow
from studio.models import AttemptRecord, Run, RunEvent, RunKind, RunState
from studio.services.runs.batch_summary import summarise
from tests.batch_scene import make_batch
from tests.openai_server import OpenAIServer
from tests.studio.management.conftest import ROOT, asks


def followed(batch: Run, *, terminal: bool = False) -> str:
    out = io.StringIO()
    follow_batch(batch, console=Console(file=out, width=120, force_terminal=terminal), alive=lambda: None)
    return out.getvalue()


def shown(batch: Run) -> str:
    out = io.StringIO()
    show_summary(Console(file=out, width=120), batch, summarise(batch))
    return out.getvalue()


def test_elsewhere_than_on_a_terminal_it_tells_plain_lines(db):
    message = followed(make_batch(over=True))
    assert message.count("\n") == 1
    assert "16 of 16, 16 finished" in message
    assert "\x1b" not in message


def test_on_a_terminal_a_bar_moves(db):
    message = followed(make_batch(over=True), terminal=True)
    assert "16/16" in message
    assert "━" in message


def test_it_follows_until_the_last_run_ended(db, monkeypatch):
    batch = make_batch()
    polls = []

    def end_it(seconds: float) -> None:
        polls.append(seconds)
        Run.objects.filter(parent=batch, state__in=("running", "queued")).update(state="finished")
        Run.objects.filter(pk=batch.pk).update(state=RunState.FINISHED, done=16)

    monkeypatch.setattr(batch_progress.time, "sleep", end_it)
    message = followed(batch)
    assert len(polls) == 1
    assert "12 of 16, 10 finished, 2 failed, 2 running" in message
    assert "16 of 16, 14 finished, 2 failed" in message


def test_it_does_not_wait_for_what_a_budget_holds_back(db):
    batch = make_batch(held=True)
    assert not is_held(batch, summarise(batch))  # two still work
    batch.children.filter(state="running").update(state="finished")
    assert is_held(batch, summarise(batch))
    assert "2 paused" in followed(batch)


def test_it_ends_with_the_figures_of_the_page(db):
    message = shown(make_batch(held=True))
    for words in (
        "seed data",
        "100.0% (88.3%)",
        "$1.25 ($3.59)",
        "10 finished, 2 failed",
        "(2 paused)",
        "(AWM $57.09)",
        "(AWM 1.13)",
        "environments per hour",
        "1 x AttemptsExhausted at tools, for example run",
    ):
        assert words in message, words


def test_an_estimate_starts_nothing(db, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"model": "gpt-5"})
    out = io.StringIO()
    arguments = ("synthesize", "A desk lends tools.", "--count", "30", "--author", "model", "--estimate")
    call_command(*arguments, stdout=out)
    assert out.getvalue().startswith("30 environments: about $")
    assert "No earlier environment" in out.getvalue()
    out = io.StringIO()
    call_command(*arguments, "--json", stdout=out)
    assert json.loads(out.getvalue())["environments"] == 30
    assert not Run.objects.exists()


def test_options_of_a_batch_reach_it(db):
    out = io.StringIO()
    call_command(
        "synthesize", "A desk lends tools.", "--count", "2", "--tasks", "3", "--priority", "4",
        "--budget-tokens", "500", "--no-wait", stdout=out,
    )  # fmt: skip
    run = Run.objects.get(pk=int(out.getvalue()))
    assert (run.request["tasks"], run.priority, run.request["budget"]) == (3, 4, {"tokens": 500})


def test_a_limit_on_a_single_sentence_makes_it_a_batch_of_one_instead_of_being_dropped(db):
    out = io.StringIO()
    call_command("synthesize", "A desk lends tools.", "--budget-tokens", "500", "--no-wait", stdout=out)
    run = Run.objects.get(pk=int(out.getvalue()))
    assert (run.kind, run.request["count"]) == (RunKind.BATCH, 1)
    assert run.request["budget"] == {"tokens": 500}


@pytest.mark.parametrize("more", [(), ("--count", "2")], ids=["one", "batch"])
def test_words_that_nothing_will_represent_are_warned_about_on_stderr(db, more):
    out, string_io = io.StringIO(), io.StringIO()
    call_command(
        "synthesize",
        "A boatyard stores yachts over winter and services engines cheerfully.",
        *more,
        "--no-wait",
        stdout=out,
        stderr=string_io,
    )
    assert "Read: boatyard: store yacht (storage); service engine (repair)." in string_io.getvalue()
    assert "Not represented: cheerfully." in string_io.getvalue()
    assert int(out.getvalue()) == Run.objects.get().pk
    string_io = io.StringIO()
    call_command(
        "synthesize",
        "A public library lends books.",
        *more,
        "--no-wait",
        stdout=io.StringIO(),
        stderr=string_io,
    )
    assert "Not represented" not in string_io.getvalue()


def test_what_is_left_out_of_a_file_of_seeds_is_told(db, tmp_path):
    path, string_io = tmp_path / "seeds.txt", io.StringIO()
    path.write_text("A desk lends tools.\n\nA zoo.\na desk  lends tools.\n", encoding="utf-8")
    call_command("synthesize", "--seeds", str(path), "--no-wait", stdout=io.StringIO(), stderr=string_io)
    assert "line 2 is blank; line 4 is the same as line 1." in string_io.getvalue()
    assert Run.objects.get().request["count"] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("A desk lends tools.", "--count", "2", "--budget", "0"), "too small to start anything"),
        (("A desk lends tools.", "--budget", "0"), "too small to start anything"),
        (("A desk lends tools.", "--count", "2", "--priority", "101"), "Priority 101"),
        (("A desk lends tools.", "--count", "2", "--expand"), "Only the model author"),
        (("--resume", "7"), "There is no run 7"),
        (("A desk lends tools.", "--resume", "7"), "leave out the other options"),
    ],
)
def test_what_cannot_be_done_is_an_error_that_names_it(db, arguments, message):
    with pytest.raises(CommandError, match=message):
        call_command("synthesize", *arguments, stdout=io.StringIO())
    assert not Run.objects.exists()


def test_what_is_over_is_not_resumed(db):
    with pytest.raises(CommandError, match="already over"):
        call_command("synthesize", "--resume", str(make_batch(over=True).pk), stdout=io.StringIO())


def test_a_single_run_that_is_held_back_is_not_waited_for(db):
    run = make_batch(held=True).children.filter(paused_at__isnull=False).first()
    with pytest.raises(CommandError, match="The budget of this batch is spent"):
        follow(run, console=Console(file=io.StringIO()), alive=lambda: None)
    assert RunEvent.objects.filter(run=run, kind="budget_spent").exists()


@pytest.mark.slow
def test_a_batch_whose_runs_all_fail_ends_with_status_one_and_its_figures(manage_clinic):
    with OpenAIServer(key="another-key") as server:
        asked = ("--count", "1", "--author", "model", "--json")
        ended = manage_clinic("synthesize", "A desk lends tools.", *asked, **asks(server))
    assert ended.returncode == 1
    message = json.loads(ended.stdout.splitlines()[-1])
    assert (message["state"], message["states"]["failed"]) == ("failed", 1)
    assert message["causes"][0]["error"] == "ProviderRefused"
    assert "OPENAI_API_KEY" in message["causes"][0]["example"]
    assert "Traceback" not in ended.stderr


HEARS_CONTROL_C = """
import runpy, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where a shell started us aside
sys.argv = sys.argv[1:]
runpy.run_path("manage.py", run_name="__main__")
"""


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ((), "Batch 1 waits; 0 of 2 finished and are kept; resume it with: manage.py synthesize --resume 1"),
        (("--no-worker",), "Batch 1 continues without this command;"),
    ],
)
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.slow
def test_an_interruption_leaves_it_resumable_and_says_how(manage_clinic, own_studio, more, message, ending):
    called = ["manage.py", "synthesize", "A desk lends tools.", "--count", "2", *more]
    command = [sys.executable, "-u", "-c", HEARS_CONTROL_C, *called]
    with subprocess.Popen(
        command, cwd=ROOT, env=own_studio, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("Batch 1: 0 of 2")
        process.send_signal(ending)
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 128 + ending
    assert message in errors
    assert "Traceback" not in errors
    resumed = manage_clinic("synthesize", "--resume", "1", "--no-wait")
    assert (resumed.returncode, resumed.stdout.strip()) == (0, "1")


@pytest.mark.parametrize(
    ("kind", "state", "worker", "message"),
    [
        (RunKind.SYNTHESIS, RunState.QUEUED, True, "waits; resume it with: manage.py synthesize --resume"),
        (RunKind.ROLLOUT, RunState.QUEUED, True, "waits; the next worker resumes it, for example:"),
        (RunKind.ROLLOUT, RunState.RUNNING, True, "continues without this command; follow or cancel it at"),
        (RunKind.JUDGING, RunState.QUEUED, False, "continues without this command; follow or cancel it at"),
        (RunKind.SYNTHESIS, RunState.FINISHED, True, "is over: finished."),
    ],
)
def test_what_becomes_of_an_interrupted_run_is_told(db, kind, state, worker, message):
    run, messages = Run.objects.create(kind=kind, state=state), []
    with pytest.raises(SystemExit) as ended, explained(run, messages.append, worker=worker):
        signal.raise_signal(signal.SIGTERM)
    assert ended.value.code == 143
    assert messages[0].startswith(f"Run {run.pk} {message}")
    assert state == RunState.FINISHED or run.get_absolute_url() in messages[0]
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_a_run_that_no_model_got_done_says_why_once_where_its_attempts_are_and_what_may_help(db):
    run = Run.objects.create(
        kind=RunKind.SYNTHESIS,
        state=RunState.FAILED,
        error_stage="scenario",
        error_type="AttemptsExhausted",
        error="The reply declines the request.",
    )
    RunEvent.objects.create(run=run, kind="stage_failed", stage="scenario", text=run.error)
    AttemptRecord.objects.create(run=run, stage="scenario", number=1, accepted=False, model="gpt-5")
    out = io.StringIO()
    with pytest.raises(CommandError) as failure:
        follow(run, console=Console(file=out, width=120), alive=lambda: None)
    text = str(failure.value)
    assert (out.getvalue() + text).count("declines the request") == 1
    assert f"1 in all, are at /runs/{run.pk}/" in text
    assert "--models" in text
    run.attempts.update(model="")
    with pytest.raises(CommandError) as failure:
        follow(run, console=Console(file=out, width=120), alive=lambda: None)
    assert "--models" not in str(failure.value)
