"""Rollouts: agents attempt an environment's tasks; their trajectories are stored with verdicts."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from pydantic import Field

from studio.models import EnvironmentRecord, Revision, Run, RunKind
from studio.services.environments import quality_gates
from studio.services.environments.environments import load_environment
from studio.services.rollouts import playing, replay_checks
from studio.services.rollouts.rewards import reward_table
from studio.services.rollouts.rollout_agents import (
    AgentSettings,
    asks_a_model,
    maker_of,
    recorded_name,
    require_agents,
)
from studio.services.rollouts.rollout_model import RolloutModel
from studio.services.rollouts.rollout_summary import verdicts_by_agent
from studio.services.runs import runs
from studio.services.runs.execution import RunLease
from synthesis.documents.document import Document
from synthesis.episode import EpisodeLimits
from synthesis.errors import InvalidInput, UnknownName
from synthesis.rollouts.batch import RolloutJob
from synthesis.worlds.limits import Limits
from synthesis.worlds.world import Isolation, World

MOST_EPISODES = 10_000
MOST_AT_ONCE = 1_024


class PlaySettings(Document):
    """How the episodes of a run are played."""

    agent: AgentSettings = AgentSettings()
    """For agents that ask a model."""
    isolation: Isolation = "process"
    at_once: int = Field(default=4, ge=1, le=MOST_AT_ONCE)
    """Episodes played at the same time by one worker."""
    max_steps: int | None = Field(default=None, ge=1, le=1_000)
    """WORLDWRIGHT_MAX_STEPS when None."""


class RolloutRequest(Document):
    """Every agent on every task with every seed, in one revision."""

    revision: int
    agents: tuple[str, ...]
    tasks: tuple[str, ...]
    seeds: tuple[int, ...]
    play: PlaySettings = PlaySettings()


@transaction.atomic
def start_rollouts(
    *,
    record: EnvironmentRecord,
    agents: Sequence[str],
    tasks: Sequence[str] = (),
    seeds: Sequence[int] = (0,),
    play: PlaySettings | None = None,
    requested_by: User | None = None,
) -> Run:
    """Queue episodes: every agent on every task with every seed.

    Args:
        record: The environment; its current revision is played.
        agents: Names from the table of agents.
        tasks: Task ids; all of them when empty.
        seeds: Seeds of the instances.
        play: How they are played.
        requested_by: Who asks.

    Raises:
        UnknownName: No agent or task has such a name.
        InvalidInput: Nothing is to be played, or too much, or a seed or the model cannot be used.
    """
    assert record.current is not None
    known = list(record.elements.filter(kind="task").values_list("name", flat=True))
    played = play or PlaySettings()
    require_agents(agents, played.agent, project_id=record.project_id)
    require_seeds(*seeds)
    for name in tasks:
        if name not in known:
            raise UnknownName("task", name, known)
    chosen = list(tasks) or known
    episodes = len(agents) * len(chosen) * len(seeds)
    if not 1 <= episodes <= MOST_EPISODES:
        raise InvalidInput(f"{episodes:,} episodes were requested; a run executes 1 to {MOST_EPISODES:,}.")
    return runs.queue_run(
        kind=RunKind.ROLLOUT,
        title=f"{', '.join(agents)} in {record.title}",
        request=RolloutRequest(
            revision=record.current.pk,
            agents=tuple(agents),
            tasks=tuple(chosen),
            seeds=tuple(seeds),
            play=played,
        ),
        requested_by=requested_by,
        environment=record,
        total=episodes,
    )


def require_seeds(*seeds: int) -> None:
    """Pass when seeds can be used.

    Raises:
        InvalidInput: One is negative, or needs more than 63 bits.
    """
    for seed in seeds:
        if not 0 <= seed < 2**63:
            raise InvalidInput(f"Seed {seed} is invalid; seeds range from 0 to {2**63 - 1}.")


def execute_rollouts(lease: RunLease, request: RolloutRequest) -> None:
    """Play the episodes a claimed run asks for; the ones that were finished before are not played again.

    Raises:
        Cancelled: Somebody asked to stop.
        BudgetExhausted: The model may not be asked any more for now.
        WorldError, ProviderError: The world or the model's endpoint failed for good.
    """
    revision = Revision.objects.select_related("environment").get(pk=request.revision)
    play = request.play
    left = _left(lease.run, request)
    if left:
        stop = threading.Event()
        asks = any(asks_a_model(agent) for agent, _, _ in left)
        model = RolloutModel(lease.run, play.agent, stop) if asks else None
        agents = {
            agent: maker_of(
                agent,
                play.agent,
                model.provider if model else None,
                model.user_provider if model else None,
            )
            for agent in request.agents
        }
        limits = Limits(max_instances=play.at_once + 1)
        with World(load_environment(revision), isolation=play.isolation, limits=limits) as world:
            playing.play(
                lease,
                revision,
                [RolloutJob(world, task, agents[agent], seed) for agent, task, seed in left],
                at_once=play.at_once,
                limits=EpisodeLimits(max_steps=play.max_steps or settings.WORLDWRIGHT.max_steps),
                rewards=reward_table(),
                stop=stop,
                model=model,
            )
            replay_checks.check_sample(lease, revision, world, settings.WORLDWRIGHT.replay_share)
    with lease.writing(live={}):
        environment = EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id)
        quality_gates.settle(environment)
        lease.finish({"environment": environment.name, "verdicts": verdicts_by_agent(lease.run)})


def _left(run: Run, request: RolloutRequest) -> list[tuple[str, str, int]]:
    """Agent, task and seed of what is still to be played.

    A run that retries another continues where that one stopped; episodes that the endpoint spoiled are
    repeated.
    """
    done = set(run.trajectories.values_list("agent", "task_id", "seed"))
    before = run.retry_of
    while before is not None:
        played = before.trajectories.exclude(stop_reason="infrastructure_error")
        done |= set(played.values_list("agent", "task_id", "seed"))
        before = before.retry_of
    return [
        (agent, task, seed)
        for agent in request.agents
        for task in request.tasks
        for seed in request.seeds
        if (recorded_name(agent), task, seed) not in done
    ]
