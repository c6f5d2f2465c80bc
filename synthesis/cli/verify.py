"""`worldwright verify`: reference solutions against verifiers, or every claim an environment must meet."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from synthesis.bundles.archive import read_files
from synthesis.bundles.collection import is_collection
from synthesis.bundles.native import SIGNATURE, NativeCodec
from synthesis.cli.console import console, mark, print_json, table
from synthesis.cli.verify_collection import verify_collection
from synthesis.documents.check_report import CheckReport
from synthesis.documents.environment import Environment
from synthesis.documents.tasks import Task
from synthesis.documents.verdict import Scored, Verdict
from synthesis.errors import UnknownName, WorldError
from synthesis.verification import verifier
from synthesis.verification.checks import check_environment
from synthesis.worlds.replay import replay
from synthesis.worlds.world import World


def verify(arguments: argparse.Namespace) -> int:
    """Prove a bundle; 1 when something does not hold."""
    if is_collection(arguments.bundle):
        return verify_collection(arguments)
    files = read_files(arguments.bundle)
    environment = NativeCodec().of_files(files, arguments.bundle).environment
    signer = _signer(files, arguments.bundle, arguments.signed_by)
    if signer is not None and not arguments.json:
        console().print(f"Signed with the Ed25519 key {signer}", markup=False)
    if arguments.prove:
        return _prove(environment, as_json=arguments.json)
    tasks = _chosen(environment, arguments.task)
    with World(environment) as world:
        rows = [_measured(world, task) for task in tasks]
    completed = all(row["label"] == "completed" for row in rows)
    if arguments.json:
        print_json(
            {
                "environment": environment.fingerprint,
                "signed_by": signer,
                "completed": completed,
                "tasks": rows,
            }
        )
    else:
        out = console()
        out.print(
            table(
                f"{environment.scenario.title}: reference solutions",
                ("", "task", "kind", "calls", "verdict", "reward", "ms", "what failed"),
                (
                    (
                        mark(row["label"] == "completed"),
                        row["task"],
                        row["kind"],
                        row["calls"],
                        row["label"],
                        "-" if row["reward"] is None else f"{row['reward']:g}",
                        row["milliseconds"],
                        "; ".join(row["failed"]),
                    )
                    for row in rows
                ),
            )
        )
    return 0 if completed else 1


def _signer(files: Mapping[str, bytes], path: Path, key: Path | None) -> str | None:
    """The key that signed the bundle, checked; None for one without a signature, where none is asked for."""
    if key is None and SIGNATURE not in files:
        return None  # without the extra that signatures need
    from synthesis.bundles.signature import refuse_other_signer, signer_of_files

    signer = signer_of_files(files)
    if key is not None:
        refuse_other_signer(signer, path, key)
    return signer


def _chosen(environment: Environment, ids: list[str] | None) -> list[Task]:
    known = {task.id: task for task in environment.tasks.tasks}
    for id in ids or ():
        if id not in known:
            raise UnknownName("task", id, list(known))
    return [task for task in known.values() if not ids or task.id in ids]


def _measured(world: World, task: Task) -> dict[str, Any]:
    """Play one reference solution and measure it."""
    started = time.perf_counter()
    failed: list[str] = []
    with world.instance(seed=0) as instance:
        try:
            results = replay(instance, task.reference_solution)
            failed += [
                f"call {number} ({call.name}): {result.message}"
                for number, (call, result) in enumerate(
                    zip(task.reference_solution, results, strict=True), start=1
                )
                if not result.ok
            ]
            verdict = verifier.verify(world, task.id, world.base, instance.snapshot(), task.reference_answer)
        except WorldError as error:
            failed.append(str(error))
            verdict = None
    return {
        "task": task.id,
        "kind": task.kind,
        "calls": len(task.reference_solution),
        "label": verdict.label if verdict else "unscored",
        "reward": verdict.reward if verdict else None,
        "milliseconds": round((time.perf_counter() - started) * 1000, 1),
        "failed": failed + _error_texts(verdict),
    }


def _error_texts(verdict: Verdict | None) -> list[str]:
    if verdict is None:
        return []
    if isinstance(verdict, Scored):
        return [outcome.name for outcome in verdict.outcomes if not outcome.passed]
    return [verdict.error]


def _show_tasks(report: CheckReport) -> None:
    """Per task, what its verifier refused and accepted."""
    proofs = report.by_task()
    if proofs:
        console().print(
            table(
                "verifiers",
                ("task", "near-misses rejected", "equivalent solutions accepted"),
                (
                    (name, f"{one.refused} of {one.mutants}", f"{one.accepted} of {one.equivalents}")
                    for name, one in proofs.items()
                ),
            )
        )


def _show_questions(report: CheckReport) -> None:
    """What people are asked, the most doubtful first."""
    for number, question in enumerate(report.questions, start=1):
        console().print(f"Question {number}: {question.text}\n    {question.because}", markup=False)


def _prove(environment: Environment, *, as_json: bool) -> int:
    out = console()

    def show(result: Any) -> None:
        out.print(f"{mark(result.passed)} {result.claim}", *(f"{k}={v}" for k, v in result.figures.items()))
        for finding in result.findings:
            out.print(
                f"    {finding.severity} {finding.part} {finding.where}: {finding.message}", markup=False
            )

    report = check_environment(environment, on_result=None if as_json else show)
    if as_json:
        print_json(
            {
                **report.model_dump(mode="json"),
                "passed": report.passed,
                "tool_contract_score": report.contract_score,
                "strength": report.strength,
                "tasks": {name: proof.model_dump() for name, proof in report.by_task().items()},
            }
        )
    else:
        _show_tasks(report)
        _show_questions(report)
    return 0 if report.passed else 1
