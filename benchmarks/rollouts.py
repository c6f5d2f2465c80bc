"""Suite `rollouts`: judged trajectories a second, what they weigh when stored, and many models at once."""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from benchmarks import baseline, model_batch
from benchmarks.http import Connection
from benchmarks.machine import machine
from benchmarks.pace import Pace, PaceWatch, side_by_side
from benchmarks.sample import milliseconds, rounded
from benchmarks.served import served
from benchmarks.studio_database import fresh_studio, let_connections_go
from benchmarks.subject import Subject, subject
from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.trajectory import Action, FinalAnswer
from synthesis.rollouts.agent import AgentContext, AgentDecision
from synthesis.rollouts.batch import Finished, RolloutJob, roll_out_groups
from synthesis.rollouts.rollout import roll_out
from synthesis.worlds.collector import tune_collector
from synthesis.worlds.world import Isolation, World

if TYPE_CHECKING:
    from studio.models import Revision

KEYS = (
    "episodes_per_s",
    "shared_episodes_per_s",
    "mcp_episodes_per_s",
    "bytes_per_trajectory",
    "list_ms",
    "replay_ms",
    "batch_1024_s",
    "batch_peak_mib",
)
"""The figures of the goal table; one that was not measured is null, with its reason in `notes`.

Beside them `cpu_ms` is the processor time of an episode over all processes, which neighbours on the machine
hardly change, and `mcp_client_floor_per_s` the rate at which the official client alone would keep all cores
busy."""

MANY = 1_024
MCP_SIDE_BY_SIDE = 8
WORKERS = os.cpu_count() or 1


@dataclass(frozen=True)
class RolloutEffort:
    """How much is measured.

    Args:
        seconds: How long each load lasts.
        stored: Trajectories in the database behind `bytes_per_trajectory` and the pages.
        times: Timed requests of each page.
        batch: Episodes at once against a model endpoint.
        delay: Seconds, from and to, before the endpoint answers.
    """

    seconds: float = 10.0
    stored: int = 10_000
    times: int = 50
    batch: int = MANY
    delay: tuple[float, float] = (0.5, 3.0)


FULL = RolloutEffort()
QUICK = RolloutEffort(seconds=2.0, stored=500, times=10, batch=32, delay=(0.2, 1.0))


class PaddedReference:
    """Plays the reference solution padded to ten calls, then answers."""

    name = "benchmark"
    model: str | None = None

    def __init__(self, measured: Subject) -> None:
        self._script: tuple[Action, ...] = (
            *measured.episode,
            FinalAnswer(text=measured.task.reference_answer),
        )
        self._left: Iterator[Action] = iter(())

    def begin(self, context: AgentContext) -> None:  # noqa: ARG002 - it plays one task
        self._left = iter(self._script)

    def act(self, observation: JsonValue) -> AgentDecision:  # noqa: ARG002 - it knows what comes next
        return AgentDecision(action=next(self._left))


def main(arguments: argparse.Namespace) -> dict[str, Any]:
    """The suite's figures; `--count` is another number of stored trajectories."""
    effort = QUICK if arguments.quick else FULL
    if arguments.count:
        effort = replace(effort, stored=arguments.count)
    return run(effort=effort, bundle=arguments.bundle)


def run(*, effort: RolloutEffort = FULL, bundle: Path | None = None) -> dict[str, Any]:
    """All figures, beside the predecessor's way of playing an episode: a process for each."""
    with tempfile.TemporaryDirectory() as place, fresh_studio(Path(place)) as vendor:
        folder = Path(place)
        measured = subject(folder, bundle)
        stored = _store(measured)
        played = {
            "episodes": _episodes(measured, stored, "process", effort.seconds),
            "shared_episodes": _episodes(measured, stored, "shared", effort.seconds),
            "mcp_episodes": _mcp_episodes(measured, folder, effort.seconds),
        }
        client_ms = played["mcp_episodes"].client_cpu_ms
        figures: dict[str, Any] = {
            "suite": "rollouts",
            "machine": machine(),
            "environment": measured.environment.counts,
            "effort": effort.__dict__,
            "database": vendor,
            "workers": WORKERS,
            **{f"{way}_per_s": pace.per_s for way, pace in played.items()},
            "cpu_ms": {way: pace.cpu_ms for way, pace in played.items()} | {"mcp_client": client_ms},
            "mcp_client_floor_per_s": rounded(WORKERS * 1000 / client_ms),
            **_pages(measured, stored, effort),
            **_batch(measured, effort),
        }
        one_by_one = rounded(baseline.episodes_per_s(measured, folder, seconds=effort.seconds))
    figures["baseline"] = {"episodes_per_s": one_by_one}
    figures["ratio"] = {
        key: rounded(figures[key] / one_by_one)
        for key in ("episodes_per_s", "shared_episodes_per_s", "mcp_episodes_per_s")
    }
    return figures


