"""One contract for every scripted agent, and what each is there for."""

from collections import Counter

import pytest

from synthesis.documents.bundle import JudgedTrajectory
from synthesis.episode import EpisodeLimits
from synthesis.errors import Cancelled, InvalidInput, ProviderUnreachable, UnknownName
from synthesis.rollouts.agent import Agent, AgentDecision
from synthesis.rollouts.faulty import MISTAKES
from synthesis.rollouts.registry import AGENTS, make_agent
from synthesis.rollouts.rollout import roll_out
from synthesis.worlds.arguments import validation_errors

SCRIPTED = [name for name in AGENTS if name not in ("chat", "faulty")] + [
    f"faulty:{kind}" for kind in MISTAKES
]
LATE = "cancel_late_and_waive_fee"


def labels(world, name, **more):
    trajectories = [
        roll_out(world, task.id, make_agent(name), **more) for task in world.environment.tasks.tasks
    ]
    return Counter(judged.verdicts[0].label for judged in trajectories)


@pytest.mark.parametrize("name", SCRIPTED)
def test_every_agent_plays_an_episode_to_its_end(clinic_world, name):
    agent = make_agent(name)
    assert isinstance(agent, Agent)
    assert agent.name == name
    judged = roll_out(clinic_world, LATE, agent, seed=5)
    trajectory = judged.trajectory
    assert trajectory.stop_reason == "answered"
    assert (trajectory.agent, trajectory.seed, trajectory.task_id) == (name, 5, LATE)
    assert judged.verdicts[0].label in ("completed", "partially_completed", "agent_error")
    assert JudgedTrajectory.model_validate_json(judged.model_dump_json()) == judged


@pytest.mark.parametrize("name", SCRIPTED)
def test_the_same_seed_plays_the_same_episode_with_the_same_agent_object(clinic_world, name):
    agent = make_agent(name)
    once, again = (roll_out(clinic_world, LATE, agent, seed=7) for _ in range(2))
    assert once.fingerprint == again.fingerprint


@pytest.mark.parametrize("name", SCRIPTED)
def test_agents_keep_within_the_step_limit(clinic_world, name):
    judged = roll_out(clinic_world, LATE, make_agent(name), limits=EpisodeLimits(max_steps=3))
    assert len(judged.trajectory.calls) <= 3


def test_the_reference_agent_completes_everything(clinic_world):
    assert labels(clinic_world, "reference") == {"completed": 10}


def test_the_no_op_agent_completes_nothing(clinic_world):
    assert labels(clinic_world, "no-op") == {"agent_error": 10}


def test_the_random_agent_makes_valid_calls_and_completes_nothing(clinic_world, clinic):
    for seed in range(3):
        judged = roll_out(clinic_world, LATE, make_agent("random"), seed=seed)
        assert judged.verdicts[0].label != "completed"
        for call in judged.trajectory.calls:
            assert validation_errors(clinic.tools.tool(call.name).input_schema, call.arguments) == ""


def test_the_explorer_gets_around(clinic_world):
    judged = roll_out(clinic_world, LATE, make_agent("explorer"), limits=EpisodeLimits(max_steps=60))
    reached = {step.action.name for step in judged.trajectory.steps if step.status == "ok"}
    assert len(reached) >= 15


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_planted_mistake_shows_in_the_labels(clinic_world, kind):
    result = labels(clinic_world, f"faulty:{kind}")
    # Doing something twice is refused or changes nothing in some worlds: then it is no mistake.
    assert result["completed"] <= (4 if kind == "repeats" else 0), result


def test_a_failing_endpoint_leaves_the_episode_unscored(clinic_world):
    class Unreachable:
        name, model = "unreachable", "m"

        def begin(self, context):
            pass

        def act(self, observation):
            raise ProviderUnreachable("connection refused")

    judged = roll_out(clinic_world, LATE, Unreachable())
    assert judged.trajectory.stop_reason == "infrastructure_error"
    assert "connection refused" in judged.trajectory.error
    assert judged.verdicts[0].label == "unscored"


def test_an_agent_can_stop_without_an_answer(clinic_world):
    class Stops:
        name, model = "stops", None

        def begin(self, context):
            pass

        def act(self, observation):
            return AgentDecision(stop="token_limit")

    judged = roll_out(clinic_world, LATE, Stops())
    assert judged.trajectory.stop_reason == "token_limit"
    assert judged.verdicts[0].label == "agent_error"


def test_a_rollout_can_be_cancelled(clinic_world):
    judged = roll_out(clinic_world, LATE, make_agent("reference"), cancelled=lambda: True)
    assert judged.trajectory.stop_reason == "cancelled"

    class Interrupted:
        name, model = "interrupted", None

        def begin(self, context):
            pass

        def act(self, observation):
            raise Cancelled("enough")

    assert roll_out(clinic_world, LATE, Interrupted()).trajectory.stop_reason == "cancelled"


def test_each_step_is_told_as_it_is_made(clinic_world):
    messages = []
    judged = roll_out(clinic_world, LATE, make_agent("reference"), on_step=messages.append)
    assert tuple(messages) == judged.trajectory.steps


def test_unknown_agents_mistakes_and_options_are_refused_by_name():
    with pytest.raises(UnknownName, match="no agent named 'robot'"):
        make_agent("robot")
    with pytest.raises(UnknownName, match="mistake"):
        make_agent("faulty:typo")
    with pytest.raises(UnknownName):
        make_agent("reference:twice")
    with pytest.raises(InvalidInput, match="colour"):
        make_agent("random", colour="red")


def test_an_unknown_task_is_refused(clinic_world):
    with pytest.raises(UnknownName):
        roll_out(clinic_world, "fly_to_the_moon", make_agent("reference"))


@pytest.mark.parametrize("form", ["text", "structured", "both"])
def test_an_agent_is_told_how_to_answer(clinic_world, form):
    contexts = []
    agent = make_agent("no-op")
    agent.begin = contexts.append
    roll_out(clinic_world, LATE, agent, answer_form=form)
    assert [context.answer_form for context in contexts] == [form]
