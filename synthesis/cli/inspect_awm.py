"""`worldwright inspect-awm`: what a folder in the Agent World Model's format holds and what is wrong."""

from __future__ import annotations

import argparse
from collections import Counter

from synthesis.bundles.awm.report import AwmReport
from synthesis.bundles.awm.report import inspect_awm as inspect_folder
from synthesis.cli.console import console, mark, print_json, table


def inspect_awm(arguments: argparse.Namespace) -> int:
    """Report on every scenario; 1 when a trainer would meet a defect."""
    reports = inspect_folder(arguments.folder)
    if arguments.json:
        print_json({"environments": [report.model_dump(mode="json") for report in reports]})
    else:
        _show(reports, findings=arguments.findings)
    return 1 if any(report.blocked for report in reports) else 0


def _show(reports: tuple[AwmReport, ...], *, findings: int) -> None:
    out = console()
    rows = (
        (
            mark(not report.blocked),
            report.name,
            report.tables,
            report.rows,
            len(report.tools),
            report.tasks,
            f"{report.verifiers_tried}/{report.verifiers}",
            len(report.idle_passes),
            ", ".join(
                f"{count} {check}" for check, count in Counter(f.check for f in report.findings).items()
            ),
        )
        for report in reports
    )
    columns = (
        "",
        "environment",
        "tables",
        "rows",
        "tools",
        "tasks",
        "verifiers run",
        "pass idle",
        "findings",
    )
    out.print(table("AWM environments (tools are read, databases built, verifiers run)", columns, rows))
    for report in reports:
        for finding in report.findings[:findings]:
            place = f" {finding.where}" if finding.where else ""
            out.print(
                f"{report.name} {finding.severity} {finding.part}{place}: {finding.message}", markup=False
            )
        if len(report.findings) > findings:
            out.print(
                f"{report.name}: {len(report.findings) - findings} more (--findings N, --json)", markup=False
            )
