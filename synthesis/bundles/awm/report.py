"""Report: what is in a folder of the Agent World Model's format, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pydantic import Field

from synthesis.bundles.awm.application import load_application
from synthesis.bundles.awm.folder import AwmScenario, read_awm_folder
from synthesis.bundles.awm.routes import routes
from synthesis.bundles.awm.trial import ScenarioTrial, try_scenario
from synthesis.documents.document import Document
from synthesis.documents.environment import Draft, Origin, Provenance
from synthesis.documents.finding import Finding
from synthesis.documents.scenario import MAX_SENTENCE, Scenario
from synthesis.documents.seed_data import Actor, SeedData
from synthesis.documents.tasks import Task, TaskOutline, TaskOutlines, Tasks
from synthesis.documents.tools import Toolset
from synthesis.documents.verifiers import Verifier, Verifiers

_PARTS = ("scenario", "outlines", "schema", "seed_data", "tools", "tasks", "verifiers")
_SHORTEST, _LONGEST = 10, 4_000
"""Characters of an instruction."""


class AwmReport(Document):
    """One scenario of a folder: its sizes, what is wrong, and what of it can be built upon."""

    name: str
    title: str
    tables: int
    rows: int
    tools: tuple[str, ...]
    tasks: int
    verifiers: int
    verifiers_tried: int
    idle_passes: tuple[int, ...]
    """Indices of tasks whose verifier accepts an agent that did nothing."""
    findings: tuple[Finding, ...]
    draft: Draft = Field(exclude=True)
    """Every part that can be built; where none is missing, an environment whose tools are the routes."""

    @property
    def blocked(self) -> bool:
        """Whether something is wrong that a trainer would meet."""
        return any(finding.blocks for finding in self.findings)


def inspect_awm(
    folder: Path,
    *,
    on_report: Callable[[AwmReport], None] | None = None,
) -> tuple[AwmReport, ...]:
    """Read, build and try every scenario of a folder; nothing in it is trusted.

    Args:
        folder: Holds gen_envs.jsonl and the files beside it.
        on_report: Told each report as it is made.

    Raises:
        InvalidBundle: It is no such folder.
        SandboxUnavailable: This host cannot run generated code.
    """
    reports = []
    for scenario in read_awm_folder(folder).values():
        reports.append(report := report_on(scenario, hosted=False))
        if on_report is not None:
            on_report(report)
    return tuple(reports)


def report_on(scenario: AwmScenario, *, hosted: bool) -> AwmReport:
    """Build and try one scenario.

    Args:
        scenario: What a folder says about it; findings are added.
        hosted: Whether its application is loaded too, which takes FastAPI.

    Raises:
        SandboxUnavailable: This host cannot run generated code.
    """
    tools = tuple(route.operation for route in routes(scenario))
    toolset = load_application(scenario) if hosted else None
    trial = try_scenario(scenario)
    _note_long_tasks(scenario)
    return AwmReport(
        name=scenario.key,
        title=scenario.title,
        tables=len(trial.schema.tables) if trial.schema else 0,
        rows=sum(len(rows) for rows in trial.rows.values()),
        tools=tools,
        tasks=len(scenario.tasks),
        verifiers=len(scenario.verifiers),
        verifiers_tried=trial.tried_verifiers,
        idle_passes=trial.idle_passes,
        findings=tuple(scenario.findings),
        draft=_draft(scenario, trial, toolset),
    )


def _note_long_tasks(scenario: AwmScenario) -> None:
    long = [str(index) for index, text in enumerate(scenario.tasks) if len(text) > _LONGEST]
    if long:
        scenario.finding(
            "tasks",
            "every_instruction_is_kept_whole",
            f"The text of task {', '.join(long)} is longer than {_LONGEST:,} characters; the rest is lost.",
            severity="warning",
        )


def _draft(scenario: AwmScenario, trial: ScenarioTrial, toolset: Toolset | None) -> Draft:
    actor = (
        Actor(table="users", key=1)
        if any(row.get("id") == 1 for row in trial.rows.get("users", ()))
        else None
    )
    texts = {f"task_{index}": text for index, text in enumerate(scenario.tasks) if len(text) >= _SHORTEST}
    tasks = tuple(_task(id, text) for id, text in texts.items() if id in trial.verifiers)
    verifiers = tuple(Verifier(task_id=task.id, source=trial.verifiers[task.id]) for task in tasks)
    origin = Origin(source=f"Agent World Model: {scenario.title}")
    return Draft(
        scenario=Scenario(
            name=scenario.name,
            title=scenario.title[:120],
            category="imported",
            description=(scenario.description or scenario.title)[:MAX_SENTENCE],
            clock=scenario.clock,
        ),
        outlines=TaskOutlines(outlines=tuple(_outline(id, text) for id, text in texts.items())),
        schema=trial.schema,
        seed_data=SeedData(rows=trial.rows, actor=actor) if trial.schema else None,
        tools=toolset,
        tasks=Tasks(tasks=tasks) if tasks else None,
        verifiers=Verifiers(verifiers=verifiers) if verifiers else None,
        provenance={part: Provenance(author="awm", origin=origin) for part in _PARTS},
    )


def _outline(id: str, text: str) -> TaskOutline:
    return TaskOutline(id=id, instruction=text[:_LONGEST], kind="mixed", difficulty="medium")


def _task(id: str, text: str) -> Task:
    """A task without a reference solution: the format has none."""
    return Task(
        id=id,
        instruction=text[:_LONGEST],
        kind="mixed",
        difficulty="medium",
        min_calls=0,
        reference_solution=(),
        reference_answer="",
    )
