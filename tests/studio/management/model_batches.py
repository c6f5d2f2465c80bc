"""Batches written by a scripted model through real workers, and what stands in the studio afterwards."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.synthesis_endpoint import Endpoint
from tests.openai_server import OpenAIServer

ROOT = Path(__file__).parents[3]
KEY = "sk-not-to-be-seen-anywhere-4711"
QUICKLY_LOST = {"WORLDWRIGHT_HEARTBEAT_SECONDS": "0.3", "WORLDWRIGHT_LOST_AFTER_SECONDS": "1"}

AUDIT = """
import json, time
from collections import Counter
from studio.models import AttemptRecord, EnvironmentRecord, LlmCall, Revision, Run, RunEvent
from studio.services.runs.runs import reap_runs
until = time.monotonic() + {seconds}
while Run.objects.active().exists() and time.monotonic() < until:
    reap_runs() if {reaps} else None
    time.sleep(0.2)
children = Run.objects.filter(parent__isnull=False)
made = Revision.objects.all()
print(json.dumps({{
    "states": Counter(children.values_list("state", flat=True)),
    "batch": list(Run.objects.filter(kind="batch").values_list("state", flat=True)),
    "errors": list(children.exclude(error="").values_list("error_type", "error_stage", "error")),
    "names": list(EnvironmentRecord.objects.values_list("name", flat=True)),
    "fingerprints": list(made.values_list("fingerprint", flat=True)),
    "proved": sum(revision.reports.filter(passed=True).exists() for revision in made),
    "attempts": [list(one) for one in AttemptRecord.objects.values_list("run", "stage", "number", "reply")],
    "paid": LlmCall.objects.filter(outcome__in=("answered", "cut_off", "declined")).count(),
    "events": Counter(RunEvent.objects.values_list("kind", flat=True)),
}}))
"""


@pytest.fixture
def seeds(tmp_path: Path) -> Callable[[int], str]:
    """Writes a file of so many seeds."""

    def write(count: int) -> str:
        path = tmp_path / "seeds.jsonl"
        names = (f"Clinic number {number}: the front desk of a clinic" for number in range(count))
        path.write_text("\n".join(json.dumps({"sentence": name}) for name in names))
        return str(path)

    return write


@pytest.fixture
def model(own_studio: dict[str, str]) -> Iterator[Callable[..., Endpoint]]:
    """Starts the endpoint and tells the studio of it."""
    with contextlib.ExitStack() as opened:

        def start(*, broken: float = 0.0, delay: tuple[float, float] = (0.0, 0.1)) -> Endpoint:
            endpoint = Endpoint(broken=broken, delay=delay)
            server = opened.enter_context(OpenAIServer(endpoint, key=KEY))
            own_studio.update(
                OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY=KEY, WORLDWRIGHT_MODEL="clinic-model"
            )
            return endpoint

        yield start


@contextlib.contextmanager
def worker(environ: dict[str, str], *more: str) -> Iterator[subprocess.Popen[bytes]]:
    """A worker of its own, gone at the end with all it started."""
    command = [sys.executable, "-W", "ignore", "manage.py", "worker", "--concurrency", "3", *more]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_for(endpoint: Endpoint, requests: int) -> None:
    """Until the model was asked so often."""
    until = time.monotonic() + 120
    while endpoint.stats()["asked"] < requests:
        assert time.monotonic() < until, "the model is not asked any more"
        time.sleep(0.02)


def queue(manage: Any, seeds: str, count: int) -> None:
    """Migrate, and queue a batch that no worker takes yet."""
    assert manage("migrate", "-v0").returncode == 0
    arguments = ("--seeds", seeds, "--count", str(count), "--author", "model", "--no-wait")
    queued = manage("synthesize", *arguments)
    assert queued.returncode == 0, queued.stderr


def audit(manage: Any, *, reaps: bool = False, seconds: int = 240) -> dict[str, Any]:
    """What stands in the studio once nothing is active any more."""
    message = manage("shell", "-v0", "-c", AUDIT.format(reaps=reaps, seconds=seconds))
    assert message.returncode == 0, message.stderr
    return dict(json.loads(message.stdout.splitlines()[-1]))


def require_whole(found: dict[str, Any], count: int) -> None:
    """Every environment is there once, proved, and no attempt is recorded twice."""
    assert found["states"] == {"finished": count}, found["errors"]
    assert found["batch"] == ["finished"]
    assert len(set(found["fingerprints"])) == len(found["fingerprints"]) == count
    assert len(set(found["names"])) == found["proved"] == count
    attempts = [tuple(attempt) for attempt in found["attempts"]]
    assert len(attempts) == len(set(attempts))
