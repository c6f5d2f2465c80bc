"""Batches: many environments from a list of seeds, each a run of its own that any worker may take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from studio.models import (
    CandidateDecision,
    Run,
    RunEvent,
    RunKind,
    RunState,
    ScenarioCandidate,
    SimilarityMethod,
)
from studio.services import dispatch, runs
from studio.services.authors import require_model
from studio.services.batch_budget import batch_limits, require_price
from studio.services.endpoints import endpoint_of
from studio.services.execution import Hold
from studio.services.families import settle_batch
from studio.services.providers import ledger, provider_for, provider_settings
from studio.services.refusals import Conflict
from studio.services.synthesis import new_request
from synthesis.errors import InvalidInput
from synthesis.pipeline.expansion.candidate import Considered
from synthesis.pipeline.expansion.seeds import Seeds, parse_seeds, seeds_in
from synthesis.pipeline.request import LARGEST_SEED

if TYPE_CHECKING:
    from synthesis.pipeline.expansion.similarity import Similarity

MOST_ENVIRONMENTS = 10_000


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
        seeds: Names or sentences; blank ones and doublets are left out.
        count: Environments wanted.
        author: Who writes them.
        first_seed: Seed of the first; the procedural author goes through the sentences again with the next.
        expand: Whether a model first proposes distinct scenarios from the seeds; by default when the model
            is the author and more environments than seeds are wanted.
        tasks: Tasks of each environment; WORLDWRIGHT_TASKS when None.
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
        request={
            "seeds": list(texts),
            "count": count,
            "author": author,
            "first_seed": first_seed,
            "expand": expands,
            "tasks": tasks,
            "budget": budget,
        },
        requested_by=requested_by,
        priority=priority,
        total=count,
    )


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
    runs.require_priority(priority)
    if not 1 <= count <= MOST_ENVIRONMENTS:
        raise InvalidInput(
            f"{count:,} environments were asked for; a batch makes 1 to {MOST_ENVIRONMENTS:,}."
        )
    texts = seeds_in(seeds).texts
    if not texts:
        raise InvalidInput("There is no seed. Give at least one name or sentence.")
    last_seed = first_seed + (count - 1) // len(texts)
    for text in texts:
        new_request(sentence=text, author=author, seed=first_seed, **_targets(tasks))
    if last_seed > LARGEST_SEED:
        raise InvalidInput(
            f"{count:,} environments from {len(texts):,} seeds go on from seed {first_seed:,} to "
            f"{last_seed:,}; the largest is {LARGEST_SEED:,}. Begin with a smaller one."
        )
    budget = batch_limits(cost=budget_cost, tokens=budget_tokens)
    if author == "model" and budget_cost is not None:
        require_price(settings.ENV["WORLDWRIGHT_MODEL"] or "")
    expands = wants_expansion(seeds=len(texts), count=count, author=author, expand=expand)
    if expands and author != "model":
        raise InvalidInput("Only the model author proposes scenarios. Choose it, or do without expansion.")
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
        raise Conflict(f"Batch {batch.pk} is over already: {batch.get_state_display().lower()}.")
    budget = batch_limits(cost=cost, tokens=tokens)
    if cost is not None and batch.request["author"] == "model":
        require_price(settings.ENV["WORLDWRIGHT_MODEL"] or "")
    batch.request = {**batch.request, "budget": budget}
    batch.save(update_fields=["request"])
    told = " and ".join(
        ([f"${budget['cost']:,.2f}"] if "cost" in budget else [])
        + ([f"{budget['tokens']:,} tokens"] if "tokens" in budget else [])
    )
    RunEvent.objects.create(run=batch, kind="budget_set", text=f"Its budget is {told or 'not limited'} now.")
    return batch


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
        children = Run.objects.bulk_create(
            Run(
                kind=RunKind.SYNTHESIS,
                title=values["sentence"][:200],
                request=new_request(
                    author=request["author"], **_targets(request.get("tasks")), **values
                ).model_dump(mode="json"),
                parent=batch,
                requested_by=batch.requested_by,
                priority=batch.priority,
            )
            for values in wanted
        )
        _tie_candidates(batch, children)
        RunEvent.objects.create(
            run=batch, kind="children_queued", text=f"{len(wanted)} runs wait for workers."
        )
        Run.objects.filter(pk=batch.pk).update(claim="", heartbeat_at=None)
        for child in batch.children.filter(state=RunState.QUEUED):
            dispatch.announce(child)
        settle_batch(batch.pk)


def _similarity(run: Run) -> tuple[SimilarityMethod, Similarity]:
    """How candidates are compared: by embeddings where a model for them is set, else by their letters."""
    from synthesis.llm.embeddings import OpenAIEmbedder
    from synthesis.pipeline.expansion.similarity import CharacterSimilarity, EmbeddingSimilarity

    model = settings.ENV["WORLDWRIGHT_EMBEDDING_MODEL"]
    if not model:
        return SimilarityMethod.CHARACTERS, CharacterSimilarity()
    embedder = OpenAIEmbedder(endpoint_of(provider_settings()), model, record=ledger(run))
    return SimilarityMethod.EMBEDDING, EmbeddingSimilarity(embedder)


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

    method, similarity = _similarity(hold.run)

    def record(considered: Considered) -> None:
        with hold.writing():
            _keep_candidate(hold.run, considered, method)

    env = settings.ENV
    expanded = expand(
        request["seeds"],
        ExpansionSettings(
            count=request["count"],
            limit=env["WORLDWRIGHT_SIMILARITY_LIMIT"],
            warning=env["WORLDWRIGHT_SIMILARITY_WARNING"],
            category_cap=env["WORLDWRIGHT_CATEGORY_CAP"],
            least_score=env["WORLDWRIGHT_LEAST_SUITABILITY"],
        ),
        provider_for(hold.run),
        similarity=similarity,
        on_considered=record,
        cancelled=hold.cancelled,
    )
    stalled = " It stopped because nothing new came." if expanded.stalled else ""
    hold.note(
        "expansion_done",
        stage="expansion",
        text=f"{len(expanded.kept)} of {len(expanded.considered)} candidates were kept.{stalled}",
        payload={
            "kept": len(expanded.kept),
            "considered": len(expanded.considered),
            "wanted": request["count"],
            "stalled": expanded.stalled,
            "unused_seeds": len(expanded.unused),
        },
    )
    return [
        {
            "sentence": kept.candidate.description,
            "category": kept.candidate.category,
            "seed": request["first_seed"],
        }
        for kept in expanded.kept
    ]


def _tie_candidates(batch: Run, children: Sequence[Run]) -> None:
    """Every kept candidate with the run that makes its environment; both are in the same order."""
    kept = list(batch.candidates.filter(decision=CandidateDecision.KEPT).order_by("position"))
    for candidate, child in zip(kept, children, strict=False):
        candidate.run = child
    ScenarioCandidate.objects.bulk_update(kept[: len(children)], ["run"], batch_size=500)


def _targets(tasks: int | None) -> dict[str, Any]:
    """How large an environment is to be, where that was asked for."""
    return {} if tasks is None else {"targets": {"tasks": tasks}}


def _keep_candidate(batch: Run, considered: Considered, method: SimilarityMethod) -> None:
    found = considered.suitability
    kept = batch.candidates.filter(decision=CandidateDecision.KEPT, name=considered.nearest)
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
        neighbour=kept.order_by("-position").first() if considered.nearest else None,
        similarity=considered.similarity,
        method=method if considered.nearest else "",
        round=considered.round,
        suitability={**found.model_dump(mode="json"), "level": found.level} if found else None,
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
