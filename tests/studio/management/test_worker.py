"""Runs go through a real Celery worker in a process of its own, over the broker that is configured."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest

from tests.openai_server import OpenAIServer
from tests.studio.management.conftest import asks

pytestmark = pytest.mark.at_length


def test_a_rollout_goes_through_a_real_worker(manage_clinic):
    ended = manage_clinic(
        "rollout", "clinic_front_desk", "--agent", "reference", "--agent", "no-op", "--json"
    )
    assert ended.returncode == 0, ended.stderr
    verdicts = json.loads(ended.stdout.splitlines()[-1])
    assert verdicts["reference"] == {"completed": 10}
    assert "completed" not in verdicts["no-op"]


def test_a_batch_of_rollouts_goes_through_a_real_worker(manage_clinic):
    asked = ("--agent", "reference", "--agent", "no-op", "--samples", "2", "--isolation", "shared", "--json")
    ended = manage_clinic("rollout", "clinic_front_desk", *asked)
    assert ended.returncode == 0, ended.stderr
    verdicts = json.loads(ended.stdout.splitlines()[-1])
    assert verdicts["reference"] == {"completed": 20}
    assert sum(verdicts["no-op"].values()) == 20


def test_a_judge_is_measured_through_a_real_worker(manage_clinic):
    assert manage_clinic("rollout", "clinic_front_desk", "--agent", "reference", "--json").returncode == 0
    ended = manage_clinic("judge", "--strategy", "rules", "--repeats", "2", "--sample", "3", "--json")
    assert ended.returncode == 0, ended.stderr
    message = json.loads(ended.stdout.splitlines()[-1])
    assert (message["trajectories"], message["labels"], message["disagreements"]) == (3, {"completed": 6}, 0)
    assert message["reliability"]["fleiss_kappa"]["value"] == 1.0
    assert message["comparisons"][0]["confusion"] == {"completed": {"completed": 3}}
    shown = manage_clinic("judge", "--repeats", "2", "--sample", "1")
    assert shown.returncode == 0, shown.stderr
    assert "0.891" in shown.stdout
    refused = manage_clinic("judge", "--strategy", "model_only", OPENAI_API_KEY="")
    assert (refused.returncode, "OPENAI_API_KEY" in refused.stderr) == (1, True)
    assert "Traceback (most recent call last)" not in refused.stderr


def test_a_run_queued_while_no_worker_is_there_waits_for_one(manage_clinic):
    model = ("--author", "model")
    with OpenAIServer(key="another-key") as server:
        queued = manage_clinic("synthesize", "A desk lends tools.", "--no-wait", *model, **asks(server))
        assert queued.stdout.strip() == "1"
        ended = manage_clinic("synthesize", "A desk lends books.", *model, **asks(server))
    assert ended.returncode == 1
    assert "OPENAI_API_KEY" in ended.stderr
    assert "Traceback (most recent call last)" not in ended.stderr
    shown = manage_clinic(
        "shell", "-v0", "-c", "from studio.models import Run; print(*Run.objects.values_list('state'))"
    )
    assert "queued" not in shown.stdout


def test_nothing_is_left_running_after_a_command(manage_clinic, own_studio):
    arguments = ("rollout", "clinic_front_desk", "--agent", "no-op", "--task", "read_total_owed", "--json")
    assert manage_clinic(*arguments).returncode == 0
    with OpenAIServer(key="another-key") as server:
        batch = ("--author", "model", "--count", "1")
        manage_clinic("synthesize", "A desk lends tools.", *batch, **asks(server))
    left = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and own_studio["WORLDWRIGHT_VAR"] in (entry / "cmdline").read_text():
                left.append(entry.name)
    assert left == []
