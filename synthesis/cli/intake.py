"""`worldwright intake`: what a data model from outside becomes, before an environment is made of it."""

from __future__ import annotations

import argparse

from rich.console import Console

from synthesis.cli.console import console, print_json, table
from synthesis.documents.finding import Finding
from synthesis.documents.intake import Intake
from synthesis.errors import InvalidInput


def intake(arguments: argparse.Namespace) -> int:
    """Read a DDL script, a database or an OpenAPI file; show the proposed schema and what was left behind."""
    from synthesis.intake import ImportOptions, read

    tables = tuple(name.strip() for name in arguments.tables.split(",") if name.strip())
    import_options = ImportOptions(
        dialect=arguments.dialect, tables=tables, rows=arguments.sample_rows, seed=arguments.seed
    )
    result = read(arguments.source, import_options=import_options)
    if arguments.out is not None:
        _write(result, arguments)
    if arguments.json:
        print_json(result.model_dump(mode="json", by_alias=True))
    else:
        _show(result, console())
    return 0


def _show(result: Intake, out: Console) -> None:
    scenario = result.scenario
    out.print(f"{scenario.title} ({scenario.category}), read from {result.source}", markup=False)
    out.print(scenario.description + "\n", markup=False)
    out.print(result.schema.sql, markup=False)
    rows = result.seed_data.rows if result.seed_data is not None else {}
    out.print(
        table(
            f"{len(result.schema.tables)} tables",
            ("table", "columns", "rows", "refers to"),
            (
                (
                    one.name,
                    len(one.columns),
                    len(rows.get(one.name, ())),
                    ", ".join(dict.fromkeys(key.table for key in one.foreign_keys)),
                )
                for one in result.schema.tables
            ),
        )
    )
    messages = ((finding.severity, _place(finding), finding.message) for finding in result.findings)
    out.print(table(f"{len(result.findings)} findings", ("", "line:column", "finding"), messages))


def _place(finding: Finding) -> str:
    """Where in the source it is; empty where that is unknown."""
    position = finding.evidence if isinstance(finding.evidence, dict) else {}
    return f"{position['line']}:{position['column']}" if "line" in position else ""


def _write(result: Intake, arguments: argparse.Namespace) -> None:
    try:
        arguments.out.mkdir(parents=True, exist_ok=True)
        (arguments.out / "schema.sql").write_text(result.schema.sql, encoding="utf-8")
        (arguments.out / "intake.json").write_text(
            result.model_dump_json(by_alias=True, indent=2), encoding="utf-8"
        )
    except OSError as error:
        raise InvalidInput(f"{arguments.out} cannot be written: {error.strerror}.") from error
