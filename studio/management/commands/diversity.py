"""`manage.py diversity`: how large, how hard and how different the environments are."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from rich.console import Console
from rich.table import Table

from studio.services.environments import diversity
from synthesis.cli.console import escaping
from synthesis.diversity import AWM, TITLES


class Command(BaseCommand):
    help = "Measure the environments' difficulty and diversity, compared with AWM's published figures."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--category", default="", help="only environments of this category")
        parser.add_argument("--json", action="store_true", help="print the report as one JSON object")

    def handle(self, *_: Any, **options: Any) -> None:
        diversity.measure_missing(category=options["category"])
        diversity_report = diversity.report(category=options["category"])
        if options["json"]:
            self.stdout.write(json.dumps(diversity_report.diversity.model_dump(mode="json")))
            return
        _show(escaping(Console()), diversity_report)


def _show(console: Console, result: diversity.DiversityReport) -> None:
    report = result.diversity
    table = Table("Figure", "Mean", "Median", "Top decile", "AWM's mean")
    for name, spread in report.sizes.items():
        published = f"{AWM[name]['mean']:g}" if name in AWM else "-"
        table.add_row(
            TITLES[name], f"{spread.mean:g}", f"{spread.median:g}", f"{spread.top_decile:g}", published
        )
    console.print(table)
    if report.environments < 2:
        count = "1 environment" if report.environments else "No environment"
        console.print(f"{count}: overlap is measured from two environments on.")
        return
    console.print(
        f"{report.environments} environments in {len(report.categories)} "
        f"{'category' if len(report.categories) == 1 else 'categories'}; mean Jaccard index of "
        f"tool names {report.tool_jaccard:.4f}, of columns {report.column_jaccard:.4f}; "
        f"{report.duplicate_schemas} share a schema; {report.duplicate_functions} of {report.functions} "
        "tools have code that also occurs elsewhere."
    )
