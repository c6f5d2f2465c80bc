"""Two hosts beside one: runs a minute and instances held, `load --hosts`.

A host is a folder of its own (WORLDWRIGHT_VAR) with a worker and a server of worlds; all hosts share one
database (DATABASE_URL chooses the server) and one broker and are on this machine. Where cores lack for two
hosts, time is simulated: runs are episodes of an agent that asks a scripted model, whose answers take
seconds, so that runs wait instead of computing. Instances are real: sealed processes of servers that have
registered, opened where the studio says until every server is full.

Figures, for one host and for two, with their ratio: `runs_per_minute`, and `instances` that are held
at the same time and answer a call. `cores_busy` says how much of the machine the runs really took.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks import processor_time
from benchmarks.machine import machine
from benchmarks.model_batch import CONTEXT_TOKENS, scripted_endpoint
from benchmarks.own_services import OwnRedis, running
from benchmarks.sample import rounded
from benchmarks.served import served
from benchmarks.subject import Subject, subject
from benchmarks.synthesis_studio import Studio, open_studio, stop
from benchmarks.web_processes import web
from synthesis.adapters.client import RemoteInstance, ServerFailed
from synthesis.registered_servers import RegisteredServers

HOSTS = ("one", "two")
SLOTS = 2
"""Runs that a host's worker executes side by side: the default of WORLDWRIGHT_WORKERS."""
ANSWER_SECONDS, QUICK_ANSWER_SECONDS = 3.0, 0.5
ROUNDS, QUICK_ROUNDS = 5, 1
"""Runs of each slot, one after the other."""
CAPACITY, QUICK_CAPACITY = 24, 4
"""Instances of one server of worlds."""
SIMULATED = (
    "The model is scripted and answers after {seconds:g} s: runs wait and hardly compute. Both hosts are "
    "folders on this machine of {cores} cores; database, broker, workers, servers and instances are real."
)
_PATIENCE = 120.0


def run(*, quick: bool) -> dict[str, Any]:
    """Runs, then instances.

    Args:
        quick: Fewer and shorter runs, fewer instances.
    """
    answer = QUICK_ANSWER_SECONDS if quick else ANSWER_SECONDS
    rounds, capacity = (QUICK_ROUNDS, QUICK_CAPACITY) if quick else (ROUNDS, CAPACITY)
    with contextlib.ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        measured = subject(folder)
        broker = opened.enter_context(running(OwnRedis, folder / "broker"))
        endpoint = opened.enter_context(scripted_endpoint(measured, (answer, answer)))
        settings = {
            "CELERY_BROKER_URL": broker.url,
            "WORLDWRIGHT_SECRET_KEY": secrets.token_urlsafe(50),
            "WORLDWRIGHT_CONTEXT_TOKENS": str(CONTEXT_TOKENS),
        }
        if not os.environ.get("DATABASE_URL", "").startswith("postgres"):
            settings["DATABASE_URL"] = f"sqlite:///{folder / 'studio.sqlite3'}"
        studio = opened.enter_context(open_studio(folder, endpoint, **settings))
        from django.db import connection

        figures = {
            "suite": "load",
            "machine": machine(),
            "database": connection.vendor,
            "broker": "redis",
            "simulated": SIMULATED.format(seconds=answer, cores=os.cpu_count()),
            "answers_per_run": len(measured.episode) + 1,
            "slots_per_host": SLOTS,
            "capacity_per_server": capacity,
        }
        record = _store(measured)
        figures |= _compared(
            {name: _runs(studio, folder, record, measured, HOSTS[: place + 1], rounds)
             for place, name in enumerate(HOSTS)}
        )  # fmt: skip
        figures["instances"] = _instances(folder, measured, capacity)
    return figures


def _compared(by_hosts: dict[str, dict[str, Any]]) -> dict[str, Any]:
    rates = {name: figures.pop("runs_per_minute") for name, figures in by_hosts.items()}
    return {
        "runs_per_minute": rates | {"ratio": rounded(rates["two"] / rates["one"])},
        "runs": by_hosts,
    }


def _store(measured: Subject) -> Any:
    """The subject as an environment of the studio."""
    from studio.models import AuthorKind, EnvironmentRecord
    from studio.services.environments.environments import store_environment
    from synthesis.documents.check_report import CheckReport, CheckResult

    holds = CheckResult(claim="the_schema_builds", passed=True)
    revision = store_environment(
        environment=measured.environment, author_kind=AuthorKind.PROCEDURAL, reason="Composed.",
        report=CheckReport(environment=measured.environment.fingerprint, results=(holds,)),
    )  # fmt: skip
    return EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id)


