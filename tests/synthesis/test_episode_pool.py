"""Hosts of a pool are processes of their own; their episodes are those of `Episode`, lost ones replaced."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from synthesis import episode_host
from synthesis.documents.environment import Environment
from synthesis.documents.tasks import Task
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import FinalAnswer
from synthesis.documents.verdict import Scored
from synthesis.episode import Episode, EpisodeLimits, Observed
from synthesis.episode_host import ProcessHost, portable
from synthesis.episode_pool import EpisodePool, PooledEpisode
from synthesis.errors import BrokenEnvironment, CapacityExhausted, HostLost, InvalidInput, UnknownName
from synthesis.llm.openai_compatible import OpenAICompatible
from synthesis.llm.retrying import Retrying
from synthesis.rollouts.chat import ChatAgent
from synthesis.rollouts.no_op import NoOpAgent
from synthesis.rollouts.reference import ReferenceAgent
from synthesis.rollouts.rollout import roll_out
from synthesis.worlds.world import World
from tests.openai_server import OpenAIServer

pytestmark = pytest.mark.slow
"""They start processes and wait for them."""

READ = "read_total_owed"
MOVE = "move_cardiology_follow_up"


@pytest.fixture(scope="module")
def pool(clinic_path: Path) -> Iterator[EpisodePool]:
    with EpisodePool([clinic_path], hosts=2, capacity=2, isolation="shared") as pool:
        yield pool


def played(episode: PooledEpisode | Episode, task: Task, seed: int = 0) -> float | None:
    episode.reset(seed)
    for call in task.reference_solution:
        episode.step(call)
    return episode.step(FinalAnswer(text=task.reference_answer))[1]


def without_seconds(observed: Observed) -> tuple[Any, ...]:
    *rest, info = observed
    return (*rest, {**info, "result": info["result"].replace(seconds=0)})


def pids(pool: EpisodePool) -> list[int]:
    handles = [place.handle for place in pool._places]
    assert all(isinstance(handle, ProcessHost) for handle in handles)
    return [handle.pid for handle in handles]  # type: ignore[attr-defined]


def test_episodes_of_a_pool_are_those_of_this_process(pool: EpisodePool, clinic: Environment) -> None:
    task = clinic.task(MOVE)
    assert task is not None
    with (
        World(clinic, isolation="shared") as world,
        Episode(world, MOVE) as here,
        pool.episode(MOVE) as there,
    ):
        assert here.reset(5) == there.reset(5)
        for call in task.reference_solution:
            assert without_seconds(here.step(call)) == without_seconds(there.step(call))
        answer = FinalAnswer(text=task.reference_answer)
        assert here.step(answer)[:4] == (ended := there.step(answer))[:4]
    assert ended[1] == 1.0
    assert isinstance(ended[4]["verdict"], Scored)


def test_every_task_is_rewarded_and_an_idle_agent_is_not(pool: EpisodePool) -> None:
    for task in pool.tasks["clinic_front_desk"]:
        with pool.episode(task.id) as episode:
            assert played(episode, task) == 1.0
        with pool.episode(task.id) as episode:
            episode.reset()
            assert episode.step(FinalAnswer(text=""))[1] == 0.0


def test_episodes_go_where_the_fewest_are_and_wait_while_all_are_full(pool: EpisodePool) -> None:
    episodes = [pool.episode(READ) for _ in range(4)]
    assert [host.episodes for host in pool.health] == [2, 2]
    with pytest.raises(CapacityExhausted, match="2 hosts have 2 episodes each open"):
        pool.episode(READ, patience=0.05)
    threading.Timer(0.1, episodes[0].close).start()
    with pool.episode(READ, patience=30) as later:
        assert later.reset()[0]
    for episode in episodes:
        episode.close()
        episode.close()
    assert [host.episodes for host in pool.health] == [0, 0]
    with pytest.raises(InvalidInput, match="The episode is closed"):
        episodes[0].reset()


class LocalAgent(ReferenceAgent):
    """Stands in a module that hosts cannot import: they know the tests by no name."""


def test_whole_episodes_are_played_on_a_host_as_in_this_process(
    pool: EpisodePool, clinic: Environment
) -> None:
    with World(clinic, isolation="shared") as world:
        here = roll_out(world, MOVE, ReferenceAgent(), seed=3)
    there = pool.roll_out(MOVE, ReferenceAgent(), seed=3)
    assert there.trajectory.agent == "reference"
    assert [step.action for step in there.trajectory.steps] == [step.action for step in here.trajectory.steps]
    (verdict,) = there.verdicts
    assert isinstance(verdict, Scored)
    assert verdict.reward == 1.0
    (idle,) = pool.roll_out(MOVE, NoOpAgent()).verdicts
    assert isinstance(idle, Scored)
    assert idle.reward == 0.0
    assert [host.episodes for host in pool.health] == [0, 0]


@pytest.mark.parametrize("at_once", [1, 2])
def test_a_group_is_played_in_the_order_of_its_seeds_by_copies_of_the_agent(
    pool: EpisodePool, at_once: int
) -> None:
    agent = ReferenceAgent()
    group = pool.roll_out_group(MOVE, agent, range(3, 6), at_once=at_once)
    assert [judged.trajectory.seed for judged in group] == [3, 4, 5]
    assert group == tuple(pool.roll_out(MOVE, agent, seed=seed) for seed in range(3, 6))
    assert [host.episodes for host in pool.health] == [0, 0]


def test_a_group_waits_for_a_host_with_room_for_all_that_are_open_at_once(pool: EpisodePool) -> None:
    taken = [pool.episode(READ) for _ in range(2)]
    assert [host.episodes for host in pool.health] == [1, 1]
    with pytest.raises(CapacityExhausted, match="No host has room for 2 more"):
        pool.roll_out_group(READ, NoOpAgent(), range(4), at_once=2, patience=0.05)
    assert len(pool.roll_out_group(READ, NoOpAgent(), range(4), at_once=1, patience=0.05)) == 4
    for episode in taken:
        episode.close()
    assert len(pool.roll_out_group(READ, NoOpAgent(), range(4), at_once=2, patience=0.05)) == 4


def test_a_group_without_seeds_or_larger_than_a_host_is_refused(pool: EpisodePool) -> None:
    for seeds, at_once in ((range(0), 1), (range(2), 0), (range(9), 3)):
        with pytest.raises(InvalidInput, match="at least one seed and from 1 to 2 episodes at once"):
            pool.roll_out_group(READ, NoOpAgent(), seeds, at_once=at_once)


def test_an_agent_that_cannot_be_sent_to_a_host_is_refused_and_costs_no_host(pool: EpisodePool) -> None:
    unpicklable = ReferenceAgent()
    unpicklable._actions = (action for action in ())
    with pytest.raises(InvalidInput, match="must be picklable"):
        pool.roll_out(READ, unpicklable)
    elsewhere = LocalAgent()
    LocalAgent.__module__, before = "__main__", LocalAgent.__module__
    sys.modules["__main__"].LocalAgent = LocalAgent  # type: ignore[attr-defined]
    try:
        with pytest.raises(InvalidInput, match="must stand in a module that the host can import"):
            pool.roll_out(READ, elsewhere)
    finally:
        LocalAgent.__module__ = before
        del sys.modules["__main__"].LocalAgent  # type: ignore[attr-defined]
    with pytest.raises(UnknownName, match="nowhere"):
        pool.roll_out("nowhere", ReferenceAgent())
    assert [host.replaced for host in pool.health] == [0, 0]


def test_a_host_that_dies_while_it_plays_is_replaced_and_nothing_is_known_of_the_agent(
    clinic_path: Path,
) -> None:
    with EpisodePool([clinic_path], hosts=1, isolation="shared") as pool:
        (pid,) = pids(pool)
        os.kill(pid, signal.SIGSTOP)
        threading.Timer(0.3, os.kill, (pid, signal.SIGKILL)).start()
        with pytest.raises(HostLost):
            pool.roll_out(READ, ReferenceAgent())
        assert pool.health[0].replaced == 1
        (verdict,) = pool.roll_out(READ, ReferenceAgent()).verdicts
        assert isinstance(verdict, Scored)


def test_a_host_that_ends_while_it_starts_is_told_with_what_scripts_forget(
    clinic_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(episode_host, "_serve", print)
    with pytest.raises(HostLost, match=r'ended while it started.*`if __name__ == "__main__":`'):
        EpisodePool([clinic_path], hosts=1)


def test_a_host_that_plays_too_long_is_given_up(clinic_path: Path) -> None:
    with EpisodePool([clinic_path], hosts=1, isolation="shared") as pool:
        os.kill(pids(pool)[0], signal.SIGSTOP)
        with pytest.raises(HostLost, match=r"did not answer within 0\.3 s"):
            pool.roll_out(READ, ReferenceAgent(), seconds=0.3)
        assert [host.episodes for host in pool.health] == [0]


def test_what_a_host_raises_is_raised_here(pool: EpisodePool) -> None:
    with pool.episode(READ, limits=EpisodeLimits(max_steps=1)) as episode:
        with pytest.raises(InvalidInput, match="has not begun"):
            episode.step(FinalAnswer(text="x"))
        episode.reset()
        episode.step(ToolCall(name="nothing"))
        assert episode.step(ToolCall(name="nothing"))[3]
    with pytest.raises(UnknownName, match="nowhere"):
        pool.episode("nowhere")
    with pytest.raises(UnknownName, match="another_desk"):
        pool.episode(READ, environment="another_desk")


def test_a_host_that_dies_is_replaced_and_its_episodes_have_no_verdict(clinic_path: Path) -> None:
    with EpisodePool([clinic_path], hosts=2, isolation="shared") as pool:
        first, second = pool.episode(READ), pool.episode(READ)
        first.reset()
        second.reset()
        os.kill(pids(pool)[0], signal.SIGKILL)
        with pytest.raises(HostLost):
            first.step(ToolCall(name="nothing"))
        assert second.step(ToolCall(name="nothing"))[1] == 0.0
        with pytest.raises(HostLost):
            first.reset()
        first.close()
        assert [(host.episodes, host.replaced) for host in pool.health] == [(0, 1), (1, 0)]
        task = next(task for task in pool.tasks["clinic_front_desk"] if task.id == READ)
        with pool.episode(READ) as another:
            assert played(another, task) == 1.0


def test_a_host_that_died_unnoticed_costs_a_new_episode_nothing(clinic_path: Path) -> None:
    with EpisodePool([clinic_path], hosts=1, isolation="shared") as pool:
        os.kill(pids(pool)[0], signal.SIGKILL)
        with pool.episode(READ) as episode:
            assert episode.reset()[0]
        assert pool.health[0].replaced == 1


def test_a_host_that_hangs_is_given_up(clinic_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("synthesis.episode_host.ANSWER_SECONDS", 0.3)
    with EpisodePool([clinic_path], hosts=1, isolation="shared") as pool:
        episode = pool.episode(READ)
        os.kill(pids(pool)[0], signal.SIGSTOP)
        with pytest.raises(HostLost, match=r"did not answer within 0\.3 s"):
            episode.reset()
        episode.close()


def test_a_closed_pool_leaves_no_process_and_gives_no_episode(clinic_path: Path) -> None:
    pool = EpisodePool([clinic_path], hosts=2, isolation="shared")
    hosts = pids(pool)
    pool.episode(READ).reset()
    pool.close()
    pool.close()
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in hosts) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(Path(f"/proc/{pid}").exists() for pid in hosts)
    with pytest.raises(InvalidInput, match="The pool is closed"):
        pool.episode(READ)


def test_what_cannot_be_a_pool_is_refused_before_a_process_starts(clinic_path: Path) -> None:
    with pytest.raises(InvalidInput, match="at least 1, not 0"):
        EpisodePool([clinic_path], hosts=0)
    with pytest.raises(InvalidInput, match="at least one bundle"):
        EpisodePool([])
    with pytest.raises(InvalidInput, match="Two bundles hold environments named 'clinic_front_desk'"):
        EpisodePool([clinic_path, clinic_path])
    with pytest.raises(InvalidInput, match="nowhere"):
        EpisodePool([clinic_path.with_name("nowhere.zip")])


def test_errors_that_cannot_be_sent_keep_their_words() -> None:
    error = UnknownName("task", "x", ["y"])
    assert isinstance(portable(error), InvalidInput)
    assert str(portable(error)) == str(error)
    broken = BrokenEnvironment("It is broken.", part="tools")
    assert str(portable(broken)) == "It is broken."


@pytest.mark.parametrize("retrying", [False, True])
def test_an_agent_that_asks_an_endpoint_is_sent_to_a_host_with_its_key(
    pool: EpisodePool, retrying: bool
) -> None:
    with OpenAIServer(["Everything stays as it is."], key="secret-of-the-endpoint") as server:
        with_key = OpenAICompatible("m/1", "secret-of-the-endpoint", base_url=server.base_url)
        agent = ChatAgent(Retrying(with_key) if retrying else with_key)
        played_there = pool.roll_out(MOVE, agent)
        assert len(server.seen) >= 1
    (verdict,) = played_there.verdicts
    assert verdict.label == "agent_error"  # by what it said: the model was asked there
    assert "Everything stays as it is." in played_there.trajectory.model_dump_json()


def test_what_was_learnt_of_an_endpoint_goes_along() -> None:
    provider = OpenAICompatible("m/1", "secret", base_url="http://127.0.0.1:1/v1", structured="json_object")
    copy = pickle.loads(pickle.dumps(provider))
    assert (repr(copy), copy.features) == (repr(provider), provider.features)
    assert "secret" not in repr(copy)
