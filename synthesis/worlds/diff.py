"""The difference between two snapshots of one world."""

from __future__ import annotations

from typing import Any

from synthesis.documents.state_diff import StateDiff
from synthesis.errors import ProtocolViolated
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


def read_changes(changes: Any) -> StateDiff:
    """A worker's list of changes as a document.

    Raises:
        ProtocolViolated: It is no such list.
    """
    if not changes:
        return _NOTHING
    try:
        return StateDiff.model_validate({"changes": [_with_key(change) for change in changes]})
    except (ValueError, TypeError) as error:
        raise ProtocolViolated("A worker reported changes in a form that is not known.") from error


_NOTHING = StateDiff()


def _with_key(change: dict[str, Any]) -> dict[str, Any]:
    return {**change, "key": tuple(change["key"])} if isinstance(change["key"], list) else change
