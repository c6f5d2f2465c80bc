"""Rollouts: agents try an environment's tasks, and what they did is kept with its verdict."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from studio.models import EnvironmentRecord, Revision, Run, RunKind, TrajectoryRecord
from studio.services import ladder, runs
from studio.services.environments import load_environment
from studio.services.execution import Hold
from studio.services.providers import provider_for
from studio.services.trajectories import store_trajectory
from synthesis.documents.bundle import JudgedTrajectory
from synthesis.errors import BudgetExhausted, Cancelled, InvalidInput, UnknownName
from synthesis.rollouts.agent import Agent
from synthesis.verification.rewards import RewardTable

MOST_EPISODES = 10_000
CHAT = "chat"
"""The agent that asks a model."""


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
    assert record.current is not None
    known = list(record.elements.filter(kind="task").values_list("name", flat=True))
    _require_agents(agents)
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
        _require_played(judged)
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
    from synthesis.episode import EpisodeLimits
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
    limits = EpisodeLimits(max_steps=settings.ENV["WORLDWRIGHT_MAX_STEPS"])
    with World(load_environment(revision)) as world:
        for agent, task, seed in left:
            yield (
                agent,
                roll_out(
                    world,
                    task,
                    _agent(agent, hold.run),
                    seed=seed,
                    limits=limits,
                    rewards=reward_table(),
                    cancelled=hold.cancelled,
                ),
            )


def reward_table() -> RewardTable:
    """The rewards of the settings."""
    env = settings.ENV
    return RewardTable(
        completed=env["WORLDWRIGHT_REWARD_COMPLETED"],
        partially_completed=env["WORLDWRIGHT_REWARD_PARTIAL"],
        agent_error=env["WORLDWRIGHT_REWARD_AGENT_ERROR"],
        environment_error=env["WORLDWRIGHT_REWARD_ENVIRONMENT_ERROR"],
        format_violation=env["WORLDWRIGHT_REWARD_FORMAT"],
    )


def _require_agents(names: Sequence[str]) -> None:
    from synthesis.rollouts.registry import AGENTS, make_agent

    for name in names:
        if name not in AGENTS and name.partition(":")[0] != "faulty":
            raise UnknownName("agent", name, list(AGENTS))
        if name != CHAT:
            make_agent(name)


def _agent(name: str, run: Run) -> Agent:
    """A new agent; the one that asks a model does so within the run's budget and on its ledger."""
    from synthesis.rollouts.history import SlidingWindow
    from synthesis.rollouts.registry import make_agent

    if name != CHAT:
        return make_agent(name)
    env = settings.ENV
    return make_agent(
        CHAT,
        provider=provider_for(run),
        history=SlidingWindow(env["WORLDWRIGHT_HISTORY_WINDOW"]),
        response_tokens=env["WORLDWRIGHT_RESPONSE_TOKENS"],
        context_tokens=env["WORLDWRIGHT_CONTEXT_TOKENS"],
    )


def _require_played(judged: JudgedTrajectory) -> None:
    """Pass unless the episode was cut off by us; what is cut off says nothing and is not kept.

    Raises:
        Cancelled: Somebody asked to stop.
        BudgetExhausted: The model may not be asked any more for now.
    """
    trajectory = judged.trajectory
    if trajectory.stop_reason == "cancelled":
        raise Cancelled("Stopped in the middle of an episode, which is not kept.")
    kind, _, told = trajectory.error.partition(": ")
    if kind == BudgetExhausted.__name__:
        raise BudgetExhausted(told)


def verdicts_of(run: Run) -> dict[str, dict[str, int]]:
    """How many episodes of a run ended with which label, by agent."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for agent, label in TrajectoryRecord.objects.filter(run=run).values_list("agent", "label"):
        found[agent][label] += 1
    return {agent: dict(labels) for agent, labels in found.items()}
