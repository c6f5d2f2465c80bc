"""Rollout batches: environments x tasks x samples, each part a run of its own that any worker may take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from studio.models import (
    Element,
    ElementKind,
    EnvironmentRecord,
    Revision,
    Run,
    RunEvent,
    RunKind,
    RunState,
)
from studio.services.errors import Conflict, Missing
from studio.services.llm.batch_budget import batch_limits, require_price
from studio.services.llm.pool import models_for, split_models
from studio.services.rollouts.rollout_agents import asks_a_model, require_agents
from studio.services.rollouts.rollouts import PlaySettings, RolloutRequest, require_seeds
from studio.services.runs import dispatch, runs
from studio.services.runs.execution import RunLease
from studio.services.runs.families import current_children, settle_batch
from synthesis.documents.document import Document
from synthesis.errors import InvalidInput, UnknownName

MOST_EPISODES = 100_000
MOST_SAMPLES = 1_000
EPISODES_PER_RUN = 64
"""Episodes of one child, so that several workers share a large environment; never fewer than at once."""


class TaskFilter(Document):
    """Which tasks are played; an empty part narrows nothing."""

    names: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    """read, write, mixed, refuse."""
    difficulties: tuple[str, ...] = ()
    """easy, medium, hard."""

    def takes(self, name: str, figures: dict[str, Any]) -> bool:
        """Whether a task is played."""
        return (
            (not self.names or name in self.names)
            and (not self.kinds or figures.get("kind") in self.kinds)
            and (not self.difficulties or figures.get("difficulty") in self.difficulties)
        )


def environments_for(
    *, names: Sequence[str] = (), state: str = "", category: str = "", most: int | None = None
) -> list[EnvironmentRecord]:
    """The environments a batch is to be played in, by name.

    Args:
        names: Only these; all of them when empty.
        state: Only those on this level.
        category: Only those of this category.
        most: Only the first so many.

    Raises:
        Missing: No environment has one of the names.
    """
    environments = EnvironmentRecord.objects.filter(current__isnull=False).order_by("name")
    if names:
        environments = environments.filter(name__in=names)
        known = set(environments.values_list("name", flat=True))
        for name in names:
            if name not in known:
                raise Missing(
                    f"There is no environment named {name!r}.", remedy="Choose one from the catalogue."
                )
    else:
        environments = environments.in_use()
    if state:
        environments = environments.filter(state=state)
    if category:
        environments = environments.filter(category__iexact=category)
    return list(environments if most is None else environments[:most])


class RolloutBatchRequest(Document):
    """Every agent on every chosen task of many environments, once per seed."""

    environments: dict[int, tuple[str, ...]]
    """Tasks by the number of the revision that is played."""
    agents: tuple[str, ...]
    seeds: tuple[int, ...]
    play: PlaySettings
    episodes: int
    budget: dict[str, float | int]
    """See `batch_limits`."""


@transaction.atomic
def start_rollout_batch(
    *,
    environments: Sequence[EnvironmentRecord],
    agents: Sequence[str],
    samples: int = 1,
    first_seed: int = 0,
    tasks: TaskFilter | None = None,
    play: PlaySettings | None = None,
    budget_cost: float | None = None,
    budget_tokens: int | None = None,
    requested_by: User | None = None,
    priority: int = 0,
) -> Run:
    """Queue every agent on every chosen task of every environment, `samples` times with following seeds.

    Args:
        environments: Their current revisions are played.
        agents: Names from the table of agents.
        samples: Episodes per task and agent.
        first_seed: Seed of the first try.
        tasks: Which tasks; all of them when None.
        play: How the episodes are played.
        budget_cost: US dollars the whole batch may spend on a model.
        budget_tokens: Tokens the whole batch may use.
        requested_by: Who asks.
        priority: Of the batch and its runs; higher ones are taken first.

    Raises:
        UnknownName: No agent or task has such a name.
        InvalidInput: Nothing is to be played, too much, or a limit cannot be used.
    """
    settings, wanted = play or PlaySettings(), tasks or TaskFilter()
    require_agents(agents, settings.agent)
    if not 1 <= samples <= MOST_SAMPLES:
        raise InvalidInput(
            f"{samples:,} samples were requested; a task can have 1 to {MOST_SAMPLES:,} episodes."
        )
    if budget_cost is not None and any(map(asks_a_model, agents)):
        require_price(*models_for("agent", split_models(settings.agent.model)))
    require_seeds(first_seed, first_seed + samples - 1)
    chosen = _chosen(environments, wanted)
    episodes = sum(map(len, chosen.values())) * len(set(agents)) * samples
    if not 1 <= episodes <= MOST_EPISODES:
        raise InvalidInput(
            f"{episodes:,} episodes were requested; a batch runs 1 to {MOST_EPISODES:,}. "
            "Choose at least one agent, and environments that have tasks of the chosen kind."
        )
    played = [record for record in environments if record.current_id in chosen]
    where = played[0].title if len(played) == 1 else f"{len(played)} environments"
    return runs.queue_run(
        kind=RunKind.ROLLOUTS,
        title=f"{', '.join(dict.fromkeys(agents))} in {where}",
        request=RolloutBatchRequest(
            environments={revision: tuple(names) for revision, names in chosen.items()},
            agents=tuple(dict.fromkeys(agents)),
            seeds=tuple(range(first_seed, first_seed + samples)),
            play=settings,
            episodes=episodes,
            budget=batch_limits(cost=budget_cost, tokens=budget_tokens),
        ),
        requested_by=requested_by,
        environment=played[0] if len(played) == 1 else None,
        priority=priority,
        total=len(list(_parts(chosen, agents, samples, settings.at_once))),
    )


def execute_rollout_batch(lease: RunLease, request: RolloutBatchRequest) -> None:
    """Make the children of a claimed batch, all of them or none; the batch then waits for their ends."""
    batch, play, seeds = lease.run, request.play, request.seeds
    chosen = {revision: list(names) for revision, names in request.environments.items()}
    known = Revision.objects.select_related("environment").in_bulk(chosen)
    parts = list(_parts(chosen, request.agents, len(seeds), play.at_once))
    with transaction.atomic(), lease.writing(total=len(parts)):
        Run.objects.bulk_create(
            Run(
                project_id=batch.project_id,
                kind=RunKind.ROLLOUT,
                title=f"{agent} in {known[revision].environment.title}"[:200],
                request=RolloutRequest(
                    revision=revision,
                    agents=(agent,),
                    tasks=tuple(tasks),
                    seeds=seeds[first:last],
                    play=play,
                ).model_dump(mode="json"),
                environment=known[revision].environment,
                parent=batch,
                requested_by=batch.requested_by,
                priority=batch.priority,
                total=len(tasks) * len(seeds[first:last]),
            )
            for revision, agent, tasks, first, last in parts
        )
        RunEvent.objects.create(
            run=batch, kind="children_queued", text=f"{len(parts)} runs are waiting for workers."
        )
        Run.objects.filter(pk=batch.pk).update(claim="", heartbeat_at=None)
        for child in batch.children.filter(state=RunState.QUEUED):
            dispatch.announce(child)
        settle_batch(batch.pk)


@transaction.atomic
def go_on(*, batch: Run, requested_by: User | None = None) -> Run:
    """Play what a stopped batch left: its failed, cancelled and held back parts; what was played is kept.

    Raises:
        Conflict: There is nothing left, or the batch was asked to stop and has not yet.
    """
    batch = Run.objects.select_for_update().get(pk=batch.pk)
    if batch.cancel_requested:
        raise Conflict(f"Batch {batch.pk} is being cancelled; wait until it has stopped.")
    left = current_children(batch).filter(state__in=(RunState.FAILED, RunState.CANCELLED))
    again = [runs.retry(run=child, requested_by=requested_by) for child in left.order_by("pk")]
    held = current_children(batch).filter(paused_at__isnull=False).exists() or batch.paused_at is not None
    if held:
        runs.resume(run=batch)
    if not again and not held:
        raise Conflict(f"Batch {batch.pk} has no remaining episodes.")
    settle_batch(batch.pk)
    batch.refresh_from_db()
    return batch


def _chosen(environments: Sequence[EnvironmentRecord], wanted: TaskFilter) -> dict[int, list[str]]:
    """The tasks that are played, by the number of the revision; environments without one are left out."""
    elements = Element.objects.filter(environment__in=environments, kind=ElementKind.TASK)
    names: dict[int, list[str]] = {}
    known = []
    for environment, name, figures in elements.values_list("environment_id", "name", "figures"):
        known.append(name)
        if wanted.takes(name, figures):
            names.setdefault(environment, []).append(name)
    for name in wanted.names:
        if name not in known:
            raise UnknownName("task", name, sorted(set(known)))
    return {
        record.current_id: names[record.pk]
        for record in environments
        if record.current_id is not None and record.pk in names
    }


def _parts(
    chosen: dict[int, list[str]], agents: Sequence[str], samples: int, at_once: int
) -> Iterator[tuple[int, str, list[str], int, int]]:
    """Revision, agent, tasks and samples (from, to) of each child."""
    room = max(EPISODES_PER_RUN, at_once)
    seeds = min(samples, room)
    step = max(1, room // seeds)
    for revision, names in chosen.items():
        for agent in dict.fromkeys(agents):
            for place in range(0, len(names), step):
                for first in range(0, samples, seeds):
                    yield revision, agent, names[place : place + step], first, min(first + seeds, samples)
