"""A batch without a model while workers are killed and the broker is restarted: `load --batch N`.

Workers are started as an operator starts them (`manage.py worker`, settings at their defaults) on a database
of the benchmark's own; DATABASE_URL chooses the server. The broker is a process of the benchmark's own.
Every 30 seconds the worker that is longest at work is killed with its whole process group and another one is
started; when a third and two thirds of the environments are there, the broker is killed and started again.
Redis stores nothing, so all messages are gone with it; RabbitMQ keeps them.

Figures: `complete` (runs that finished with a proved environment), `lost` (wanted and not complete),
`doubled` (environments beyond one of a run, environments that are equal, attempts that are recorded twice).
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from subprocess import Popen
from typing import IO, Any

from benchmarks.machine import machine
from benchmarks.own_services import OwnRabbitMQ, OwnRedis, OwnService, running
from benchmarks.procedural import sentences
from benchmarks.synthesis_studio import Studio, open_studio, stop

BROKERS: dict[str, type[OwnService]] = {"redis": OwnRedis, "rabbitmq": OwnRabbitMQ}
WORKERS = 2
KILL_SECONDS, QUICK_KILL_SECONDS = 30.0, 8.0
"""From one kill to the next."""
QUICK_KILLS = 2
DOWN_SECONDS = 5.0
"""How long the broker is away."""
STALLED_SECONDS = 900.0
"""Without anything that finished: the rest counts as lost."""
REPORT_SECONDS = 60.0


def run(*, wanted: int, broker: str, quick: bool) -> dict[str, Any]:
    """The figures of one batch.

    Args:
        wanted: Environments.
        broker: Name of one of `BROKERS`.
        quick: Two kills soon after each other and then none, so that a small batch ends.
    """
    with (
        tempfile.TemporaryDirectory() as place,
        running(BROKERS[broker], Path(place) / "broker") as service,
        open_studio(Path(place), CELERY_BROKER_URL=service.url) as studio,
        (Path(place) / "workers.log").open("w+b") as log,
    ):
        from django.db import connection

        figures = {"suite": "load", "machine": machine(), "database": connection.vendor, "broker": broker}
        drill = Drill(studio, service, wanted=wanted, log=log)
        pauses = (
            itertools.repeat(QUICK_KILL_SECONDS, QUICK_KILLS) if quick else itertools.repeat(KILL_SECONDS)
        )
        figures |= drill.execute(pauses)
    return figures | {"load_average_after": [round(load, 2) for load in os.getloadavg()]}


class Drill:
    """A batch, its workers, and what happens to them.

    Args:
        studio: Where.
        broker: Through which workers get their messages.
        wanted: Environments.
        log: Where workers write.
    """

    def __init__(self, studio: Studio, broker: OwnService, *, wanted: int, log: IO[bytes]) -> None:
        self._studio, self._broker, self._log = studio, broker, log
        self._wanted = wanted
        self._crew: list[Popen[bytes]] = []
        self._kills = self._restarts = self._ended = 0

    def execute(self, pauses: Iterable[float]) -> dict[str, Any]:
        """Queue the batch, break things until it is over, and count.

        Args:
            pauses: Seconds before each kill; no kill after the last of them.
        """
        from studio.services.synthesis.batches import start_batch

        seeds = tuple(itertools.islice(sentences(), self._wanted))
        batch = start_batch(seeds=seeds, count=self._wanted).pk
        began = time.monotonic()
        try:
            for _ in range(WORKERS):
                self._start()
            self._disturb(batch, iter(pauses))
        finally:
            for worker in self._crew:
                stop(worker)
        seconds = time.monotonic() - began
        counted = count(self._studio, batch, wanted=self._wanted)
        return {
            "wanted": self._wanted,
            **counted,
            "workers": WORKERS,
            "kills": self._kills,
            "broker_restarts": self._restarts,
            "workers_ended_by_themselves": self._ended,
            "seconds": round(seconds, 1),
            "per_minute": round(60 * counted["complete"] / seconds, 2),
        }

    def _disturb(self, batch: int, pauses: Iterable[float]) -> None:
        """Until the batch is over, or nothing goes on."""
        waits = iter(pauses)
        began = progressed = reported = time.monotonic()
        due = began + next(waits, float("inf"))
        done = 0
        while not self._studio.is_over(batch):
            time.sleep(0.5)
            now = time.monotonic()
            states = self._studio.states(batch)
            over = sum(states[state] for state in ("finished", "failed", "cancelled"))
            if over > done:
                done, progressed = over, now
            if now - progressed > STALLED_SECONDS:
                self._show_log()
                return
            if self._restarts < 2 and done >= self._wanted * (self._restarts + 1) / 3:
                self._restart_broker()
            self._replace_ended()
            if now >= due:
                self._kill_the_eldest()
                due = now + next(waits, float("inf"))
            if now - reported >= REPORT_SECONDS:
                reported = now
                line = {"seconds": round(now - began), "kills": self._kills, **states}
                print(json.dumps(line), file=sys.stderr, flush=True)

    def _start(self) -> None:
        self._crew.append(self._studio.start_command("worker", log=self._log.fileno()))

    def _kill_the_eldest(self) -> None:
        stop(self._crew.pop(0))
        self._kills += 1
        self._start()

    def _replace_ended(self) -> None:
        for worker in [each for each in self._crew if each.poll() is not None]:
            self._crew.remove(worker)
            self._ended += 1
            self._start()

    def _restart_broker(self) -> None:
        self._broker.kill()
        time.sleep(DOWN_SECONDS)
        self._broker.start()
        self._restarts += 1

    def _show_log(self) -> None:
        self._log.seek(0)
        print(self._log.read()[-4_000:].decode(errors="replace"), file=sys.stderr, flush=True)


def count(studio: Studio, batch: int, *, wanted: int) -> dict[str, Any]:
    """What is stored of a batch.

    Args:
        studio: Where.
        batch: Its run.
        wanted: Environments that it should have.
    """
    from studio.models import AttemptRecord, Revision, Run, RunEvent

    finished = set(Run.objects.filter(parent=batch, state="finished").values_list("pk", flat=True))
    revisions = list(Revision.objects.filter(run__parent=batch).values_list("pk", "run_id", "fingerprint"))
    proved = set(
        Revision.objects.filter(run__parent=batch, reports__passed=True).values_list("run_id", flat=True)
    )
    complete = len(finished & proved)
    attempts = AttemptRecord.objects.filter(run__parent=batch)
    recorded = Counter(attempts.values_list("run", "stage", "number", "prompt", "reply").iterator())
    doubled = {
        "environments": len(revisions) - len({run for _, run, _ in revisions}),
        "equal": len(revisions) - len({fingerprint for _, _, fingerprint in revisions}),
        "attempts": recorded.total() - len(recorded),
    }
    return {
        "complete": complete,
        "lost": wanted - complete,
        "doubled": sum(doubled.values()),
        "doubled_of": doubled,
        "batch_is": Run.objects.get(pk=batch).state,
        "states": dict(studio.states(batch)),
        "failures": dict(studio.failures(batch)),
        "attempts": recorded.total(),
        "reaped": RunEvent.objects.filter(run__parent=batch, kind="reaped").count(),
        "reaped_batch": RunEvent.objects.filter(run=batch, kind="reaped").count(),
    }
