"""A batch as it stands in the middle of its work: every state, attempts, ledger, proposals; of any size."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

STAGES = (
    "scenario", "outlines", "policy", "schema", "seed_data", "tool_specs", "tools", "tasks", "verifiers",
)  # fmt: skip
STATES = ("finished", "finished", "finished", "finished", "finished", "failed", "running", "queued")
"""Of the children in turn."""


def make_batch(*, children: int = 16, held: bool = False, over: bool = False, expand: bool = True) -> Any:
    """A running batch by a model with so many children, eight kinds in turn.

    Args:
        children: How many.
        held: The waiting ones were held back by a spent budget.
        over: The batch is finished; what runs or waits is finished, too.
        expand: With proposed scenarios, of which every third was rejected.
    """
    from django.utils import timezone

    from studio.models import Run, RunEvent, RunKind, RunState

    now = timezone.now()
    batch = Run.objects.create(
        kind=RunKind.BATCH,
        title=f"{children} environments from 2 seeds",
        state=RunState.FINISHED if over else RunState.RUNNING,
        request={
            "seeds": ["A library lends books", "A clinic books patients"],
            "count": children,
            "author": "model",
            "first_seed": 0,
            "expand": expand,
            "tasks": None,
            "budget": {"cost": 1.0 if held else 40.0},
        },
        total=children,
        started_at=now - timedelta(hours=2),
        finished_at=now if over else None,
    )
    runs = Run.objects.bulk_create(_child(batch, number, held=held, over=over) for number in range(children))
    done = sum(RunState(child.state).terminal for child in runs)
    Run.objects.filter(pk=batch.pk).update(done=done)
    RunEvent.objects.create(
        run=batch, kind="children_queued", text=f"{children} runs are waiting for workers."
    )
    _tell(runs)
    _pay(batch, runs)
    if expand:
        _propose(batch, runs)
    batch.refresh_from_db()
    return batch


def _child(batch: Any, number: int, *, held: bool, over: bool) -> Any:
    from studio.models import Run, RunKind

    state = "finished" if over else STATES[number % len(STATES)]
    values: dict[str, Any] = {}
    if state != "queued":
        values["started_at"] = batch.started_at + timedelta(minutes=number % 60)
    if state in ("finished", "failed"):
        values["finished_at"] = values["started_at"] + timedelta(minutes=6)
    if state == "failed":
        stage = "tools" if number % 16 < 8 else "seed_data"
        values |= {
            "error_type": "AttemptsExhausted",
            "error_stage": stage,
            "stage": stage,
            "error": f"Stage '{stage}' failed 5 times; the last attempt: get_loan has no docstring.",
        }
    if state == "running":
        values["stage"] = "seed_data"
    if state == "queued" and held:
        values["paused_at"] = batch.started_at
    reached = len(STAGES) + 1 if state == "finished" else _reached(state)
    return Run(
        kind=RunKind.SYNTHESIS,
        parent=batch,
        title=f"Application {number}: members borrow, return and reserve things in five branches",
        state=state,
        request={"sentence": f"Application {number}", "author": "model"},
        total=0 if state == "queued" else len(STAGES) + 1,
        done=STAGES.index(values["error_stage"]) if state == "failed" else reached,
        **values,
    )


def _reached(state: str) -> int:
    return {"queued": 0, "running": 4, "failed": 0}[state]


def _tell(children: list[Any]) -> None:
    from studio.models import AttemptRecord, RunEvent

    events, attempts = [], []
    for number, child in enumerate(children):
        passed = STAGES[: STAGES.index(child.error_stage) if child.error_stage else child.done]
        for stage in passed:
            events.append(RunEvent(run=child, kind="stage_started", stage=stage, text="Begun."))
            first = not (stage == "tools" and number % 7 == 0)
            attempts.append(_attempt(child, stage, 1, accepted=first))
            if not first:
                attempts.append(_attempt(child, stage, 2, accepted=True))
            events.append(RunEvent(run=child, kind="part_stored", stage=stage, text="Stored."))
        if child.state == "failed":
            events.append(RunEvent(run=child, kind="stage_started", stage=child.error_stage, text="Begun."))
            attempts += [_attempt(child, child.error_stage, each, accepted=False) for each in range(1, 6)]
        if child.state == "queued" and child.paused_at:
            message = "The budget of this batch is spent: $1.01 of $1.00. Finished parts are kept."
            events.append(RunEvent(run=child, kind="budget_spent", text=message))
    RunEvent.objects.bulk_create(events, batch_size=500)
    AttemptRecord.objects.bulk_create(attempts, batch_size=200)


def _attempt(child: Any, stage: str, number: int, *, accepted: bool) -> Any:
    from studio.models import AttemptRecord

    finding = {"part": stage, "check": "it_parses", "message": "get_loan has no docstring."}
    return AttemptRecord(
        run=child,
        stage=stage,
        number=number,
        author="model",
        model="gpt-5",
        prompt="Write it.",
        reply=f"reply {number}",
        findings=[] if accepted else [finding],
        accepted=accepted,
        input_tokens=2_000,
        output_tokens=1_000,
        cost="0.0125",
        seconds=2.0,
    )


def _pay(batch: Any, children: list[Any]) -> None:
    from studio.models import AttemptRecord, LlmCall

    calls = [
        LlmCall(run=batch, stage=stage, attempt=1, provider="openai_compatible", model="gpt-5",
                input_tokens=1_500, output_tokens=600, cost="0.0079", seconds=1.2, outcome="answered")
        for stage in ("expansion", "suitability")
    ]  # fmt: skip
    calls += [
        LlmCall(run_id=each.run_id, stage=each.stage, attempt=each.number, provider="openai_compatible",
                model="gpt-5", input_tokens=2_000, output_tokens=1_000, cost="0.0125", seconds=2.0,
                outcome="answered", at=each.at)
        for each in AttemptRecord.objects.filter(run__in=children).only("run_id", "stage", "number", "at")
    ]  # fmt: skip
    LlmCall.objects.bulk_create(calls, batch_size=500)


def _propose(batch: Any, children: list[Any]) -> None:
    from studio.models import RunEvent, ScenarioCandidate

    position, first = 0, None
    for number, child in enumerate(children):
        position += 1
        candidate = ScenarioCandidate.objects.create(
            batch=batch, position=position, round=1 + number // 10, name=f"Application {number}",
            category="libraries and archives", description=child.title, decision="accepted", run=child,
            nearest=first.name if first else "", neighbour=first, similarity=0.41 if first else 0.0,
            method="characters" if first else "",
            suitability={"score": 9, "level": "high", "categories": ["lending"], "can": ["loans"],
                         "cannot": ["the building"]},
        )  # fmt: skip
        first = first or candidate
        if number % 3:
            continue
        position += 1
        decision = ("duplicate", "unsuitable", "category_full", "unreadable")[number // 3 % 4]
        ScenarioCandidate.objects.create(
            batch=batch, position=position, round=1 + number // 10, name=f"Rejected {number}",
            category="libraries and archives", description="Members borrow things in five branches.",
            decision=decision, reason=_REASONS[decision].format(name=candidate.name), nearest=candidate.name,
            neighbour=candidate, similarity=0.913, method="characters",
            suitability={"score": 3, "level": "low", "categories": [], "can": [],
                         "cannot": ["live video"]} if decision == "unsuitable" else None,
        )  # fmt: skip
    RunEvent.objects.create(
        run=batch, kind="expansion_done", stage="expansion",
        text=(f"{len(children)} of {position} candidates were accepted. It stopped because no new scenarios "
            "were proposed."),
        payload={"accepted": len(children), "considered": position, "stalled": True},
    )  # fmt: skip


_REASONS = {
    "duplicate": "It is nearly {name}.",
    "unsuitable": "live video",
    "category_full": "It is like {name}, and libraries and archives has enough.",
    "unreadable": "It could not be classified: no JSON.",
}
