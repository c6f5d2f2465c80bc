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
    from synthesis.intake import Wishes, read

    tables = tuple(name.strip() for name in arguments.tables.split(",") if name.strip())
    wishes = Wishes(dialect=arguments.dialect, tables=tables, rows=arguments.sample_rows, seed=arguments.seed)
    found = read(arguments.source, wishes=wishes)
    if arguments.out is not None:
        _write(found, arguments)
    if arguments.json:
        print_json(found.model_dump(mode="json", by_alias=True))
    else:
        _show(found, console())
    return 0


def _show(found: Intake, out: Console) -> None:
    scenario = found.scenario
    out.print(f"{scenario.title} ({scenario.category}), read from {found.source}", markup=False)
    out.print(scenario.description + "\n", markup=False)
    out.print(found.schema.sql, markup=False)
    rows = found.seed_data.rows if found.seed_data is not None else {}
    out.print(
        table(
            f"{len(found.schema.tables)} tables",
            ("table", "columns", "rows", "refers to"),
            (
                (
                    one.name,
                    len(one.columns),
                    len(rows.get(one.name, ())),
                    ", ".join(dict.fromkeys(key.table for key in one.foreign_keys)),
                )
                for one in found.schema.tables
            ),
        )
    )
    told = ((finding.severity, _place(finding), finding.message) for finding in found.findings)
    out.print(table(f"{len(found.findings)} findings", ("", "line:column", "finding"), told))


def _place(finding: Finding) -> str:
    """Where in the source it stands; empty where that is unknown."""
    stands = finding.evidence if isinstance(finding.evidence, dict) else {}
    return f"{stands['line']}:{stands['column']}" if "line" in stands else ""


def _write(found: Intake, arguments: argparse.Namespace) -> None:
    try:
        arguments.out.mkdir(parents=True, exist_ok=True)
        (arguments.out / "schema.sql").write_text(found.schema.sql, encoding="utf-8")
        (arguments.out / "intake.json").write_text(
            found.model_dump_json(by_alias=True, indent=2), encoding="utf-8"
        )
    except OSError as error:
        raise InvalidInput(f"{arguments.out} cannot be written: {error.strerror}.") from error
