"""Rollout: one agent plays one task once, and what it did is recorded and measured."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import JsonValue

from synthesis.documents.answer_form import AnswerForm
from synthesis.documents.briefing import actor_of, actor_text
from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.trajectory import Step, StopReason
from synthesis.episode import Episode, EpisodeLimits
from synthesis.errors import Cancelled, ProviderError, WorldError
from synthesis.rollouts.agent import Agent, AgentContext, Converses
from synthesis.verification.rewards import RewardTable
from synthesis.verification.verifier import task_of
from synthesis.worlds.world import World


def roll_out(
    world: World,
    task_id: str,
    agent: Agent,
    *,
    seed: int = 0,
    limits: EpisodeLimits | None = None,
    rewards: RewardTable | None = None,
    answer_form: AnswerForm = "both",
    cancelled: Callable[[], bool] | None = None,
    on_step: Callable[[Step], None] | None = None,
) -> JudgedTrajectory:
    """Play one episode to its end.

    A failing model endpoint ends it as an infrastructure error and a world that cannot go on as an
    environment
    error, both Unscored: neither says anything about the agent.

    Args:
        world: Where to play.
        task_id: What to do.
        agent: Who plays; told to start over.
        seed: Of the instance and of the agent's choices.
        limits: When to cut off.
        rewards: The reward of each label.
        answer_form: How the agent is to answer, and what of its answer is measured.
        cancelled: Asked before each action; when it says yes, the episode ends as cancelled.
        on_step: Told each step as it was recorded, for live pages.

    Raises:
        UnknownName: The world has no such task.
    """
    speaker = agent if isinstance(agent, Converses) else None
    conversation = (lambda: speaker.conversation(None)) if speaker is not None else None
    with Episode(
        world, task_id, limits=limits, rewards=rewards, answer_form=answer_form, conversation=conversation
    ) as episode:
        try:
            observation, _ = episode.reset(seed)
            agent.begin(context_of(world, task_id, limits=episode.limits, seed=seed, answer_form=answer_form))
            _play(episode, agent, observation, cancelled, on_step)
        except ProviderError as error:
            _stop(episode, "infrastructure_error", f"{type(error).__name__}: {error}")
        except Cancelled as error:
            _stop(episode, "cancelled", str(error))
        except WorldError as error:
            if not episode.begun:  # there is no episode to record: the world itself does not start
                raise
            _stop(episode, "environment_error", str(error))
        assert episode.verdict is not None
        trajectory = episode.trajectory(agent=agent.name, model=agent.model)
        if speaker is not None:
            last = trajectory.steps[-1].observation if trajectory.steps else None
            trajectory = trajectory.model_copy(update={"conversation": speaker.conversation(last)})
        return JudgedTrajectory(trajectory=trajectory, verdicts=(episode.verdict,))


def _stop(episode: Episode, reason: StopReason, error: str) -> None:
    """End an episode that something outside the agent broke; one that is over stays as it is."""
    if not episode.ended:
        episode.stop(reason, error=error)


def context_of(
    world: World, task_id: str, *, limits: EpisodeLimits, seed: int, answer_form: AnswerForm = "both"
) -> AgentContext:
    """What an agent is told about a task of a world.

    Raises:
        UnknownName: The world has no such task.
    """
    environment = world.environment
    task = task_of(world, task_id)
    actor = actor_of(environment)
    return AgentContext(
        task=task,
        policy=environment.policy.text if environment.policy else None,
        tools=world.tools,
        environment_name=environment.name,
        description=environment.scenario.description,
        clock=environment.scenario.clock,
        actor=environment.seed_data.actor,
        actor_text=actor_text(actor) if actor else "",
        answer_form=answer_form,
        limits=limits,
        seed=seed,
    )


def _play(
    episode: Episode,
    agent: Agent,
    observation: JsonValue,
    cancelled: Callable[[], bool] | None,
    on_step: Callable[[Step], None] | None,
) -> None:
    while not episode.ended:
        if cancelled is not None and cancelled():
            episode.stop("cancelled", error="Stopped on request.")
            return
        decision = agent.act(observation)
        if decision.action is None:
            episode.stop(decision.stop or "agent_stopped")
            return
        observation, *_ = episode.step(decision.action, thought=decision.thought, usage=decision.usage)
        if on_step is not None and episode.steps:
            on_step(episode.steps[-1])
