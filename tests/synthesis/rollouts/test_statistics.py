import itertools
import math

import pytest

from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.trajectory import Trajectory
from synthesis.documents.verdict import Scored, Unscored
from synthesis.errors import InvalidInput
from synthesis.rollouts.statistics import (
    MOST_RESAMPLED,
    TaskResult,
    bootstrap,
    compare,
    compare_results,
    grouped,
    pass_at_k,
    pass_hat_k,
    rates,
    summarize,
    wilson,
)


def judged(task, label, *, steps=(), agent="a"):
    trajectory = Trajectory(
        environment="f" * 64,
        environment_name="clinic",
        task_id=task,
        agent=agent,
        steps=steps,
        stop_reason="answered",
    )
    if label == "unscored":
        return JudgedTrajectory(trajectory=trajectory, verdicts=(Unscored(error="died"),))
    reward = {"completed": 1.0, "partially_completed": 0.1}.get(label, 0.0)
    verdict = Scored(label=label, reward=reward, basis="verifier", share=reward)
    return JudgedTrajectory(trajectory=trajectory, verdicts=(verdict,))


@pytest.mark.parametrize(
    ("episodes", "completed", "k"), [(5, 2, 1), (5, 2, 3), (6, 4, 2), (4, 0, 2), (4, 4, 4)]
)
def test_the_estimators_agree_with_counting_all_draws(episodes, completed, k):
    outcomes = [True] * completed + [False] * (episodes - completed)
    draws = list(itertools.combinations(outcomes, k))
    assert pass_at_k(episodes, completed, k) == pytest.approx(sum(map(any, draws)) / len(draws))
    assert pass_hat_k(episodes, completed, k) == pytest.approx(sum(map(all, draws)) / len(draws))


def test_more_draws_than_tries_are_refused():
    with pytest.raises(InvalidInput, match="k must be from 1"):
        pass_at_k(3, 1, 4)


def test_wilsons_interval_is_the_published_one():
    share_estimate = wilson(8, 10)
    assert (share_estimate.value, round(share_estimate.low, 3), round(share_estimate.high, 3)) == (
        0.8,
        0.490,
        0.943,
    )
    assert wilson(0, 10).low == 0.0
    assert wilson(10, 10).high == pytest.approx(1.0)


def test_a_bootstrap_is_reproducible_and_holds_its_value():
    values = [0.0, 1.0, 1.0, 0.0, 1.0, 1.0]
    one, other = bootstrap(values), bootstrap(values)
    assert one == other
    assert one.low <= one.value <= one.high
    assert one.low < one.high


def test_a_summary_counts_labels_tasks_and_bands():
    rollouts = [
        *(judged("always", "completed") for _ in range(4)),
        *(judged("never", "agent_error") for _ in range(4)),
        *(
            judged("sometimes", label)
            for label in ("completed", "completed", "partially_completed", "agent_error")
        ),
    ]
    summary = summarize(rollouts)
    assert summary.bands == {"always": 1, "never": 1, "sometimes": 1}
    assert summary.pass_at_1.value == pytest.approx(0.5)
    assert summary.pass_at[4].value == pytest.approx(2 / 3)
    assert summary.pass_hat[4].value == pytest.approx(1 / 3)
    assert 8 not in summary.pass_at
    assert summary.mean_reward == pytest.approx((6 + 0.1) / 12)


def test_what_could_not_be_measured_is_left_out_and_never_a_zero():
    summary = summarize([judged("t", "completed"), judged("t", "unscored"), judged("t", "environment_error")])
    assert (summary.rollouts, summary.measured) == (3, 1)
    assert summary.pass_at_1.value == 1.0
    assert summary.labels == {"completed": 1, "unscored": 1, "environment_error": 1}


def test_a_comparison_is_paired_by_task_and_tells_chance_from_skill():
    tasks = [f"t{number}" for number in range(8)]
    bad, good = ([judged(t, label) for t in tasks] for label in ("agent_error", "completed"))
    comparison = compare(bad, good)
    assert (comparison.tasks, comparison.better, comparison.worse, comparison.difference.value) == (
        8,
        8,
        0,
        1.0,
    )
    assert comparison.p_value == pytest.approx(2 / 2**8)
    assert comparison.significant
    assert not compare(good, good).significant
    assert math.isclose(compare(good, good).p_value, 1.0)


def test_rollouts_can_be_grouped():
    rollouts = [judged("t", "completed", agent="a"), judged("t", "agent_error", agent="b")]
    results = grouped(rollouts, lambda one: one.trajectory.agent)
    assert {name: summary.pass_at_1.value for name, summary in results.items()} == {"a": 1.0, "b": 0.0}


def test_rates_from_counts_are_those_of_the_rollouts():
    rollouts = [judged("a", "completed"), judged("a", "agent_error"), judged("b", "completed")]
    counts = [
        TaskResult(task_id="a", episodes=2, completed=1),
        TaskResult(task_id="b", episodes=1, completed=1),
    ]
    whole = summarize(rollouts)
    assert rates([*counts, TaskResult(task_id="c", episodes=0, completed=0)]).pass_at_1 == whole.pass_at_1
    assert rates(counts).pass_at == whole.pass_at


def test_a_comparison_of_counts_is_paired_and_leaves_out_what_one_side_did_not_try():
    first = [TaskResult(task_id=f"t{n}", episodes=4, completed=1) for n in range(10)]
    second = [TaskResult(task_id=f"t{n}", episodes=4, completed=3) for n in range(9)]
    comparison = compare_results(first, [*second, TaskResult(task_id="t9", episodes=0, completed=0)])
    assert (comparison.tasks, comparison.better, comparison.worse) == (9, 9, 0)
    assert comparison.difference.value == pytest.approx(0.5)
    assert comparison.significant


def test_the_interval_of_many_values_is_that_of_resampling():
    values = [float(n % 3 == 0) for n in range(MOST_RESAMPLED)]
    drawn, computed = bootstrap(values), bootstrap([*values, *values[:2]])
    assert drawn.low == pytest.approx(computed.low, abs=0.01)
    assert drawn.high == pytest.approx(computed.high, abs=0.01)


def test_a_share_of_tasks_tried_once_has_an_interval_even_where_all_failed():
    results = [TaskResult(task_id=f"t{n}", episodes=1, completed=0) for n in range(10)]
    share_estimate = rates(results).pass_at_1
    assert (share_estimate.value, share_estimate.low) == (0.0, 0.0)
    assert 0.2 < share_estimate.high < 0.35
