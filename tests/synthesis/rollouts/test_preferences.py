"""Preferences: pairs of different rewards, bounded, and the same whatever the order."""

from __future__ import annotations

import random

import pytest

from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.trajectory import FinalAnswer, Step, Trajectory
from synthesis.documents.verdict import Scored
from synthesis.errors import InvalidInput
from synthesis.rollouts.preferences import preference_pairs


def tried(
    answer: str,
    reward: float,
    *,
    task: str = "t",
    environment: str = "e",
    trainable: bool = True,
    seed: int = 0,
) -> JudgedTrajectory:
    step = Step(index=1, action=FinalAnswer(text=answer), status="answered")
    trajectory = Trajectory(
        environment=environment,
        environment_name="e",
        task_id=task,
        agent="chat",
        seed=seed,
        steps=(step,),
        stop_reason="answered",
    )
    label = "completed" if reward == 1.0 else "agent_error"
    verdict = Scored(label=label, reward=reward, basis="verifier", share=reward, trainable=trainable)
    return JudgedTrajectory(trajectory=trajectory, verdicts=(verdict,))


def answers(rollouts: list[JudgedTrajectory], **settings: float) -> list[tuple[str, str]]:
    pairs = preference_pairs(rollouts, **settings)  # type: ignore[arg-type]
    return [(pair.chosen.trajectory.answer, pair.rejected.trajectory.answer) for pair in pairs]


def test_the_one_that_earned_more_is_chosen() -> None:
    assert answers([tried("bad", 0.0), tried("good", 1.0)]) == [("good", "bad")]


def test_equal_rewards_make_no_pair() -> None:
    assert answers([tried("one", 1.0), tried("other", 1.0)]) == []
    assert answers([tried("alone", 1.0)]) == []
    assert answers([]) == []


def test_tries_at_another_task_or_in_another_environment_are_never_paired() -> None:
    assert answers([tried("a", 1.0), tried("b", 0.0, task="other")]) == []
    assert answers([tried("a", 1.0), tried("b", 0.0, environment="other")]) == []


def test_what_is_not_for_training_is_left_out() -> None:
    assert answers([tried("a", 1.0), tried("b", 0.0, trainable=False)]) == []


def test_every_pair_of_different_rewards_is_found_once_when_there_is_room() -> None:
    rollouts = [tried(f"{n}", reward) for n, reward in enumerate((1.0, 1.0, 0.5, 0.5, 0.0, 0.0, 0.0))]
    results = answers(rollouts, most_per_task=1_000)
    assert len(results) == len(set(results)) == 2 * 2 + 2 * 3 + 2 * 3


def test_pairs_are_bounded_per_task_and_the_best_meets_the_worst_first() -> None:
    rollouts = [tried(f"{n}", n / 10) for n in range(10)] + [
        tried("x", 1.0, task="u"),
        tried("y", 0.0, task="u"),
    ]
    results = answers(rollouts, most_per_task=3)
    assert results == [("9", "0"), ("8", "1"), ("7", "2"), ("x", "y")]


def test_any_order_of_the_tries_gives_the_same_pairs() -> None:
    rollouts = [tried(f"{n}", (n % 3) / 2, seed=n) for n in range(30)]
    shuffled = random.Random(7).sample(rollouts, len(rollouts))
    assert answers(rollouts) == answers(shuffled)


def test_tries_that_did_and_said_the_same_count_once() -> None:
    rollouts = [tried("good", 1.0, seed=n) for n in range(5)] + [tried("bad", 0.0, seed=n) for n in range(5)]
    assert answers(rollouts) == [("good", "bad")]


def test_a_margin_leaves_out_what_is_too_close() -> None:
    rollouts = [tried("good", 1.0), tried("fair", 0.9), tried("bad", 0.0)]
    assert set(answers(rollouts, least_margin=0.5)) == {("good", "bad"), ("fair", "bad")}


@pytest.mark.parametrize("settings", [{"most_per_task": 0}, {"least_margin": -0.1}])
def test_settings_that_make_no_sense_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(InvalidInput, match="At least 1 pair per task"):
        answers([], **settings)
