"""The difference between two snapshots of one world."""

from __future__ import annotations

from synthesis.documents.state_diff import StateDiff
from synthesis.errors import BrokenEnvironment
from synthesis.worlds.answers import read_changes
from synthesis.worlds.job import JobFailed, run_job
from synthesis.worlds.limits import Limits
from synthesis.worlds.snapshot import Snapshot


def diff(before: Snapshot, after: Snapshot, *, limits: Limits | None = None) -> StateDiff:
    """The rows that differ, found in a fresh sealed process.

    Raises:
        BrokenEnvironment: They cannot be compared, for example since an image is no database.
        SandboxError: The process died, ran out of time or broke the protocol.
    """
    limits = limits or Limits()
    if before.hash == after.hash:
        return StateDiff()
    body = {"before_bytes": len(before.image), "clock": after.clock.isoformat()}
    images = before.image + after.image
    try:
        answer, _ = run_job("compare", body, images, limits=limits, seconds=limits.build_seconds)
    except JobFailed as error:
        raise BrokenEnvironment(f"The states cannot be compared: {error}", part="schema") from error
    return read_changes(answer.get("changes"))
