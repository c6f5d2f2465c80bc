"""`worldwright verify` of a collection: its digests, its bundles and whose it is."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from synthesis.bundles.collection import Checked, OpenCollection, open_collection
from synthesis.cli.console import console, mark, print_json, table
from synthesis.verification.checks import check_environment


def verify_collection(arguments: argparse.Namespace) -> int:
    """Check a collection; 1 when something in it is not what its index says, or does not hold."""
    with open_collection(arguments.bundle) as collection:
        signer = _signer(collection, arguments.bundle, arguments.signed_by)
        if signer is not None and not arguments.json:
            console().print(f"Signed with the Ed25519 key {signer}", markup=False)
        problems = list(collection.problems())
        rows = [_row(checked, prove=arguments.prove) for checked in collection.bundles()]
        title = collection.index.title
    sound = not problems and not any(row["problem"] for row in rows)
    if arguments.json:
        print_json(
            {"title": title, "signed_by": signer, "sound": sound, "problems": problems, "bundles": rows}
        )
        return 0 if sound else 1
    columns = ("name", "split", "tasks", "licence", "waivers", "problem")
    shown = ((mark(not row["problem"]), *(row[column] for column in columns)) for row in rows)
    console().print(table(f"{title}: {len(rows)} environments", ("", "environment", *columns[1:]), shown))
    for problem in problems:
        console().print(problem, markup=False)
    return 0 if sound else 1


def _signer(collection: OpenCollection, path: Path, key: Path | None) -> str | None:
    """The key that signed the index, checked; None where there is no signature and none is asked for."""
    if key is None and collection.signature is None:
        return None  # without the extra that signatures need
    from synthesis.bundles.signature import refuse_other_signer, signer_of_collection

    signer = signer_of_collection(collection)
    if key is not None:
        refuse_other_signer(signer, path, key)
    return signer


def _row(checked: Checked, *, prove: bool) -> dict[str, Any]:
    entry, environment, problem = checked.entry, checked.environment, checked.problem
    if environment is not None and prove:
        failed = [result.claim for result in check_environment(environment).results if not result.passed]
        problem = f"fails {', '.join(failed)}" if failed else ""
    return {
        "name": entry.name,
        "split": entry.split,
        "tasks": len(environment.tasks.tasks) if environment else 0,
        "licence": entry.licence,
        "waivers": len(entry.waivers),
        "problem": problem,
    }