# Episodes a second


def _store(measured: Subject) -> Revision:
    from studio.models import AuthorKind
    from studio.services.environments.environments import store_environment

    return store_environment(
        environment=measured.environment, author_kind=AuthorKind.PROCEDURAL, reason="For a measurement."
    )


def _episodes(measured: Subject, revision: Revision, isolation: Isolation, seconds: float) -> Pace:
    """Ten-call episodes a second: played, verified and stored with every step and its verdict.

    By a worker process per core, as `make worker` starts them, each of which plays as many side by side as
    the studio does unless told otherwise.
    """
    from studio.services.rollouts.playing import LOOK
    from studio.services.rollouts.rollouts import PlaySettings
    from studio.services.rollouts.trajectories import store_trajectories

    def play(ready: Callable[[], object]) -> Pace:
        with World(measured.environment, isolation=isolation) as world:
            _played(world, measured)  # the first start of a world is not an episode's cost
            tune_collector()
            ready()
            total, waiting, watch = 0, list[JudgedTrajectory](), PaceWatch()
            looked = time.perf_counter()
            for group in roll_out_groups(_jobs(world, measured, looked + seconds), at_once=at_once):
                waiting += [_completed(_judged(finished)) for finished in group]
                if time.perf_counter() - looked >= LOOK:  # as the studio's workers write down what was played
                    total += len(store_trajectories(revision=revision, judged=waiting))
                    waiting, looked = [], time.perf_counter()
            total += len(store_trajectories(revision=revision, judged=waiting))
            return watch.pace(total)

    at_once = PlaySettings().at_once
    let_connections_go()
    return side_by_side(play, processes=WORKERS)


def _jobs(world: World, measured: Subject, until: float) -> Iterator[RolloutJob]:
    for seed in count():
        if time.perf_counter() >= until:
            return
        yield RolloutJob(world, measured.task.id, lambda: PaddedReference(measured), seed)


def _played(world: World, measured: Subject) -> JudgedTrajectory:
    return _completed(roll_out(world, measured.task.id, PaddedReference(measured)))


def _judged(finished: Finished) -> JudgedTrajectory:
    if finished.judged is None:
        raise RuntimeError(f"an episode could not be played: {finished.error}")
    return finished.judged


def _completed(judged: JudgedTrajectory) -> JudgedTrajectory:
    """The trajectory, when it is the success it must be."""
    if [verdict.label for verdict in judged.verdicts] != ["completed"]:
        raise RuntimeError(f"the episode came to {judged.verdicts}")
    return judged


def _mcp_episodes(measured: Subject, folder: Path, seconds: float) -> Pace:
    """Ten-call episodes a second by official MCP clients over HTTP: opened, played, verified, closed."""
    with served(measured.path, isolation="process", log=folder / "mcp.log") as (url, _):
        return asyncio.run(_mcp_clients(url, measured, seconds))


async def _mcp_clients(url: str, measured: Subject, seconds: float) -> Pace:
    """As a trainer does it: one pool of connections, the server asked once what it speaks and which tools it
    has, and for each episode a client of its own.
    """
    from mcp.client.caching import CacheConfig, InMemoryResponseCacheStore
    from mcp.shared._httpx_utils import create_mcp_http_client

    cache = CacheConfig(store=InMemoryResponseCacheStore(), partition="benchmark", target_id=url)

    async with create_mcp_http_client() as http:
        connections = [await Connection.open(url) for _ in range(MCP_SIDE_BY_SIDE)]
        known = await _mcp_episode(
            url, http, connections[0], measured, cache
        )  # importing is no episode's cost
        watch, until = PaceWatch(), time.perf_counter() + seconds

        async def play(connection: Connection) -> int:
            total = 0
            while time.perf_counter() < until:
                await _mcp_episode(url, http, connection, measured, cache, known)
                total += 1
            return total

        counts = await asyncio.gather(*(play(connection) for connection in connections))
        pace = watch.pace(sum(counts))
        for connection in connections:
            await connection.close()
    return pace


