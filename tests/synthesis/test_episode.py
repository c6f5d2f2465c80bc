import pytest

from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import FinalAnswer, Malformed
from synthesis.documents.verdict import Scored, Unscored
from synthesis.episode import Episode, EpisodeLimits
from synthesis.errors import InvalidInput, UnknownName
from synthesis.worlds.replay import replay
from synthesis.worlds.world import World

MOVE = "move_cardiology_follow_up"


@pytest.fixture(scope="module")
def world(clinic):
    with World(clinic) as world:
        yield world


def played(world, *, limits=None, calls=None):
    episode = Episode(world, MOVE, limits=limits)
    episode.reset(seed=3)
    last = None
    for call in episode.task.reference_solution[:calls]:
        last = episode.step(call)
    return episode, last


def test_an_episode_begins_with_the_instruction_the_policy_and_the_tools(world, clinic):
    with Episode(world, MOVE) as episode:
        observation, info = episode.reset()
    assert observation == {"instruction": clinic.task(MOVE).instruction, "policy": clinic.policy.text}
    assert info["tools"] == world.tools


def test_the_reward_comes_with_the_answer(world):
    episode, last = played(world)
    with episode:
        assert last[1:4] == (0.0, False, False)
        _, reward, terminated, truncated, info = episode.step(FinalAnswer(text=episode.task.reference_answer))
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert info["verdict"] is episode.verdict
    assert episode.verdict.label == "completed"


def test_the_trajectory_records_every_step_with_rows_and_hashes(world):
    episode, _ = played(world)
    with episode:
        episode.step(FinalAnswer(text="done"))
        trajectory = episode.trajectory(agent="me", model="none")
    assert [step.index for step in trajectory.steps] == list(range(1, 8))
    assert trajectory.steps[4].changes
    assert trajectory.steps[3].state_hash == world.base.hash
    assert trajectory.steps[4].state_hash != world.base.hash
    assert (trajectory.agent, trajectory.model, trajectory.seed, trajectory.stop_reason) == (
        "me",
        "none",
        3,
        "answered",
    )
    with world.instance(seed=3) as instance:
        results = replay(instance, trajectory.calls)
        assert [result.observation() for result in results] == [
            step.observation for step in trajectory.steps[:-1]
        ]
        assert instance.state_hash() == trajectory.steps[-1].state_hash


def test_a_malformed_action_ends_the_episode_at_once(world):
    episode, _ = played(world, calls=2)
    with episode:
        _, reward, terminated, _, _ = episode.step(Malformed(text="{", error="no JSON"))
        assert (reward, terminated) == (-1.0, True)
        assert isinstance(episode.verdict, Scored)
        assert (episode.verdict.label, episode.verdict.basis) == ("agent_error", "format")
        with pytest.raises(InvalidInput, match="reset"):
            episode.step(FinalAnswer(text="too late"))


def test_too_many_calls_truncate_the_episode(world):
    episode, last = played(world, limits=EpisodeLimits(max_steps=5))
    with episode:
        assert last[2:4] == (False, True)
        assert episode.trajectory(agent="me").stop_reason == "step_limit"
        assert len(episode.trajectory(agent="me").calls) == 5
        assert episode.verdict.label == "partially_completed"


def test_a_reset_begins_anew(world):
    episode, _ = played(world)
    with episode:
        episode.step(FinalAnswer(text="done"))
        episode.reset()
        assert episode.verdict is None
        assert episode.trajectory(agent="me").steps == ()
        assert episode.instance.state_hash() == world.base.hash


@pytest.mark.parametrize("reason", ["infrastructure_error", "cancelled"])
def test_what_the_agent_is_not_to_blame_for_is_unscored(world, reason):
    episode, _ = played(world, calls=1)
    with episode:
        episode.stop(reason, error="the endpoint is down")
        assert isinstance(episode.verdict, Unscored)
        assert "the endpoint is down" in episode.verdict.error
        assert not episode.verdict.trainable


def test_refused_invalid_and_unknown_calls_are_observations(world):
    with Episode(world, MOVE) as episode:
        episode.reset()
        refused, *_ = episode.step(ToolCall(name="get_patient", arguments={"patient_id": 999}))
        invalid, *_ = episode.step(ToolCall(name="get_patient", arguments={}))
        unknown, *_ = episode.step(ToolCall(name="fly", arguments={}))
        statuses = [step.status for step in episode.trajectory(agent="me").steps]
    assert statuses == ["refused", "invalid_arguments", "unknown_tool"]
    assert all("error" in observation for observation in (refused, invalid, unknown))


def test_a_failing_tool_makes_the_episode_an_environment_error(clinic):
    from benchmarks.planted_faults import FAULTS

    fault = next(fault for fault in FAULTS if fault.name == "a tool that returns what is no JSON")
    with World(fault.plant(clinic)) as world, Episode(world, MOVE) as episode:
        episode.reset()
        episode.step(ToolCall(name="find_patients", arguments={"name": "Mara"}))
        episode.step(FinalAnswer(text="It does not work."))
        assert episode.verdict.label == "environment_error"
        assert not episode.verdict.trainable


def test_it_refuses_an_unknown_task_and_steps_before_reset(world):
    with pytest.raises(UnknownName):
        Episode(world, "fly_to_the_moon")
    with pytest.raises(InvalidInput, match="reset"):
        Episode(world, MOVE).step(FinalAnswer())
