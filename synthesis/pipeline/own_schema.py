"""Own schema: an environment from a data model that was read from outside, proved like any other."""

from __future__ import annotations

import time
from collections.abc import Callable

from synthesis.documents.check_report import CheckReport
from synthesis.documents.environment import Environment
from synthesis.documents.intake import Intake
from synthesis.errors import AttemptsExhausted, Cancelled
from synthesis.pipeline import events
from synthesis.pipeline.attempt import Attempt, shortened
from synthesis.pipeline.pipeline import SynthesisResult
from synthesis.procedural.derivation.derive import derive
from synthesis.verification.checks import check_environment

AUTHOR = "intake"
"""Who wrote the schema: nobody here, it was read."""


def environment_from(
    intake: Intake,
    *,
    seed: int = 0,
    tasks: int = 10,
    attempts: int = 3,
    on_event: events.OnEvent = events.ignore,
    cancelled: Callable[[], bool] = lambda: False,
) -> SynthesisResult:
    """Derive rows, tools, tasks and verifiers from a data model, and prove the whole.

    Args:
        intake: What was read; its findings are told with the first attempt at the schema.
        seed: Chooses rows and tasks. An environment that is not proved is derived again with the next seed.
        tasks: How many tasks.
        attempts: How many derivations are tried.
        on_event: Hears of everything as it happens.
        cancelled: Asked before every derivation and before every proof.

    Raises:
        InvalidInput: Nothing can be derived from this data model; the text says why.
        AttemptsExhausted: No derivation was proved; it carries the findings of the last proof.
        Cancelled: Somebody asked it to stop.
    """
    read = Attempt(
        stage="schema",
        number=1,
        author=AUTHOR,
        prompt=intake.source,
        reply=shortened(intake.schema.sql),
        findings=intake.findings,
    )
    on_event(events.AttemptMade(attempt=read))
    _keep(on_event, "schema", intake.schema.fingerprint, 1, {"tables": len(intake.schema.tables)})
    made = [read]
    for number in range(1, attempts + 1):
        environment, report, seconds = _tried(intake, seed + number - 1, tasks, on_event, cancelled)
        attempt = Attempt(
            stage="tasks",
            number=number,
            author="procedural",
            prompt=f"{tasks} tasks, seed {seed + number - 1}",
            findings=report.findings,
            seconds=seconds,
        )
        made.append(attempt)
        on_event(events.AttemptMade(attempt=attempt))
        if report.passed:
            _keep(on_event, "tasks", environment.fingerprint, number, environment.counts)
            return SynthesisResult(environment=environment, report=report, attempts=tuple(made))
    raise AttemptsExhausted("tasks", made[-1].findings, attempts, made=made)


def _tried(
    intake: Intake, seed: int, tasks: int, on_event: events.OnEvent, cancelled: Callable[[], bool]
) -> tuple[Environment, CheckReport, float]:
    started = time.perf_counter()
    _require_wanted(cancelled)
    environment = derive(intake, seed=seed, tasks=tasks)
    _require_wanted(cancelled)
    on_event(events.ChecksStarted(environment=environment.fingerprint))
    report = check_environment(
        environment, on_result=lambda result: on_event(events.CheckMade(result=result))
    )
    on_event(events.ChecksDone(report=report))
    return environment, report, time.perf_counter() - started


def _keep(
    on_event: events.OnEvent, stage: str, fingerprint: str, attempts: int, figures: dict[str, int]
) -> None:
    kept = {"stage": stage, "part_fingerprint": fingerprint, "attempts": attempts, "figures": figures}
    on_event(events.PartKept.model_validate({**kept, "recipe": fingerprint}))


def _require_wanted(cancelled: Callable[[], bool]) -> None:
    if cancelled():
        raise Cancelled("Stopped before the environment was whole; nothing of it is kept.")
