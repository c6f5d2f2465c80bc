"""Estimate: what environments will cost, before anything is asked, from what such stages cost so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from pydantic import Field

from synthesis.documents.document import Document
from synthesis.documents.finding import PartName
from synthesis.documents.trajectory import Usage
from synthesis.llm.prices import Price
from synthesis.pipeline.attempt import Attempt
from synthesis.pipeline.stages.registry import STAGES

PUBLISHED_COST: dict[PartName, float] = {
    "scenario": 0.0043,
    "outlines": 0.0056,
    "policy": 0.0056,
    "schema": 0.0359,
    "seed_data": 0.1375,
    "tool_specs": 0.2374,
    "tools": 0.1281,
    "tasks": 0.0221,
    "verifiers": 0.0221,
}
"""US dollars per environment and stage with GPT-5, as AWM reports them (arXiv 2602.10090).

It has no stage for the policy and none for reference solutions: the figures of the outlines and of the
verifiers stand in their places.
"""

PUBLISHED_PRICE = Price(input=1.25, output=10.0)
ASSUMED_OUTPUT_SHARE = 0.5
"""Share of the tokens that are output, where only the cost is known."""


class StageAverage(Document):
    """What one stage needs for one environment, on average."""

    calls: float = Field(default=1.0, ge=0)
    input_tokens: float = Field(ge=0)
    output_tokens: float = Field(ge=0)
    basis: Literal["recorded", "published"]
    environments: int = Field(default=0, ge=0)
    """Environments behind a recorded average."""

    def cost(self, price: Price) -> float:
        """US dollars for one environment."""
        return (self.input_tokens * price.input + self.output_tokens * price.output) / 1_000_000


class StageEstimate(Document):
    """What one stage will need for all environments."""

    tokens: int
    cost: float | None
    basis: Literal["recorded", "published"]


class Estimate(Document):
    """What a batch will need."""

    environments: int
    tokens: int
    """Input plus output."""
    cost: float | None
    """US dollars; None where the model has no price."""
    stages: dict[PartName, StageEstimate]

    @property
    def basis(self) -> Literal["recorded", "published", "mixed"]:
        """Where the averages come from."""
        kinds = {stage.basis for stage in self.stages.values()}
        return kinds.pop() if len(kinds) == 1 else "mixed"


def averages(attempts: Iterable[tuple[str, Attempt]]) -> dict[PartName, StageAverage]:
    """Averages per stage from recorded attempts.

    Args:
        attempts: Each with the id of the environment or run it was made for; failed attempts count too.
    """
    used: dict[PartName, Usage] = {}
    calls: dict[PartName, int] = {}
    runs: dict[PartName, set[str]] = {}
    for run, attempt in attempts:
        if not attempt.calls:
            continue
        used[attempt.stage] = used.get(attempt.stage, Usage()) + attempt.usage
        calls[attempt.stage] = calls.get(attempt.stage, 0) + attempt.calls
        runs.setdefault(attempt.stage, set()).add(run)
    return {
        stage: StageAverage(
            calls=calls[stage] / len(runs[stage]),
            input_tokens=usage.input_tokens / len(runs[stage]),
            output_tokens=usage.output_tokens / len(runs[stage]),
            basis="recorded",
            environments=len(runs[stage]),
        )
        for stage, usage in used.items()
    }


def estimate(
    environments: int, *, recorded: Mapping[PartName, StageAverage], price: Price | None
) -> Estimate:
    """What so many environments will need; stages without a record by published figures.

    Args:
        environments: How many.
        recorded: Averages of this installation.
        price: The model's price; None gives tokens only.
    """
    stages = {}
    for stage in STAGES:
        one = recorded.get(stage) or _published(stage)
        tokens = round((one.input_tokens + one.output_tokens) * environments)
        cost = one.cost(price) * environments if price else None
        stages[stage] = StageEstimate(tokens=tokens, cost=cost, basis=one.basis)
    costs = [stage.cost for stage in stages.values() if stage.cost is not None]
    return Estimate(
        environments=environments,
        tokens=sum(stage.tokens for stage in stages.values()),
        cost=sum(costs) if price else None,
        stages=stages,
    )


def _published(stage: PartName) -> StageAverage:
    """Tokens behind a published cost."""
    share = ASSUMED_OUTPUT_SHARE
    per_million = (1 - share) * PUBLISHED_PRICE.input + share * PUBLISHED_PRICE.output
    tokens = PUBLISHED_COST[stage] / per_million * 1_000_000
    return StageAverage(input_tokens=tokens * (1 - share), output_tokens=tokens * share, basis="published")
