"""What weak agents do on a composed task leaves another state than its reference solution."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from synthesis.documents.environment import Environment
from synthesis.documents.state_diff import StateDiff
from synthesis.documents.tools import ToolCall
from synthesis.errors import InvalidInput
from synthesis.procedural.business import tasks
from synthesis.procedural.business.author import compose, trial_world
from synthesis.procedural.business.model import Process
from synthesis.procedural.business.play import TaskBuilder, TaskDraft

POTTER = "A potter sells mugs at fairs and teaches evening classes"


def _like_the_reference(environment: Environment) -> list[str]:
    """Tasks that some temptation leaves in the state of the reference solution."""
    with trial_world(environment) as world, world.instance() as instance:

        def left(calls: tuple[ToolCall, ...]) -> StateDiff:
            instance.reset()
            for call in calls:
                instance.call(call.name, dict(call.arguments))
            return instance.diff()

        return [
            task.id
            for task in environment.tasks.tasks
            for temptation in task.temptations
            if left(temptation.calls) == left(task.reference_solution)
        ]


def test_an_extension_that_the_tool_refuses_anyway_is_no_test_of_the_rule() -> None:
    assert _like_the_reference(compose(POTTER, seed=6)) == []


def _completing(goal: Callable[..., TaskDraft]) -> Callable[..., TaskDraft]:
    """A goal on which every weak agent does what its reference solution does."""

    def played(play: TaskBuilder, *process: Process) -> TaskDraft:
        draft = goal(play, *process)
        play.temptations = [each.replace(calls=tuple(play.calls)) for each in play.temptations]
        return draft

    return played


def test_a_task_that_a_weak_agent_completes_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    of_process = {shape: tuple(map(_completing, goals)) for shape, goals in tasks.OF_PROCESS.items()}
    monkeypatch.setattr(tasks, "OF_PROCESS", of_process)
    for name in ("OF_BUSINESS", "OF_CHARGES"):
        monkeypatch.setattr(tasks, name, tuple(map(_completing, getattr(tasks, name))))
    with pytest.raises(InvalidInput, match="0 that change something"):
        compose(POTTER, seed=6)
