"""Report: what is in a folder of the Agent World Model's format, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pydantic import Field

from synthesis.bundles.awm.folder import AwmScenario, read_awm_folder
from synthesis.bundles.awm.routes import routes
from synthesis.bundles.awm.trial import CLOCK, ScenarioTrial, try_scenario
from synthesis.documents.document import Document
from synthesis.documents.environment import Draft, Provenance
from synthesis.documents.finding import Finding
from synthesis.documents.scenario import MAX_SENTENCE, Scenario
from synthesis.documents.seed_data import Actor, SeedData
from synthesis.documents.tasks import TaskOutline, TaskOutlines


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
    """Scenario, outlines of the tasks, schema and rows. Tools and verifiers are to be rewritten: they
    are a web server over a database file, which the sandbox does not run."""

    @property
    def blocked(self) -> bool:
        """Whether something is wrong that a trainer would meet."""
        return any(finding.blocks for finding in self.findings)


def inspect_awm(
    folder: Path, *, on_report: Callable[[AwmReport], None] | None = None
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
        reports.append(report := _report(scenario))
        if on_report is not None:
            on_report(report)
    return tuple(reports)


def _report(scenario: AwmScenario) -> AwmReport:
    tools = tuple(route.operation for route in routes(scenario))
    trial = try_scenario(scenario)
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
        draft=_draft(scenario, trial),
    )


def _draft(scenario: AwmScenario, trial: ScenarioTrial) -> Draft:
    actor = (
        Actor(table="users", key=1)
        if any(row.get("id") == 1 for row in trial.rows.get("users", ()))
        else None
    )
    outlines = [
        TaskOutline(id=f"task_{index}", instruction=text[:4_000], kind="mixed", difficulty="medium")
        for index, text in enumerate(scenario.tasks)
        if len(text) >= 10
    ]
    parts = ("scenario", "outlines", "schema", "seed_data")
    return Draft(
        scenario=Scenario(
            name=scenario.key if scenario.key[:1].isalpha() else f"awm_{scenario.key}",
            title=scenario.title[:120],
            category="imported",
            description=(scenario.description or scenario.title)[:MAX_SENTENCE],
            clock=CLOCK,
        ),
        outlines=TaskOutlines(outlines=tuple(outlines)),
        schema=trial.schema,
        seed_data=SeedData(rows=trial.rows, actor=actor) if trial.schema else None,
        provenance={part: Provenance(author="awm") for part in parts},
    )
