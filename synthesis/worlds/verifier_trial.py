"""Verifier trials: one verifier held against many near-misses of the right end, in one sealed process."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NamedTuple, Self

from synthesis.documents.state_diff import StateDiff
from synthesis.errors import BrokenEnvironment, ProtocolViolated, SandboxError
from synthesis.worlds.answers import read_changes
from synthesis.worlds.job import failure
from synthesis.worlds.limits import Limits
from synthesis.worlds.sandbox.printable import printable
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.worker_slots import Pool, SharedWorker

_LONGEST = 600
"""Characters of a check's name or of an error that are read."""


class PreparedVerifier(NamedTuple):
    """A verifier with a switch at every place where it can be weakened."""

    source: str
    sites: tuple[Mapping[str, Any], ...]
    """The weakenings as plain values, see `synthesis.worlds.worker.verifier_trial.Site`."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """What a verifier said of one near-miss."""

    open: tuple[str, ...] = ()
    """Names of the checks that did not hold; () where it accepts the near-miss."""
    error: str = ""
    """Why it came to no answer."""
    changes: StateDiff | None = None
    """Rows that differ from the right end state, where they were asked for or no check failed."""


class VerifierTrial:
    """One verifier on trial; made by `World.verifier_trials`.

    What it hides in its process would still be there at the next near-miss: for a proof, never for a verdict
    that counts.

    Args:
        pool: The workers of its world.
        limits: Ceilings.
        right: The right end state.
        answer: The right answer, and what was called and said on the way, as plain values.
        code: The verifier, compiled.
        prepared: The verifier prepared to be weakened, compiled; b"" without.
        sites: Its weakenings.
    """

    def __init__(
        self,
        pool: Pool,
        limits: Limits,
        *,
        right: Snapshot,
        answer: Mapping[str, Any],
        code: bytes,
        prepared: bytes,
        sites: Sequence[Mapping[str, Any]],
    ) -> None:
        self._pool, self._limits, self._right = pool, limits, right
        self._codes = code, prepared
        self._body = {
            "code_bytes": len(code),
            "prepared_bytes": len(prepared),
            "clock": right.clock.isoformat(),
            "seed": right.seed,
            "sites": [dict(site) for site in sites],
            **answer,
        }
        self._worker: SharedWorker | None = None
        self._known = {int(site["place"]) for site in sites}
        self.killed: set[int] = set()
        """Places whose weakening let a near-miss through that the verifier itself rejects."""

    def attempt(self, near_misses: Sequence[Mapping[str, Any]]) -> list[Rejection | None]:
        """What the verifier says of near-misses; None for one that the schema does not allow.

        Returns:
            One for each, in order; fewer where its time is over.

        Raises:
            BrokenEnvironment: The trial could not be held.
            SandboxError: The process died or broke the protocol.
        """
        seconds = self._limits.verify_seconds
        body = {"near_misses": list(near_misses), "seconds": seconds / 2}
        answer = self._ask("try_near_misses", body, b"", seconds)
        results, killed = answer.get("results"), answer.get("killed")
        if not isinstance(results, list) or not isinstance(killed, list) or len(results) > len(near_misses):
            raise ProtocolViolated("The trial's process answered in an unknown form.")
        self.killed |= {place for place in killed if isinstance(place, int) and place in self._known}
        return [_read(result) for result in results]

    def close(self) -> None:
        """End its process; harmless when it has ended."""
        if self._worker is not None:
            with contextlib.suppress(SandboxError):
                self._worker.kill()
        self._worker = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, op: str, body: dict[str, Any], blob: bytes, seconds: float) -> dict[str, Any]:
        if self._worker is None:
            self._worker = self._pool.shared_worker()
            self._ask("open_trial", self._body, b"".join((*self._codes, self._right.image)), seconds)
        answer, _ = self._worker.ask(op, body, blob, seconds)
        if not answer["ok"]:
            raise BrokenEnvironment(f"The trial failed: {failure(answer)}", part="verifiers")
        return answer


def _read(result: Any) -> Rejection | None:
    try:
        if result["possible"] is not True:
            return None
        changes = result.get("changes")
        return Rejection(
            open=tuple(printable(str(name)[:_LONGEST]) for name in result["open"]),
            error=printable(str(result["error"])[:_LONGEST]),
            changes=None if changes is None else read_changes(changes),
        )
    except (TypeError, KeyError, ValueError) as error:
        raise ProtocolViolated("The trial's process answered in an unknown form.") from error
