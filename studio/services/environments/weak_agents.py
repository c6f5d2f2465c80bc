"""Weak agents: which scripted agents of a known weakness failed on which tasks of a revision."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from studio.models import Revision
from studio.services.environments import proofs
from studio.services.errors import Missing
from synthesis.documents.tasks import Task

CLAIM = "weak_agents_fail"
DIFFICULTIES = ("easy", "medium", "hard")


@dataclass(frozen=True)
class WeakAgentRun:
    """One agent on one task."""

    weakness: str
    agent: str
    """What it does wrong: "takes the first row listed"."""
    failed: bool
    """Whether it failed, as it must."""


@dataclass(frozen=True)
class WeakAgentRow:
    """One agent on all tasks on which its weakness matters."""

    agent: str
    cells: tuple[tuple[int, int], ...]
    """By difficulty from easy to hard: runs that failed, and runs."""

    @property
    def failed(self) -> int:
        """Runs that failed, as all must."""
        return sum(failed for failed, _ in self.cells)

    @property
    def runs(self) -> int:
        """All runs."""
        return sum(runs for _, runs in self.cells)


@dataclass(frozen=True)
class WeakAgentSummary:
    """What the proof of a revision found about weak agents; empty where it tried none."""

    by_task: Mapping[str, list[WeakAgentRun]] = field(default_factory=dict)
    rows: tuple[WeakAgentRow, ...] = ()


def summary_of(revision: Revision, tasks: Iterable[Task]) -> WeakAgentSummary:
    """Runs of weak agents by task, and how many failed by agent and difficulty.

    Args:
        revision: Whose latest report is read.
        tasks: Its tasks.
    """
    try:
        trials = proofs.result_of(revision, CLAIM).trials
    except Missing:
        return WeakAgentSummary()
    by_task: dict[str, list[WeakAgentRun]] = {}
    for trial in trials:
        agent = trial["description"].removeprefix("an agent that ")
        run = WeakAgentRun(trial["kind"], agent, trial["outcome"] == "refused")
        by_task.setdefault(trial["subject"], []).append(run)
    difficulty = {task.id: task.difficulty for task in tasks}
    runs = [(difficulty.get(task), run) for task, own in by_task.items() for run in own]
    agents = {run.weakness: run.agent for _, run in runs}
    return WeakAgentSummary(
        by_task, tuple(_row(weakness, agents[weakness], runs) for weakness in sorted(agents))
    )


def _row(weakness: str, agent: str, runs: Sequence[tuple[str | None, WeakAgentRun]]) -> WeakAgentRow:
    own = [(level, run.failed) for level, run in runs if run.weakness == weakness]
    return WeakAgentRow(
        agent,
        tuple(
            (sum(failed for at, failed in own if at == level), sum(at == level for at, _ in own))
            for level in DIFFICULTIES
        ),
    )
