"""Import: every scenario of a folder becomes a bundle of its own, or a line that says why not.

A scenario is hosted as it is: its routes are the tools, its rows those that its statements gave at a fixed
clock, its verifiers are run over the states before and after. What was imported is proved by the same claims
as any other environment. A second run continues where the first was stopped.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Literal

import orjson
from pydantic import ValidationError

from synthesis.bundles import archive
from synthesis.bundles.archive import ANCHOR
from synthesis.bundles.awm.application import repair_routes
from synthesis.bundles.awm.folder import AwmScenario, read_awm_folder
from synthesis.bundles.awm.report import AwmReport, report_on
from synthesis.bundles.native import bundle_files
from synthesis.documents.bundle import Bundle
from synthesis.documents.document import Document, digest
from synthesis.documents.environment import Environment
from synthesis.documents.finding import Finding
from synthesis.errors import InvalidBundle, InvalidDraft, SandboxUnavailable, WorldwrightError
from synthesis.verification.checks import check_environment

REPORT = "report.jsonl"
"""One line per scenario, beside the bundles."""

Status = Literal["imported", "refused"]


class ImportLine(Document):
    """What became of one scenario."""

    name: str
    title: str
    source: str
    """Digest of what the folder says about it; a line of the same digest is not imported again."""
    status: Status
    reason: str = ""
    """Why it was refused."""
    tables: int = 0
    rows: int = 0
    tools: int = 0
    tasks: int = 0
    idle_passes: int = 0
    """Verifiers that accept an agent that did nothing."""
    claims_passed: int | None = None
    """Claims of the proof that hold, of `claims`; None where nothing was proved."""
    claims: int = 0
    repairs: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, kw_only=True)
class AwmImportOptions:
    """How a folder is imported."""

    jobs: int = 1
    """Processes that work at the same time."""
    prove: bool = True
    """Try every claim on each environment, which takes seconds each."""
    repair: bool = False
    """Give routes that would be lost a path of their own."""


def import_awm(
    folder: Path,
    target: Path,
    options: AwmImportOptions,
    *,
    on_line: Callable[[ImportLine], None] | None = None,
) -> tuple[tuple[ImportLine, ...], tuple[str, ...]]:
    """Import every scenario of a folder that was not imported before.

    Args:
        folder: Holds gen_envs.jsonl and the files beside it.
        target: Where bundles and report are written; may hold those of an import that was stopped.
        options: How.
        on_line: Told each new line as it is written.

    Returns:
        The lines of all scenarios in the folder's order, and the lines of its files that could not be read.

    Raises:
        InvalidBundle: It is no such folder.
        SandboxUnavailable: This host cannot run generated code, or FastAPI is not installed.
    """
    problems: list[str] = []
    scenarios = read_awm_folder(folder, on_problem=problems.append)
    if not scenarios:
        raise InvalidBundle(problems[0] if problems else f"{folder / 'gen_envs.jsonl'}: has no scenario.")
    target.mkdir(parents=True, exist_ok=True)
    lines = {key: line for key, line in _known(target).items() if key in scenarios}
    waiting = [
        each
        for each in scenarios.values()
        if each.key not in lines or lines[each.key].source != _digest(each, options)
    ]
    with (target / REPORT).open("ab") as report:
        for line in _imported(waiting, target, options):
            report.write(orjson.dumps(line.model_dump(mode="json")) + b"\n")
            report.flush()
            lines[line.name] = line
            if on_line is not None:
                on_line(line)
    return tuple(lines[key] for key in scenarios), tuple(problems)


def _imported(scenarios: list[AwmScenario], target: Path, options: AwmImportOptions) -> Iterator[ImportLine]:
    work = partial(import_scenario, target=target, options=options)
    if options.jobs == 1 or len(scenarios) < 2:
        yield from map(work, scenarios)
        return
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(work, scenarios)


def import_scenario(scenario: AwmScenario, *, target: Path, options: AwmImportOptions) -> ImportLine:
    """Build, prove and write one scenario; what is wrong with it is in the line.

    Raises:
        SandboxUnavailable: This host cannot run generated code, or FastAPI is not installed.
    """
    source = _digest(scenario, options)
    line = ImportLine(name=scenario.key, title=scenario.title, source=source, status="refused")
    try:
        repairs = repair_routes(scenario) if options.repair else ()
        report = report_on(scenario, hosted=True)
        line = _with_figures(line, report, repairs)
        line = _written(_environment(report), line, target, options)
        return line.model_copy(update={"status": "imported"})
    except SandboxUnavailable:
        raise
    except (WorldwrightError, ValidationError) as error:
        return line.model_copy(update={"reason": str(error)})


def _environment(report: AwmReport) -> Environment:
    """The environment of a report.

    Raises:
        InvalidDraft: Parts are missing or do not fit each other; the text is what was found wrong with them.
    """
    try:
        return report.draft.finish()
    except InvalidDraft as error:
        causes = [finding.message for finding in report.findings if finding.severity == "error"]
        raise InvalidDraft(" ".join(dict.fromkeys(causes)) or str(error)) from error


def _written(
    environment: Environment, line: ImportLine, target: Path, options: AwmImportOptions
) -> ImportLine:
    checked = check_environment(environment) if options.prove else None
    files = bundle_files(Bundle(environment=environment, report=checked))
    path = target / line.name
    if (path / ANCHOR).is_file():  # of another source, or of an import that ended before its line was written
        shutil.rmtree(path)
    archive.write_folder(files, path)
    if checked is None:
        return line
    held = sum(result.passed for result in checked.results)
    return line.model_copy(update={"claims_passed": held, "claims": len(checked.results)})


def _with_figures(line: ImportLine, report: AwmReport, repairs: tuple[str, ...]) -> ImportLine:
    tools, tasks = report.draft.tools, report.draft.tasks
    figures = {
        "tables": report.tables,
        "rows": report.rows,
        "tools": len(tools.tools) if tools else 0,
        "tasks": len(tasks.tasks) if tasks else 0,
        "idle_passes": len(report.idle_passes),
    }
    return line.model_copy(update={**figures, "repairs": repairs, "findings": report.findings})


def _digest(scenario: AwmScenario, options: AwmImportOptions) -> str:
    parts = (
        *(scenario.ddl, scenario.inserts, scenario.code, scenario.tasks),
        sorted(scenario.verifiers.items()),
        options.repair,
        options.prove,
        scenario.clock.isoformat(),
    )
    return digest(orjson.dumps(parts))


def _known(target: Path) -> dict[str, ImportLine]:
    """The lines of an earlier import whose bundles are there, the last of each name."""
    path = target / REPORT
    if not path.is_file():
        return {}
    known = {}
    for text in path.read_bytes().splitlines():
        try:
            line = ImportLine.model_validate_json(text)
        except ValidationError:  # an import that was killed leaves half a line
            continue
        if line.status == "refused" or (target / line.name).is_dir():
            known[line.name] = line
    return known
