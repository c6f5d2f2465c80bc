"""The suite `synthesis`: how it reads what it measured, and once the whole at a small size."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.synthesis import busy_share, fed_slots, full_share
from benchmarks.synthesis_endpoint import Endpoint
from benchmarks.synthesis_slips import SLIPS
from tests.openai_server import Refused, Said

ROOT = Path(__file__).parents[2]
SMALL = """
import json, sys
from argparse import Namespace
from benchmarks import synthesis
synthesis.QUICK.update(environments=2, slots=2, batch=2, kills=2)
print(json.dumps(synthesis.run(Namespace(quick=True, count=None))))
"""


def levels(*steps: tuple[float, int]) -> list[list[float]]:
    return [list(step) for step in steps]


def test_slots_are_busy_from_the_moment_they_are_full_until_too_few_requests_are_left() -> None:
    results = levels((0, 0), (1, 1), (2, 2), (4, 1), (5, 2), (6, 1), (6.5, 2), (9, 1), (10, 0))
    assert busy_share(results, 2) == pytest.approx((2 * 2 + 1) / (2 * 3))
    assert full_share(results, 2) == pytest.approx(2 / 3)
    assert busy_share(results, 2, whole=True) == pytest.approx((1 + 4 + 1 + 2 + 0.5 + 5 + 1) / (2 * 9))


def test_slots_that_are_always_full_are_busy_all_the_time() -> None:
    results = levels((0, 0), (0, 2), (5, 1), (5, 2), (9, 1), (9, 2), (12, 0))
    assert busy_share(results, 2) == 1.0
    assert full_share(results, 2) == 1.0


def test_the_processors_feed_as_many_slots_as_there_is_waiting_for_their_work() -> None:
    results = levels((0, 0), (1, 2), (4, 1), (6, 0))
    assert fed_slots(results, 4.0) == pytest.approx(8 / 4 * (os.cpu_count() or 1))
    assert fed_slots(results, 0.0) == 0.0


def test_nothing_asked_is_nothing_busy() -> None:
    assert busy_share(levels((0, 0)), 4) == 0.0
    assert full_share(levels((0, 0)), 4) == 0.0
    assert busy_share(levels((0, 0)), 4, whole=True) == 0.0


def ask(endpoint: Endpoint, number: int) -> Any:
    return endpoint(
        {
            "messages": [
                {"role": "system", "content": "Rules"},
                {"role": "user", "content": f"# The scenario\n\nClinic number {number}: the front desk"},
            ],
        }
    )


def test_the_endpoint_tells_answers_apart_and_counts_what_comes_twice() -> None:
    endpoint = Endpoint(broken=0.0, delay=(0.0, 0.0))
    first, again, other = ask(endpoint, 1), ask(endpoint, 1), ask(endpoint, 2)
    assert first == again != other
    assert json.loads(other.text)["name"] == "clinic_2"
    stats = endpoint.stats()
    key = first.model.removeprefix("bench-")
    assert (stats["asked"], stats["repeated"]) == (3, {key: 2})
    assert set(stats["recent"]) == {key, other.model.removeprefix("bench-")}
    assert endpoint.stats()["recent"] == []


@pytest.mark.parametrize("what", sorted(SLIPS))
def test_every_slip_breaks_the_reply_of_every_stage(what: str) -> None:
    for good in (
        {"name": "clinic", "title": "Clinic"},
        {
            "tables": [
                {"name": "a", "sql": "CREATE TABLE a (id INTEGER PRIMARY KEY)"},
                {"name": "b", "sql": "-"},
            ]
        },
        {"tables": [{"table": "a", "rows": [{"id": 1}]}, {"table": "b", "rows": []}]},
        {
            "shared": "",
            "tools": [{"name": "a", "source": 'def a(db) -> dict:\n    """A."""\n    return {}\n'}] * 2,
        },
    ):
        reply = SLIPS[what](good)
        assert reply != json.dumps(good)
    assert len(SLIPS) == 14


def test_broken_replies_come_in_many_ways_and_busy_ones_pass() -> None:
    endpoint = Endpoint(broken=1.0, delay=(0.0, 0.0))
    replies = [ask(endpoint, number) for number in range(150)]
    kinds = {
        (type(reply).__name__, getattr(reply, "finish_reason", ""), bool(getattr(reply, "refusal", "")))
        for reply in replies
    }
    texts = [reply.text for reply in replies if isinstance(reply, Said)]
    assert len(kinds) == 4
    assert {"", "{}"} & set(texts)
    assert any(text.startswith("Certainly") for text in texts)
    busy = next(number for number, reply in enumerate(replies) if isinstance(reply, Refused))
    assert isinstance(ask(endpoint, busy), Said)


@pytest.mark.at_length
def test_the_whole_suite_runs_at_a_small_size(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SMALL],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": "", "CELERY_BROKER_URL": "", "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout.splitlines()[-1])
    assert figures["completed_share"] == 1.0
    assert (figures["made"], figures["proved"]) == (2, 2)
    assert (figures["lost"], figures["duplicated"], figures["paid_twice"]) == (0, 0, 0)
    assert figures["cpu_s_per_environment"] > figures["cpu_s_of_the_worker_itself"] > 0
    assert 0 < figures["busy_share"] <= 1
    assert figures["peak_with_sandbox_mib"] > figures["peak_mib"] > 50
