"""`worldwright export-awm`: bundles as one folder of the Agent World Model's format."""

from __future__ import annotations

import argparse

from synthesis.bundles.awm.exporting import AwmExportLine
from synthesis.bundles.awm.exporting import export_awm as export_folder
from synthesis.bundles.open import open_bundle
from synthesis.cli.console import console, print_json


def export_awm(arguments: argparse.Namespace) -> int:
    """Write the folder; 1 when an environment or a task was left out."""
    bundles = (open_bundle(path) for path in arguments.bundles)
    lines = export_folder(bundles, arguments.out, on_line=None if arguments.json else _show)
    left_out = [line for line in lines if line.reason or line.left_out]
    if arguments.json:
        print_json({"environments": [line.model_dump(mode="json") for line in lines]})
    else:
        there = sum(not line.reason for line in lines)
        console().print(f"{there} of {len(lines)} environments are in {arguments.out}.", markup=False)
    return 1 if left_out else 0


def _show(line: AwmExportLine) -> None:
    if line.reason:
        console().print(f"{line.name}: left out: {line.reason}", markup=False)
        return
    console().print(f"{line.name}: {line.tasks} tasks, {line.runs} runs", markup=False)
    for id, reason in line.left_out.items():
        console().print(f"{line.name}: task {id} is left out: {reason}", markup=False)
