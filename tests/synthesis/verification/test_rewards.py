import pytest

from synthesis.verification.rewards import RewardTable


def test_the_defaults_are_those_of_awm():
    table = RewardTable()
    assert [
        table.completed,
        table.partially_completed,
        table.agent_error,
        table.environment_error,
        table.format_violation,
    ] == [1.0, 0.1, 0.0, 0.0, -1.0]


def test_it_gives_the_reward_of_each_label():
    table = RewardTable(completed=2.0, partially_completed=0.5)
    assert table.reward("completed") == 2.0
    assert table.reward("partially_completed") == 0.5


def test_an_unscored_episode_has_no_reward():
    with pytest.raises(ValueError, match="no reward"):
        RewardTable().reward("unscored")
