"""Batch reading: a batch for its page, its runs narrowed, its candidates with both ends of every link."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from studio.models import CandidateDecision, Run, RunEvent, RunKind, RunState, ScenarioCandidate
from studio.services.errors import Missing
from studio.services.runs.families import current_children

REJECTED = tuple(decision for decision in CandidateDecision if decision != CandidateDecision.ACCEPTED)


@dataclass(frozen=True)
class CandidateCounts:
    """The candidates of a batch by decision."""

    by_decision: dict[str, int]

    @property
    def accepted(self) -> int:
        """Those that became environments, or will."""
        return self.by_decision.get(CandidateDecision.ACCEPTED, 0)

    @property
    def proposed(self) -> int:
        """All of them."""
        return sum(self.by_decision.values())

    @property
    def rejected(self) -> int:
        """All but the accepted ones."""
        return self.proposed - self.accepted

    @property
    def decisions(self) -> list[tuple[str, str, int]]:
        """Decision, its word and how many, in the order of the decisions."""
        return [
            (decision.value, str(decision.label), self.by_decision[decision.value])
            for decision in CandidateDecision
            if self.by_decision.get(decision.value)
        ]


def find_batch(run_id: int) -> Run:
    """The batch of environments of that number.

    Raises:
        Missing: There is none.
    """
    batch = Run.objects.listed().filter(pk=run_id, kind=RunKind.BATCH).first()
    if batch is None:
        raise Missing(
            f"There is no batch {run_id}.", remedy="Choose one from the list of runs, narrowed to batches."
        )
    return batch


def children_of(
    batch: Run, *, state: str = "", error: str | None = None, stage: str | None = None
) -> QuerySet[Run]:
    """The runs of a batch that were not replaced by a retry, oldest first.

    Args:
        batch: The batch.
        state: One of the states, or "paused" for those that are held back; all when empty.
        error: Only failures of this kind.
        stage: Only failures at this stage.
    """
    runs = current_children(batch).select_related("environment").order_by("pk")
    if state == "paused":
        runs = runs.filter(state=RunState.QUEUED, paused_at__isnull=False)
    elif state:
        runs = runs.filter(state=state)
    if error is not None:
        runs = runs.filter(error_type=error)
    return runs if stage is None else runs.filter(error_stage=stage)


def count_candidates(batch: Run) -> CandidateCounts:
    """The candidates by decision."""
    counted = batch.candidates.order_by().values_list("decision").annotate(Count("pk"))
    return CandidateCounts(dict(counted))


def candidates_of(
    batch: Run, *, decision: str = "", words: str = "", near: int | None = None
) -> QuerySet[ScenarioCandidate]:
    """The candidates of a batch in the order they were proposed, with neighbour and run.

    Args:
        batch: The batch.
        decision: One of the decisions, or "rejected" for all but the accepted; all when empty.
        words: Part of a name, a category or a neighbour's name.
        near: Position of a candidate: it and those whose nearest neighbour it is.
    """
    candidates = batch.candidates.select_related("neighbour", "run", "run__environment").order_by("position")
    if decision == "rejected":
        candidates = candidates.exclude(decision=CandidateDecision.ACCEPTED)
    elif decision:
        candidates = candidates.filter(decision=decision)
    if words:
        candidates = candidates.filter(
            Q(name__icontains=words) | Q(category__icontains=words) | Q(nearest__icontains=words)
        )
    if near is not None:
        candidates = candidates.filter(Q(position=near) | Q(neighbour__position=near))
    return candidates.annotate(resembled=Count("resembling"))


def stall_of(events: Iterable[RunEvent]) -> str:
    """Why an expansion stopped early, in its own words; empty when it did not.

    Args:
        events: Of the batch, newest first.
    """
    done = next((event for event in events if event.kind == "expansion_done"), None)
    return done.text if done is not None and done.payload.get("stalled") else ""
