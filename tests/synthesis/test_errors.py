"""What errors say."""

from __future__ import annotations

from synthesis.errors import MOST_SUGGESTED, UnknownName


def test_an_unknown_name_lists_the_ones_there_are():
    assert str(UnknownName("agent", "genius", ["random", "chat"])) == (
        "There is no agent named 'genius'. Known: chat, random."
    )
    assert "Known: none." in str(UnknownName("agent", "genius", []))


def test_of_very_many_names_the_nearest_are_listed():
    error = UnknownName("task", "task_5000x", [f"task_{number}" for number in range(10_000)])
    assert "task_5000" in str(error)
    assert f"and {10_000 - MOST_SUGGESTED:,} more" in str(error)
    assert len(str(error)) < 1_000
    assert len(error.known) == 10_000
