"""`worldwright export`: a bundle in another format."""

from __future__ import annotations

import argparse

from synthesis.bundles.open import open_bundle
from synthesis.bundles.registry import CODECS, codec
from synthesis.cli.console import console, table
from synthesis.errors import InvalidInput


def export(arguments: argparse.Namespace) -> int:
    """Write it; `--to list` shows the formats instead."""
    out = console()
    if arguments.to == "list":
        rows = ((format.name, format.title, " ".join(format.loss) or "nothing") for format in CODECS.values())
        out.print(table("Formats", ("name", "title", "what it omits"), rows))
        return 0
    if arguments.out is None:
        raise InvalidInput("--out is missing: name the file or folder to write.")
    chosen = codec(arguments.to)
    written = chosen.write(open_bundle(arguments.bundle), arguments.out)
    out.print(f"Wrote {written}", markup=False)
    for loss in chosen.loss:
        out.print(f"Not in it: {loss}", markup=False)
    return 0