async def _mcp_episode(
    url: str, http: Any, connection: Connection, measured: Subject, cache: Any, known: Any = None
) -> Any:
    """Play one episode; what the server said about itself, for the next one."""
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    opened = await connection.call("POST", "/instances", {"task": measured.task.id})
    instance = f"/i/{opened['credentials']['trainer']}"
    transport = streamable_http_client(f"{url}{instance}/mcp", http_client=http)
    more = {"mode": known.supported_versions[0], "prior_discover": known} if known else {}
    async with Client(transport, cache=cache, **more) as client:
        known = client.session.discover_result
        await client.list_tools()
        for call in measured.episode:
            result = await client.call_tool(call.name, call.arguments)
            if result.is_error:
                raise RuntimeError(f"{call.name}: {result.content}")
    answers = {"task": measured.task.id, "answer": measured.task.reference_answer}
    verdict = await connection.call("POST", f"{instance}/verify", answers)
    if verdict["label"] != "completed":
        raise RuntimeError(f"the episode came to {verdict}")
    await connection.call("DELETE", instance)
    return known


# Stored trajectories


def _pages(measured: Subject, revision: Revision, effort: RolloutEffort) -> dict[str, float]:
    """The weight of a trajectory in the database, and its pages when there are many."""
    from django.db import transaction
    from django.test import Client

    from studio.models import Role, TrajectoryRecord
    from studio.services.accounts.accounts import set_role
    from studio.services.rollouts.trajectories import store_trajectories

    with World(measured.environment) as world:
        judged = _played(world, measured)
    before = _database_bytes()
    records = [
        store_trajectories(revision=revision, judged=[judged] * min(500, effort.stored - start))[-1]
        for start in range(0, effort.stored, 500)
    ]
    weight = (_database_bytes() - before) / effort.stored
    with transaction.atomic():
        user = _user()
        set_role(user=user, role=Role.LEAD)
    client = Client(headers={"host": "localhost"})
    client.force_login(user)
    return {
        "bytes_per_trajectory": rounded(weight),
        "stored": TrajectoryRecord.objects.count(),
        "list_ms": _page(client, "/trajectories/", effort.times),
        "list_of_an_agent_ms": _page(client, "/trajectories/?agent=benchmark", effort.times),
        "replay_ms": _page(client, f"/trajectories/{records[-1].pk}/step/5/", effort.times),
    }


def _user() -> Any:
    from django.contrib.auth.models import User

    return User.objects.create_user("benchmark")


def _page(client: Any, path: str, times: int) -> float:
    def ask() -> None:
        answer = client.get(path)
        if answer.status_code != 200:
            raise RuntimeError(f"{path} answered {answer.status_code}")

    return rounded(milliseconds(ask, times, warm_up=2).median)


def _database_bytes() -> int:
    """Size of the whole database."""
    from django.db import connection

    sizes = {
        "sqlite": "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
        "postgresql": "SELECT pg_database_size(current_database())",
    }
    with connection.cursor() as cursor:
        cursor.execute(sizes[connection.vendor])
        (size,) = cursor.fetchone()
    return int(size)


# Many models at once


def _batch(measured: Subject, effort: RolloutEffort) -> dict[str, Any]:
    """Episodes at once against a slow endpoint; the figures of the goal only for 1,024 of them."""
    results = model_batch.run(measured, episodes=effort.batch, delay=effort.delay)
    if effort.batch == MANY:
        return {"batch_1024_s": results["seconds"], "batch_peak_mib": results["peak_mib"], "batch": results}
    why = f"only {effort.batch} episodes at once were played (see `batch`); run without --quick for {MANY:,}"
    notes = {"batch_1024_s": why, "batch_peak_mib": why}
    return {"batch_1024_s": None, "batch_peak_mib": None, "batch": results, "notes": notes}
