"""Batches: many environments from a list of seeds, each a run of its own that any worker may take."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from pydantic import Field

from studio.models import (
    CandidateDecision,
    Run,
    RunEvent,
    RunKind,
    RunState,
    ScenarioCandidate,
    SimilarityMethod,
)
from studio.services.errors import Conflict
from studio.services.llm.batch_budget import batch_limits, require_price
from studio.services.llm.pool import models_for
from studio.services.llm.prices import prices
from studio.services.llm.providers import ledger, provider_for, provider_settings
from studio.services.runs import dispatch, runs
from studio.services.runs.execution import RunLease
from studio.services.runs.families import settle_batch
from studio.services.synthesis import synthesis
from studio.services.synthesis.authors import require_model
from studio.services.synthesis.synthesis import new_request
from synthesis.documents.document import Document
from synthesis.errors import InvalidInput
from synthesis.llm.endpoints import endpoint_of
from synthesis.pipeline.expansion.candidate import Considered
from synthesis.pipeline.expansion.seeds import Seeds, parse_seeds, seeds_in
from synthesis.pipeline.request import LARGEST_SEED, SynthesisRequest

if TYPE_CHECKING:
    from synthesis.pipeline.expansion.similarity import Similarity

MOST_ENVIRONMENTS = 10_000
MOST_SEEDS = 200
"""Seeds of a batch that are looked at before it is queued; the run of each says the same."""


class BatchRequest(Document):
    """Many environments from seeds."""

    seeds: tuple[str, ...]
    count: int
    author: str
    first_seed: int = 0
    expand: bool = False
    tasks: int | None = None
    budget: dict[str, float | int] = Field(default_factory=dict)
    """See `batch_limits`."""


def start_batch(
    *,
    seeds: Sequence[str],
    count: int,
    author: str = "procedural",
    first_seed: int = 0,
    expand: bool | None = None,
    tasks: int | None = None,
    budget_cost: float | None = None,
    budget_tokens: int | None = None,
    requested_by: User | None = None,
    priority: int = 0,
) -> Run:
    """Queue the making of many environments.

    Args:
        seeds: Names or sentences; blank ones and duplicates are left out.
        count: Environments wanted.
        author: Who writes them.
        first_seed: Seed of the first; the procedural author goes through the sentences again with the next.
        expand: Whether a model first proposes distinct scenarios from the seeds; by default when the model
            is the author and more environments than seeds are wanted.
        tasks: Tasks of each environment; as many as it offers up to WORLDWRIGHT_TASKS when None.
        budget_cost: US dollars the whole batch may spend; no limit of its own when None.
        budget_tokens: Tokens the whole batch may use; no limit of its own when None.
        requested_by: Who asks.
        priority: Of the batch and its runs; higher ones are taken first.

    Raises:
        InvalidInput: There is no seed, a sentence cannot be used, a number is out of bounds, a budget in
            money is given for a model without a price, or a model is to write and none is configured.
        UnknownName: There is no such author.
    """
    texts, expands, budget = require_startable(
        seeds=seeds,
        count=count,
        author=author,
        first_seed=first_seed,
        expand=expand,
        tasks=tasks,
        budget_cost=budget_cost,
        budget_tokens=budget_tokens,
        priority=priority,
    )
    require_model([author])
    return runs.queue_run(
        kind=RunKind.BATCH,
        title=f"{count} environments from {len(texts)} seed{'s' if len(texts) > 1 else ''}",
        request=BatchRequest(
            seeds=texts,
            count=count,
            author=author,
            first_seed=first_seed,
            expand=expands,
            tasks=tasks,
            budget=budget,
        ),
        requested_by=requested_by,
        priority=priority,
        total=count,
    )


def doubts(seeds: Iterable[str], *, author: str, first_seed: int) -> list[tuple[str, str]]:
    """Seeds that are not wholly read, or refused when their turn comes, each with why; of many the first."""
    messages = (
        (text, synthesis.doubts(SynthesisRequest(sentence=text, author=author, seed=first_seed)))
        for text in itertools.islice(seeds, MOST_SEEDS)
        if text.strip()
    )
    return [(text, doubt) for text, doubt in messages if doubt]


def require_startable(
    *,
    seeds: Sequence[str],
    count: int,
    author: str,
    first_seed: int,
    expand: bool | None,
    tasks: int | None,
    budget_cost: float | None,
    budget_tokens: int | None,
    priority: int,
) -> tuple[tuple[str, ...], bool, dict[str, Any]]:
    """Pass when `start_batch` would queue it; nothing is queued.

    Returns:
        The distinct seeds, whether they are expanded, and the batch's own limits.

    Raises:
        InvalidInput, UnknownName: As for `start_batch`.
    """
    from synthesis.pipeline.expansion.by_letters import require_character_similarity

    runs.require_priority(priority)
    if not 1 <= count <= MOST_ENVIRONMENTS:
        raise InvalidInput(
            f"{count:,} environments were requested; a batch can have 1 to {MOST_ENVIRONMENTS:,}."
        )
    texts = seeds_in(seeds).texts
    if not texts:
        raise InvalidInput("No seed was given. Give at least one name or sentence.")
    last_seed = first_seed + (count - 1) // len(texts)
    for text in texts:
        new_request(sentence=text, author=author, seed=first_seed, **_targets(tasks))
    if last_seed > LARGEST_SEED:
        raise InvalidInput(
            f"{count:,} environments from {len(texts):,} seeds use the random seeds {first_seed:,} to "
            f"{last_seed:,}; the largest is {LARGEST_SEED:,}. Start with a smaller one."
        )
    budget = batch_limits(cost=budget_cost, tokens=budget_tokens)
    if author == "model" and budget_cost is not None:
        require_price(*models_for("author"))
    expands = wants_expansion(seeds=len(texts), count=count, author=author, expand=expand)
    if expands and author != "model":
        raise InvalidInput("Only the model author proposes scenarios. Choose it, or turn expansion off.")
    if expands and not settings.WORLDWRIGHT.embedding_model:
        require_character_similarity()
    if not expands and author == "model" and count > len(texts):
        raise InvalidInput(
            f"{count} environments from {len(texts)} seeds need an expansion: a model writes the same "
            "environment from the same sentence."
        )
    return texts, expands, budget


def set_budget(*, batch: Run, cost: float | None, tokens: int | None) -> Run:
    """Give a batch other limits of its own; runs that begin or go on from now obey them.

    Raises:
        Conflict: It is over.
        InvalidInput: A limit is not above nothing, or the model has no price.
    """
    if batch.is_over:
        raise Conflict(f"Batch {batch.pk} is already over: {batch.get_state_display().lower()}.")
    budget = batch_limits(cost=cost, tokens=tokens)
    if cost is not None and batch.request["author"] == "model":
        require_price(*models_for("author"))
    batch.request = {**batch.request, "budget": budget}
    batch.save(update_fields=["request"])
    message = " and ".join(
        ([f"${budget['cost']:,.2f}"] if "cost" in budget else [])
        + ([f"{budget['tokens']:,} tokens"] if "tokens" in budget else [])
    )
    RunEvent.objects.create(
        run=batch, kind="budget_set", text=f"Its budget is now {message or 'not limited'}."
    )
    return batch


def execute_batch(lease: RunLease, request: BatchRequest) -> None:
    """Make the children of a claimed batch, all of them or none; the batch then waits for their ends.

    Raises:
        Cancelled: Somebody asked to stop during the expansion.
        ProviderError: The model did not answer during the expansion.
    """
    batch = lease.run
    wanted = _expanded(lease, request) if request.expand else _given(request)
    with transaction.atomic(), lease.writing(total=len(wanted)):
        children = Run.objects.bulk_create(
            Run(
                project_id=batch.project_id,
                kind=RunKind.SYNTHESIS,
                title=values["sentence"][:200],
                request=new_request(author=request.author, **_targets(request.tasks), **values).model_dump(
                    mode="json"
                ),
                parent=batch,
                requested_by=batch.requested_by,
                priority=batch.priority,
            )
            for values in wanted
        )
        _tie_candidates(batch, children)
        RunEvent.objects.create(
            run=batch, kind="children_queued", text=f"{len(wanted)} runs are waiting for workers."
        )
        Run.objects.filter(pk=batch.pk).update(claim="", heartbeat_at=None)
        for child in batch.children.filter(state=RunState.QUEUED):
            dispatch.announce(child)
        settle_batch(batch.pk)


def _similarity(run: Run) -> tuple[SimilarityMethod, Similarity]:
    """How candidates are compared: by embeddings where a model for them is set, else by their letters."""
    from synthesis.llm.embeddings import OpenAIEmbedder
    from synthesis.pipeline.expansion.by_letters import character_similarity
    from synthesis.pipeline.expansion.similarity import EmbeddingSimilarity

    model = settings.WORLDWRIGHT.embedding_model
    if not model:
        return SimilarityMethod.CHARACTERS, character_similarity()
    endpoint = endpoint_of(provider_settings(project_id=run.project_id))
    embedder = OpenAIEmbedder(endpoint, model, record=ledger(run), prices=prices())
    return SimilarityMethod.EMBEDDING, EmbeddingSimilarity(embedder)


def _given(request: BatchRequest) -> list[dict[str, Any]]:
    """One environment per seed in turn, with the next random seed at every round."""
    seeds, first = request.seeds, request.first_seed
    return [
        {"sentence": seeds[number % len(seeds)], "seed": first + number // len(seeds)}
        for number in range(request.count)
    ]


def _expanded(lease: RunLease, request: BatchRequest) -> list[dict[str, Any]]:
    """Distinct scenarios proposed by the model; every candidate is a record, the rejected ones too."""
    from synthesis.pipeline.expansion.expansion import ExpansionSettings, expand

    with lease.writing():
        lease.run.candidates.all().delete()
    lease.note("expansion_started", stage="expansion", text=f"{len(request.seeds)} seeds.")

    method, similarity = _similarity(lease.run)

    def record(considered: Considered) -> None:
        with lease.writing():
            _keep_candidate(lease.run, considered, method)

    variables = settings.WORLDWRIGHT
    expanded = expand(
        request.seeds,
        ExpansionSettings(
            count=request.count,
            limit=variables.similarity_limit,
            warning=variables.similarity_warning,
            category_cap=variables.category_cap,
            least_score=variables.least_suitability,
        ),
        provider_for(lease.run),
        similarity=similarity,
        on_considered=record,
        cancelled=lease.cancelled,
    )
    stalled = " It stopped because no new scenarios were proposed." if expanded.stalled else ""
    lease.note(
        "expansion_done",
        stage="expansion",
        text=f"{len(expanded.accepted)} of {len(expanded.considered)} candidates were accepted.{stalled}",
        payload={
            "accepted": len(expanded.accepted),
            "considered": len(expanded.considered),
            "wanted": request.count,
            "stalled": expanded.stalled,
            "unused_seeds": len(expanded.unused),
        },
    )
    return [
        {
            "sentence": remaining.candidate.description,
            "category": remaining.candidate.category,
            "seed": request.first_seed,
        }
        for remaining in expanded.accepted
    ]


def _tie_candidates(batch: Run, children: Sequence[Run]) -> None:
    """Every accepted candidate with the run that makes its environment; both are in the same order."""
    candidates = list(batch.candidates.filter(decision=CandidateDecision.ACCEPTED).order_by("position"))
    for candidate, child in zip(candidates, children, strict=False):
        candidate.run = child
    ScenarioCandidate.objects.bulk_update(candidates[: len(children)], ["run"], batch_size=500)


def _targets(tasks: int | None) -> dict[str, Any]:
    """How large an environment is to be, where that was asked for."""
    return {} if tasks is None else {"targets": {"tasks": tasks}}


def _keep_candidate(batch: Run, considered: Considered, method: SimilarityMethod) -> None:
    suitability = considered.suitability
    candidates = batch.candidates.filter(decision=CandidateDecision.ACCEPTED, name=considered.nearest)
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
        neighbour=candidates.order_by("-position").first() if considered.nearest else None,
        similarity=considered.similarity,
        method=method if considered.nearest else "",
        round=considered.round,
        suitability={**suitability.model_dump(mode="json"), "level": suitability.level}
        if suitability
        else None,
    )


def seeds_of_upload(file: Iterable[bytes], name: str) -> Seeds:
    """The seeds in what somebody typed or uploaded; the ending of its name says how to read it.

    Raises:
        InvalidInput: It cannot be used; the text names the line.
    """
    return parse_seeds(file, name, most=MOST_ENVIRONMENTS)


def wants_expansion(*, seeds: int, count: int, author: str, expand: bool | None) -> bool:
    """Whether a model first proposes scenarios: as asked, or when more environments than seeds are wanted."""
    return author == "model" and count > seeds if expand is None else expand
