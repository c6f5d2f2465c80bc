"""Batch estimate: what a batch will need of a model, by what earlier environments of this studio needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from django.db.models import Count, Exists, OuterRef, Sum

from studio.models import CandidateDecision, LlmCall, Run, RunKind, RunState, ScenarioCandidate
from studio.services.llm.pool import models_for
from studio.services.llm.prices import prices
from studio.services.runs.batch_summary import EXPANSION
from synthesis.documents.finding import PartName
from synthesis.llm.prices import Price
from synthesis.pipeline.estimate import ASSUMED_OUTPUT_SHARE, StageAverage, StageEstimate, estimate

RECENT_ENVIRONMENTS = 200
"""Averages are taken over so many of the latest."""


@dataclass(frozen=True)
class BatchEstimate:
    """What a batch will need.

    Attributes:
        environments: How many.
        author: Who writes them; a procedural one asks no model.
        model: The model that is asked; empty for an author without one.
        tokens: Input plus output, in all.
        cost: US dollars in all; None where the model has no price.
        stages: Per stage tokens, cost and where the average comes from.
        expansion: Proposing and classifying the scenarios; None when nothing is expanded or on record.
        recorded: Earlier environments behind the recorded averages.
        price: US dollars per million tokens: (input, output); None where the table has none.
    """

    environments: int
    author: str
    model: str
    tokens: int
    cost: float | None
    stages: dict[str, StageEstimate]
    expansion: StageEstimate | None
    recorded: int
    price: tuple[float, float] | None

    @property
    def basis(self) -> str:
        """Where the figures come from, in a sentence."""
        if self.author != "model":
            return "The procedural author uses no model and costs nothing."
        published = [stage for stage, each in self.stages.items() if each.basis == "published"]
        assumed = (
            "figures published for AWM with GPT-5 (arXiv 2602.10090), turned into tokens with "
            f"{ASSUMED_OUTPUT_SHARE:.0%} of them output"
        )
        if not self.recorded:
            return f"No earlier environment by a model is recorded, so these are {assumed}."
        number = f"{self.recorded} earlier environment{'' if self.recorded == 1 else 's'}"
        if not published:
            return f"From recorded averages per stage of {number}."
        named = ", ".join(stage.replace("_", " ") for stage in published)
        return (
            f"From recorded averages per stage of {number}; for {named}, where none is recorded, {assumed}."
        )

    @property
    def sentence(self) -> str:
        """The whole estimate in a sentence."""
        if self.author != "model":
            return self.basis
        money = "no price is known" if self.cost is None else f"about ${self.cost:,.2f}"
        return f"{money[0].upper()}{money[1:]}, {self.tokens:,} tokens. {self.basis}"


def estimate_batch(
    *, count: int, author: str = "model", expands: bool = False, model: str = ""
) -> BatchEstimate:
    """What so many environments will need.

    Args:
        count: Environments.
        author: Who writes them.
        expands: Whether a model first proposes the scenarios.
        model: The model, for its price; WORLDWRIGHT_MODEL when empty.
    """
    if author != "model":
        return BatchEstimate(count, author, "", 0, 0.0, {}, None, 0, None)
    model = model or next(iter(models_for("author")), "")
    price = prices().price(model.rpartition("@")[0] or model)
    averages, recorded = _recorded()
    result = estimate(count, recorded=averages, price=price)
    expansion = _expansion(count, price) if expands else None
    cost = result.cost
    if cost is not None and expansion is not None:
        cost += expansion.cost or 0.0
    return BatchEstimate(
        environments=count,
        author=author,
        model=model,
        tokens=result.tokens + (expansion.tokens if expansion else 0),
        cost=cost,
        stages={str(stage): each for stage, each in result.stages.items()},
        expansion=expansion,
        recorded=recorded,
        price=(price.input, price.output) if price else None,
    )


def _recorded() -> tuple[dict[PartName, StageAverage], int]:
    """Averages per stage of the latest environments, failed ones too, and how many there are."""
    asked = LlmCall.objects.filter(run=OuterRef("pk"), input_tokens__gt=0)
    over = Run.objects.filter(kind=RunKind.SYNTHESIS, state__in=(RunState.FINISHED, RunState.FAILED))
    latest = list(
        over.filter(Exists(asked)).order_by("-id").values_list("pk", flat=True)[:RECENT_ENVIRONMENTS]
    )
    rows = (
        LlmCall.objects.filter(run__in=latest, stage__in=get_args(PartName), input_tokens__gt=0)
        .order_by()
        .values_list("stage")
        .annotate(Count("pk"), Count("run", distinct=True), Sum("input_tokens"), Sum("output_tokens"))
    )
    averages: dict[PartName, StageAverage] = {
        stage: StageAverage(
            calls=calls / runs,
            input_tokens=read / runs,
            output_tokens=written / runs,
            basis="recorded",
            environments=runs,
        )
        for stage, calls, runs, read, written in rows
    }
    return averages, len(latest)


def _expansion(count: int, price: Price | None) -> StageEstimate | None:
    """What proposing and classifying needed per accepted scenario, times the count."""
    remaining = ScenarioCandidate.objects.filter(decision=CandidateDecision.ACCEPTED).count()
    used = (
        LlmCall.objects.filter(stage__in=EXPANSION)
        .order_by()
        .aggregate(read=Sum("input_tokens"), written=Sum("output_tokens"))
    )
    if not remaining or not used["read"]:
        return None
    one = StageAverage(
        input_tokens=used["read"] / remaining,
        output_tokens=(used["written"] or 0) / remaining,
        basis="recorded",
    )
    return StageEstimate(
        tokens=round((one.input_tokens + one.output_tokens) * count),
        cost=one.cost(price) * count if price else None,
        basis="recorded",
    )
