"""Rollouts: agents try an environment's tasks, and what they did is kept with its verdict."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from django.contrib.auth.models import User
from django.db import transaction

from studio.models import EnvironmentRecord, Revision, Run, RunKind, TrajectoryRecord
from studio.services import ladder, runs
from studio.services.environments import load_environment
from studio.services.execution import Hold
from studio.services.trajectories import store_trajectory
from synthesis.documents.bundle import JudgedTrajectory
from synthesis.errors import Cancelled, InvalidInput, UnknownName

MOST_EPISODES = 10_000


@transaction.atomic
def start_rollouts(
    *,
    record: EnvironmentRecord,
    agents: Sequence[str],
    tasks: Sequence[str] = (),
    seeds: Sequence[int] = (0,),
    requested_by: User | None = None,
) -> Run:
    """Queue episodes: every agent on every task with every seed.

    Args:
        record: The environment; its current revision is played.
        agents: Names from the table of agents.
        tasks: Task ids; all of them when empty.
        seeds: Seeds of the instances.
        requested_by: Who asks.

    Raises:
        UnknownName: No agent or task has such a name.
        InvalidInput: Nothing is to be played, or too much.
    """
    from synthesis.rollouts.registry import AGENTS

    assert record.current is not None
    known = list(record.elements.filter(kind="task").values_list("name", flat=True))
    for name in agents:
        if name not in AGENTS:
            raise UnknownName("agent", name, list(AGENTS))
    for name in tasks:
        if name not in known:
            raise UnknownName("task", name, known)
    chosen = list(tasks) or known
    episodes = len(agents) * len(chosen) * len(seeds)
    if not 1 <= episodes <= MOST_EPISODES:
        raise InvalidInput(f"{episodes:,} episodes were asked for; a run plays 1 to {MOST_EPISODES:,}.")
    return runs.queue_run(
        kind=RunKind.ROLLOUT,
        title=f"{', '.join(agents)} in {record.title}",
        request={
            "revision": record.current.pk,
            "agents": list(agents),
            "tasks": chosen,
            "seeds": list(seeds),
        },
        requested_by=requested_by,
        environment=record,
        total=episodes,
    )


def execute_rollouts(hold: Hold) -> None:
    """Play the episodes a claimed run asks for; the ones an earlier worker finished are not played again.

    Raises:
        Cancelled: Somebody asked to stop.
        WorldError, ProviderError: The world or the model's endpoint failed for good.
    """
    revision = Revision.objects.select_related("environment").get(pk=hold.run.request["revision"])
    done = set(hold.run.trajectories.values_list("agent", "task_id", "seed"))
    for agent, judged in _episodes(hold, revision, done):
        with hold.writing():
            record = store_trajectory(revision=revision, judged=judged, run=hold.run)
        done.add((agent, record.task_id, record.seed))
        hold.note(
            "episode_played",
            stage=agent,
            text=f"{record.task_id}: {record.get_label_display()}",
            payload={"trajectory": record.pk, "label": record.label},
            done=len(done),
        )
    with hold.writing():
        environment = EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id)
        ladder.settle(environment)
        hold.finish({"environment": environment.name, "verdicts": verdicts_of(hold.run)})


def _episodes(
    hold: Hold, revision: Revision, done: set[tuple[str, str, int]]
) -> Iterator[tuple[str, JudgedTrajectory]]:
    """Play what is left, one world for all of it."""
    from synthesis.rollouts.registry import make_agent
    from synthesis.rollouts.rollout import roll_out
    from synthesis.worlds.world import World

    request = hold.run.request
    left = [
        (agent, task, seed)
        for agent in request["agents"]
        for task in request["tasks"]
        for seed in request["seeds"]
        if (agent, task, seed) not in done
    ]
    if not left:
        return
    with World(load_environment(revision)) as world:
        for agent, task, seed in left:
            if hold.cancelled():
                raise Cancelled("Stopped between two episodes.")
            yield agent, roll_out(world, task, make_agent(agent), seed=seed)


def verdicts_of(run: Run) -> dict[str, dict[str, int]]:
    """How many episodes of a run ended with which label, by agent."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for agent, label in TrajectoryRecord.objects.filter(run=run).values_list("agent", "label"):
        found[agent][label] += 1
    return {agent: dict(labels) for agent, labels in found.items()}
