"""`worldwright inspect`: what a bundle holds."""

from __future__ import annotations

import argparse
from typing import Any

from rich.console import Console
from rich.text import Text

from synthesis.bundles.open import open_bundle
from synthesis.cli.console import console, mark, print_json, table
from synthesis.documents.bundle import Bundle
from synthesis.documents.verdict import LABEL_TITLES


def inspect(arguments: argparse.Namespace) -> int:
    """Show a bundle; opening it already proved that it is whole."""
    bundle = open_bundle(arguments.bundle)
    if arguments.json:
        print_json(summary(bundle))
    else:
        _show(bundle, console())
    return 0


def summary(bundle: Bundle) -> dict[str, Any]:
    """A bundle in figures and names."""
    environment = bundle.environment
    return {
        "name": environment.name,
        "title": environment.scenario.title,
        "category": environment.scenario.category,
        "licence": environment.scenario.licence,
        "clock": environment.scenario.clock.isoformat(),
        "fingerprint": environment.fingerprint,
        "parts": {name: part.fingerprint for name, part in environment.parts().items()},
        "counts": environment.counts,
        "code_lines": environment.code_lines,
        "tables": {
            table.name: len(environment.seed_data.rows.get(table.name, ()))
            for table in environment.schema.tables
        },
        "tools": {tool.name: tool.mutates_state for tool in environment.tools.tools},
        "tasks": {task.id: task.kind for task in environment.tasks.tasks},
        "checks": {result.claim: result.passed for result in bundle.report.results}
        if bundle.report
        else None,
        "checks_are_current": bundle.report.environment == environment.fingerprint if bundle.report else None,
        "reviews": [
            {
                "decision": review.decision,
                "reviewer": review.reviewer,
                "current": review_is_current(bundle, i),
            }
            for i, review in enumerate(bundle.reviews)
        ],
        "trajectories": len(bundle.trajectories),
        "manifest": bundle.manifest is not None,
    }


def review_is_current(bundle: Bundle, index: int) -> bool:
    """Whether a review still covers every part as it is now."""
    parts = {name: part.fingerprint for name, part in bundle.environment.parts().items()}
    return bundle.reviews[index].covers == parts


def _show(bundle: Bundle, out: Console) -> None:
    environment, details = bundle.environment, summary(bundle)
    scenario = environment.scenario
    named = f"({scenario.name}, {scenario.category}, {scenario.licence})"
    out.print(Text(scenario.title, style="bold"), named, markup=False)
    out.print(scenario.description, markup=False)
    out.print(f"clock {scenario.clock.isoformat()}  fingerprint {environment.fingerprint}\n", markup=False)
    counts = {**environment.counts, "lines of code": environment.code_lines}
    out.print(", ".join(f"{count} {name}" for name, count in counts.items()) + "\n", markup=False)
    out.print(table("Tables", ("table", "rows"), details["tables"].items()))
    tools = environment.tools.tools
    out.print(
        table(
            "Tools",
            ("tool", "writes", "what it does"),
            (
                (tool.name, "yes" if tool.mutates_state else "", tool.description.splitlines()[0])
                for tool in tools
            ),
        )
    )
    out.print(
        table(
            "Tasks",
            ("task", "kind", "difficulty", "calls", "instruction"),
            (
                (task.id, task.kind, task.difficulty, len(task.reference_solution), task.instruction)
                for task in environment.tasks.tasks
            ),
        )
    )
    _show_evidence(bundle, details, out)


def _show_evidence(bundle: Bundle, details: dict[str, Any], out: Console) -> None:
    if bundle.report is None:
        out.print("It has not been proved yet: run worldwright verify --prove BUNDLE")
    else:
        stale = "" if details["checks_are_current"] else " (of an earlier version of this environment)"
        rows = ((mark(result.passed), result.claim, len(result.findings)) for result in bundle.report.results)
        out.print(table(f"Checks{stale}", ("", "claim", "findings"), rows))
    for review in details["reviews"]:
        stale = "" if review["current"] else " (of an earlier version)"
        out.print(
            f"Review: {review['decision']} by {review['reviewer'] or 'a reviewer'}{stale}", markup=False
        )
    if bundle.trajectories:
        episodes = (
            (
                number,
                judged.trajectory.task_id,
                judged.trajectory.agent,
                len(judged.trajectory.steps),
                ", ".join(LABEL_TITLES[verdict.label] for verdict in judged.verdicts),
            )
            for number, judged in enumerate(bundle.trajectories, start=1)
        )
        out.print(table("Trajectories", ("", "task", "agent", "steps", "verdicts"), episodes))