def _runs(
    studio: Studio, folder: Path, record: Any, measured: Subject, hosts: tuple[str, ...], rounds: int
) -> dict[str, Any]:
    """Runs a minute by the workers of so many hosts, from when the runs are queued until the last is over."""
    from studio.models import Run, RunState, TrajectoryRecord

    with _workers(studio, folder, hosts):
        # A worker loads what an episode needs with its first run.
        _play(record, measured, SLOTS * len(hosts))
        before, cpu, began = Run.objects.latest("pk").pk, processor_time.spent(), time.monotonic()
        count = SLOTS * len(hosts) * rounds
        _play(record, measured, count)
        seconds = time.monotonic() - began
        busy = (processor_time.spent() - cpu) / seconds
    runs = Run.objects.filter(pk__gt=before)
    episodes = Counter(TrajectoryRecord.objects.filter(run__in=runs).values_list("run", flat=True))
    finished = runs.filter(state=RunState.FINISHED).count()
    return {
        "runs_per_minute": rounded(60 * finished / seconds),
        "runs": count,
        "by_worker": sorted(Counter(runs.values_list("worker", flat=True)).values()),
        "completed": TrajectoryRecord.objects.filter(run__in=runs, label="completed").count(),
        "lost": count - len(episodes),
        "doubled": episodes.total() - len(episodes),
        "seconds": rounded(seconds),
        "cores_busy": rounded(busy),
    }


def _play(record: Any, measured: Subject, count: int) -> None:
    """Queue so many runs of one episode, and wait for their ends."""
    from studio.models import Run
    from studio.services.rollouts.rollout_agents import AgentSettings
    from studio.services.rollouts.rollouts import PlaySettings, start_rollouts

    play = PlaySettings(at_once=1, agent=AgentSettings(history="full"))  # the script counts the replies
    for seed in range(count):
        start_rollouts(record=record, agents=["chat"], tasks=[measured.task.id], seeds=[seed], play=play)
    _wait_until(lambda: not Run.objects.active().exists(), patience=_PATIENCE * 10)


@contextlib.contextmanager
def _workers(studio: Studio, folder: Path, hosts: tuple[str, ...]) -> Iterator[None]:
    """A worker of each host, all of them ready."""
    crew, logs = [], [folder / f"worker of host {name}.log" for name in hosts]
    try:
        for name, path in zip(hosts, logs, strict=True):
            own = {"WORLDWRIGHT_VAR": str(folder / f"host {name}"), "WORLDWRIGHT_LOG_LEVEL": "INFO"}
            with path.open("wb") as log:
                arguments = ("worker", "--concurrency", str(SLOTS))
                crew.append(studio.start_command(*arguments, log=log.fileno(), **own))
        _wait_until(lambda: all(" ready." in path.read_text(errors="replace") for path in logs))
        yield
    finally:
        for worker in crew:
            stop(worker)


def _instances(folder: Path, measured: Subject, capacity: int) -> dict[str, Any]:
    """Instances held by one registered server of worlds, then by two."""
    from django.contrib.auth.models import User

    from studio.models import Role
    from studio.services.accounts import accounts

    keeper = User.objects.create(username="keeper")
    accounts.set_role(user=keeper, role=Role.ADMIN)
    _, token = accounts.issue_token(user=keeper, name="hosts", scopes=["serve"])
    figures: dict[str, Any] = {}
    held: list[RemoteInstance] = []
    with contextlib.ExitStack() as opened:
        studio = opened.enter_context(web(folder))
        servers = opened.enter_context(RegisteredServers(studio, token))
        for name in HOSTS:
            opened.enter_context(_server(folder, name, measured, capacity, studio, token))
            held += _fill(servers, measured)
            answering = sum(
                instance.call(measured.read.name, **measured.read.arguments).status == "ok"
                for instance in held
            )
            figures[name] = answering
        ports = Counter(urlsplit(instance.mcp_url).port for instance in held)
        figures["by_server"] = sorted(ports.values())
        for instance in held:
            instance.close()
    return figures | {"ratio": rounded(figures["two"] / figures["one"])}


@contextlib.contextmanager
def _server(
    folder: Path, name: str, measured: Subject, capacity: int, studio: str, token: str
) -> Iterator[None]:
    """A server of worlds in a host's folder that has registered."""
    from studio.models import WorldServer

    own = {"WORLDWRIGHT_VAR": str(folder / f"host {name}"), "WORLDWRIGHT_STUDIO_TOKEN": token}
    options = ("--max-instances", str(capacity), "--register", studio, "--register-name", f"host-{name}")
    log = folder / f"worlds of host {name}.log"
    with served(measured.path, isolation="process", log=log, options=options, environ=own):
        _wait_until(lambda: WorldServer.objects.filter(name=f"host-{name}").exists())
        yield


def _fill(servers: RegisteredServers, measured: Subject) -> list[RemoteInstance]:
    """Instances until no server has room."""
    held: list[RemoteInstance] = []
    for seed in itertools.count():
        try:
            held.append(servers.open(measured.environment.name, seed=seed))
        except ServerFailed:
            return held
    raise AssertionError("unreachable")


def _wait_until(reached: Callable[[], bool], *, patience: float = _PATIENCE) -> None:
    until = time.monotonic() + patience
    while not reached():
        if time.monotonic() > until:
            raise RuntimeError(f"It takes longer than {patience:g} s.")
        time.sleep(0.2)
