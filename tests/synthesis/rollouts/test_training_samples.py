"""Training samples: what is trained is what was run, and only what says something about the agent."""

from __future__ import annotations

from typing import Any

import pytest

from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.trajectory import StopReason, Trajectory
from synthesis.documents.verdict import Scored, Unscored, Verdict
from synthesis.rollouts.history import FullHistory, SlidingWindow
from synthesis.rollouts.training_samples import is_trainable, training_samples

COMPLETED = Scored(label="completed", reward=1.0, basis="verifier", share=1.0)
BROKEN = Scored(label="environment_error", reward=0.0, basis="rules", share=0.0, trainable=False)


def judged(*verdicts: Verdict, stop_reason: StopReason = "answered") -> JudgedTrajectory:
    tried = Trajectory(
        environment="e", environment_name="e", task_id="t", agent="chat", stop_reason=stop_reason
    )
    return JudgedTrajectory(trajectory=tried, verdicts=verdicts)


def conversation(calls: int) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
    for number in range(1, calls + 1):
        messages += [
            {"role": "assistant", "content": f"a{number}"},
            {"role": "tool", "content": f"r{number}"},
        ]
    return [*messages, {"role": "assistant", "content": "done"}]


def contents(messages: tuple[dict[str, Any], ...]) -> str:
    return " ".join(message["content"] for message in messages)


def test_each_turn_is_one_sample_with_the_first_exchange_and_the_latest_window() -> None:
    samples = training_samples(judged(COMPLETED), conversation(5), history=SlidingWindow(2))
    assert [contents(sample.messages) for sample in samples] == [
        "s u a1",
        "s u a1 r1 a2",
        "s u a1 r1 a2 r2 a3",
        "s u a1 r1 a2 r2 a3 r3 a4",
        "s u a1 r1 a3 r3 a4 r4 a5",
        "s u a1 r1 a4 r4 a5 r5 done",
    ]
    assert [(sample.turn, sample.turns) for sample in samples] == [(n, 6) for n in range(1, 7)]


def test_the_loss_is_on_the_reply_alone() -> None:
    for sample in training_samples(judged(COMPLETED), conversation(4)):
        assert len(sample.loss_mask) == len(sample.messages)
        assert sample.loss_mask == (0,) * (len(sample.messages) - 1) + (1,)
        assert sample.messages[-1]["role"] == "assistant"


@pytest.mark.parametrize("policy", [FullHistory(), SlidingWindow(1)], ids=lambda policy: policy.name)
def test_a_turn_is_shown_what_the_same_policy_shows_the_agent_that_plays(policy: Any) -> None:
    messages = conversation(6)
    for sample in training_samples(judged(COMPLETED), messages, history=policy):
        before = messages[: messages.index(sample.messages[-1])]
        assert list(sample.messages[:-1]) == policy.view(before)


@pytest.mark.parametrize(
    "tried",
    [
        judged(),
        judged(Unscored(error="the verifier died")),
        judged(BROKEN),
        judged(COMPLETED, stop_reason="infrastructure_error"),
        judged(COMPLETED, stop_reason="cancelled"),
    ],
    ids=["unmeasured", "unscored", "environment error", "infrastructure", "cancelled"],
)
def test_what_says_nothing_about_the_agent_is_not_trained_on(tried: JudgedTrajectory) -> None:
    assert not is_trainable(tried)
    assert training_samples(tried, conversation(2)) == []


def test_the_first_scored_verdict_decides() -> None:
    assert is_trainable(judged(Unscored(error="no answer"), COMPLETED, BROKEN))
    assert not is_trainable(judged(BROKEN, COMPLETED))
