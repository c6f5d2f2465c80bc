"""`worldwright doctor`: what protects this host from generated code."""

from __future__ import annotations

import argparse
from typing import Any

from synthesis.cli.console import console, mark, print_json, table
from synthesis.worlds.sandbox.probe import probe
from synthesis.worlds.sandbox.status import SandboxStatus


def doctor(arguments: argparse.Namespace) -> int:
    """Probe and report; 1 when generated code would not be run here."""
    status = probe()
    if arguments.json:
        print_json(status.as_json())
    else:
        _show(status)
    return 0 if status.usable else 1


def sandbox_report() -> dict[str, Any]:
    """The sandbox of this host as plain values, for GET /health."""
    return probe().as_json()


def _show(status: SandboxStatus) -> None:
    out = console()
    rows = (
        (mark(layer.in_force), layer.name, "required" if layer.required else "", layer.detail, layer.remedy)
        for layer in status.layers
    )
    out.print(table(f"{status.host}: mode {status.mode}", ("", "layer", "", "finding", "what to do"), rows))
    for notice in status.notices:
        out.print(notice, markup=False)
