"""`worldwright import-awm`: environments of the Agent World Model as bundles, proved like any other."""

from __future__ import annotations

import argparse

from synthesis.bundles.awm.importing import REPORT, AwmImportOptions, ImportLine
from synthesis.bundles.awm.importing import import_awm as import_folder
from synthesis.cli.console import console, print_json


def import_awm(arguments: argparse.Namespace) -> int:
    """Import a folder; 1 when something in it was refused or could not be read."""
    options = AwmImportOptions(jobs=arguments.jobs, prove=not arguments.no_proof, repair=arguments.repair)
    on_line = None if arguments.json else _show
    lines, problems = import_folder(arguments.folder, arguments.out, options, on_line=on_line)
    refused = [line for line in lines if line.status == "refused"]
    if arguments.json:
        shown = [line.model_dump(mode="json") for line in lines]
        print_json({"environments": shown, "unreadable": list(problems)})
    else:
        for problem in problems:
            console().print(problem, markup=False)
        console().print(
            f"{len(lines) - len(refused)} of {len(lines)} environments are in {arguments.out}; "
            f"what was found in each is in {arguments.out / REPORT}.",
            markup=False,
        )
    return 1 if refused or problems else 0


def _show(line: ImportLine) -> None:
    if line.status == "refused":
        console().print(f"{line.name}: refused: {line.reason}", markup=False)
        return
    proof = "" if line.claims_passed is None else f", {line.claims_passed} of {line.claims} claims passed"
    console().print(
        f"{line.name}: {line.tables} tables, {line.rows} rows, {line.tools} tools, {line.tasks} tasks, "
        f"{len(line.findings)} findings, {line.idle_passes} verifiers pass an idle agent{proof}",
        markup=False,
    )
