"""Summary: what the demonstration made, as a table for people and as one JSON object for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from studio.models import Revision
from studio.services.environments.quality_gates import latest_report
from synthesis.documents.verdict import LABEL_TITLES


@dataclass(frozen=True)
class DemonstrationSummary:
    """The outcome; its fields are the keys of the JSON object."""

    environment: str
    tables: int
    rows: int
    tools: int
    tasks: int
    code_lines: int
    checks: dict[str, bool]
    verdicts: dict[str, dict[str, int]]
    bundle: str
    fingerprint: str
    seconds: float

    def as_json(self) -> dict[str, object]:
        """The object that programs read; labels are called as on the pages, "Completed" and so on."""
        titled = {
            agent: {title: counts[label] for label, title in LABEL_TITLES.items() if label in counts}
            for agent, counts in self.verdicts.items()
        }
        return {**asdict(self), "verdicts": titled}


def checks_of(revision: Revision) -> dict[str, bool]:
    """Every claim tried on a revision, and whether it holds."""
    report = latest_report(revision)
    return {result.claim: result.passed for result in report.results.all()} if report else {}


def show_environment(console: Console, revision: Revision, checks: Mapping[str, bool]) -> None:
    """The environment's sizes and checks."""
    table = Table(title=escape(revision.environment.title), title_justify="left", show_header=False)
    table.add_column(style="bold")
    table.add_column(justify="right")
    for name in ("tables", "rows", "tools", "tasks"):
        table.add_row(name.capitalize(), f"{getattr(revision, name):,}")
    table.add_row("Lines of code", f"{revision.code_lines:,}")
    table.add_row("Claims", f"{sum(checks.values())} of {len(checks)} hold")
    table.add_row("Fingerprint", revision.fingerprint[:16])
    console.print(table)
    for claim, holds in checks.items():
        if not holds:
            console.print(f"  [red]✗[/] {escape(claim)}")


def show_verdicts(console: Console, verdicts: Mapping[str, Mapping[str, int]]) -> None:
    """Labels by agent."""
    table = Table(title="Verdicts on all tasks", title_justify="left")
    table.add_column("Agent", style="bold")
    labels = [label for label in LABEL_TITLES if any(label in counts for counts in verdicts.values())]
    for label in labels:
        table.add_column(LABEL_TITLES[label], justify="right")
    for agent, counts in verdicts.items():
        table.add_row(agent, *(str(counts.get(label, 0)) for label in labels))
    console.print(table)
