"""Rollout batches: environments x tasks x samples, each part a run of its own that any worker may take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.conf import settings as django_settings
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
from studio.services import dispatch, runs
from studio.services.batch_budget import batch_limits, require_price
from studio.services.execution import Hold
from studio.services.families import settle_batch, standing_children
from studio.services.refusals import Conflict, Missing
from studio.services.rollout_agents import asks_a_model, require_agents
from studio.services.rollouts import PlaySettings, require_seeds, rollout_request
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
        state: Only those on this rung.
        category: Only those of this category.
        most: Only the first so many.

    Raises:
        Missing: No environment has one of the names.
    """
    found = EnvironmentRecord.objects.filter(current__isnull=False).order_by("name")
    if names:
        found = found.filter(name__in=names)
        known = set(found.values_list("name", flat=True))
        for name in names:
            if name not in known:
                raise Missing(
                    f"There is no environment named {name!r}.", remedy="Look it up in the catalogue."
                )
    if state:
        found = found.filter(state=state)
    if category:
        found = found.filter(category__iexact=category)
    return list(found if most is None else found[:most])


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
        samples: Tries per task and agent.
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
            f"{samples:,} samples were asked for; each task is tried 1 to {MOST_SAMPLES:,} times."
        )
    if budget_cost is not None and any(map(asks_a_model, agents)):
        require_price(settings.agent.model or django_settings.ENV["WORLDWRIGHT_MODEL"] or "")
    require_seeds(first_seed, first_seed + samples - 1)
    chosen = _chosen(environments, wanted)
    episodes = sum(map(len, chosen.values())) * len(set(agents)) * samples
    if not 1 <= episodes <= MOST_EPISODES:
        raise InvalidInput(
            f"{episodes:,} episodes were asked for; a batch plays 1 to {MOST_EPISODES:,}. "
            "Choose at least one agent, and environments that have tasks of the chosen kind."
        )
    played = [record for record in environments if record.current_id in chosen]
    where = played[0].title if len(played) == 1 else f"{len(played)} environments"
    return runs.queue_run(
        kind=RunKind.ROLLOUTS,
        title=f"{', '.join(dict.fromkeys(agents))} in {where}",
        request={
            "environments": {str(revision): names for revision, names in chosen.items()},
            "agents": list(dict.fromkeys(agents)),
            "seeds": list(range(first_seed, first_seed + samples)),
            "play": settings.model_dump(mode="json"),
            "episodes": episodes,
            "budget": batch_limits(cost=budget_cost, tokens=budget_tokens),
        },
        requested_by=requested_by,
        environment=played[0] if len(played) == 1 else None,
        priority=priority,
        total=len(list(_parts(chosen, agents, samples, settings.at_once))),
    )


def execute_rollout_batch(hold: Hold) -> None:
    """Make the children of a claimed batch, all of them or none; the batch then waits for their ends."""
    batch, request = hold.run, hold.run.request
    play = PlaySettings.model_validate(request["play"])
    chosen = {int(revision): names for revision, names in request["environments"].items()}
    known = Revision.objects.select_related("environment").in_bulk(chosen)
    seeds = request["seeds"]
    parts = list(_parts(chosen, request["agents"], len(seeds), play.at_once))
    with transaction.atomic(), hold.writing(total=len(parts)):
        Run.objects.bulk_create(
            Run(
                kind=RunKind.ROLLOUT,
                title=f"{agent} in {known[revision].environment.title}"[:200],
                request=rollout_request(known[revision], [agent], tasks, seeds[first:last], play),
                environment=known[revision].environment,
                parent=batch,
                requested_by=batch.requested_by,
                priority=batch.priority,
                total=len(tasks) * len(seeds[first:last]),
            )
            for revision, agent, tasks, first, last in parts
        )
        RunEvent.objects.create(
            run=batch, kind="children_queued", text=f"{len(parts)} runs wait for workers."
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
        raise Conflict(f"Batch {batch.pk} was asked to stop; wait until it has.")
    left = standing_children(batch).filter(state__in=(RunState.FAILED, RunState.CANCELLED))
    again = [runs.retry(run=child, requested_by=requested_by) for child in left.order_by("pk")]
    held = standing_children(batch).filter(paused_at__isnull=False).exists() or batch.paused_at is not None
    if held:
        runs.resume(run=batch)
    if not again and not held:
        raise Conflict(f"Nothing of batch {batch.pk} is left to play.")
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
