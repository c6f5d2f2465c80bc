"""Run context: what a claimed run brings to the pipeline: its part store, its events, its wish to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.services.runs.execution import RunLease
from studio.services.runs.run_events import Listener
from studio.services.synthesis.part_store import DatabasePartStore
from studio.services.synthesis.stage_limits import stage_limits

if TYPE_CHECKING:
    from synthesis.pipeline.assembly import RunContext


def run_context(lease: RunLease) -> RunContext:
    """The same for every run that makes, corrects or derives an environment."""
    from synthesis.pipeline.assembly import RunContext

    return RunContext(
        store=DatabasePartStore(lease),
        on_event=Listener(lease),
        cancelled=lease.cancelled,
        stage_limits=stage_limits(),
    )
