"""Batches: many environments from a list of seeds, each a run of its own that any worker may take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from studio.models import Attempt, Run, RunEvent, RunKind, RunState, ScenarioCandidate
from studio.services import dispatch, runs
from studio.services.execution import Hold
from studio.services.families import settle_batch
from studio.services.providers import provider_for
from studio.services.synthesis import new_request
from synthesis.documents.trajectory import Usage
from synthesis.errors import InvalidInput
from synthesis.llm.prices import shipped_price_table
from synthesis.pipeline.attempt import Attempt as AttemptDocument
from synthesis.pipeline.estimate import Estimate, averages, estimate
from synthesis.pipeline.expansion.candidate import Considered
from synthesis.pipeline.expansion.seeds import seeds_in

MOST_ENVIRONMENTS = 10_000
RECENT_ATTEMPTS = 2_000


def start_batch(
    *,
    seeds: Sequence[str],
    count: int,
    author: str = "procedural",
    first_seed: int = 0,
    expand: bool | None = None,
    requested_by: User | None = None,
    priority: int = 0,
) -> Run:
    """Queue the making of many environments.

    Args:
        seeds: Names or sentences; blank ones and doublets are left out.
        count: Environments wanted.
        author: Who writes them.
        first_seed: Seed of the first; the procedural author goes through the sentences again with the next.
        expand: Whether a model first proposes distinct scenarios from the seeds; by default when the model
            is the author and more environments than seeds are wanted.
        requested_by: Who asks.
        priority: Of the batch and its runs; higher ones are taken first.

    Raises:
        InvalidInput: There is no seed, a sentence cannot be used, or the count is out of bounds.
        UnknownName: There is no such author.
    """
    if not 1 <= count <= MOST_ENVIRONMENTS:
        raise InvalidInput(
            f"{count:,} environments were asked for; a batch makes 1 to {MOST_ENVIRONMENTS:,}."
        )
    texts = seeds_in(seeds).texts
    if not texts:
        raise InvalidInput("There is no seed. Give at least one name or sentence.")
    for text in texts:
        new_request(sentence=text, author=author, seed=first_seed)
    expands = author == "model" and count > len(texts) if expand is None else expand
    if not expands and author == "model" and count > len(texts):
        raise InvalidInput(
            f"{count} environments from {len(texts)} seeds need an expansion: a model writes the same "
            "environment from the same sentence."
        )
    return runs.queue_run(
        kind=RunKind.BATCH,
        title=f"{count} environments from {len(texts)} seed{'s' if len(texts) > 1 else ''}",
        request={
            "seeds": list(texts),
            "count": count,
            "author": author,
            "first_seed": first_seed,
            "expand": expands,
        },
        requested_by=requested_by,
        priority=priority,
        total=count,
    )


def execute_batch(hold: Hold) -> None:
    """Make the children of a claimed batch, all of them or none; the batch then waits for their ends.

    Raises:
        Cancelled: Somebody asked to stop during the expansion.
        ProviderError: The model did not answer during the expansion.
    """
    batch = hold.run
    request = batch.request
    wanted = _expanded(hold) if request["expand"] else _given(request)
    with transaction.atomic(), hold.writing(total=len(wanted)):
        Run.objects.bulk_create(
            Run(
                kind=RunKind.SYNTHESIS,
                title=values["sentence"][:200],
                request=new_request(author=request["author"], **values).model_dump(mode="json"),
                parent=batch,
                requested_by=batch.requested_by,
                priority=batch.priority,
            )
            for values in wanted
        )
        RunEvent.objects.create(
            run=batch, kind="children_queued", text=f"{len(wanted)} runs wait for workers."
        )
        Run.objects.filter(pk=batch.pk).update(claim="", heartbeat_at=None)
        for child in batch.children.filter(state=RunState.QUEUED):
            dispatch.announce(child)
        settle_batch(batch.pk)


def _given(request: dict[str, Any]) -> list[dict[str, Any]]:
    """One environment per seed in turn, with the next random seed at every round."""
    seeds, first = request["seeds"], request["first_seed"]
    return [
        {"sentence": seeds[number % len(seeds)], "seed": first + number // len(seeds)}
        for number in range(request["count"])
    ]


def _expanded(hold: Hold) -> list[dict[str, Any]]:
    """Distinct scenarios proposed by the model; every candidate is a record, the rejected ones too."""
    from synthesis.pipeline.expansion.expansion import ExpansionSettings, expand

    request = hold.run.request
    with hold.writing():
        hold.run.candidates.all().delete()
    hold.note("expansion_started", stage="expansion", text=f"{len(request['seeds'])} seeds.")

    def record(considered: Considered) -> None:
        with hold.writing():
            _keep_candidate(hold.run, considered)

    expanded = expand(
        request["seeds"],
        ExpansionSettings(count=request["count"]),
        provider_for(hold.run),
        on_considered=record,
        cancelled=hold.cancelled,
    )
    stalled = " It stopped because nothing new came." if expanded.stalled else ""
    hold.note(
        "expansion_done",
        stage="expansion",
        text=f"{len(expanded.kept)} of {len(expanded.considered)} candidates were kept.{stalled}",
    )
    return [
        {
            "sentence": kept.candidate.description,
            "category": kept.candidate.category,
            "seed": request["first_seed"],
        }
        for kept in expanded.kept
    ]


def _keep_candidate(batch: Run, considered: Considered) -> None:
    found = considered.suitability
    ScenarioCandidate.objects.create(
        batch=batch,
        position=batch.candidates.count() + 1,
        name=considered.candidate.name,
        category=considered.candidate.category,
        description=considered.candidate.description,
        seed=considered.candidate.seed,
        decision=considered.decision,
        reason=considered.reason,
        nearest=considered.nearest,
        similarity=considered.similarity,
        suitability={**found.model_dump(mode="json"), "level": found.level} if found else None,
    )


def estimate_batch(*, count: int, model: str) -> Estimate:
    """What so many environments will need from a model, by what this studio's stages needed so far.

    Args:
        count: Environments.
        model: The model, for its price.
    """
    recent = Attempt.objects.exclude(input_tokens=0).order_by("-id")[:RECENT_ATTEMPTS]
    recorded = averages((str(attempt.run_id), _document(attempt)) for attempt in recent)
    return estimate(count, recorded=recorded, price=shipped_price_table().price(model))


def _document(attempt: Attempt) -> AttemptDocument:
    return AttemptDocument(
        stage=attempt.stage,
        number=attempt.number,
        author=attempt.author,
        usage=Usage(
            input_tokens=attempt.input_tokens,
            cached_tokens=attempt.cached_tokens,
            output_tokens=attempt.output_tokens,
            cost=None if attempt.cost is None else float(attempt.cost),
        ),
        calls=1,
    )


def standing_children(batch: Run) -> QuerySet[Run]:
    """The children that count: a retried one is replaced by its retry."""
    return batch.children.filter(retries__isnull=True)
