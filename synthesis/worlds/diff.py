"""The difference between two snapshots of one world."""

from __future__ import annotations

from synthesis.documents.state_diff import StateDiff
from synthesis.worlds.answers import read_changes
from synthesis.worlds.limits import Limits
from synthesis.worlds.sandbox.job import run_job
from synthesis.worlds.snapshot import Snapshot


def diff(before: Snapshot, after: Snapshot, *, limits: Limits | None = None) -> StateDiff:
    """The rows that differ, found in a fresh sealed process.

    Raises:
        SandboxError: The comparison failed, for example since an image is no database.
    """
    limits = limits or Limits()
    if before.hash == after.hash:
        return StateDiff()
    body = {"before_bytes": len(before.image), "clock": after.clock.isoformat()}
    answer, _ = run_job(
        "compare", body, before.image + after.image, limits=limits, seconds=limits.build_seconds
    )
    return read_changes(answer.get("changes"))
