"""Schema import: the options of `synthesize --from-schema`, and what it tells of what was read."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from rich.console import Console
from rich.markup import escape

from studio.models import Run, RunKind
from studio.services.synthesis import schema_import
from synthesis.errors import InvalidInput


def add_schema_options(parser: ArgumentParser) -> None:
    """The options that go with `--from-schema`."""
    parser.add_argument(
        "--from-schema",
        metavar="PATH_OR_URL",
        help="a DDL script, an OpenAPI 3 file or a database's address to make the environment from",
    )
    parser.add_argument("--dialect", default="", help="dialect of a script: postgres, mysql or sqlite")
    parser.add_argument(
        "--tables", default="", help="tables to import, separated by commas; as many as fit if not given"
    )
    parser.add_argument(
        "--sample-rows",
        type=int,
        default=0,
        help="sample rows per table, anonymised; none if not given",
    )


def start_from_schema(options: dict[str, Any]) -> Run:
    """Read the source in this process, so that a password goes nowhere else, and queue the run.

    Raises:
        InvalidInput: The source cannot be read, or something else is asked for as well.
    """
    if any(options[name] is not None for name in ("scenario", "seeds", "count")):
        raise InvalidInput(
            "--from-schema creates one environment from one source; leave out the other options."
        )
    if options["author"] != "procedural":
        raise InvalidInput("--from-schema needs no model: its author is procedural.")
    read = schema_import.read_source(
        source=options["from_schema"],
        dialect=options["dialect"],
        tables=[name.strip() for name in options["tables"].split(",") if name.strip()],
        rows=options["sample_rows"],
        seed=options["seed"],
    )
    return schema_import.start_intake(intake=read, seed=options["seed"], tasks=options["tasks"])


def show_findings(console: Console, run: Run) -> None:
    """What could not be converted, where a run is a schema import."""
    if run.kind != RunKind.INTAKE:
        return
    for finding in run.request["intake"]["findings"]:
        if finding["severity"] == "warning":
            console.print(f"  {escape(finding['message'])}")
