"""`worldwright push`: data and bundles to a dataset hub, after a look at what would be sent."""

from __future__ import annotations

import argparse

from synthesis.bundles.hub import plan
from synthesis.bundles.hub import push as send
from synthesis.cli.console import console, print_json, table


def push(arguments: argparse.Namespace) -> int:
    """Show what would be sent; with --send, send it."""
    planned = plan(
        arguments.path, arguments.repository, private=not arguments.public, branch=arguments.branch
    )
    address = ""
    if arguments.send:
        from huggingface_hub import HfApi

        address = send(arguments.path, planned, HfApi(library_name="worldwright"), message=arguments.message)
    if arguments.json:
        print_json({**planned.model_dump(mode="json"), "sent": arguments.send, "address": address})
        return 0
    out = console()
    rows = ((file.path, f"{file.bytes:,}", file.sha256[:12]) for file in planned.files)
    out.print(table(f"For the dataset {planned.repository}", ("file", "bytes", "sha256"), rows))
    for remark in planned.remarks:
        out.print(f"Note: {remark}", markup=False)
    visible = "private" if planned.private else "public"
    if arguments.send:
        out.print(f"Sent {planned.size:,} bytes: {address}", markup=False)
    else:
        out.print(
            f"Nothing was sent. --send makes the {visible} repository where it does not exist and uploads "
            f"{planned.size:,} bytes to {planned.branch}.",
            markup=False,
        )
    return 0
